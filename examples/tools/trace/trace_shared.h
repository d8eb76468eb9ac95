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
#define TRACE_SHARED_MAGIC UINT64_C (0x6367777472616332)

/* How a line of each profile's header begins, which no other tool writes.  */
#define TRACE_MARK "desc: " TRACE_OVERHEAD
#define TRACE_OVERHEAD "Overhead: "

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
  /* Of the process that the command started: its program, or what it executed
     then, has functions that can be traced, or has none; one was called; that
     program executed another one where this is so, too; the profile was saved,
     and then by abort; it was written at the end.  */
  _Atomic uint32_t is_traceable;
  _Atomic uint32_t is_not_traceable;
  _Atomic uint32_t is_traced;
  _Atomic uint32_t is_replaced;
  _Atomic uint32_t is_saved;
  _Atomic uint32_t is_aborting;
  _Atomic uint32_t is_written;
  /* What was saved or written, and threads that are missing.  */
  _Atomic uint32_t threads;
  _Atomic uint64_t calls;
  _Atomic uint32_t missing;
  _Atomic uint32_t limits; /* of the reader, that it meets */
  /* Profiles, of any process, that could not be written; and of these, those
     that no message says so of.  */
  _Atomic uint32_t failed;
  _Atomic uint32_t unsaid;
  _Atomic uint32_t n_files; /* that were written */
  struct trace_file files[TRACE_FILES];
};

_Static_assert (sizeof (struct trace_shared) <= 512, "ulimit -f 1");

#endif /* TRACE_SHARED_H */
