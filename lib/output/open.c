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
expand (const struct cgwi_memory *m, const char *path, pid_t process,
        char **result)
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
      p = put_pid (p, process);
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

/* Open a file, and tell whether it is new.  */
static int
open_or_make (const char *path, bool may_make, bool *is_new)
{
  int fd = may_make ? cgwi_open_file (path, O_CREAT | O_EXCL, USUAL_MODE) : -1;

  *is_new = fd != -1;
  return fd == -1 && (!may_make || errno == EEXIST)
             ? cgwi_open_file (path, may_make ? O_CREAT : 0, USUAL_MODE)
             : fd;
}

/* Check that the file is ours.  A new one is no parent's, even if it has the
   inode of one that was removed.  */
static enum cgwi_opened
check (int fd, bool is_new, const struct cgwi_known *known)
{
  struct stat st;

  if (fstat (fd, &st) == -1)
    return CGWI_OPEN_FAILED;
  errno = why_not_ours (&st);
  if (errno == 0 && !is_new && cgwi_is_parents (known, st.st_dev, st.st_ino))
    errno = EEXIST;
  if (errno != 0)
    return CGWI_NOT_OURS;
  return cgwi_make_blocking (fd) ? CGWI_OPENED : CGWI_OPEN_FAILED;
}

/* Close it only once, even if a longjmp leaves this.  */
static void
close_again (int *fd)
{
  int closed = *fd;

  *fd = -1;
  cgwi_in_order ();
  if (closed != -1)
    close (closed);
}

/* By errno: a link; a FIFO without a reader, or a socket; a directory.  */
static enum cgwi_opened
not_opened (void)
{
  return errno == ELOOP || errno == ENXIO || errno == EISDIR ? CGWI_NOT_OURS
                                                             : CGWI_OPEN_FAILED;
}

static enum cgwi_opened
open_own_file (const char *path, bool may_make, const struct cgwi_known *known,
               int *fd, int *error)
{
  enum cgwi_opened result;
  bool is_new;

  *fd = open_or_make (path, may_make, &is_new);
  result = *fd == -1 ? not_opened () : check (*fd, is_new, known);
  *error = result == CGWI_OPENED ? 0 : errno;
  if (result != CGWI_OPENED)
    close_again (fd);
  return result;
}

/* Open the file that is to replace the one at path, if that is ours, or there
   is none.  */
static enum cgwi_opened
open_replacement (const char *path, const struct cgwi_known *known,
                  struct cgwi_replacement *r, int *fd, int *error)
{
  enum cgwi_opened result = open_own_file (path, false, known, fd, error);
  mode_t mode = USUAL_MODE;
  struct stat st;

  if (result == CGWI_OPENED && fstat (*fd, &st) == 0)
    mode = st.st_mode & 0777;
  close_again (fd);
  if (result != CGWI_OPENED
      && !(result == CGWI_OPEN_FAILED && *error == ENOENT))
    return result;
  *fd = cgwi_replacement_make (r, path, mode);
  *error = errno;
  if (*fd == -1)
    return not_opened ();
  *error = cgwi_is_parents_path (known, cgwi_replacement_hash (r)) ? EEXIST : 0;
  return *error == 0 ? CGWI_OPENED : CGWI_NOT_OURS;
}

enum cgwi_opened
cgwi_open (const struct cgwi_memory *m, const char *path, pid_t process,
           const struct cgwi_known *known,
           struct cgwi_replacement *replacement, int *fd, int *error)
{
  int kept = errno;
  int before = cgwi_disable_cancel ();
  char *expanded;
  enum cgwi_opened result = expand (m, path, process, &expanded);

  *fd = -1;
  *error = 0;
  if (result == CGWI_OPENED)
    {
      result = replacement != NULL
                   ? open_replacement (expanded, known, replacement, fd, error)
                   : open_own_file (expanded, true, known, fd, error);
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
