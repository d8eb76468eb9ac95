/* known.c - which files a writer wrote, and in which process.

   The processes decide whose a file is: a child's first file may be left half
   begun by a longjmp, and then the child may begin it again.

   SPDX-License-Identifier: MIT  */

#include "../system.h"

#include "known.h"

#include "../platform.h"

#include <sys/stat.h>
#include <unistd.h>

static bool
is_anothers (const struct cgwi_known_file *f)
{
  return f->process != 0 && f->process != getpid ();
}

/* False: it is no regular file.  */
static bool
know_next (struct cgwi_known *k, int fd, uint64_t path)
{
  int kept = errno;
  struct stat st;
  bool regular = fstat (fd, &st) == 0 && S_ISREG (st.st_mode);

  errno = kept;
  if (regular)
    k->last[!k->current]
        = (struct cgwi_known_file){ st.st_dev, st.st_ino, path, getpid () };
  return regular;
}

void
cgwi_know_next (struct cgwi_known *k, int fd, uint64_t path)
{
  know_next (k, fd, path);
}

void
cgwi_know (struct cgwi_known *k, int fd, uint64_t path)
{
  if (!know_next (k, fd, path))
    return;
  if (is_anothers (&k->last[k->current]))
    k->parents = k->last[k->current];
  cgwi_in_order ();
  k->current = !k->current;
}

static bool
is_same (const struct cgwi_known_file *f, uint64_t device, uint64_t inode)
{
  return is_anothers (f) && f->device == device && f->inode == inode;
}

bool
cgwi_is_parents (const struct cgwi_known *k, uint64_t device, uint64_t inode)
{
  return is_same (&k->last[0], device, inode)
         || is_same (&k->last[1], device, inode)
         || is_same (&k->parents, device, inode);
}

bool
cgwi_is_parents_path (const struct cgwi_known *k, uint64_t path)
{
  const struct cgwi_known_file *files[] = { k->last, k->last + 1, &k->parents };

  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (is_anothers (files[i]) && files[i]->path == path)
      return true;
  return false;
}
