/* preload.c - preloads a shared object of the tool into a program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "preload.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool
is_program (const char *path)
{
  struct stat st;

  return access (path, X_OK) == 0 && stat (path, &st) == 0
         && S_ISREG (st.st_mode);
}

char *
preload_program (const char *name)
{
  const char *path = getenv ("PATH");
  char *found;

  if (strchr (name, '/') != NULL)
    return is_program (name) ? strdup (name) : NULL;
  if (path == NULL)
    path = "/bin:/usr/bin";
  for (;; path++)
    {
      size_t n = strcspn (path, ":");

      if (asprintf (&found, "%.*s%s%s", (int) n, path, n != 0 ? "/" : "./",
                    name) < 0)
        return NULL;
      if (is_program (found))
        return found;
      free (found);
      path += n;
      if (*path == '\0')
        return NULL;
    }
}

/* The dynamic linker ignores LD_PRELOAD for a program that gains rights.  */
static bool
gains_rights (int fd)
{
  struct stat st;

  if (fstat (fd, &st) != 0)
    return false;
  return ((st.st_mode & S_ISUID) != 0 && st.st_uid != getuid ())
         || ((st.st_mode & S_ISGID) != 0 && st.st_gid != getgid ())
         || (getuid () != 0
             && fgetxattr (fd, "security.capability", NULL, 0) > 0);
}

/* Whether it asks for a dynamic linker.  */
static bool
is_dynamic (int fd, const ElfW (Ehdr) *elf)
{
  ElfW (Phdr) p;

  for (unsigned i = 0; i < elf->e_phnum; i++)
    if (pread (fd, &p, sizeof p,
               (off_t) (elf->e_phoff + (size_t) i * elf->e_phentsize))
            == (ssize_t) sizeof p
        && p.p_type == PT_INTERP)
      return true;
  return false;
}

static const char *
check_elf (int fd, const ElfW (Ehdr) *elf)
{
  ElfW (Ehdr) own;
  int self = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  bool is_same = self < 0 || read (self, &own, sizeof own) != sizeof own
                 || (elf->e_ident[EI_CLASS] == own.e_ident[EI_CLASS]
                     && elf->e_machine == own.e_machine);

  if (self >= 0)
    close (self);
  if (!is_same)
    return "is for another processor than this tool";
  if (!is_dynamic (fd, elf))
    return "is statically linked, so nothing can be preloaded into it";
  if (gains_rights (fd))
    return "is setuid, setgid or has capabilities, so nothing can be "
           "preloaded into it";
  return NULL;
}

/* The interpreter in a script's first line; NULL: no script.  */
static char *
find_interpreter (char *line)
{
  if (strncmp (line, "#!", 2) != 0)
    return NULL;
  line += 2 + strspn (line + 2, " \t");
  line[strcspn (line, " \t\n")] = '\0';
  return line[0] != '\0' ? strdup (line) : NULL;
}

const char *
preload_check (const char *name, char **culprit)
{
  const char *reason = NULL;
  char *path = preload_program (name);

  *culprit = NULL;
  for (int depth = 0; path != NULL && depth < 5; depth++)
    {
      union { char text[256]; ElfW (Ehdr) elf; } head;
      int fd = open (path, O_RDONLY | O_CLOEXEC);
      char *interpreter = NULL;

      memset (&head, 0, sizeof head);
      if (fd < 0)
        break;
      if (read (fd, &head, sizeof head - 1) >= (ssize_t) sizeof head.elf
          && memcmp (head.text, ELFMAG, SELFMAG) == 0)
        reason = check_elf (fd, &head.elf);
      else
        interpreter = find_interpreter (head.text);
      close (fd);
      if (interpreter == NULL)
        break;
      free (path);
      path = interpreter;
    }
  *culprit = path;
  return reason;
}

/* The folder of this tool, with a slash behind it; "" if that is unknown.  */
static void
find_own_folder (char *folder, size_t size)
{
  ssize_t n = readlink ("/proc/self/exe", folder, size - 1);

  folder[n > 0 ? n : 0] = '\0';
  if (strrchr (folder, '/') != NULL)
    strrchr (folder, '/')[1] = '\0';
}

/* The real path of a file, put together; NULL: there is none.  */
static char *
find_file (const char *folder, const char *way, const char *rest,
           const char *name)
{
  char *path, *real;

  if (asprintf (&path, "%s%s%s%s", folder, way, rest, name) < 0)
    return NULL;
  real = realpath (path, NULL);
  free (path);
  return real;
}

/* Looks beside a tool that was not installed; then where it was installed, in
   a tree that was moved since, or not.  */
char *
preload_locate (const char *name, const char **reason)
{
  static const char prefix[] = TOOLS_PREFIX "/", installed[] = TOOLS_FOLDER "/";
  char folder[4096];
  size_t n;
  bool by_libtool;
  char *found;

  find_own_folder (folder, sizeof folder);
  n = strlen (folder);
  by_libtool = n >= 7 && strcmp (folder + n - 7, "/.libs/") == 0;
  found = find_file (folder, by_libtool ? "../" : "", "", name);
  if (found == NULL && strncmp (installed, prefix, sizeof prefix - 1) == 0)
    found = find_file (folder, "../", installed + sizeof prefix - 1, name);
  if (found == NULL)
    found = find_file ("", "", installed, name);
  if (found == NULL)
    *reason = "not found beside this tool or in " TOOLS_FOLDER;
  return found;
}

char *
preload_find (const char *name, const char **reason)
{
  char *path = preload_locate (name, reason);

  if (path != NULL && strpbrk (path, " :") != NULL)
    {
      *reason = "LD_PRELOAD allows no blank or colon in a path";
      free (path);
      path = NULL;
    }
  return path;
}

bool
preload_set (const char *path)
{
  const char *others = getenv ("LD_PRELOAD");
  bool has_others = others != NULL && others[0] != '\0';
  char *list;
  bool ok;

  if (asprintf (&list, "%s%s%s", path, has_others ? ":" : "",
                has_others ? others : "") < 0)
    return false;
  ok = setenv ("LD_PRELOAD", list, 1) == 0;
  free (list);
  return ok;
}
