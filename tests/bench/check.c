/* check.c - whether what a contender wrote is what it was given.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/reader.h"
#include "contender.h"
#include "truth.h"

bool
check_text (const struct workload *w, const char *bytes, size_t n,
            unsigned reader_flags, char *why, size_t size)
{
  struct profile *read = profile_read (bytes, n, reader_flags, why, size);

  if (!read)
    return false;
  struct profile *truth = truth_make (w);
  bool same = profile_same (truth, read, why, size);
  profile_free (truth);
  profile_free (read);
  return same;
}

bool
check_strict (const struct workload *w, const char *bytes, size_t n, char *why,
              size_t size)
{
  return check_text (w, bytes, n, READER_STRICT, why, size);
}

bool
check_lenient (const struct workload *w, const char *bytes, size_t n,
               char *why, size_t size)
{
  return check_text (w, bytes, n, READER_LENIENT, why, size);
}
