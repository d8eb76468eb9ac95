/* resolve.c - symbolizes a location in a program or a library.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "resolve.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "call.h"
#include "demangle.h"
#include "image.h"
#include "module.h"
#include "object_file.h"
#include "perf_map.h"
#include "unwound.h"

#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct resolver_object
{
  bool is_open; /* we tried */
  struct image image;
  struct module module;
  struct perf_map made; /* the names of code that a process made */
  char build_id[2 * OBJECT_BUILD_ID + 1]; /* of the file, in hexadecimal */
};

/* The places of a location.  */
struct resolver_places
{
  uint32_t first;
  uint32_t n;
};

struct resolver_function
{
  bool is_main;
  struct cgw_fn fn;
  struct cgw_file file;
};

/* Adds a path, and frees it; NULL and "" are unknown.  */
static struct cgw_file
take_file (struct resolver *r, char *path)
{
  struct cgw_file file = { 0 };

  if (path != NULL && *path != '\0')
    file = cgw_add_file (r->names, path);
  free (path);
  return file;
}

/* Objects.  */

int
resolver_open (const struct resolver *r, uint64_t number, char **path)
{
  struct object object = maps_object_of (r->maps, number);

  return object_file_open (&object, r->symfs, r->search, path);
}

/* Reads a list of code that a process made at run time.  */
static void
read_made (const struct resolver *r, struct resolver_object *o,
           const struct object *object)
{
  char *path = make_text ("%s/tmp/%s", r->symfs != NULL ? r->symfs : "",
                          object->path);

  perf_map_read (&o->made, path, object->start_time);
  free (path);
}

/* Writes the first bytes of a build ID in hexadecimal.  */
static void
print_build_id (char text[2 * OBJECT_BUILD_ID + 1], const unsigned char *id,
                int n)
{
  *text = '\0';
  for (int i = 0; i < n && i < OBJECT_BUILD_ID; i++)
    sprintf (text + 2 * i, "%02x", id[i]);
}

void
resolver_each_build_id (const struct resolver *r,
                        void (*take) (void *context, const char *path,
                                      const char *build_id),
                        void *context)
{
  for (uint32_t i = 0; i < r->maps->objects.n; i++)
    {
      const struct object object = maps_object_of (r->maps, i);
      char text[2 * OBJECT_BUILD_ID + 1];

      print_build_id (text, object.build_id, (int) object.build_id_size);
      if (*text == '\0' && i < r->n_objects)
        strcpy (text, r->objects[i].build_id);
      if (*text != '\0')
        take (context, object.path, text);
    }
}

static void
read_object (struct resolver *r, struct resolver_object *o,
             const struct object *object)
{
  char *path;
  int fd = object_file_open (object, r->symfs, r->search, &path);
  Dwfl_Module *dwfl = NULL;
  const unsigned char *id;
  GElf_Addr address;
  int n;

  if (fd >= 0)
    dwfl = image_open (&o->image, &r->callbacks, path, fd);
  else if (path != NULL)
    tool_warn (object->path, 0,
               object->build_id_size != 0
                   ? "there is no file with its build ID: its functions have "
                     "no names"
                   : "was replaced or cannot be read: its functions have no "
                     "names");
  if (dwfl != NULL)
    {
      module_read (&o->module, dwfl);
      n = dwfl_module_build_id (dwfl, &id, &address);
      print_build_id (o->build_id, id, n);
    }
  free (path);
}

/* A file that was mapped, or the vdso.  */
static bool
is_file (const char *path)
{
  return path[0] == '/' || path[0] == '[';
}

static const struct resolver_object *
find_object (struct resolver *r, uint64_t number)
{
  struct object object;
  struct resolver_object *o;

  r->objects = resize_for (r->objects, (uint32_t) number, &r->n_objects,
                           sizeof *r->objects);
  o = &r->objects[number];
  if (o->is_open)
    return o;
  o->is_open = true;
  object = maps_object_of (r->maps, number);
  if (is_file (object.path))
    read_object (r, o, &object);
  else if (number != 0)
    read_made (r, o, &object);
  return o;
}

/* The name of a function, to be freed: without a symbol "0x1234", so that
   functions without names are told apart.  */
static char *
name_of (const char *symbol, uint64_t address)
{
  return symbol != NULL ? demangle (symbol)
                        : make_text ("0x%" PRIx64, address);
}

/* Where inlined copies of a function count as the function, so do the copies
   and parts that have a symbol of their own, as "f.isra.0" and "f.cold".  */
static char *
source_symbol (const char *symbol, Dwarf_Die *die)
{
  const char *name = module_linkage_name (die);
  size_t n;

  if (name == NULL)
    name = dwarf_diename (die);
  n = name != NULL ? strlen (name) : 0;
  if (n != 0 && strncmp (symbol, name, n) == 0 && symbol[n] == '.')
    return strndup (symbol, n);
  return strndup (symbol, is_mangled (symbol) ? symbol_length (symbol)
                                              : strlen (symbol));
}

/* name is NULL if it is unknown.  */
static struct resolver_function
add_function (struct resolver *r, const char *name, struct cgw_file file,
              struct cgw_object object)
{
  return (struct resolver_function){
    name != NULL && strcmp (name, "main") == 0,
    cgw_add_fn (r->names, name, file, object), file
  };
}

/* Stands for the symbol of what was inlined.  */
static const char inlined[] = "";

/* Looks up a function by its key: of several at one address, the symbol tells
   which it is.  Returns whether it is new; then *f is to be filled in.  */
static bool
is_new (struct resolver *r, uint64_t number, uint64_t what, const char *symbol,
        struct resolver_function **f)
{
  uint64_t key[] = { number, what, (uintptr_t) symbol };
  uint32_t n = r->functions.n;
  uint32_t i = intern (&r->functions, key, sizeof key);

  if (i == n)
    r->found = resize_for_one (r->found, n, sizeof *r->found);
  *f = &r->found[i];
  return i == n;
}

/* The function that has the machine code.  Its file is the one that it is
   written in, whatever is inlined at the address.  Assembler code has lines,
   but no functions.  */
static struct resolver_function
new_function (struct resolver *r, const struct resolver_object *o,
              GElf_Addr start, GElf_Addr address, const char *symbol,
              struct cgw_object object)
{
  struct source source = module_source (&o->module, address);
  Dwarf_Die functions[MODULE_FUNCTIONS];
  struct resolver_function f;
  char *cut = NULL, *path, *name;
  bool is_known = module_functions (&source, functions) != 0;

  if (is_known && r->inline_functions && symbol != NULL)
    cut = source_symbol (symbol, functions);
  source = module_source (&o->module, start);
  path = is_known ? module_decl_file (functions, &source, source.file)
                  : module_path (source.unit, source.file);
  name = name_of (cut != NULL ? cut : symbol, start - o->image.bias);
  f = add_function (r, name, take_file (r, path), object);
  free (name);
  free (cut);
  return f;
}

/* Unknown code begins where the known functions end, at start or later.  */
static GElf_Addr
behind_symbols (const struct resolver_object *o, GElf_Addr start)
{
  const struct range *symbol;

  while ((symbol = ranges_find (&o->module.symbols, start)) != NULL)
    start = symbol->end;
  return start;
}

/* The symbol of the code at an address, and where that begins; NULL: none.  One
   without a size ends where the unwind table has another function.  */
static const char *
find_symbol (const struct resolver_object *o, GElf_Addr address,
             GElf_Addr *start)
{
  bool is_label;
  const char *symbol = module_symbol (&o->module, address, start, &is_label);
  GElf_Addr other;
  enum unwound_kind kind;

  return symbol != NULL && is_label
                 && unwound_find (&o->image, address - o->image.bias, &other,
                                  &kind)
                 && kind == UNWOUND_FUNCTION && other + o->image.bias > *start
             ? NULL
             : symbol;
}

static struct resolver_function
find_function (struct resolver *r, uint64_t number, GElf_Addr address,
               struct cgw_object object)
{
  const struct resolver_object *o = &r->objects[number];
  GElf_Addr start;
  const char *symbol = find_symbol (o, address, &start);
  struct resolver_function *f;
  enum unwound_kind kind;

  if (symbol == NULL)
    {
      if (!unwound_find (&o->image, address - o->image.bias, &start,
                         &kind))
        return add_function (r, NULL, (struct cgw_file){ 0 }, object);
      start += o->image.bias;
      if (kind == UNWOUND_BETWEEN)
        start = behind_symbols (o, start);
    }
  if (is_new (r, number, start, symbol, &f))
    *f = new_function (r, o, start, address, symbol, object);
  return *f;
}

/* A function that was inlined at a source's address, where `file` is.  It has
   the name that its machine code would have elsewhere.  Of lambdas, debug
   information does not say in which file they are.  */
static struct resolver_function
find_inlined (struct resolver *r, uint64_t number, const struct source *source,
              Dwarf_Die *die, const char *file, struct cgw_object object)
{
  const struct module *module = &r->objects[number].module;
  struct resolver_function *f;
  Dwarf_Die origin;
  char *name;

  module_origin (die, &origin);
  if (is_new (r, number, (uintptr_t) origin.addr, inlined, &f))
    {
      name = module_name (module, source, &origin);
      *f = add_function (
          r, name, take_file (r, module_decl_file (&origin, source, file)),
          object);
      free (name);
    }
  return *f;
}

/* Places.  */

/* Where the call begins that returns to the byte behind an offset.  Of ARM's
   return addresses, odd ones say that the code there is Thumb.  */
static uint64_t
call_begin (const struct image *image, uint64_t offset)
{
  uint64_t end = offset + 1;
  const unsigned char *bytes;
  size_t n, length;

  if (image->header.e_machine == EM_ARM)
    end -= end % 2;
  n = end < CALL_BYTES_MAX ? (size_t) end : CALL_BYTES_MAX;
  bytes = image_bytes (image, end - n, n);
  length = call_length (&image->header, bytes, bytes != NULL ? n : 0);
  return length <= end ? end - length : offset;
}

/* Where x86's calls begin is a guess, so their lines are those of their last
   bytes.  */
static bool
is_guess (const struct image *image)
{
  return image->header.e_machine == EM_X86_64
         || image->header.e_machine == EM_386;
}

static void
add_place (struct resolver *r, struct resolver_function function,
           struct cgw_file file, int line, uint64_t instr)
{
  struct place place = { .pos = { .fn = function.fn, .instr = instr },
                         .is_main = function.is_main };

  if (file.handle != function.file.handle)
    place.pos.file = file;
  place.pos.line = (uint32_t) line;
  r->places = resize_for_one (r->places, r->n_places, sizeof *r->places);
  r->places[r->n_places++] = place;
}

/* Adds the places of a location in a file that is known.  */
static void
add_places (struct resolver *r, struct location location, bool is_call,
            struct cgw_object object)
{
  const struct resolver_object *o = &r->objects[location.object];
  uint64_t offset
      = is_call ? call_begin (&o->image, location.offset) : location.offset;
  uint64_t instr = image_address (&o->image, offset);
  GElf_Addr address
      = o->image.bias
        + (is_guess (&o->image) ? image_address (&o->image, location.offset)
                                : instr);
  struct source source = module_source (&o->module, address);
  const char *file = source.file;
  int line = source.line;
  Dwarf_Die functions[MODULE_FUNCTIONS];
  int n = r->inline_functions ? module_functions (&source, functions) : 1;

  while (n-- > 1)
    {
      add_place (r,
                 find_inlined (r, location.object, &source, &functions[n],
                               file, object),
                 take_file (r, module_path (source.unit, file)), line, instr);
      module_call (&functions[n], &file, &line);
    }
  add_place (r, find_function (r, location.object, address, object),
             take_file (r, module_path (source.unit, file)), line, instr);
}

static void
find_places (struct resolver *r, struct location location, bool is_call)
{
  const char *path = maps_object_of (r->maps, location.object).path;
  const struct resolver_object *o = find_object (r, location.object);
  const char *made = perf_map_name (&o->made, location.offset);
  struct cgw_object object = { 0 };

  if (is_file (path) || made != NULL)
    object = cgw_add_object (r->names, path);
  if (o->image.elf != NULL)
    add_places (r, location, is_call, object);
  else
    add_place (r, add_function (r, made, (struct cgw_file){ 0 }, object),
               (struct cgw_file){ 0 }, 0, location.offset);
}

struct places
resolve (struct resolver *r, struct location location, bool is_call)
{
  uint64_t key[] = { location.object, location.offset, is_call };
  uint32_t n = r->locations.n;
  uint32_t i = intern (&r->locations, key, sizeof key);
  struct resolver_places *places;

  if (i == n) /* it is new */
    {
      uint32_t first = r->n_places;

      find_places (r, location, is_call);
      r->resolved = resize_for_one (r->resolved, n, sizeof *r->resolved);
      r->resolved[i]
          = (struct resolver_places){ first, r->n_places - first };
    }
  places = &r->resolved[i];
  return (struct places){ r->places + places->first, places->n };
}

/* Code.  */

/* On ppc64, linkers put what leads to other objects beside the functions; only
   its symbols tell.  */
static bool
is_stub (const char *symbol)
{
  return symbol != NULL
         && (strncmp (symbol, "__glink", strlen ("__glink")) == 0
             || strstr (symbol, ".plt_call.") != NULL
             || strstr (symbol, ".plt_branch.") != NULL
             || strstr (symbol, ".long_branch.") != NULL);
}

/* On ppc64, a function has a second entry for calls from the same object, at
   most two instructions behind the first.  */
static bool
is_entry (const struct resolver_object *o, uint64_t behind_start)
{
  return behind_start == 0
         || (o->image.header.e_machine == EM_PPC64 && behind_start <= 8);
}

struct resolver_code
resolver_code (struct resolver *r, struct location location)
{
  const char *path = maps_object_of (r->maps, location.object).path;
  const struct resolver_object *o = find_object (r, location.object);
  struct resolver_code code = { .address = location.offset };
  GElf_Addr address, start;
  struct source source;
  enum unwound_kind kind;

  if (o->image.elf == NULL)
    return code;
  code.address = image_address (&o->image, location.offset);
  address = code.address + o->image.bias;
  code.symbol = find_symbol (o, address, &start);
  code.is_linkage = image_is_linkage (&o->image, code.address)
                    || is_stub (code.symbol);
  if (code.symbol != NULL)
    code.is_thumb = module_is_thumb (&o->module, address);
  else
    {
      if (!unwound_find (&o->image, code.address, &start, &kind)
          || kind != UNWOUND_FUNCTION)
        return code;
      start += o->image.bias;
    }
  source = module_source (&o->module, start);
  code.start.fn
      = find_function (r, location.object, address,
                       cgw_add_object (r->names, path)).fn;
  code.start.line = (uint32_t) source.line;
  code.start.instr = start - o->image.bias;
  code.is_entry = is_entry (o, address - start);
  return code;
}

bool
resolver_locate (struct resolver *r, uint64_t object, uint64_t address,
                 struct location *location)
{
  location->object = object;
  return image_offset (&find_object (r, object)->image, address,
                       &location->offset);
}

const unsigned char *
resolver_first (struct resolver *r, uint64_t object, size_t *n)
{
  return image_first (&find_object (r, object)->image, n);
}

/* Beginning and end.  */

void
resolver_open_many (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
}

void
resolver_begin (struct resolver *r, const struct maps *maps,
                struct cgw_names *names)
{
  r->maps = maps;
  r->names = names;
  r->search = object_file_search (r->symfs, r->debug_path);
  r->callbacks
      = (Dwfl_Callbacks){ .find_elf = dwfl_build_id_find_elf,
                          .find_debuginfo = dwfl_standard_find_debuginfo,
                          .section_address = dwfl_offline_section_address,
                          .debuginfo_path = &r->search };
}

void
resolver_end (struct resolver *r)
{
  for (uint32_t i = 0; i < r->n_objects; i++)
    {
      module_free (&r->objects[i].module);
      perf_map_free (&r->objects[i].made);
      image_free (&r->objects[i].image);
    }
  free (r->objects);
  free (r->found);
  free (r->resolved);
  free (r->places);
  free (r->search);
  intern_free (&r->functions);
  intern_free (&r->locations);
}
