/* kernel.c - names of the functions of the kernel that a recording saw.

   vmlinux, if there is one, has symbols and lines.  /proc/kallsyms lists the
   running kernel's symbols, and perf keeps a copy of it beside what it
   recorded.  The build ID tells whose they are.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kernel.h"

#include "../base/infile.h"
#include "../base/memory.h"
#include "../base/tool.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char text_object[] = "[kernel.kallsyms]";
static const char bpf_object[] = "[bpf]";

void
kernel_begin (struct kernel *k, struct maps *maps, uint64_t process,
              struct resolver *resolver, const struct import_options *options)
{
  *k = (struct kernel){ .resolver = resolver,
                        .maps = maps,
                        .process = process,
                        .options = options };
}

/* What is mapped.  */

static bool
is_text (const char *path)
{
  return strncmp (path, text_object, sizeof text_object - 1) == 0;
}

const char *
kernel_path (const char *path)
{
  return is_text (path) ? text_object : path;
}

void
kernel_map (struct kernel *k, struct region region,
            const struct object *object)
{
  struct object text = *object;

  if (is_text (object->path))
    {
      free (k->anchor);
      k->anchor = copy_text (object->path + sizeof text_object - 1);
      k->anchor_address = region.offset;
      text.path = text_object;
      k->text = text;
    }
  region.object = maps_object (k->maps, &text);
  maps_add (k->maps, k->process, region);
}

/* The path of such an object is that of all, then the function's name.  */
void
kernel_made (struct kernel *k, uint64_t address, uint64_t size,
             const char *name)
{
  char *path = make_text ("%s%s", bpf_object, name);
  struct object object = { .path = path };
  struct region region = { address, address + size, 0, 0 };

  region.object = maps_object (k->maps, &object);
  maps_add (k->maps, k->process, region);
  free (path);
}

/* Files of symbols.  */

/* NULL: it cannot be opened, or is too long.  */
static char *
read_file (const char *path, size_t *size)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char *text;

  if (fd < 0)
    return NULL;
  text = file_read (fd, FILE_MOST, size);
  close (fd);
  return text;
}

/* The list has no sizes.  Behind the last function of the kernel, or of a
   module, is nothing.  */
enum { LONGEST_FUNCTION = 1 << 20 };

/* Of the symbols of one address, perf shows the strong one, the global one,
   the one with the fewest underscores, the longest.  */
static uint32_t
rank_of (char type, const char *name)
{
  size_t underscores = strspn (name, "_"), length = strlen (name);
  bool is_weak = type == 'W' || type == 'w';
  bool is_global = type == 'T' || type == 'W';

  return (uint32_t) !is_weak << 31 | (uint32_t) is_global << 30
         | (uint32_t) (underscores < 255 ? 255 - underscores : 0) << 16
         | (uint32_t) (length < 65535 ? length : 65535);
}

/* "ADDRESS TYPE NAME", and behind a tab "[MODULE]", which stays behind the
   name's NUL.  The kernel shows addresses of 0 to those who may not know
   them.  */
static void
add_line (struct kernel_symbols *s, char *line)
{
  struct range range = { .level = RANGES_LABEL };
  char type, *end;

  for (; digit_value (*line) < 16; line++)
    range.start = range.start << 4 | digit_value (*line);
  if (line[0] != ' ' || line[1] == '\0' || line[2] != ' '
      || range.start == 0)
    return;
  type = line[1];
  line += 3;
  end = strchr (line, '\t');
  if (end != NULL)
    *end = '\0';
  if (strchr ("tTwW", type) == NULL)
    return;
  range.end = range.start + LONGEST_FUNCTION;
  range.what = line;
  range.rank = rank_of (type, line);
  if (!ranges_add (&s->ranges, range))
    no_memory ();
}

static void
read_lines (struct kernel_symbols *s)
{
  char *end;

  for (char *line = s->text; (end = strchr (line, '\n')) != NULL;
       line = end + 1)
    {
      *end = '\0';
      add_line (s, line);
    }
  ranges_sort (&s->ranges);
}

/* The address of a symbol; 0: there is none.  */
static uint64_t
address_of (const struct kernel_symbols *s, const char *name)
{
  for (uint32_t i = 0; i < s->ranges.n; i++)
    if (strcmp (s->ranges.range[i].what, name) == 0)
      return s->ranges.range[i].start;
  return 0;
}

static void
forget (struct kernel_symbols *s)
{
  ranges_free (&s->ranges);
  free (s->text);
  *s = (struct kernel_symbols){ .is_read = true };
}

/* Reads a file.  A kernel is loaded somewhere else each time it starts, so a
   symbol of the recording tells how far the file's addresses are off.  */
static bool
read_symbols (struct kernel *k, const char *path)
{
  struct kernel_symbols *s = &k->symbols;
  uint64_t anchor = 0;
  size_t size;

  forget (s);
  s->text = read_file (path, &size);
  if (s->text != NULL)
    read_lines (s);
  if (k->anchor != NULL)
    anchor = address_of (s, k->anchor);
  if (anchor != 0)
    s->shift = k->anchor_address - anchor;
  if (s->ranges.n == 0)
    forget (s);
  return s->ranges.n != 0;
}

/* The kernel's file.  */

/* The address of a symbol in a file; 0: there is none.  */
static uint64_t
symbol_address (Elf *elf, const char *name)
{
  Elf_Scn *section = NULL;

  while ((section = elf_nextscn (elf, section)) != NULL)
    {
      GElf_Shdr header;
      GElf_Sym symbol;
      Elf_Data *data;

      if (gelf_getshdr (section, &header) == NULL
          || header.sh_type != SHT_SYMTAB)
        continue;
      data = elf_getdata (section, NULL);
      for (int i = 0; gelf_getsym (data, i, &symbol) != NULL; i++)
        {
          const char *text
              = elf_strptr (elf, header.sh_link, symbol.st_name);

          if (text != NULL && strcmp (text, name) == 0)
            return symbol.st_value;
        }
    }
  return 0;
}

/* Maps the code of a file where a symbol of it was.  */
static bool
map_segments (struct kernel *k, Elf *elf, uint32_t object)
{
  uint64_t anchor = symbol_address (elf, k->anchor), shift;
  size_t n = 0;
  GElf_Phdr p;

  if (anchor == 0)
    return false;
  shift = k->anchor_address - anchor;
  elf_getphdrnum (elf, &n);
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
        && (p.p_flags & PF_X) != 0)
      maps_add (k->maps, k->process,
                (struct region){ p.p_vaddr + shift,
                                 p.p_vaddr + shift + p.p_filesz, p.p_offset,
                                 object });
  return true;
}

/* Tries a file, or one with the same build ID in the folders for debug
   information.  */
static bool
try_file (struct kernel *k, const char *path)
{
  struct object object = k->text;
  uint32_t number;
  char *found;
  bool is_it = false;
  Elf *elf;
  int fd;

  object.path = path;
  number = maps_object (k->maps, &object);
  fd = resolver_open (k->resolver, number, &found);
  if (fd >= 0)
    {
      elf_version (EV_CURRENT);
      elf = elf_begin (fd, ELF_C_READ_MMAP, NULL);
      is_it = map_segments (k, elf, number);
      elf_end (elf);
      close (fd);
    }
  if (is_it)
    k->file = number;
  free (found);
  return is_it;
}

static void
find_file (struct kernel *k)
{
  static const char *const paths[]
      = { "/boot/vmlinux-%s",
          "/usr/lib/debug/boot/vmlinux-%s",
          "/usr/lib/debug/lib/modules/%s/vmlinux",
          "/lib/modules/%s/vmlinux",
          "/lib/modules/%s/build/vmlinux" };

  k->is_file_tried = true;
  if (k->anchor == NULL || k->text.build_id_size == 0)
    return;
  for (size_t i = 0; i < sizeof paths / sizeof *paths && k->file == 0; i++)
    {
      const char *place = strchr (paths[i], '%');
      char *path
          = make_text ("%.*s%s%s", (int) (place - paths[i]), paths[i],
                       k->release != NULL ? k->release : "", place + 2);

      try_file (k, path);
      free (path);
    }
}

bool
kernel_locate (struct kernel *k, uint64_t address, struct location *location)
{
  if (!k->is_file_tried)
    find_file (k);
  return k->file != 0
         && maps_find (k->maps, k->process, address, location)
         && location->object == k->file;
}

/* Which kernel it is.  */

/* Finds the build ID among notes.  */
static bool
find_build_id (const char *notes, size_t n, struct object *kernel)
{
  enum { HEAD = 12, BUILD_ID = 3 };
  uint32_t head[3];

  while (n >= HEAD)
    {
      size_t name, size;

      memcpy (head, notes, HEAD);
      name = ((size_t) head[0] + 3) / 4 * 4;
      size = ((size_t) head[1] + 3) / 4 * 4;
      notes += HEAD;
      n -= HEAD;
      if (name > n || size > n - name)
        return false;
      if (head[2] == BUILD_ID && head[0] == 4 && memcmp (notes, "GNU", 4) == 0)
        {
          kernel->build_id_size
              = head[1] < OBJECT_BUILD_ID ? head[1] : OBJECT_BUILD_ID;
          memcpy (kernel->build_id, notes + name, kernel->build_id_size);
          return true;
        }
      notes += name + size;
      n -= name + size;
    }
  return false;
}

/* Without a build ID, a kernel of the same release that has the symbol at the
   same address.  */
static bool
is_alike (struct kernel *k)
{
  struct utsname name;

  return k->release != NULL && uname (&name) == 0
         && strcmp (name.release, k->release) == 0
         && read_symbols (k, "/proc/kallsyms") && k->symbols.shift == 0;
}

/* Whether the kernel that runs now was recorded, and shows its symbols, which
   were read then.  */
static bool
read_running (struct kernel *k)
{
  struct object running = { .path = NULL };
  char *notes;
  size_t n;
  bool is_same;

  if (k->text.build_id_size == 0)
    return is_alike (k);
  notes = read_file ("/sys/kernel/notes", &n);
  is_same = notes != NULL && find_build_id (notes, n, &running)
            && memcmp (running.build_id, k->text.build_id,
                       sizeof running.build_id)
                   == 0;
  free (notes);
  return is_same && read_symbols (k, "/proc/kallsyms");
}

/* The copy that perf keeps, in one of the folders between colons.  */
static bool
read_kept (struct kernel *k, const char *folders)
{
  char id[2 * OBJECT_BUILD_ID + 1] = "";
  bool is_read = false;

  for (uint32_t i = 0; i < k->text.build_id_size; i++)
    sprintf (id + 2 * (size_t) i, "%02x", k->text.build_id[i]);
  while (*id != '\0' && !is_read && *folders != '\0')
    {
      int n = (int) strcspn (folders, ":");
      char *path = make_text ("%.*s/%s/%s/kallsyms", n, folders, text_object,
                              id);

      is_read = read_symbols (k, path);
      free (path);
      folders += n + (folders[n] == ':');
    }
  return is_read;
}

/* The files of another machine have what was copied there.  */
static bool
read_beside (struct kernel *k)
{
  char *path;
  bool is_read;

  if (k->options->symfs == NULL)
    return false;
  path = make_text ("%s/proc/kallsyms", k->options->symfs);
  is_read = read_symbols (k, path);
  free (path);
  return is_read;
}

static void
find_symbols (struct kernel *k)
{
  const char *home = getenv ("HOME");
  char *folders = make_text (
      "%s:%s/.debug",
      k->options->debug_path != NULL ? k->options->debug_path : "",
      home != NULL ? home : "");

  k->symbols.is_read = true;
  if (!read_beside (k) && !read_running (k) && !read_kept (k, folders))
    {
      forget (&k->symbols);
      tool_warn (text_object, 0,
                 "its symbols cannot be had: its functions have no names");
    }
  free (folders);
}

/* Functions.  */

/* The module that a symbol is in, as "[ext4]"; NULL: none.  */
static const char *
module_of (const char *symbol)
{
  const char *module = strchr (symbol, '\0') + 1;

  return *module == '[' ? module : NULL;
}

/* Whether "[a_b]" names the file "/x/a-b.ko", which may be compressed.  Of a
   module without a file the path is that name.  */
static bool
is_module (const char *module, const char *path)
{
  const char *file = strrchr (path, '/');

  if (module == NULL || file == NULL)
    return module != NULL && strcmp (module, path) == 0;
  for (module++, file++; *module != '\0' && *module != ']'; module++, file++)
    if (*module != (*file == '-' ? '_' : *file))
      return false;
  return *module == ']' && strncmp (file, ".ko", 3) == 0;
}

struct import_frame
kernel_frame (struct kernel *k, uint64_t address)
{
  struct import_frame frame = { .object = text_object, .address = address };
  const struct range *range;
  const char *module, *path = "";
  struct location location;
  bool is_mapped = maps_find (k->maps, k->process, address, &location);

  if (is_mapped)
    path = maps_object_of (k->maps, location.object).path;
  if (strncmp (path, bpf_object, sizeof bpf_object - 1) == 0)
    {
      frame.object = bpf_object;
      frame.name = path + sizeof bpf_object - 1;
      return frame;
    }
  if (!k->symbols.is_read)
    find_symbols (k);
  range = ranges_find (&k->symbols.ranges, address - k->symbols.shift);
  module = range != NULL ? module_of (range->what) : NULL;
  if (is_mapped && !is_text (path))
    {
      frame.object = path;
      if (!is_module (module, path))
        range = NULL;
    }
  else if (is_mapped && module != NULL)
    range = NULL;
  else if (module != NULL)
    frame.object = module;
  if (range != NULL)
    frame.name = range->what;
  return frame;
}

void
kernel_end (struct kernel *k)
{
  forget (&k->symbols);
  free (k->anchor);
}
