/* open.c - cgw_create: opens a file that nobody else can have planted.

   SPDX-License-Identifier: MIT  */

#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* path with "%p" and "%%" put in, in fresh memory.  CGW_EINVAL: another "%".
   CGW_ENOMEM.  */
static enum cgw_status
expand (const struct cgwi_memory *m, const char *path, char **result)
{
  size_t n = strlen (path);
  char *p;

  /* Two bytes become at most 20, and the slack of a number.  */
  p = *result = cgwi_resize (m, NULL, 10 * n + 1 + CGWI_NUMBER_SLACK);
  if (p == NULL)
    return CGW_ENOMEM;
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
        return CGW_EINVAL;
      }
  *p = '\0';
  return CGW_OK;
}

/* Whether fd is a regular file of ours, under one name only.  */
static bool
is_own_file (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_nlink == 1
         && st.st_uid == geteuid ();
}

/* Opens path and empties it; returns a descriptor, or -1 with the status and
   the errno.

   No symbolic link is followed, and O_NONBLOCK keeps a planted FIFO from
   blocking us.  The file is emptied only when it is known to be ours.  */
static int
open_own_file (const char *path, enum cgw_status *status, int *error)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
                           | O_NONBLOCK,
                 S_IRUSR | S_IWUSR);

  if (fd != -1 && is_own_file (fd))
    {
      if (fcntl (fd, F_SETFL, 0) != -1 && ftruncate (fd, 0) == 0)
        return fd;
      *status = CGW_EIO;
    }
  /* Open, but not our file; or a link; a FIFO without a reader, or a socket;
     a directory.  */
  else if (fd != -1 || errno == ELOOP || errno == ENXIO || errno == EISDIR)
    *status = CGW_EFILE;
  else
    *status = CGW_EIO;
  *error = errno;
  if (fd != -1)
    close (fd);
  return -1;
}

/* Gives the writer its file; keeps errno.  */
static enum cgw_status
open_writer (struct cgw_writer *w, const char *path)
{
  int kept = errno;
  enum cgw_status status = CGW_OK;
  int error = 0;
  int fd = open_own_file (path, &status, &error);

  errno = kept;
  w->error_number = error;
  if (fd == -1)
    {
      w->state = CGWI_FINISHED;
      return cgwi_keep (w, status);
    }
  cgwi_start_file (w, fd);
  w->owns_fd = true;
  return CGW_OK;
}

enum cgw_status
cgw_create (struct cgw_writer **result, const char *path,
            const struct cgw_options *options)
{
  struct cgw_options o;
  enum cgw_status status;
  char *expanded;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (path == NULL || !cgwi_take_options (&o, options) || o.write != NULL)
    return CGW_EINVAL;
  /* The file is touched last, when nothing else can fail.  */
  if ((status = cgwi_new (result, -1, &o)) != CGW_OK)
    return status;
  status = expand (&(*result)->memory, path, &expanded);
  if (status == CGW_OK)
    {
      status = open_writer (*result, expanded);
      cgwi_release (&(*result)->memory, expanded);
    }
  if (status != CGW_OK && status != CGW_EIO && status != CGW_EFILE)
    {
      cgw_free (*result);
      *result = NULL;
    }
  return status;
}
