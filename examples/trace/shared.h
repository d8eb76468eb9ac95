/* shared.h - the memory in which traced processes tell cgw-trace what became of
   their profiles.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_SHARED_H
#define TRACE_SHARED_H 1

#include <stdatomic.h>
#include <stdint.h>

/* The environment variable with its path.  */
#define TRACE_SHARED_ENV "CGW_TRACE_SHARED"

/* Of the command and what it preloads, which must come from one build.  */
#define TRACE_SHARED_MAGIC UINT64_C (0x6367777472616331)

/* Those with the most time.  The whole memory takes less than the smallest
   limit of the size of files (ulimit -f 1), which holds for it, too.  */
enum { TRACE_FILES = 24 };

/* A profile that was written, and the time in it.  */
struct trace_file
{
  _Atomic uint32_t process; /* 0: the one that the command started */
  _Atomic uint32_t thread;  /* 0: not yet known */
  _Atomic uint64_t time;
};

struct trace_shared
{
  uint64_t magic;
  /* Of the process that the command started: a traced function was called,
     the profile was saved, it was written at the end.  */
  _Atomic uint32_t is_traced;
  _Atomic uint32_t is_saved;
  _Atomic uint32_t is_written;
  /* Profiles, of any process, that could not be written; and of these, those
     that no message says so of.  */
  _Atomic uint32_t failed;
  _Atomic uint32_t unsaid;
  _Atomic uint32_t n_files; /* that were written */
  struct trace_file files[TRACE_FILES];
};

_Static_assert (sizeof (struct trace_shared) <= 512, "ulimit -f 1");

#endif /* TRACE_SHARED_H */
