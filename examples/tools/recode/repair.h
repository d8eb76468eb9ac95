/* repair.h - repairs what other writers do and readers misread.

   - Calls with a cost, but with count 0.  callgrind_annotate takes their cost
     for the caller's self cost.  The count becomes 1.
   - Costs directly behind cfn=, without calls=, which all readers take for self
     costs of the caller.  They become costs of calls, with count 1, unless a
     line totals: counts them in.
   - Calls into another object without cob=, which readers look for in the
     caller's object.  The callee is changed if it has no record there, and the
     file has exactly one function in another object that it can be.
   - The cost of a function's calls of itself, which is in its self cost and its
     calls of others already.  It becomes 0.
   - Functions that are called, but also begin without a caller: for a reader
     that misreads them, or in a file whose counts were 0.  KCachegrind, for
     example, shows the sum of the callers as the inclusive cost of a function
     whose calls have a count.  What is missing there becomes a call from
     "(root)".

   The first reading learns which functions and calls there are.  The second
   one changes each call that has to be changed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef REPAIR_H
#define REPAIR_H 1

#include "../format/cgin.h"
#include "../format/reader.h"

struct repair;

/* Repairs what the reader misreads, or, if is_full, all.  The reader may be NULL
   then.  If cfn_is_call, costs directly behind cfn= are those of calls.  */
struct repair *repair_new (struct cgw_names *names,
                           const struct reader *reader, bool is_full,
                           bool cfn_is_call);
void repair_free (struct repair *r);

/* The first reading.  `part` is called for each part, and returns whether it has
   the same events as those before.  False: it failed; *error has the
   reason.  */
bool repair_look (struct repair *r, int fd,
                  bool (*part) (void *context, const struct cgw_part *part),
                  void *context, struct cgin_error *error);

/* Whether costs directly behind cfn= turned out to be those of calls: then a
   new repair, which takes them for that, must look.  */
bool repair_must_look_again (const struct repair *r);

/* Returns the limits of the reader that parts, calls and functions met in the
   first reading.  */
unsigned repair_limits (const struct repair *r);

/* Writes a cost of 0 of all functions that are called, but have no records.  */
void repair_write_silent (const struct repair *r, struct cgw_writer *w);

/* The second reading.  repair_before_call is for struct cgin_sink.  */
void repair_before_call (struct repair *r, uint64_t line, bool has_object,
                         bool has_file);
void repair_call (struct repair *r, const struct cgw_pos *from,
                  struct cgw_pos *to, uint64_t *count, const uint64_t *cost,
                  size_t *n);

/* Writes the calls of "(root)" into the part that is open.  */
void repair_end (struct repair *r, struct cgw_writer *w);

/* Prints what was changed in the file of this name.  Returns whether that was
   anything.  */
bool repair_say (const struct repair *r, const char *name);

#endif /* REPAIR_H */
