/* resolve.c - symbolizes a location in a program or a library.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "resolve.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "call.h"
#include "demangle.h"
#include "module.h"
#include "perf_map.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <endian.h>
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
  GElf_Ehdr header;
  struct ranges linkage; /* procedure linkage tables, by the file's addresses */
  struct module module;
  struct perf_map made; /* the names of code that a process made */
};

/* Those of a location.  */
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

/* Whether two build IDs are equal.  A recording may pad them with zeros, and
   has but the beginning of longer ones.  */
static bool
is_build_id (const struct object *object, const unsigned char *id, size_t n)
{
  unsigned char padded[OBJECT_BUILD_ID] = { 0 };

  memcpy (padded, id, n < sizeof padded ? n : sizeof padded);
  return memcmp (padded, object->build_id, sizeof padded) == 0;
}

static bool
has_build_id (int fd, const struct object *object)
{
  const void *id;
  ssize_t n;
  Elf *elf;
  bool is_it;

  elf_version (EV_CURRENT);
  elf = elf_begin (fd, ELF_C_READ_MMAP, NULL);
  n = dwelf_elf_gnu_build_id (elf, &id);
  is_it = n > 0 && is_build_id (object, id, (size_t) n);
  elf_end (elf);
  return is_it;
}

/* Whether a file is what was mapped.  One that was replaced since says nothing
   of the code that ran.  Numbers of inodes are those of one machine.  */
static bool
is_object (const struct resolver *r, int fd, const struct object *object)
{
  struct stat st;

  if (object->build_id_size != 0)
    return has_build_id (fd, object);
  return r->symfs != NULL || object->inode == 0
         || (fstat (fd, &st) == 0 && st.st_ino == object->inode);
}

/* Opens a file, if it is the object.  Recordings may name anything, so files
   that are not regular are not opened, for some act on that.  */
static int
open_file (const struct resolver *r, const char *path,
           const struct object *object)
{
  struct stat st;
  int fd = -1;

  if (stat (path, &st) == 0 && S_ISREG (st.st_mode))
    fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || is_object (r, fd, object))
    return fd;
  close (fd);
  return -1;
}

/* Opens "FOLDER/.build-id/XX/YYYY" or, as perf keeps files, a file in the
   folder of that name.  */
static int
open_in_folder (const struct resolver *r, const char *folder, int n,
                const struct object *object, char **path)
{
  static const char *const names[] = { "", "/elf", "/vdso" };
  char id[2 * OBJECT_BUILD_ID + 1];
  int fd = -1;

  for (uint32_t i = 0; i < object->build_id_size; i++)
    sprintf (id + 2 * (size_t) i, "%02x", object->build_id[i]);
  for (size_t i = 0; i < sizeof names / sizeof *names && fd < 0; i++)
    {
      free (*path);
      *path = make_text ("%.*s/.build-id/%.2s/%s%s", n, folder, id, id + 2,
                         names[i]);
      fd = open_file (r, *path, object);
    }
  return fd;
}

/* Opens a file by its build ID in the folders for debug information.  */
static int
open_by_build_id (const struct resolver *r, const struct object *object,
                  char **path)
{
  const char *folder = r->search;
  int fd = -1;

  while (object->build_id_size != 0 && fd < 0 && *folder != '\0')
    {
      size_t n = strcspn (folder, ":");

      if (*folder == '/')
        fd = open_in_folder (r, folder, (int) n, object, path);
      folder += n + (folder[n] == ':');
    }
  return fd;
}

/* *path becomes that of the file, to be freed; it stays NULL if the object is
   no file.  */
static int
open_object (const struct resolver *r, const struct object *object,
             char **path)
{
  int fd = -1;

  if (strcmp (object->path, "[vdso]") == 0)
    {
      *path = copy_text (object->path);
      if (r->symfs == NULL || object->build_id_size != 0)
        fd = open_vdso ();
      if (fd >= 0 && !is_object (r, fd, object))
        {
          close (fd);
          fd = -1;
        }
    }
  else if (object->path[0] == '/')
    {
      *path = make_text ("%s%s", r->symfs != NULL ? r->symfs : "",
                         object->path);
      fd = open_file (r, *path, object);
    }
  else
    return -1;
  if (fd < 0)
    fd = open_by_build_id (r, object, path);
  return fd;
}

int
resolver_open (const struct resolver *r, uint64_t number, char **path)
{
  struct object object = maps_object_of (r->maps, number);

  *path = NULL;
  return open_object (r, &object, path);
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
enum { UNWIND_HEADER = 12, UNWIND_NUMBER = 4 };
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
  *entries = (p.p_filesz - UNWIND_HEADER) / (2 * UNWIND_NUMBER);
  return table;
}

/* A signed number of 4 or 8 bytes, in the file's byte order.  */
static uint64_t
file_number (const struct resolver_object *o, const unsigned char *bytes,
             size_t size)
{
  bool is_big = o->header.e_ident[EI_DATA] == ELFDATA2MSB;
  uint64_t number = bytes[is_big ? 0 : size - 1] < 0x80 ? 0 : UINT64_MAX;

  for (size_t i = 0; i < size; i++)
    number = number << 8 | bytes[is_big ? i : size - 1 - i];
  return number;
}

/* The table's number i, as an address.  */
static uint64_t
unwind_number (const struct resolver_object *o, const unsigned char *table,
               uint64_t table_address, size_t i)
{
  return table_address
         + file_number (o, table + UNWIND_HEADER + i * UNWIND_NUMBER,
                        UNWIND_NUMBER);
}

/* Where the code ends that begins at start and that an entry (an FDE) says
   how to unwind: the entry has a length and an offset, then the start,
   relative to itself, and the size.  These have 8 bytes each, as on MIPS, or 4.
   If that is not its form, no end is known.  */
static uint64_t
unwind_end (const struct resolver_object *o, uint64_t entry, uint64_t start)
{
  enum { START = 8, WIDEST = 8, NARROWEST = 4 };
  GElf_Phdr p;

  if (!find_segment (o, entry, true, &p))
    return UINT64_MAX;
  for (size_t size = WIDEST; size >= NARROWEST; size /= 2)
    {
      const unsigned char *bytes = file_bytes (
          o, entry - p.p_vaddr + p.p_offset, START + 2 * size);

      if (bytes != NULL
          && entry + START + file_number (o, bytes + START, size) == start)
        return start + file_number (o, bytes + START + size, size);
    }
  return UINT64_MAX;
}

/* Where a function begins that has no symbol: stripped files still say how to
   unwind each.  Of code that has nothing of that kind either, like some in
   assembler, all that lies between two functions counts as one.  By the file's
   addresses.  */
static bool
find_unwound (const struct resolver_object *o, uint64_t address,
              uint64_t *start, uint64_t *end, bool *is_between)
{
  uint64_t table_address;
  size_t low = 0, high;
  const unsigned char *table = unwind_table (o, &table_address, &high);

  if (table == NULL)
    return false;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (unwind_number (o, table, table_address, 2 * middle) <= address)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return false;
  *start = unwind_number (o, table, table_address, 2 * low - 2);
  *end = unwind_end (o, unwind_number (o, table, table_address, 2 * low - 1),
                     *start);
  *is_between = address >= *end;
  if (*is_between)
    *start = *end;
  return true;
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

/* ppc64 has a procedure linkage table among the functions.  The dynamic section
   says where its first entry is, less 32; what unwinds it, how long it is.  */
static void
read_glink (struct resolver_object *o, Elf_Scn *section, const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata (section, NULL);
  struct range glink = { .what = o, .level = 1 };
  GElf_Dyn entry;
  bool is_between;

  for (int i = 0;
       header->sh_type == SHT_DYNAMIC && gelf_getdyn (data, i, &entry) != NULL;
       i++)
    if (entry.d_tag == DT_PPC64_GLINK
        && find_unwound (o, entry.d_un.d_ptr, &glink.start, &glink.end,
                         &is_between)
        && !is_between)
      ranges_add (&o->linkage, glink);
}

/* Finds the procedure linkage tables, by the names of sections that linkers use.
   What does not fit into memory counts as a function.  */
static void
read_linkage (struct resolver_object *o)
{
  static const char *const names[]
      = { ".plt", ".iplt", ".MIPS.stubs", ".glink" };
  size_t strings;
  Elf_Scn *section = NULL;
  GElf_Shdr header;

  if (elf_getshdrstrndx (o->elf, &strings) != 0)
    return;
  while ((section = elf_nextscn (o->elf, section)) != NULL)
    {
      const char *name = gelf_getshdr (section, &header) != NULL
                           ? elf_strptr (o->elf, strings, header.sh_name)
                           : NULL;

      if (name != NULL && o->header.e_machine == EM_PPC64)
        read_glink (o, section, &header);
      for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        if (strncmp (name, names[i], strlen (names[i])) == 0
            && (header.sh_flags & SHF_EXECINSTR) != 0)
          ranges_add (&o->linkage, (struct range){
                                     .start = header.sh_addr,
                                     .end = header.sh_addr + header.sh_size,
                                     .what = o,
                                     .level = 1 });
    }
  ranges_sort (&o->linkage);
}

/* Files that were never linked, such as modules of the kernel, do not say where
   they are loaded.  */
static bool
is_linked (Elf *elf, GElf_Ehdr *header)
{
  return gelf_getehdr (elf, header) != NULL && header->e_type != ET_REL;
}

static void
read_object (struct resolver *r, struct resolver_object *o,
             const struct object *object)
{
  char *path = NULL, *bytes;
  int fd = open_object (r, object, &path);
  Dwfl_Module *dwfl = NULL;
  Elf *elf = NULL;

  if (fd < 0 && path != NULL)
    tool_warn (object->path, 0,
               object->build_id_size != 0
                   ? "there is no file with its build ID: its functions have "
                     "no names"
                   : "was replaced or cannot be read: its functions have no "
                     "names");
  if (fd >= 0)
    {
      o->dwfl = dwfl_begin (&r->callbacks);
      dwfl = dwfl_report_offline (o->dwfl, path, path, fd);
      dwfl_report_end (o->dwfl, NULL, NULL);
      if (dwfl == NULL)
        close (fd);
      else
        elf = dwfl_module_getelf (dwfl, &o->bias);
    }
  free (path);
  if (elf == NULL || !is_linked (elf, &o->header))
    return;
  o->elf = elf;
  bytes = elf_rawfile (elf, &o->size);
  o->bytes = (const unsigned char *) bytes;
  module_read (&o->module, dwfl);
  read_linkage (o);
}

/* A file that was mapped, or the vdso.  */
static bool
is_file (const char *path)
{
  return path[0] == '/' || path[0] == '[';
}

static struct resolver_object *
find_object (struct resolver *r, uint64_t number, const struct object *object)
{
  struct resolver_object *o;

  r->objects = resize_for (r->objects, (uint32_t) number, &r->n_objects,
                           sizeof *r->objects);
  o = &r->objects[number];
  if (o->is_open)
    return o;
  o->is_open = true;
  if (is_file (object->path))
    read_object (r, o, object);
  else if (number != 0)
    read_made (r, o, object);
  return o;
}

/* The name of a function, to be freed: without a symbol "0x1234", because what
   has no name is at least told apart.  */
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

/* Looks up a function by its key.  Returns whether it is new; then *f is to be
   filled in.  */
static bool
is_new (struct resolver *r, uint64_t number, uint64_t what, bool is_inlined,
        struct resolver_function **f)
{
  uint64_t key[] = { number, what, is_inlined };
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
  const char *file = NULL;
  char *cut = NULL, *name;

  if (module_functions (&source, functions) != 0)
    {
      file = module_decl_file (functions);
      if (r->inline_functions && symbol != NULL)
        cut = source_symbol (symbol, functions);
    }
  if (file == NULL)
    {
      source = module_source (&o->module, start);
      file = source.file;
    }
  name = name_of (cut != NULL ? cut : symbol, start - o->bias);
  f = add_function (r, name, take_file (r, module_path (source.unit, file)),
                    object);
  free (name);
  free (cut);
  return f;
}

/* Code that nothing is known of begins behind the functions that are known, at
   start or later.  */
static GElf_Addr
behind_symbols (const struct resolver_object *o, GElf_Addr start)
{
  const struct range *symbol;

  while ((symbol = ranges_find (&o->module.symbols, start)) != NULL)
    start = symbol->end;
  return start;
}

static struct resolver_function
find_function (struct resolver *r, uint64_t number, GElf_Addr address,
               struct cgw_object object)
{
  const struct resolver_object *o = &r->objects[number];
  GElf_Addr start, end;
  const char *symbol = module_symbol (&o->module, address, &start);
  struct resolver_function *f;
  bool is_between;

  if (symbol == NULL)
    {
      if (!find_unwound (o, address - o->bias, &start, &end, &is_between))
        return add_function (r, NULL, (struct cgw_file){ 0 }, object);
      start = is_between ? behind_symbols (o, start + o->bias)
                         : start + o->bias;
    }
  if (is_new (r, number, start, false, &f))
    *f = new_function (r, o, start, address, symbol, object);
  return *f;
}

/* A function that was inlined at a source's address, where `file` is.  It has
   the name that its machine code would have elsewhere.  Of lambdas no file is
   noted.  */
static struct resolver_function
find_inlined (struct resolver *r, uint64_t number, const struct source *source,
              Dwarf_Die *die, const char *file, struct cgw_object object)
{
  const struct module *module = &r->objects[number].module;
  struct resolver_function *f;
  Dwarf_Die origin;
  const char *declared;
  char *name;

  module_origin (die, &origin);
  if (is_new (r, number, (uintptr_t) origin.addr, true, &f))
    {
      name = module_name (module, source, &origin);
      declared = module_decl_file (&origin);
      *f = add_function (
          r, name,
          take_file (r, module_path (source->unit,
                                     declared != NULL ? declared : file)),
          object);
      free (name);
    }
  return *f;
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
  GElf_Addr address = file_address (o, location.offset) + o->bias;
  uint64_t instr = file_address (
      o, is_call ? call_begin (o, location.offset) : location.offset);
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
  struct object id = maps_object_of (r->maps, location.object);
  const struct resolver_object *o = find_object (r, location.object, &id);
  const char *made = perf_map_name (&o->made, location.offset);
  struct cgw_object object = { 0 };

  if (is_file (id.path) || made != NULL)
    object = cgw_add_object (r->names, id.path);
  if (o->elf != NULL)
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

/* Linkers for ppc64 put what leads to other objects beside the functions.  */
static bool
is_stub (const char *symbol)
{
  return symbol != NULL
         && (strncmp (symbol, "__glink", strlen ("__glink")) == 0
             || strstr (symbol, ".plt_call.") != NULL
             || strstr (symbol, ".plt_branch.") != NULL
             || strstr (symbol, ".long_branch.") != NULL);
}

/* Stripped files do not name these stubs, but all that call are the same: they
   save the caller's r2, load r12 in one or two steps, and go there.  */
static bool
is_unnamed_stub (const struct resolver_object *o, uint64_t offset)
{
  enum { SAVE = 0xf8410018, MOVE = 0x7d8903a6, GO = 0x4e800420, WORDS = 5 };
  uint32_t words[WORDS];
  const unsigned char *bytes = file_bytes (o, offset, sizeof words);
  size_t n = 0;

  if (o->header.e_machine != EM_PPC64 || bytes == NULL)
    return false;
  for (; n < WORDS && (n == 0 || words[n - 1] != GO); n++)
    words[n] = (uint32_t) bytes[4 * n + 3] << 24
               | (uint32_t) bytes[4 * n + 2] << 16
               | (uint32_t) bytes[4 * n + 1] << 8 | bytes[4 * n];
  return words[0] == SAVE && n >= WORDS - 1 && words[n - 2] == MOVE
         && words[n - 1] == GO;
}

/* ppc64 has functions with two entries, the second one for calls in an object:
   at most two instructions behind the first.  */
static bool
is_entry (const struct resolver_object *o, uint64_t behind_start)
{
  return behind_start == 0
         || (o->header.e_machine == EM_PPC64 && behind_start <= 8);
}

struct resolver_code
resolver_code (struct resolver *r, struct location location)
{
  struct object id = maps_object_of (r->maps, location.object);
  const struct resolver_object *o = find_object (r, location.object, &id);
  struct resolver_code code = { .address = location.offset };
  GElf_Addr address, start, end;
  struct source source;
  bool is_between;

  if (o->elf == NULL)
    return code;
  code.address = file_address (o, location.offset);
  address = code.address + o->bias;
  code.symbol = module_symbol (&o->module, address, &start);
  code.is_linkage = ranges_find (&o->linkage, code.address) != NULL
                    || is_stub (code.symbol)
                    || (code.symbol == NULL
                        && is_unnamed_stub (o, location.offset));
  if (code.symbol != NULL)
    code.is_thumb = module_is_thumb (&o->module, address);
  else
    {
      if (!find_unwound (o, code.address, &start, &end, &is_between)
          || is_between)
        return code;
      start += o->bias;
    }
  source = module_source (&o->module, start);
  code.start.fn
      = find_function (r, location.object, address,
                       cgw_add_object (r->names, id.path)).fn;
  code.start.line = (uint32_t) source.line;
  code.start.instr = start - o->bias;
  code.is_entry = is_entry (o, address - start);
  return code;
}

bool
resolver_locate (struct resolver *r, uint64_t object, uint64_t address,
                 struct location *location)
{
  struct object id = maps_object_of (r->maps, object);
  const struct resolver_object *o = find_object (r, object, &id);
  GElf_Phdr p;

  if (o->elf == NULL || !find_segment (o, address, true, &p))
    return false;
  *location = (struct location){ object, address - p.p_vaddr + p.p_offset };
  return true;
}

const unsigned char *
resolver_bytes (struct resolver *r, uint64_t object, uint64_t address,
                size_t *n)
{
  struct object id = maps_object_of (r->maps, object);
  const struct resolver_object *o = find_object (r, object, &id);
  size_t n_segments = 0;
  GElf_Phdr p;

  if (o->elf == NULL)
    return NULL;
  elf_getphdrnum (o->elf, &n_segments);
  for (size_t i = 0; address == UINT64_MAX && i < n_segments; i++)
    if (gelf_getphdr (o->elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
        && p.p_filesz != 0 && p.p_vaddr < address)
      address = p.p_vaddr;
  if (!find_segment (o, address, true, &p))
    return NULL;
  *n = p.p_vaddr + p.p_filesz - address;
  return file_bytes (o, address - p.p_vaddr + p.p_offset, *n);
}

/* Beginning and end.  */

/* Where libdwfl looks for separate debug information, and we for files by their
   build IDs: beside the file; in the folders that the user named; where
   distributions have it; and where perf keeps what it recorded.  */
static char *
search_path (const struct resolver *r)
{
  const char *home = getenv ("HOME");

  return make_text (":.debug%s%s%s%s%s:/usr/lib/debug%s%s%s",
                    r->debug_path != NULL ? ":" : "",
                    r->debug_path != NULL ? r->debug_path : "",
                    r->symfs != NULL ? ":" : "",
                    r->symfs != NULL ? r->symfs : "",
                    r->symfs != NULL ? "/usr/lib/debug" : "",
                    home != NULL ? ":" : "", home != NULL ? home : "",
                    home != NULL ? "/.debug" : "");
}

void
resolver_begin (struct resolver *r, const struct maps *maps,
                struct cgw_names *names)
{
  r->maps = maps;
  r->names = names;
  r->search = search_path (r);
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
      ranges_free (&r->objects[i].linkage);
      perf_map_free (&r->objects[i].made);
      dwfl_end (r->objects[i].dwfl);
    }
  free (r->objects);
  free (r->found);
  free (r->resolved);
  free (r->places);
  free (r->search);
  intern_free (&r->functions);
  intern_free (&r->locations);
}
