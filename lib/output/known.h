/* known.h - which files a writer wrote, and in which process: a forked child
   must not empty its parent's.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_KNOWN_H
#define CGWI_KNOWN_H 1

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* By numbers whose size does not depend on system.h, as that of ino_t
   does.  */
struct cgwi_known_file
{
  uint64_t device;
  uint64_t inode;
  uint64_t path; /* a hash of the path where it is to be; or 0 */
  pid_t process; /* that wrote it; 0: there is no file */
};

/* A fork may come between any two instructions.  */
struct cgwi_known
{
  struct cgwi_known_file last[2]; /* the file, and the one before or next */
  unsigned current;               /* which of them is the file */
  struct cgwi_known_file parents; /* the file at the fork, in a child that has
                                     had one of its own since */
};

/* Remember the next file, beside the present one, if it is a regular one.
   `path` is the hash of the path that it is to be renamed to, or 0.  Keep
   errno.  */
void cgwi_know_next (struct cgwi_known *k, int fd, uint64_t path);

/* Remember the file.  Keep errno.  */
void cgwi_know (struct cgwi_known *k, int fd, uint64_t path);

/* Whether another process wrote that file, through what this writer is a copy
   of.  */
bool cgwi_is_parents (const struct cgwi_known *k, uint64_t device,
                      uint64_t inode);

/* Whether another process is to rename its file to the path with that hash.  */
bool cgwi_is_parents_path (const struct cgwi_known *k, uint64_t path);

#endif
