/* replace.c - a file that replaces another when it is complete.

   SPDX-License-Identifier: MIT  */

#include "../system.h"

#include "replace.h"

#include "../text/escape.h"
#include "../text/number.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest name of a file that all systems take, and room in it for what is
   added: ".", ".PROCESS", "-RANDOM" and ".tmp".  */
#define NAME_LONGEST 255
#define ADDED_LONGEST 40

/* A killed process leaves its temporary file, and a later one may have its
   process id.  */
#define TRIES 10

/* Copy the path, and make it absolute, because the process may change its
   directory before the file ends.  Return 0 or an errno.

   Here and below the path becomes empty at any time in the child of a handler
   that forks.  */
static int
set_path (struct cgwi_replacement *r, const char *path)
{
  size_t n;
  int error;

  if (path[0] == '\0')
    return ENOENT;
  error = cgwi_absolute_path (r->path, sizeof r->path - ADDED_LONGEST, path);
  if (error != 0)
    return error;
  n = strlen (r->path);
  return n > 0 && r->path[n - 1] == CGWI_SEPARATOR ? EISDIR : 0;
}

/* Derive the temporary name from the path's: DIRECTORY/.NAME.PROCESS.tmp.  It
   begins with a dot because KCachegrind opens all files whose names begin with
   that of the profile, and after a kill this one stays.  */
static void
set_temporary (struct cgwi_replacement *r, bool again)
{
  const char *name = r->path + strlen (r->path);
  size_t n = 0;
  char *p = r->temporary;

  for (; name > r->path && name[-1] != CGWI_SEPARATOR; name--)
    n++;
  memcpy (p, r->path, (size_t) (name - r->path));
  p += name - r->path;
  *p++ = '.';
  n = n < NAME_LONGEST - ADDED_LONGEST ? n : NAME_LONGEST - ADDED_LONGEST;
  memcpy (p, name, n);
  p += n;
  *p++ = '.';
  p = cgwi_put_decimal (p, (uint64_t) getpid ());
  if (again)
    {
      uint64_t random;

      cgwi_random (&random, 1);
      *p++ = '-';
      p = cgwi_put_hex (p, random >> 32);
    }
  memcpy (p, ".tmp", sizeof ".tmp");
}

/* Open the temporary file, which must be new.  */
static int
open_new (struct cgwi_replacement *r, mode_t mode)
{
  int fd = -1;

  for (int i = 0; fd == -1 && i < TRIES && (i == 0 || errno == EEXIST); i++)
    {
      set_temporary (r, i > 0);
      if (r->path[0] == '\0')
        {
          errno = ENOENT;
          break;
        }
      r->process = getpid ();
      fd = cgwi_open_file (r->temporary, O_CREAT | O_EXCL, mode);
      if (fd == -1)
        r->process = 0;
    }
  return fd;
}

int
cgwi_replacement_make (struct cgwi_replacement *r, const char *path,
                       mode_t mode)
{
  errno = set_path (r, path);
  return errno == 0 ? open_new (r, mode) : -1;
}

static bool
is_pending (const struct cgwi_replacement *r)
{
  return r->process == getpid () && !atomic_load (&r->settled);
}

/* Rename it.  Return 0 or an errno.  A crash handler may have renamed it
   meanwhile, or a handler have forked, and this be the child.  */
static int
try_to_rename (struct cgwi_replacement *r)
{
  int tries = atomic_fetch_add (&r->tries, 1);
  int error = cgwi_rename (r->temporary, r->path);

  if (error == ENOENT && (tries != 0 || atomic_load (&r->tries) != 1))
    return 0;
  return r->process == getpid () ? error : 0;
}

/* POSIX permits rename and unlink to be cancellation points.  */
static void
remove_file (struct cgwi_replacement *r)
{
  int kept = errno;
  int before = cgwi_disable_cancel ();

  unlink (r->temporary);
  atomic_store (&r->settled, true);
  cgwi_restore_cancel (before);
  errno = kept;
}

int
cgwi_replacement_rename (struct cgwi_replacement *r)
{
  int kept = errno, error = 0;

  if (is_pending (r))
    {
      int before = cgwi_disable_cancel ();

      error = try_to_rename (r);
      if (error == 0)
        atomic_store (&r->settled, true);
      cgwi_restore_cancel (before);
      errno = kept;
    }
  if (error != 0)
    remove_file (r);
  return error;
}

/* If a rename was begun, it may be done, though a longjmp left it: then the name
   may be that of another file by now.  */
void
cgwi_replacement_remove (struct cgwi_replacement *r)
{
  if (is_pending (r) && atomic_load (&r->tries) == 0)
    remove_file (r);
}
