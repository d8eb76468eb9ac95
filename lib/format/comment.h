/* comment.h - comment lines: the caller's, and the report of lost records.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_COMMENT_H
#define CGWI_COMMENT_H 1

#include <stddef.h>
#include <stdint.h>

/* Write a comment line at p, unchecked.  Return the end.  Escape a caller's
   comment that looks like our report, which people and tools rely on.  */
char *cgwi_put_comment (char *p, const char *text);
size_t cgwi_comment_max (const char *text);

/* Write the report that n records were lost.  */
char *cgwi_put_lost_comment (char *p, uint64_t n);
size_t cgwi_lost_comment_max (void);

#endif
