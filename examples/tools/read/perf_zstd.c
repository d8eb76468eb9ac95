/* perf_zstd.c - records of perf.data that perf record -z compressed.

   They are one stream, which goes on from record to record.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_zstd.h"

#include "../base/memory.h"

#ifdef HAVE_ZSTD

#include <stdlib.h>
#include <zstd.h>

/* Room for several records of the largest size.  */
enum { ROOM = 256 * 1024 };

struct perf_zstd
{
  ZSTD_DStream *stream;
  ZSTD_inBuffer in;
  bool is_full;         /* the last call had no room for all that it knew */
  uint32_t taken;       /* the last record */
  size_t start;
  size_t end;
  unsigned char bytes[ROOM];
};

struct perf_zstd *
perf_zstd_new (void)
{
  struct perf_zstd *z = resize (NULL, 1, sizeof *z);

  memset (z, 0, offsetof (struct perf_zstd, bytes));
  z->stream = ZSTD_createDStream ();
  if (z->stream == NULL)
    no_memory ();
  return z;
}

void
perf_zstd_add (struct perf_zstd *z, const unsigned char *bytes, size_t n)
{
  z->in = (ZSTD_inBuffer){ bytes, n, 0 };
}

/* False: there are no bytes to decompress, or *reason says what is wrong with
   them.  */
static bool
decompress (struct perf_zstd *z, const char **reason)
{
  ZSTD_outBuffer out;
  size_t status;

  if (z->in.pos == z->in.size && !z->is_full)
    return false;
  memmove (z->bytes, z->bytes + z->start, z->end - z->start);
  z->end -= z->start;
  z->start = 0;
  out = (ZSTD_outBuffer){ z->bytes, ROOM, z->end };
  status = ZSTD_decompressStream (z->stream, &out, &z->in);
  if (ZSTD_isError (status))
    {
      *reason = "the compressed data are damaged";
      return false;
    }
  z->is_full = out.pos == out.size;
  z->end = out.pos;
  return true;
}

bool
perf_zstd_next (struct perf_zstd *z, struct perf_record *record,
                const char **reason)
{
  *reason = NULL;
  z->start += z->taken;
  z->taken = 0;
  for (;;)
    {
      if (z->end - z->start >= PERF_HEADER)
        {
          *record = perf_header (z->bytes + z->start, 0);
          if (record->size < PERF_HEADER)
            *reason = "the size of a compressed record is wrong";
          if (record->size <= z->end - z->start)
            {
              z->taken = record->size;
              return *reason == NULL;
            }
        }
      if (!decompress (z, reason))
        return false;
    }
}

bool
perf_zstd_is_done (const struct perf_zstd *z)
{
  return z->start + z->taken == z->end;
}

void
perf_zstd_free (struct perf_zstd *z)
{
  if (z != NULL)
    ZSTD_freeDStream (z->stream);
  free (z);
}

#else

struct perf_zstd *
perf_zstd_new (void)
{
  return NULL;
}

void
perf_zstd_add (struct perf_zstd *z, const unsigned char *bytes, size_t n)
{
  (void) z;
  (void) bytes;
  (void) n;
}

bool
perf_zstd_next (struct perf_zstd *z, struct perf_record *record,
                const char **reason)
{
  (void) z;
  (void) record;
  *reason = NULL;
  return false;
}

bool
perf_zstd_is_done (const struct perf_zstd *z)
{
  (void) z;
  return true;
}

void
perf_zstd_free (struct perf_zstd *z)
{
  (void) z;
}

#endif
