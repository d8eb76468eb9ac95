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

/* Make the temporary file for a path, with that mode whatever the umask, and
   open it.  Return the descriptor, or -1, with errno set.  */
int cgwi_replacement_make (struct cgwi_replacement *r, const char *path,
                           mode_t mode);

/* Rename the file, or remove it, if there is one that this process made, and
   neither was done.  Return 0 or an errno; then the file is removed.
   Async-signal-safe: a crash handler may come between, in another thread, too.
   Keep errno.  */
int cgwi_replacement_rename (struct cgwi_replacement *r);
void cgwi_replacement_remove (struct cgwi_replacement *r);

/* Remove the file, unless it was renamed, and forget it.  In a process that did
   not make it, only forget it.  If the next one has its temporary name, it was
   renamed, and a longjmp came before the note of it.  Keep errno.  */
void cgwi_replacement_drop (struct cgwi_replacement *r,
                            const struct cgwi_replacement *next);

/* Return a hash of the path, which a forked child compares with its own; 0:
   there is no file.  */
uint64_t cgwi_replacement_hash (const struct cgwi_replacement *r);

#endif
