/* reader.h - the test-suite's own reader of callgrind files.

   Strict by default: a file is refused as soon as one of the readers in use
   would misread it, or when it is not in this project's form: whole records,
   dense ids, each name with its id (READER_PLAIN: without).
   READER_LENIENT reads files of other writers as KCachegrind and
   callgrind_annotate agree on them.

   Independent of the library on purpose: it shares no code with it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef READER_H
#define READER_H 1

#include "profile.h"

#define READER_STRICT 0u
#define READER_LENIENT 1u          /* the other flags then change nothing */
#define READER_ALLOW_ZERO_CALLS 2u /* calls=0 */
#define READER_KEEP_ZEROS 4u       /* each cost line has all events */
#define READER_NO_PAD 8u           /* records may straddle a page */
#define READER_ABSOLUTE 16u        /* relative subpositions are refused */
#define READER_PLAIN 32u           /* names in full; ids only for "(" digit */
#define READER_UNFINISHED 64u      /* no totals: at the end; an empty file */

/* Reads the n bytes.  NULL when they are refused; error then says
   "LINE: reason".  */
struct profile *profile_read (const char *bytes, size_t n, unsigned flags,
                              char *error, size_t size);

/* The same for a file; "0: reason" when it cannot be read at all.  */
struct profile *profile_read_file (const char *path, unsigned flags,
                                   char *error, size_t size);

#endif /* READER_H */
