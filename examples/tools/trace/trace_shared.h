/* trace_shared.h - the memory in which traced processes tell cgw-trace what
   became of their profiles.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_SHARED_H
#define TRACE_SHARED_H 1

#include <stdatomic.h>
#include <stdint.h>

/* The environment variable with its path.  */
#define TRACE_SHARED_ENV "CGW_TRACE_SHARED"

/* How a line of each profile's header begins, which no other tool writes.  */
#define TRACE_MARK "desc: " TRACE_OVERHEAD
#define TRACE_OVERHEAD "Overhead: "

/* Those with the most time.  The whole memory takes less than the smallest
   limit of the size of files (ulimit -f 1), which holds for it, too.  */
enum { TRACE_FILES = 24 };

/* A profile, and the time in it.  */
struct trace_file
{
  _Atomic uint32_t process; /* 0: the one that the command started */
  _Atomic uint32_t thread;  /* 0: not yet known */
  _Atomic uint64_t time;
};

struct trace_shared
{
  /* Of the process that the command started: how many of its programs, of
     which each executed the next one, have called functions; whether a profile
     of it was written, and also at the end; and the threads that are missing
     then.  */
  _Atomic uint32_t n_programs;
  _Atomic uint32_t is_saved;
  _Atomic uint32_t is_complete;
  _Atomic uint32_t n_missing;
  /* Why a profile could not be written, of any process, or 0.  */
  _Atomic uint32_t error;
  struct trace_file failed;
  _Atomic uint32_t n_files; /* that were written */
  struct trace_file files[TRACE_FILES];
};

_Static_assert (sizeof (struct trace_shared) <= 512, "ulimit -f 1");

#endif /* TRACE_SHARED_H */
