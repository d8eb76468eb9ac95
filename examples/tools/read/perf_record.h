/* perf_record.h - records of perf.data.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_RECORD_H
#define PERF_RECORD_H 1

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Records that perf itself writes; the kernel's are in linux/perf_event.h.  */
enum
{
  PERF_OWN_RECORDS = 64,
  PERF_OWN_ATTR = 64,
  PERF_OWN_TRACING_DATA = 66,
  PERF_OWN_BUILD_ID = 67,
  PERF_OWN_FINISHED_ROUND = 68,
  PERF_OWN_AUXTRACE = 71,
  PERF_OWN_EVENT_UPDATE = 78,
  PERF_OWN_FEATURE = 80,
  PERF_OWN_COMPRESSED = 81,
  PERF_OWN_COMPRESSED_2 = 83
};

/* What a record begins with: type, misc and size.  */
enum { PERF_HEADER = 8 };

struct perf_record
{
  const unsigned char *bytes; /* with the header */
  uint32_t size;              /* at least PERF_HEADER */
  uint32_t type;
  uint16_t misc;
  uint64_t offset;            /* in the input, for messages */
};

static inline uint64_t
perf_u64 (const unsigned char *bytes)
{
  uint64_t n;

  memcpy (&n, bytes, sizeof n);
  return n;
}

static inline uint32_t
perf_u32 (const unsigned char *bytes)
{
  uint32_t n;

  memcpy (&n, bytes, sizeof n);
  return n;
}

/* The header at the beginning of some bytes.  */
static inline struct perf_record
perf_header (const unsigned char *bytes, uint64_t offset)
{
  struct perf_record r = { .bytes = bytes, .offset = offset };
  uint16_t size;

  memcpy (&r.type, bytes, sizeof r.type);
  memcpy (&r.misc, bytes + 4, sizeof r.misc);
  memcpy (&size, bytes + 6, sizeof size);
  r.size = size;
  return r;
}

/* A string in a record or a section of n bytes; NULL: it does not end there.
 */
static inline const char *
perf_text (const unsigned char *bytes, size_t n, size_t at)
{
  return at < n && memchr (bytes + at, '\0', n - at) != NULL
             ? (const char *) bytes + at
             : NULL;
}

#endif /* PERF_RECORD_H */
