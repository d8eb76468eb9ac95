/* test_reader.h - how the reader's tests say that a file is refused or read.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TEST_READER_H
#define TEST_READER_H 1

#include "reader.h"

#include <criterion/criterion.h>

/* A header of five lines, and the block most tests begin with, lines 6 to 8.
   */
#define OPENING "# callgrind format\nversion: 1\ncreator: t\n"
#define HEAD OPENING "positions: line\nevents: A B\n"
#define INSTR_HEAD OPENING "positions: instr line\nevents: A B\n"
#define MAIN "fl=(1) a.c\nfn=(1) main\n16 20 2\n"
#define TOTALS "totals: 20 2\n"

/* The file is refused for exactly this reason, "LINE: reason".  */
#define REFUSED(text, why) REFUSED_WITH (READER_STRICT, text, why)
#define REFUSED_WITH(flags, text, why) \
  expect_refused (__FILE__, __LINE__, flags, text, sizeof (text) - 1, why)

/* The file is read.  */
#define ACCEPTED(text) ACCEPTED_WITH (READER_STRICT, text)
#define ACCEPTED_WITH(flags, text) \
  expect_accepted (__FILE__, __LINE__, flags, text, sizeof (text) - 1)

/* The profile of a file that must be readable.  */
#define READ_LENIENT(text) must_read (READER_LENIENT, text, sizeof (text) - 1)
#define READ_STRICT(text) must_read (READER_STRICT, text, sizeof (text) - 1)
#define READ_PLAIN(text) must_read (READER_PLAIN, text, sizeof (text) - 1)

void expect_refused (const char *file, int line, unsigned flags,
                     const char *text, size_t n, const char *why);
void expect_accepted (const char *file, int line, unsigned flags,
                      const char *text, size_t n);
struct profile *must_read (unsigned flags, const char *text, size_t n);

#endif /* TEST_READER_H */
