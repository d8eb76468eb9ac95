/* resolve.c - what lies at a place in a program or a library.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "resolve.h"

#include "call.h"

#include <dlfcn.h>
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

/* Of the C++ runtime, which is there where C++ programs are.  */
typedef char *demangle_fn (const char *name, char *buffer, size_t *size,
                           int *status);

/* Code of a compilation unit.  */
struct unit_range
{
  Dwarf_Addr start;
  Dwarf_Addr end;
  Dwarf_Die unit;
};

struct resolver_object
{
  bool is_open;    /* we tried */
  Dwfl *dwfl;
  Dwfl_Module *module; /* NULL: nothing is known of it */
  Elf *elf;
  GElf_Addr bias;  /* of the module's addresses to the file's */
  GElf_Addr unit_bias; /* to those of the units */
  struct unit_range *units; /* sorted */
  uint32_t n_units;
  uint32_t units_capacity;
};

struct resolver_function
{
  bool is_known;
  uint32_t name;
  uint32_t file;
};

/* Strings.  */

static uint32_t
add_string (struct resolver *r, const char *s)
{
  return intern (&r->strings, s, strlen (s) + 1);
}

const char *
resolver_string (const struct resolver *r, uint32_t string)
{
  return intern_bytes (&r->strings, string, NULL);
}

/* A file's name, absolute if the folder of its compilation is known.  */
static uint32_t
add_file (struct resolver *r, const char *folder, const char *file)
{
  size_t size;
  char *path;
  uint32_t string;

  if (file == NULL || file[0] == '\0')
    return 0;
  if (file[0] == '/' || folder == NULL)
    return add_string (r, file);
  while (strncmp (file, "./", 2) == 0)
    file += 2;
  size = strlen (folder) + strlen (file) + 2;
  path = resize (NULL, size, 1);
  snprintf (path, size, "%s/%s", folder, file);
  string = add_string (r, path);
  free (path);
  return string;
}

/* The name as in the source, to be freed; NULL if it is none of C++.  */
static char *
demangle (const char *symbol)
{
  static demangle_fn *function;
  static bool is_tried;

  if (strncmp (symbol, "_Z", 2) != 0)
    return NULL;
  if (!is_tried)
    {
      void *library = dlopen ("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
      void *address
          = library != NULL ? dlsym (library, "__cxa_demangle") : NULL;

      /* C knows no conversion to a pointer to a function.  */
      memcpy (&function, &address, sizeof function);
      is_tried = true;
    }
  return function != NULL ? function (symbol, NULL, NULL, NULL) : NULL;
}

/* A symbol's name, demangled, without its version.  */
static uint32_t
add_symbol (struct resolver *r, const char *symbol)
{
  char *plain = strdup (symbol);
  char *readable;
  uint32_t string;

  if (plain == NULL)
    return 0;
  plain[strcspn (plain, "@")] = '\0';
  readable = demangle (plain);
  string = add_string (r, readable != NULL ? readable : plain);
  free (readable);
  free (plain);
  return string;
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
  fprintf (stderr, "cgw-sample: %s was replaced or cannot be read: its functions"
                   " have no names\n", path);
  if (fd >= 0)
    close (fd);
  return -1;
}

/* The address at which a place in the file is loaded, by the file's own
   count.  */
static uint64_t
file_address (const struct resolver_object *o, uint64_t offset)
{
  size_t n = 0;
  GElf_Phdr p;

  elf_getphdrnum (o->elf, &n);
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (o->elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
        && offset >= p.p_offset && offset - p.p_offset < p.p_filesz)
      return offset - p.p_offset + p.p_vaddr;
  return offset;
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
  Elf_Data *data = NULL;
  size_t n = 0;
  GElf_Phdr p;

  elf_getphdrnum (o->elf, &n);
  for (size_t i = 0; i < n && data == NULL; i++)
    if (gelf_getphdr (o->elf, (int) i, &p) != NULL
        && p.p_type == PT_GNU_EH_FRAME)
      data = elf_getdata_rawchunk (o->elf, (int64_t) p.p_offset, p.p_filesz,
                                   ELF_T_BYTE);
  if (data == NULL || data->d_size < UNWIND_HEADER
      || memcmp (data->d_buf, unwind_form, sizeof unwind_form) != 0)
    return NULL;
  *table_address = p.p_vaddr;
  *entries = (data->d_size - UNWIND_HEADER) / (2 * sizeof (int32_t));
  return data->d_buf;
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

/* The part of a file that is loaded at an address; NULL if there is none.  */
static const unsigned char *
loaded_bytes (const struct resolver_object *o, uint64_t address, size_t size)
{
  Elf_Data *data;
  size_t n = 0;
  GElf_Phdr p;

  elf_getphdrnum (o->elf, &n);
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (o->elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
        && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
      {
        data = elf_getdata_rawchunk (
            o->elf, (int64_t) (address - p.p_vaddr + p.p_offset), size,
            ELF_T_BYTE);
        return data != NULL && data->d_size == size ? data->d_buf : NULL;
      }
  return NULL;
}

/* Where the code ends that begins at start and that an entry (an FDE) says
   how to unwind: the entry has a length and an offset, then the start,
   relative to itself, and the size.  If that is not its form, no end is
   known.  */
static uint64_t
unwind_end (const struct resolver_object *o, uint64_t entry, uint64_t start)
{
  enum { START = 2, SIZE, WORDS };
  const unsigned char *bytes
      = loaded_bytes (o, entry, WORDS * sizeof (uint32_t));
  uint32_t words[WORDS];

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

/* Compilation units.  Not every compiler lists the addresses of all, so they
   are asked one by one, once.  */

static int
compare_ranges (const void *a, const void *b)
{
  const struct unit_range *x = a;
  const struct unit_range *y = b;

  return (x->start > y->start) - (x->start < y->start);
}

static void
list_units (struct resolver_object *o)
{
  Dwarf_Die *unit = NULL;

  while ((unit = dwfl_module_nextcu (o->module, unit, &o->unit_bias)) != NULL)
    {
      Dwarf_Addr base, start, end;
      ptrdiff_t next = 0;

      while ((next = dwarf_ranges (unit, next, &base, &start, &end)) > 0)
        {
          o->units = resize_for (o->units, o->n_units, &o->units_capacity,
                                 sizeof *o->units);
          o->units[o->n_units++] = (struct unit_range){ start, end, *unit };
        }
    }
  if (o->n_units != 0)
    qsort (o->units, o->n_units, sizeof *o->units, compare_ranges);
}

static struct resolver_object *
find_object (struct resolver *r, uint64_t number)
{
  static const Dwfl_Callbacks callbacks
      = { .find_elf = dwfl_build_id_find_elf,
          .find_debuginfo = dwfl_standard_find_debuginfo,
          .section_address = dwfl_offline_section_address };
  struct resolver_object *o;
  const char *path;
  uint64_t inode;
  int fd;

  r->objects = resize_for (r->objects, (uint32_t) number, &r->n_objects,
                           sizeof *r->objects);
  o = &r->objects[number];
  if (o->is_open)
    return o;
  o->is_open = true;
  path = maps_path (r->maps, number, &inode);
  fd = open_object (path, inode);
  if (fd < 0)
    return o;
  o->dwfl = dwfl_begin (&callbacks);
  o->module = dwfl_report_offline (o->dwfl, path, path, fd);
  dwfl_report_end (o->dwfl, NULL, NULL);
  if (o->module == NULL)
    close (fd);
  else
    o->elf = dwfl_module_getelf (o->module, &o->bias);
  if (o->elf == NULL)
    o->module = NULL;
  else
    list_units (o);
  return o;
}

/* The unit that an address of the module is in, or NULL.  */
static Dwarf_Die *
find_unit (const struct resolver_object *o, GElf_Addr address)
{
  size_t low = 0, high = o->n_units;

  address -= o->unit_bias;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (o->units[middle].start <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low != 0 && address < o->units[low - 1].end
             ? &o->units[low - 1].unit
             : NULL;
}

static const char *
comp_dir (Dwarf_Die *unit)
{
  Dwarf_Attribute attribute;

  return dwarf_formstring (dwarf_attr (unit, DW_AT_comp_dir, &attribute));
}

/* The file that the function is written in, whatever is inlined at the
   address.  */
static uint32_t
find_function_file (struct resolver *r, const struct resolver_object *o,
                    GElf_Addr address)
{
  Dwarf_Die *unit = find_unit (o, address);
  Dwarf_Die *scopes = NULL;
  const char *file = NULL;
  int n = unit != NULL
              ? dwarf_getscopes (unit, address - o->unit_bias, &scopes)
              : 0;

  for (int i = 0; i < n; i++)
    if (dwarf_tag (&scopes[i]) == DW_TAG_subprogram)
      file = dwarf_decl_file (&scopes[i]);
  free (scopes);
  return file != NULL ? add_file (r, comp_dir (unit), file) : 0;
}

/* The file and line of an address; 0 when unknown.  */
static uint32_t
find_line (struct resolver *r, const struct resolver_object *o,
           GElf_Addr address, uint32_t *number)
{
  Dwarf_Die *unit = find_unit (o, address);
  Dwarf_Line *line
      = unit != NULL ? dwarf_getsrc_die (unit, address - o->unit_bias) : NULL;
  const char *file
      = line != NULL ? dwarf_linesrc (line, NULL, NULL) : NULL;
  int n = 0;

  if (file == NULL || dwarf_lineno (line, &n) != 0 || n < 0)
    n = 0;
  *number = (uint32_t) n;
  return file != NULL ? add_file (r, comp_dir (unit), file) : 0;
}

/* "0x1234": what has no name is at least told apart.  */
static uint32_t
name_by_address (struct resolver *r, uint64_t address)
{
  char name[24];

  snprintf (name, sizeof name, "0x%" PRIx64, address);
  return add_string (r, name);
}

static struct resolver_function
find_function (struct resolver *r, uint64_t object, GElf_Addr address)
{
  const struct resolver_object *o = &r->objects[object];
  GElf_Addr start = address;
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char *name = dwfl_module_addrinfo (o->module, address, &offset,
                                           &symbol, NULL, NULL, NULL);
  struct resolver_function *f;
  uint32_t line;
  uint64_t key[2];
  uint32_t i;

  if (name != NULL)
    start -= offset;
  else if (find_unwound (o, address - o->bias, &start))
    start += o->bias;
  else
    return (struct resolver_function){ true, 0, 0 };
  key[0] = object;
  key[1] = start;
  i = intern (&r->functions, key, sizeof key);
  r->found = resize_for (r->found, i, &r->n_found, sizeof *r->found);
  f = &r->found[i];
  if (!f->is_known)
    *f = (struct resolver_function){
      true,
      name != NULL ? add_symbol (r, name)
                   : name_by_address (r, start - o->bias),
      find_function_file (r, o, address)
    };
  /* Assembler code has lines, but no functions.  */
  if (f->file == 0)
    f->file = find_line (r, o, start, &line);
  return *f;
}

/* Places.  */

/* Where the call begins of which the last byte is at an offset.  */
static uint64_t
call_begin (const struct resolver_object *o, uint64_t offset)
{
  uint64_t n = offset + 1 < CALL_BYTES_MAX ? offset + 1 : CALL_BYTES_MAX;
  Elf_Data *data = elf_getdata_rawchunk (
      o->elf, (int64_t) (offset + 1 - n), n, ELF_T_BYTE);

  if (data == NULL || data->d_size < n)
    return offset;
  return offset + 1 - call_length (data->d_buf, n);
}

struct place
resolve (struct resolver *r, struct location location, bool is_call)
{
  struct place place = { .address = location.offset };
  const struct resolver_object *o;
  struct resolver_function function;
  GElf_Addr address;
  uint64_t inode;

  if (location.object == 0)
    return place;
  place.object
      = add_string (r, maps_path (r->maps, location.object, &inode));
  o = find_object (r, location.object);
  if (o->module == NULL)
    return place;
  place.address = file_address (
      o, is_call ? call_begin (o, location.offset) : location.offset);
  address = file_address (o, location.offset) + o->bias;
  function = find_function (r, location.object, address);
  place.function = function.name;
  place.function_file = function.file;
  place.file = find_line (r, o, address, &place.line);
  return place;
}

void
resolver_begin (struct resolver *r, const struct maps *maps)
{
  r->maps = maps;
  add_string (r, "");
}

void
resolver_end (struct resolver *r)
{
  for (uint32_t i = 0; i < r->n_objects; i++)
    {
      free (r->objects[i].units);
      dwfl_end (r->objects[i].dwfl);
    }
  free (r->objects);
  free (r->found);
  intern_free (&r->strings);
  intern_free (&r->functions);
}
