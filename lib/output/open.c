/* open.c - open an output file that nobody else can have planted.

   SPDX-License-Identifier: MIT  */

#include "../system.h"

#include "open.h"

#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL_MODE (S_IRUSR | S_IWUSR) /* of a new file */

/* Write the decimal digits of a process id at p.  Return the end.  */
static char *
put_pid (char *p, pid_t pid)
{
  char digits[3 * sizeof pid];
  size_t n = 0;

  do
    digits[n++] = (char) ('0' + pid % 10);
  while ((pid /= 10) != 0);
  while (n > 0)
    *p++ = digits[--n];
  return p;
}

/* Replace "%p" by the process id and "%%" by "%", in new memory.  */
static enum cgwi_opened
expand_path (const struct cgwi_memory *m, const char *path, char **result)
{
  /* Two bytes become at most 12.  */
  char *p = *result = cgwi_resize (m, NULL, 6 * strlen (path) + 1);

  if (p == NULL)
    return CGWI_OPEN_NO_MEMORY;
  for (; *path != '\0'; path++)
    if (*path != '%')
      *p++ = *path;
    else if (*++path == '%')
      *p++ = '%';
    else if (*path == 'p')
      p = put_pid (p, getpid ());
    else
      {
        cgwi_release (m, *result);
        return CGWI_BAD_PATH;
      }
  *p = '\0';
  return CGWI_OPENED;
}

/* Why that is not a regular file of ours under one name only, as an errno; 0:
   it is.  Its owner comes first, who may add links at any time.  */
static int
why_not_ours (const struct stat *st)
{
  if (!S_ISREG (st->st_mode))
    return EINVAL;
  return !cgwi_is_own (st) ? EPERM : st->st_nlink > 1 ? EMLINK : 0;
}

/* Check that the file is ours.  */
static enum cgwi_opened
check_own (int fd)
{
  struct stat st;

  if (fstat (fd, &st) == -1)
    return CGWI_OPEN_FAILED;
  errno = why_not_ours (&st);
  if (errno != 0)
    return CGWI_NOT_OURS;
  return cgwi_make_blocking (fd) ? CGWI_OPENED : CGWI_OPEN_FAILED;
}

/* By errno: a link; a FIFO without a reader, or a socket; a directory.  */
static enum cgwi_opened
not_opened (void)
{
  return errno == ELOOP || errno == ENXIO || errno == EISDIR ? CGWI_NOT_OURS
                                                             : CGWI_OPEN_FAILED;
}

/* Try to make the file first: only a new one gets the mode.  */
static int
open_or_make (const char *path)
{
  int fd = cgwi_open_file (path, O_CREAT | O_EXCL, USUAL_MODE);

  return fd == -1 && errno == EEXIST
             ? cgwi_open_file (path, O_CREAT, USUAL_MODE)
             : fd;
}

/* On failure *fd is -1.  */
static enum cgwi_opened
open_own_file (const char *path, bool may_make, int *fd, int *error)
{
  enum cgwi_opened result;

  *fd = may_make ? open_or_make (path) : cgwi_open_file (path, 0, 0);
  result = *fd == -1 ? not_opened () : check_own (*fd);
  *error = result == CGWI_OPENED ? 0 : errno;
  if (result != CGWI_OPENED && *fd != -1)
    {
      close (*fd);
      *fd = -1;
    }
  return result;
}

/* Open the file that is to replace the one at path, if that is ours, or there
   is none.  */
static enum cgwi_opened
open_replacement (const char *path, struct cgwi_replacement *r, int *fd,
                  int *error)
{
  enum cgwi_opened result = open_own_file (path, false, fd, error);
  mode_t mode = USUAL_MODE;
  struct stat st;

  if (result != CGWI_OPENED
      && !(result == CGWI_OPEN_FAILED && *error == ENOENT))
    return result;
  if (result == CGWI_OPENED)
    {
      if (fstat (*fd, &st) == 0)
        mode = st.st_mode & 0777;
      close (*fd);
    }
  *fd = cgwi_replacement_make (r, path, mode);
  *error = *fd == -1 ? errno : 0;
  return *fd == -1 ? not_opened () : CGWI_OPENED;
}

enum cgwi_opened
cgwi_open (const struct cgwi_memory *m, const char *path,
           struct cgwi_replacement *replacement, int *fd, int *error)
{
  int kept = errno;
  int before = cgwi_disable_cancel ();
  char *expanded;
  enum cgwi_opened result = expand_path (m, path, &expanded);

  *fd = -1;
  *error = 0;
  if (result == CGWI_OPENED)
    {
      result = replacement != NULL
                   ? open_replacement (expanded, replacement, fd, error)
                   : open_own_file (expanded, true, fd, error);
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
