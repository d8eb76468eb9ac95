/* open.c - open an output file: as fopen does, or strictly, so that nobody else
   can have planted it.

   SPDX-License-Identifier: MIT  */

#include "../system.h"

#include "open.h"

#include "../text/number.h"
#include "cgw.h"
#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Modes of a new file, before the umask.  */
#define USUAL_MODE 0666
#define STRICT_MODE 0600

/* Replace "%p" by the process id and "%%" by "%", in new memory.  */
static enum cgwi_opened
expand_path (const struct cgwi_memory *m, const char *path, char **result)
{
  size_t n = strlen (path);
  char *p = *result = NULL;

  if (n < SIZE_MAX / 16) /* two bytes become at most 20 */
    p = *result = cgwi_resize (m, NULL, 10 * n + 1);
  if (p == NULL)
    return CGWI_OPEN_NO_MEMORY;
  for (; *path != '\0'; path++)
    if (*path != '%')
      *p++ = *path;
    else if (*++path == '%')
      *p++ = '%';
    else if (*path == 'p')
      p = cgwi_put_decimal (p, (uint64_t) getpid ());
    else
      {
        cgwi_release (m, *result);
        return CGWI_BAD_PATH;
      }
  *p = '\0';
  return CGWI_OPENED;
}

/* A path that is being opened.  */
struct opening
{
  const char *path;
  bool is_strict;
  bool may_make;
  bool is_followed; /* the path is a symbolic link */
};

/* Why that is not a regular file of ours under one name only, as an errno; 0:
   it is.  Its owner comes first, who may add links at any time.  */
static int
why_not_ours (int fd)
{
  struct stat st;

  if (fstat (fd, &st) == -1)
    return errno;
  if (!S_ISREG (st.st_mode))
    return EINVAL;
  return !cgwi_is_own (&st) ? EPERM : st.st_nlink > 1 ? EMLINK : 0;
}

/* Open a file that is ours alone, without waiting for a FIFO's reader.  */
static int
open_strict (const struct opening *o, enum cgwi_opened *result)
{
  int fd = cgwi_open_file (o->path,
                           O_NOFOLLOW | O_NONBLOCK
                               | (o->may_make ? O_CREAT : 0),
                           STRICT_MODE);
  int error = fd == -1 ? errno : why_not_ours (fd);

  if (error == 0)
    {
      cgwi_make_blocking (fd);
      return fd;
    }
  if (fd != -1)
    cgwi_close (fd);
  else if (error != ELOOP && error != ENXIO)
    *result = CGWI_OPEN_FAILED;
  errno = error;
  return -1;
}

/* Open a file as fopen does, but for a link that another user may have
   planted.  */
static int
open_usual (struct opening *o, enum cgwi_opened *result)
{
  int fd = cgwi_open_file (o->path,
                           O_NOFOLLOW | (o->may_make ? O_CREAT : 0),
                           USUAL_MODE);

  if (fd == -1 && errno == ELOOP && !cgwi_may_follow (o->path))
    {
      errno = ELOOP;
      return -1;
    }
  if (fd == -1 && errno == ELOOP)
    {
      fd = cgwi_open_file (o->path, O_CREAT, USUAL_MODE);
      o->is_followed = true;
    }
  if (fd == -1)
    *result = CGWI_OPEN_FAILED;
  return fd;
}

static int
open_path (struct opening *o, enum cgwi_opened *result)
{
  *result = CGWI_NOT_OURS;
  return o->is_strict ? open_strict (o, result) : open_usual (o, result);
}

/* Open the file that is to replace the one at a path.  What a new file cannot
   take the place of, such as a device, is written itself.  So is the file that
   a link leads to: /dev/stdout leads to one that others have open.  */
static int
open_replacement (struct opening *o, struct cgwi_replacement *r,
                  enum cgwi_opened *result)
{
  mode_t mode = o->is_strict ? STRICT_MODE : USUAL_MODE;
  int fd = open_path (o, result);
  struct stat st;
  bool is_old = fd != -1;

  if (fd == -1 && (*result == CGWI_NOT_OURS || errno != ENOENT))
    return -1;
  if (is_old)
    {
      if (o->is_followed || why_not_ours (fd) != 0 || fstat (fd, &st) == -1)
        return fd;
      mode = st.st_mode & 0777;
      cgwi_close (fd);
    }
  *result = CGWI_OPEN_FAILED;
  fd = cgwi_replacement_make (r, o->path, mode);
  if (fd != -1 && is_old)
    cgwi_set_mode (fd, r->temporary, mode);
  return fd;
}

enum cgwi_opened
cgwi_open (const struct cgwi_memory *m, const char *path, unsigned flags,
           struct cgwi_replacement *replacement, int *fd, int *error)
{
  int kept = errno;
  int before = cgwi_disable_cancel ();
  struct opening o = { .path = path,
                       .is_strict = (flags & CGW_PATH_STRICT) != 0,
                       .may_make = !(flags & CGW_REPLACE) };
  char *expanded = NULL;
  enum cgwi_opened result = flags & CGW_PATH_EXPAND
                                ? expand_path (m, path, &expanded)
                                : CGWI_OPENED;

  *fd = -1;
  *error = 0;
  if (result == CGWI_OPENED)
    {
      if (expanded != NULL)
        o.path = expanded;
      *fd = flags & CGW_REPLACE ? open_replacement (&o, replacement, &result)
                                : open_path (&o, &result);
      if (*fd != -1)
        result = CGWI_OPENED;
      else
        *error = errno;
      cgwi_release (m, expanded);
    }
  cgwi_restore_cancel (before);
  errno = kept;
  return result;
}

int
cgwi_empty (int fd, pid_t process)
{
  int kept = errno, error = 0;
  struct stat st;

  if (fstat (fd, &st) == -1)
    error = errno;
  else if (getpid () != process)
    error = CGWI_FORKED;
  else if (st.st_size != 0 && ftruncate (fd, 0) == -1)
    error = errno;
  errno = kept;
  return error;
}

/* After EINTR, Linux has closed the descriptor.  */
int
cgwi_close (int fd)
{
  int before = cgwi_disable_cancel ();
  int kept = errno;
  int error = close (fd) == -1 && errno != EINTR ? errno : 0;

  errno = kept;
  cgwi_restore_cancel (before);
  return error;
}
