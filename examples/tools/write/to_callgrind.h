/* to_callgrind.h - writes a recording as a callgrind profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TO_CALLGRIND_H
#define TO_CALLGRIND_H 1

#include "../format/reader.h"
#include "../format/recording.h"

/* Writes some of a recording's profiles, a part each, to the output that is
   open, and closes it.  Adds the limits that they meet to *limits.  False: it
   failed; a message was printed.  */
bool write_callgrind (const struct recording *r, const struct recorded *from,
                      size_t n, const struct reader *reader, const char *path,
                      unsigned *limits);

#endif /* TO_CALLGRIND_H */
