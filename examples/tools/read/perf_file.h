/* perf_file.h - the records of a perf.data file, and what its header says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_FILE_H
#define PERF_FILE_H 1

#include "input.h"
#include "perf_about.h"
#include "perf_record.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_zstd;

struct perf_file
{
  struct input *in;
  struct perf_about about;
  uint64_t end;          /* where the records end; UINT64_MAX: at the end of
                            the input */
  bool is_open_ended;    /* perf did not come to write where they end */
  struct perf_zstd *zstd; /* NULL: nothing was compressed so far */
  uint32_t n_ids;        /* that were read */
  uint32_t taken;        /* of the input's bytes: the last record */
};

enum perf_next
{
  PERF_NEXT,
  PERF_END,
  PERF_FAILED /* a message was printed */
};

/* Whether an input begins like a perf.data file.  */
bool perf_is_file (const unsigned char *bytes, size_t n);

/* Reads the header.  False: a message was printed.  */
bool perf_file_begin (struct perf_file *f, struct input *in);

/* The next record that is not of the header's kind, which lives until the next
   call.  */
enum perf_next perf_file_next (struct perf_file *f,
                               struct perf_record *record);

void perf_file_end (struct perf_file *f);

#endif /* PERF_FILE_H */
