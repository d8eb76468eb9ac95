/* phrase.c - phrases for errno.

   SPDX-License-Identifier: MIT  */

#include "phrase.h"

#include <errno.h>
#include <stddef.h>

struct phrase
{
  int error;
  const char *text;
};

/* Return the phrase for an error, or that for 0.  */
static const char *
find (const struct phrase *phrases, int error)
{
  while (phrases->error != 0 && phrases->error != error)
    phrases++;
  return phrases->text;
}

const char *
cgwi_phrase (bool is_file, int error)
{
  static const struct phrase of_files[] = {
    { ELOOP, "a symbolic link (ELOOP)" },
    { EPERM, "the file of another user (EPERM)" },
    { EMLINK, "the file has another hard link (EMLINK)" },
    { EISDIR, "a directory (EISDIR)" },
    { ENXIO, "a socket, or a FIFO that nobody reads (ENXIO)" },
    { EINVAL, "a device or a FIFO (EINVAL)" },
    { EEXIST, "a file that the parent process writes (EEXIST); \"%p\" in the "
              "path makes it different" },
    { 0, "not a regular file of your own" }
  };
  static const struct phrase of_io[] = {
    { EACCES, "no permission (EACCES)" },
    { EAGAIN, "the descriptor takes no bytes at present (EAGAIN)" },
    { EBADF, "the descriptor was closed (EBADF)" },
    { EDQUOT, "the disk quota is used up (EDQUOT)" },
    { EFBIG, "the file reached the size limit (EFBIG)" },
    { EIO, "input/output error (EIO)" },
    { EMFILE, "the process has too many open descriptors (EMFILE)" },
    { ENAMETOOLONG, "the name is too long (ENAMETOOLONG)" },
    { ENFILE, "the system has too many open files (ENFILE)" },
    { ENOENT, "a directory of the path does not exist (ENOENT)" },
    { ENOSPC, "no space is left on the device (ENOSPC)" },
    { ENOTDIR, "a part of the path is not a directory (ENOTDIR)" },
    { EPIPE, "nobody reads the pipe or socket any more (EPIPE)" },
    { EROFS, "the file system is read-only (EROFS)" },
    { 0, "it cannot be opened, written or closed: see cgw_errno" }
  };

  return find (is_file ? of_files : of_io, error);
}
