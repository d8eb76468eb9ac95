/* ledger.h - what was handed over, by the statuses of the calls, and whether
   the writer's counts and its file say the same.

   One rule, whatever interrupts what: each record whose call returned CGW_OK,
   CGW_EIO, CGW_EAGAIN or CGW_ELOST is recorded or lost, and so are its self
   costs.  The calls here may be made from handlers and from any thread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef LEDGER_H
#define LEDGER_H 1

#include "cgw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_EVENTS 3 /* at most, of a part */

/* Starts from all zeros.  */
struct ledger
{
  _Atomic uint64_t by_status[CGW_EFORK + 1]; /* calls that came back */
  _Atomic uint64_t costs[LEDGER_EVENTS];     /* self costs of those taken */
  _Atomic uint64_t open;                     /* calls that did not come back */
  _Atomic uint64_t open_costs[LEDGER_EVENTS];
  _Atomic uint64_t errno_changed;
};

/* The four record calls, entered into the ledger.  */
enum cgw_status ledger_cost (struct ledger *l, struct cgw_writer *w,
                             const struct cgw_pos *pos, const uint64_t *cost,
                             size_t n);
enum cgw_status ledger_call (struct ledger *l, struct cgw_writer *w,
                             const struct cgw_pos *from,
                             const struct cgw_pos *to, uint64_t count,
                             const uint64_t *cost, size_t n);
enum cgw_status ledger_jump (struct ledger *l, struct cgw_writer *w,
                             const struct cgw_pos *from,
                             const struct cgw_pos *to, uint64_t executed);
enum cgw_status ledger_cond_jump (struct ledger *l, struct cgw_writer *w,
                                  const struct cgw_pos *from,
                                  const struct cgw_pos *to, uint64_t followed,
                                  uint64_t executed);

/* The two halves of an entry, for a call that may be left by longjmp: a call
   that was begun and not ended may be recorded or not.  The costs are self
   costs: none but for cgw_cost.  */
void ledger_begin (struct ledger *l, const uint64_t *cost, size_t n);
enum cgw_status ledger_end (struct ledger *l, enum cgw_status status,
                            const uint64_t *cost, size_t n);

/* Calls that must be recorded or lost, and those that must be neither.  */
uint64_t ledger_taken (const struct ledger *l);
uint64_t ledger_refused (const struct ledger *l);

/* All calls that came back.  */
uint64_t ledger_calls (const struct ledger *l);

/* Fails the test unless the writer's counts are the ledger's, and no call has
   changed errno.  `what` says in a failure's message which case it was.  */
void ledger_balance (const struct ledger *l, struct cgw_writer *w,
                     const char *what);

/* Also unless the n bytes are a file that the strict reader takes, with these
   flags, and the records in it are those recorded.  */
void ledger_balance_file (const struct ledger *l, struct cgw_writer *w,
                          const char *bytes, size_t n, unsigned reader_flags,
                          const char *what);

#endif /* LEDGER_H */
