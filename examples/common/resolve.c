/* resolve.c - symbolizes a location in a program or a library.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "resolve.h"

#include "memory.h"
#include "call.h"
#include "demangle.h"
#include "module.h"
#include "perf_map.h"
#include "tool.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct resolver_object
{
  bool is_open;    /* we tried */
  Dwfl *dwfl;
  Elf *elf;        /* NULL: nothing is known of it */
  GElf_Addr bias;  /* of the module's addresses to the file's */
  const unsigned char *bytes; /* the file's */
  size_t size;
  struct module module;
  struct perf_map made; /* the names of code that a process made */
};

struct resolver_function
{
  bool is_main;
  struct cgw_fn fn;
  struct cgw_file file;
};

/* Adds a path that is to be freed; none is unknown.  */
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

/* The code that the kernel lends every process is the same in this one.  */
static int
open_vdso (void)
{
  const unsigned char *vdso
      = (const unsigned char *) getauxval (AT_SYSINFO_EHDR);
  const GElf_Ehdr *header = (const void *) vdso;
  int fd = vdso != NULL ? memfd_create ("vdso", MFD_CLOEXEC) : -1;
  size_t size;

  if (fd < 0)
    return -1;
  size = header->e_shoff + (size_t) header->e_shnum * header->e_shentsize;
  if (write (fd, vdso, size) != (ssize_t) size)
    {
      close (fd);
      return -1;
    }
  return fd;
}

/* A file that was replaced since says nothing of the code that ran.  */
static int
open_object (const char *path, uint64_t inode)
{
  struct stat st;
  int fd;

  if (strcmp (path, "[vdso]") == 0)
    return open_vdso ();
  if (path[0] != '/')
    return -1;
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && fstat (fd, &st) == 0 && st.st_ino == inode)
    return fd;
  tool_warn (path, 0, "was replaced or cannot be read: its functions have no "
                      "names");
  if (fd >= 0)
    close (fd);
  return -1;
}

/* The segment that an offset in the file is in, or, if by_address, an address
   by the file's own count.  */
static bool
find_segment (const struct resolver_object *o, uint64_t place, bool by_address,
              GElf_Phdr *p)
{
  size_t n = 0;

  elf_getphdrnum (o->elf, &n);
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (o->elf, (int) i, p) != NULL && p->p_type == PT_LOAD
        && place - (by_address ? p->p_vaddr : p->p_offset) < p->p_filesz)
      return true;
  return false;
}

/* The address at which a place in the file is loaded.  */
static uint64_t
file_address (const struct resolver_object *o, uint64_t offset)
{
  GElf_Phdr p;

  return find_segment (o, offset, false, &p) ? offset - p.p_offset + p.p_vaddr
                                             : offset;
}

/* A part of the file; NULL if it has none there.  */
static const unsigned char *
file_bytes (const struct resolver_object *o, uint64_t offset, size_t size)
{
  return offset < o->size && size <= o->size - offset ? o->bytes + offset
                                                      : NULL;
}

/* Functions.  */

/* The sorted table of a file that leads from addresses to what unwinds them:
   a header of 12 bytes, and pairs of numbers relative to it, in the one form
   that linkers write.  */
enum { UNWIND_HEADER = 12 };
static const unsigned char unwind_form[]
    = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
        DW_EH_PE_datarel | DW_EH_PE_sdata4 };

static const unsigned char *
unwind_table (const struct resolver_object *o, uint64_t *table_address,
              size_t *entries)
{
  const unsigned char *table = NULL;
  size_t n = 0;
  GElf_Phdr p;

  elf_getphdrnum (o->elf, &n);
  for (size_t i = 0; i < n && table == NULL; i++)
    if (gelf_getphdr (o->elf, (int) i, &p) != NULL
        && p.p_type == PT_GNU_EH_FRAME && p.p_filesz >= UNWIND_HEADER)
      table = file_bytes (o, p.p_offset, p.p_filesz);
  if (table == NULL || memcmp (table, unwind_form, sizeof unwind_form) != 0)
    return NULL;
  *table_address = p.p_vaddr;
  *entries = (p.p_filesz - UNWIND_HEADER) / (2 * sizeof (int32_t));
  return table;
}

/* The table's number i, as an address.  */
static uint64_t
unwind_number (const unsigned char *table, uint64_t table_address, size_t i)
{
  int32_t relative;

  memcpy (&relative, table + UNWIND_HEADER + i * sizeof relative,
          sizeof relative);
  return table_address + (uint64_t) (int64_t) relative;
}

/* Where the code ends that begins at start and that an entry (an FDE) says
   how to unwind: the entry has a length and an offset, then the start,
   relative to itself, and the size.  If that is not its form, no end is
   known.  */
static uint64_t
unwind_end (const struct resolver_object *o, uint64_t entry, uint64_t start)
{
  enum { START = 2, SIZE, WORDS };
  const unsigned char *bytes = NULL;
  uint32_t words[WORDS];
  GElf_Phdr p;

  if (find_segment (o, entry, true, &p))
    bytes = file_bytes (o, entry - p.p_vaddr + p.p_offset, sizeof words);
  if (bytes == NULL)
    return UINT64_MAX;
  memcpy (words, bytes, sizeof words);
  return entry + START * sizeof *words + (uint64_t) (int32_t) words[START]
                 == start
             ? start + words[SIZE]
             : UINT64_MAX;
}

/* Where a function begins that has no symbol: stripped files still say how to
   unwind each.  Of code that has nothing of that kind either, like some in
   assembler, all that lies between two functions counts as one.  By the file's
   addresses.  */
static bool
find_unwound (const struct resolver_object *o, uint64_t address,
              uint64_t *start)
{
  uint64_t table_address, end;
  size_t low = 0, high;
  const unsigned char *table = unwind_table (o, &table_address, &high);

  if (table == NULL)
    return false;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (unwind_number (table, table_address, 2 * middle) <= address)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return false;
  *start = unwind_number (table, table_address, 2 * low - 2);
  end = unwind_end (o, unwind_number (table, table_address, 2 * low - 1),
                    *start);
  if (address >= end)
    *start = end;
  return true;
}

/* Reads a list of code that a process made at run time.  */
static void
read_made (struct resolver_object *o, const char *name, uint64_t start_time)
{
  char path[64];

  snprintf (path, sizeof path, "/tmp/%s", name);
  perf_map_read (&o->made, path, start_time);
}

/* A file that was mapped, or the vdso.  */
static bool
is_file (const char *path)
{
  return path[0] == '/' || path[0] == '[';
}

static struct resolver_object *
find_object (struct resolver *r, uint64_t number)
{
  static const Dwfl_Callbacks callbacks
      = { .find_elf = dwfl_build_id_find_elf,
          .find_debuginfo = dwfl_standard_find_debuginfo,
          .section_address = dwfl_offline_section_address };
  struct resolver_object *o;
  Dwfl_Module *dwfl;
  const char *path;
  uint64_t inode;
  char *bytes;
  int fd;

  r->objects = resize_for (r->objects, (uint32_t) number, &r->n_objects,
                           sizeof *r->objects);
  o = &r->objects[number];
  if (o->is_open)
    return o;
  o->is_open = true;
  path = maps_path (r->maps, number, &inode);
  if (number != 0 && !is_file (path))
    read_made (o, path, inode);
  fd = is_file (path) ? open_object (path, inode) : -1;
  if (fd < 0)
    return o;
  o->dwfl = dwfl_begin (&callbacks);
  dwfl = dwfl_report_offline (o->dwfl, path, path, fd);
  dwfl_report_end (o->dwfl, NULL, NULL);
  if (dwfl == NULL)
    close (fd);
  else
    o->elf = dwfl_module_getelf (dwfl, &o->bias);
  if (o->elf == NULL)
    return o;
  bytes = elf_rawfile (o->elf, &o->size);
  o->bytes = (const unsigned char *) bytes;
  module_read (&o->module, dwfl);
  return o;
}

/* The file that the function is written in, whatever is inlined at the
   address.  Assembler code has lines, but no functions.  */
static struct cgw_file
find_function_file (struct resolver *r, const struct resolver_object *o,
                    GElf_Addr start, GElf_Addr address)
{
  struct source source = module_source (&o->module, address);
  Dwarf_Die functions[MODULE_FUNCTIONS];
  const char *file = NULL;

  if (module_functions (&source, functions) != 0)
    file = dwarf_decl_file (functions);
  if (file == NULL)
    {
      source = module_source (&o->module, start);
      file = source.file;
    }
  return take_file (r, module_path (source.unit, file));
}

/* The name of a function, to be freed: without a symbol "0x1234", because what
   has no name is at least told apart.  */
static char *
name_of (const char *symbol, uint64_t address)
{
  char *name;

  if (symbol != NULL)
    return demangle (symbol);
  return asprintf (&name, "0x%" PRIx64, address) >= 0 ? name : NULL;
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

static struct resolver_function
find_function (struct resolver *r, uint64_t number, GElf_Addr address,
               struct cgw_object object)
{
  const struct resolver_object *o = &r->objects[number];
  GElf_Addr start;
  const char *symbol = module_symbol (&o->module, address, &start);
  uint64_t key[2];
  char *name;
  uint32_t n, i;

  if (symbol == NULL)
    {
      if (!find_unwound (o, address - o->bias, &start))
        return add_function (r, NULL, (struct cgw_file){ 0 }, object);
      start += o->bias;
    }
  key[0] = number;
  key[1] = start;
  n = r->functions.n;
  i = intern (&r->functions, key, sizeof key);
  if (i == n) /* it is new */
    {
      name = name_of (symbol, start - o->bias);
      r->found = resize_for_one (r->found, n, sizeof *r->found);
      r->found[i] = add_function (
          r, name, find_function_file (r, o, start, address), object);
      free (name);
    }
  return r->found[i];
}

/* Places.  */

/* Where the call begins of which the last byte is at an offset.  */
static uint64_t
call_begin (const struct resolver_object *o, uint64_t offset)
{
  uint64_t n = offset + 1 < CALL_BYTES_MAX ? offset + 1 : CALL_BYTES_MAX;
  const unsigned char *bytes = file_bytes (o, offset + 1 - n, n);

  return bytes != NULL ? offset + 1 - call_length (bytes, n) : offset;
}

static struct place
find_place (struct resolver *r, struct location location, bool is_call)
{
  struct place place = { .pos = { .instr = location.offset } };
  const struct resolver_object *o = find_object (r, location.object);
  const char *made = perf_map_name (&o->made, location.offset);
  struct cgw_object object = { 0 };
  struct resolver_function function;
  struct source source;
  GElf_Addr address;
  uint64_t inode;
  const char *path = maps_path (r->maps, location.object, &inode);

  if (is_file (path) || made != NULL)
    object = cgw_add_object (r->names, path);
  if (o->elf == NULL)
    function = add_function (r, made, (struct cgw_file){ 0 }, object);
  else
    {
      address = file_address (o, location.offset) + o->bias;
      function = find_function (r, location.object, address, object);
      source = module_source (&o->module, address);
      place.pos.file = take_file (r, module_path (source.unit, source.file));
      if (place.pos.file.handle == function.file.handle)
        place.pos.file.handle = 0;
      place.pos.line = (uint32_t) source.line;
      place.pos.instr = file_address (
          o, is_call ? call_begin (o, location.offset) : location.offset);
    }
  place.pos.fn = function.fn;
  place.is_main = function.is_main;
  return place;
}

struct place
resolve (struct resolver *r, struct location location, bool is_call)
{
  uint64_t key[] = { location.object, location.offset, is_call };
  uint32_t n = r->locations.n;
  uint32_t i = intern (&r->locations, key, sizeof key);

  if (i == n) /* it is new */
    {
      r->places = resize_for_one (r->places, n, sizeof *r->places);
      r->places[i] = find_place (r, location, is_call);
    }
  return r->places[i];
}

void
resolver_begin (struct resolver *r, const struct maps *maps,
                struct cgw_names *names)
{
  r->maps = maps;
  r->names = names;
}

void
resolver_end (struct resolver *r)
{
  for (uint32_t i = 0; i < r->n_objects; i++)
    {
      module_free (&r->objects[i].module);
      perf_map_free (&r->objects[i].made);
      dwfl_end (r->objects[i].dwfl);
    }
  free (r->objects);
  free (r->found);
  free (r->places);
  intern_free (&r->functions);
  intern_free (&r->locations);
}
