/* demangle.c - turns symbols of C++, Rust and D into names as in the source, by
   libiberty; those of C++ also by the C++ runtime, if there is no libiberty.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

static bool
begins (const char *text, const char *with)
{
  return strncmp (text, with, strlen (with)) == 0;
}

/* Demanglers, which return a name that is to be freed, or NULL.  */

#ifdef CGW_LIBIBERTY

# include <libiberty/demangle.h>
# include <setjmp.h>

/* A short symbol can stand for a name that no memory holds: each part may
   repeat the parts before it.  */
struct name
{
  jmp_buf too_long;
  size_t n;
  char text[1 << 16];
};

static void
take_part (const char *part, size_t n, void *name)
{
  struct name *to = name;

  if (n > sizeof to->text - to->n)
    longjmp (to->too_long, 1);
  memcpy (to->text + to->n, part, n);
  to->n += n;
}

static char *
collect (int (*demangler) (const char *, int, demangle_callbackref, void *),
         const char *symbol)
{
  struct name name;

  name.n = 0;
  if (setjmp (name.too_long) != 0
      || !demangler (symbol, DMGL_PARAMS | DMGL_ANSI, take_part, &name))
    return NULL;
  return strndup (name.text, name.n);
}

/* libiberty sets itself no limits here.  A name is long if it often repeats
   parts (Q).  */
static char *
demangle_d (const char *symbol)
{
  enum { MOST_BYTES = 4096, MOST_REPEATED = 32 };
  size_t repeated = 0;

  for (const char *p = symbol; *p != '\0'; p++)
    repeated += *p == 'Q';
  return strlen (symbol) <= MOST_BYTES && repeated <= MOST_REPEATED
             ? dlang_demangle (symbol, 0)
             : NULL;
}

static char *
demangle_any (const char *symbol)
{
  char *name;

  if (begins (symbol, "_D"))
    return demangle_d (symbol);
  name = collect (rust_demangle_callback, symbol);
  return name != NULL ? name : collect (cplus_demangle_v3_callback, symbol);
}

#else

# include <dlfcn.h>

typedef char *demangle_fn (const char *name, char *buffer, size_t *size,
                           int *status);

/* Of the C++ runtime.  A C++ program has it loaded, unless it was linked
   statically.  */
static demangle_fn *
find_demangler (void)
{
  static const char name[] = "__cxa_demangle";
  void *found = dlsym (RTLD_DEFAULT, name);
  void *library = NULL;
  demangle_fn *function;

  if (found == NULL)
    library = dlopen ("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (library != NULL)
    found = dlsym (library, name);
  /* C knows no conversion to a pointer to a function.  */
  memcpy (&function, &found, sizeof function);
  return function;
}

static char *
demangle_any (const char *symbol)
{
  static demangle_fn *demangler;
  static bool is_tried;

  if (!begins (symbol, "_Z"))
    return NULL;
  if (!is_tried)
    demangler = find_demangler ();
  is_tried = true;
  return demangler != NULL ? demangler (symbol, NULL, NULL, NULL) : NULL;
}

#endif

/* Symbols.  */

bool
is_mangled (const char *symbol)
{
  return begins (symbol, "_Z")
         || (begins (symbol, "_R") && symbol[2] != '\0'
             && strchr ("BCIMNXY", symbol[2]) != NULL)
         || (begins (symbol, "_D") && strspn (symbol + 2, DIGITS) != 0)
         || strcmp (symbol, "_Dmain") == 0
         || begins (symbol, "$s") || begins (symbol, "_$s"); /* Swift */
}

/* How long ".llvm.123" is at the end of n bytes.  */
static size_t
llvm_length (const char *symbol, size_t n)
{
  size_t begin = n;

  while (begin != 0 && strchr (DIGITS, symbol[begin - 1]) != NULL)
    begin--;
  return begin < n && begin >= 6 && begins (symbol + begin - 6, ".llvm.")
             ? n - begin + 6
             : 0;
}

/* Without the version and ".llvm.123".  */
static size_t
whole_length (const char *symbol)
{
  size_t n = strcspn (symbol, "@");

  return n - llvm_length (symbol, n);
}

/* The length of a symbol in Rust's older form, which has dots inside, and a
   hash at its end; 0: it is none.  */
static size_t
rust_length (const char *symbol)
{
  enum { HASH = 16 };

  for (const char *p = symbol; (p = strstr (p, "17h")) != NULL; p++)
    if (strspn (p + 3, DIGITS "abcdef") == HASH && p[3 + HASH] == 'E')
      return (size_t) (p + 3 + HASH + 1 - symbol);
  return 0;
}

size_t
symbol_length (const char *symbol)
{
  size_t n = begins (symbol, "_ZN") ? rust_length (symbol) : 0;

  if (n != 0)
    return n;
  return is_mangled (symbol) ? strcspn (symbol, ".@") : whole_length (symbol);
}

/* Appends what distinguishes a copy, such as ".part.0.cold", in the words of
   binutils: "f() [clone .part.0] [clone .cold]".  */
static char *
append_clone (char *name, const char *suffix, size_t n)
{
  while (name != NULL && n != 0)
    {
      size_t part = 1 + strcspn (suffix + 1, ".");
      char *more;

      while (suffix[part] == '.' && strspn (suffix + part + 1, DIGITS) != 0)
        part += 1 + strspn (suffix + part + 1, DIGITS);
      if (part > n)
        part = n;
      if (asprintf (&more, "%s [clone %.*s]", name, (int) part, suffix) < 0)
        more = NULL;
      free (name);
      name = more;
      suffix += part;
      n -= part;
    }
  return name;
}

char *
demangle (const char *symbol)
{
  size_t n = symbol_length (symbol);
  size_t whole = whole_length (symbol);
  char *plain = strndup (symbol, n);
  char *name = plain != NULL && is_mangled (plain) ? demangle_any (plain)
                                                   : NULL;

  free (plain);
  return name != NULL
             ? append_clone (name, symbol + n, whole > n ? whole - n : 0)
             : strndup (symbol, whole);
}
