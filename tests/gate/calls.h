/* calls.h - the rows of calls.def, and the objects that they are about.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALLS_H
#define CALLS_H 1

#include "cgw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGW_NEVER ((enum cgw_status) -1)

enum object { WRITER, NAMES, PROFILE, NOTHING };

enum situation
{
  NO_PART,
  PART,
  ALONE = PART,
  FINISHED,
  SALVAGED,
  INSIDE,
  INSIDE_SALVAGED,
  CHILD,
  CHILD_INSIDE,
  CHILD_BESIDE, /* of a thread, while another one is inside */
  CANCELLED, /* the thread is, so that it would end at a cancellation point */
  CANCELLED_IN_HOOK, /* and each hook has one */
  BESIDE, /* a call that another thread has made */
  SITUATIONS
};

struct row
{
  const char *function;
  const char *variant;
  enum object object;
  enum cgw_status (*call) (void);
  enum cgw_status expected[SITUATIONS];
  bool kept;
};

extern const struct row rows[];
extern const size_t n_rows;

/* The objects, and arguments that are right.  A call that frees one sets it to
   NULL.  */
extern struct cgw_names *names;
extern struct cgw_writer *w;
extern struct cgw_profile *p;
extern struct cgw_pos here;
extern struct cgw_part part;
extern const uint64_t costs[2];
extern char path[4096]; /* for files of the calls */

/* Makes all but the names and the writer; and frees what that made.  */
void calls_make (struct cgw_names *names, struct cgw_writer *w);
void calls_free (void);

/* How many hooks of the calls were cancellation points.  */
extern unsigned hooks_tested;
void test_cancel (void);

#endif /* CALLS_H */
