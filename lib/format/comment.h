/* comment.h - comment lines: the caller's, and the report of what was lost.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_COMMENT_H
#define CGWI_COMMENT_H 1

#include <stddef.h>
#include <stdint.h>

/* Write a comment line at p, unchecked.  Return the end.  A caller's comment
   never looks like our report: people and tools believe that one.  */
char *cgwi_put_comment (char *p, const char *text);
size_t cgwi_comment_max (const char *text);

/* Write the comment that says how many records are missing.  */
char *cgwi_put_lost_comment (char *p, uint64_t n);
size_t cgwi_lost_comment_max (void);

#endif
