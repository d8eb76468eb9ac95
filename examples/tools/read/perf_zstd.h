/* perf_zstd.h - records of perf.data that perf record -z compressed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_ZSTD_H
#define PERF_ZSTD_H 1

#include "perf_record.h"

#include <stdbool.h>
#include <stddef.h>

struct perf_zstd;

/* NULL: this program was built without zstd.  */
struct perf_zstd *perf_zstd_new (void);

/* More compressed bytes, which must stay until they are used up.  */
void perf_zstd_add (struct perf_zstd *z, const unsigned char *bytes,
                    size_t n);

/* Decompresses the next record, which lives until the next call.  False: more
   compressed bytes are needed, or *reason says what is wrong with them.  */
bool perf_zstd_next (struct perf_zstd *z, struct perf_record *record,
                     const char **reason);

/* Whether the last record is complete.  */
bool perf_zstd_is_done (const struct perf_zstd *z);

void perf_zstd_free (struct perf_zstd *z);

#endif /* PERF_ZSTD_H */
