/* object_file.c - finds the file that an object was mapped from.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "object_file.h"

#include "../base/memory.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Appends a folder, whose name has n bytes, to a list, which is freed.  A relative
   one becomes absolute: libdwfl would look for it beside each object.  */
static char *
append_folder (char *list, const char *folder, size_t n, const char *below)
{
  char *here = *folder != '/' ? getcwd (NULL, 0) : NULL;
  char *longer
      = make_text ("%s:%s%s%.*s%s", list, here != NULL ? here : "",
                   here != NULL ? "/" : "", (int) n, folder, below);

  free (here);
  free (list);
  return longer;
}

/* Debug information is beside the file; in the folders that the user named;
   where distributions have it; and where perf keeps what it recorded.  */
char *
object_file_search (const char *symfs, const char *debug_path)
{
  const char *home = getenv ("HOME");
  char *list = copy_text (":.debug");

  while (debug_path != NULL && *debug_path != '\0')
    {
      size_t n = strcspn (debug_path, ":");

      if (n != 0)
        list = append_folder (list, debug_path, n, "");
      debug_path += n + (debug_path[n] == ':');
    }
  if (symfs != NULL)
    list = append_folder (list, symfs, strlen (symfs), "/usr/lib/debug");
  list = append_folder (list, "/usr/lib/debug", strlen ("/usr/lib/debug"), "");
  if (home != NULL && *home != '\0')
    list = append_folder (list, home, strlen (home), "/.debug");
  return list;
}

/* The kernel maps one vdso into every process, so this process has a copy of
   it.  */
static int
open_vdso (void)
{
  const unsigned char *vdso
      = (const unsigned char *) getauxval (AT_SYSINFO_EHDR);
  const ElfW (Ehdr) *header = (const void *) vdso;
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

/* Whether two build IDs are equal.  A recording may pad a short one with zeros,
   and cuts a long one.  */
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

/* Whether a file is what was mapped: another file that has taken its place
   since would give wrong names.  Below symfs are files of another machine, of
   which the inodes have other numbers.  */
static bool
is_object (int fd, const struct object *object, const char *symfs)
{
  struct stat st;

  if (object->build_id_size != 0)
    return has_build_id (fd, object);
  return symfs != NULL || object->inode == 0
         || (fstat (fd, &st) == 0 && st.st_ino == object->inode);
}

/* Opens a file, if it is the object.  Recordings may name anything; only
   regular files are opened, because to open a device or a FIFO may have
   effects.  */
static int
open_file (const char *path, const struct object *object, const char *symfs)
{
  struct stat st;
  int fd = -1;

  if (stat (path, &st) == 0 && S_ISREG (st.st_mode))
    fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || is_object (fd, object, symfs))
    return fd;
  close (fd);
  return -1;
}

/* Opens "FOLDER/.build-id/XX/YYYY" or, as perf keeps files, a file in the
   folder of that name.  The folder's name has n bytes.  */
static int
open_in_folder (const struct object *object, const char *symfs,
                const char *folder, int n, char **path)
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
      fd = open_file (*path, object, symfs);
    }
  return fd;
}

/* Opens a file by its build ID in those of the folders that are absolute.  */
static int
open_by_build_id (const struct object *object, const char *symfs,
                  const char *folder, char **path)
{
  int fd = -1;

  while (object->build_id_size != 0 && fd < 0 && *folder != '\0')
    {
      size_t n = strcspn (folder, ":");

      if (*folder == '/')
        fd = open_in_folder (object, symfs, folder, (int) n, path);
      folder += n + (folder[n] == ':');
    }
  return fd;
}

int
object_file_open (const struct object *object, const char *symfs,
                  const char *search, char **path)
{
  int fd = -1;

  *path = NULL;
  if (strcmp (object->path, "[vdso]") == 0)
    {
      *path = copy_text (object->path);
      if (symfs == NULL || object->build_id_size != 0)
        fd = open_vdso ();
      if (fd >= 0 && !is_object (fd, object, symfs))
        {
          close (fd);
          fd = -1;
        }
    }
  else if (object->path[0] == '/')
    {
      *path = make_text ("%s%s", symfs != NULL ? symfs : "", object->path);
      fd = open_file (*path, object, symfs);
    }
  else
    return -1;
  return fd >= 0 ? fd : open_by_build_id (object, symfs, search, path);
}
