/* replace.h - a file that replaces another when it is complete.

   It is written in the same directory, under a hidden name of its own, and
   renamed at its end.  So whoever opens the path, at whatever time, finds the
   old file or the new one, and both are whole.

   The two names are in the page that the kernel wipes in a forked child: a
   child neither renames nor removes its parent's file, even if a handler forks
   just before the system call.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_REPLACE_H
#define CGWI_REPLACE_H 1

#include "../platform.h"

/* Make the temporary file for a path, with that mode but for the umask, and open
   it.  Return the descriptor, or -1, with errno set.  */
int cgwi_replacement_make (struct cgwi_replacement *r, const char *path,
                           mode_t mode);

/* Rename the file, or remove it, if there is one that this process made, and
   neither was done.  Return 0 or an errno; then the file is removed.
   Async-signal-safe: a crash handler may come between, in another thread, too.
   Keep errno.  */
int cgwi_replacement_rename (struct cgwi_replacement *r);
void cgwi_replacement_remove (struct cgwi_replacement *r);

#endif
