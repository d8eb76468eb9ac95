/* ledger.h - what was handed over, by the statuses of the calls, and whether
   the writer's counts and its file say the same.

   One rule, whatever interrupts what: each record whose call returned CGW_OK,
   CGW_EIO, CGW_EAGAIN or CGW_ELOST is recorded or lost, and so are its self
   costs.  Handlers may make the calls here.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef LEDGER_H
#define LEDGER_H 1

#include "cgw.h"
#include "reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_EVENTS 3 /* at most, of a part */
#define MARKER 4242     /* no call may change errno from this */
#define BIT(status) (1u << (status))

/* Records: with all costs, with one, with none.  */
enum kind { COST, ONE_COST, BARE_COST, CALL, BARE_CALL, JUMP, COND_JUMP,
            KINDS };

struct handed
{
  uint64_t records;
  uint64_t cost[LEDGER_EVENTS];
};

/* Starts from all zeros.  */
struct ledger
{
  size_t n_events; /* of the part */
  _Atomic uint64_t by_status[CGW_EFORK + 1]; /* calls that came back */
  _Atomic uint64_t costs[LEDGER_EVENTS];     /* self costs of those taken */
  /* Calls that did not come back yet, the outermost first; and one that hands
     over many records, of which some may be taken.  */
  struct handed under_way[8];
  volatile unsigned n_under_way;
  struct handed bulk;
};

/* The writer's counts.  */
struct counts
{
  struct cgw_stats s;
  uint64_t recorded[LEDGER_EVENTS];
  uint64_t lost[LEDGER_EVENTS];
};

/* The costs of a COST.  */
extern const uint64_t ledger_costs[LEDGER_EVENTS];

/* A record of that kind; `to` is not for costs.  */
enum cgw_status ledger_record (struct ledger *l, struct cgw_writer *w,
                               enum kind kind, const struct cgw_pos *from,
                               const struct cgw_pos *to);

/* A call that hands over so many records begins, and ends.  If not all were
   taken, nobody knows how many were.  */
void ledger_begin_bulk (struct ledger *l, uint64_t records, uint64_t cost);
void ledger_end_bulk (struct ledger *l, bool all);

/* Calls that must be recorded or lost, and those that must be neither.  */
uint64_t ledger_taken (const struct ledger *l);
uint64_t ledger_refused (const struct ledger *l);

enum cgw_status counts_get (struct counts *c, struct cgw_writer *w);

/* The counts must be the ledger's, ... */
void ledger_check (const struct ledger *l, const struct counts *c);

/* ... and the n bytes a file that the strict reader takes, with these flags,
   whose records are those recorded; c may be NULL.  Returns what was read, or
   NULL.  */
struct profile *ledger_check_file (const struct counts *c, const char *bytes,
                                   size_t n, unsigned reader_flags);

/* What was expected and is not so; fail_at is where a sweep has come to.
   test_step has one of its own, for handlers.  */
extern unsigned long fail_at;
void fail (const char *file, int line, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
#define EXPECT(condition, ...)                                                \
  ((condition) ? (void) 0 : fail (__FILE__, __LINE__, __VA_ARGS__))
void expect_errno (const char *call);

#endif /* LEDGER_H */
