/* model_check.c - what holds after each call on a writer.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MARKER 4711 /* no errno */

void
model_before (struct model_writer *m)
{
  model_sink_listen (&m->sink);
  m->names->heap.failed = 0;
  errno = MARKER;
}

void
model_keep (struct model_writer *m, enum cgw_status status)
{
  if (m->first == CGW_OK || status == CGW_EIO)
    m->first = status;
}

enum model_wrote
model_wrote (const struct model_writer *m)
{
  if (m->target != MODEL_HOOK)
    return m->target == MODEL_FULL ? MODEL_FAILED : MODEL_ALL;
  switch (m->sink.answer)
    {
    case MODEL_TOOK:
      return MODEL_ALL;
    case MODEL_SAID_AGAIN:
      return MODEL_STUCK;
    case MODEL_SAID_NO:
      return MODEL_FAILED;
    default:
      return MODEL_NOT_ASKED;
    }
}

bool
model_no_memory (const struct model_writer *m)
{
  return m->names->heap.failed != 0;
}

void
model_expect (const struct model_writer *m, const char *call,
              enum cgw_status got, enum cgw_status wanted)
{
  if (got != wanted)
    fuzz_fail ("%s: %d, not %d (state %d, first error %d): %s", call, got,
               wanted, m->state, m->first, cgw_explain (m->w));
}

/* Fail unless the call did one of the two.  */
static void
expect_either (const struct model_writer *m, const char *call,
               enum cgw_status got, enum cgw_status other)
{
  if (got != CGW_OK)
    model_expect (m, call, got, other);
}

/* The same for a descriptor that does not tell when it was asked.  */
static void
expect_room_in_file (const struct model_writer *m, const char *call,
                     enum cgw_status got)
{
  model_expect (m, call, got,
                m->target == MODEL_FULL && m->buffered >= m->limit ? CGW_EIO
                                                                   : CGW_OK);
}

void
model_expect_room (struct model_writer *m, const char *call,
                   enum cgw_status got, bool is_record)
{
  bool is_full = m->full || m->buffered >= m->limit;
  enum model_wrote wrote = model_wrote (m);
  enum cgw_status failure = wrote == MODEL_STUCK ? CGW_EAGAIN : CGW_EIO;

  if (m->target != MODEL_HOOK)
    expect_room_in_file (m, call, got);
  else if (wrote == MODEL_ALL)
    model_expect (m, call, got, CGW_OK);
  else if (wrote != MODEL_NOT_ASKED && m->sink.n == m->sink.before)
    model_expect (m, call, got, failure);
  else if (wrote != MODEL_NOT_ASKED)
    expect_either (m, call, got, failure);
  else if (is_record && m->failing && m->torn && !is_full)
    expect_either (m, call, got, CGW_EIO);
  else if (is_record && m->failing && is_full)
    model_expect (m, call, got, CGW_EIO);
  else if (is_full)
    fuzz_fail ("%s: the buffer is full, and was not written", call);
  else
    model_expect (m, call, got, CGW_OK);
  if (got != CGW_OK)
    m->full = true;
}

/* Whether an entry is in the file or, unless that has ended, in the buffer.  */
static bool
is_recorded (const struct model_writer *m, const struct model_entry *e)
{
  return m->state != MODEL_ENDED || e->end <= m->written;
}

static void
check_number (const char *call, const char *what, uint64_t got,
              uint64_t wanted)
{
  if (got != wanted)
    fuzz_fail ("%s: then %s is %" PRIu64 ", not %" PRIu64, call, what, got,
               wanted);
}

static void
check_records (const struct model_writer *m, const char *call,
               const struct cgw_stats *s)
{
  uint64_t recorded = 0, lost = m->lost;
  uint64_t recorded_cost[MODEL_EVENTS] = { 0 }, lost_cost[MODEL_EVENTS];

  memcpy (lost_cost, m->lost_cost, sizeof lost_cost);
  for (size_t i = 0; i < m->n_entries; i++)
    {
      const struct model_entry *e = &m->entry[i];
      bool kept = is_recorded (m, e);

      recorded += e->kind != MODEL_COMMENT && kept;
      lost += e->kind != MODEL_COMMENT && !kept;
      for (size_t j = 0; e->kind == MODEL_COST && j < MODEL_EVENTS; j++)
        recorded_cost[j] += e->cost[j];
    }
  check_number (call, "recorded", s->recorded, recorded);
  check_number (call, "lost", s->lost, lost);
  check_number (call, "refused", s->refused, m->refused);
  for (size_t j = 0; j < MODEL_EVENTS; j++)
    {
      check_number (call, "recorded_costs", s->recorded_costs[j],
                    recorded_cost[j]);
      check_number (call, "lost_costs", s->lost_costs[j], lost_cost[j]);
    }
}

/* What the library says of the bytes agrees with what the hook took.  */
static void
check_bytes (struct model_writer *m, const char *call,
             const struct cgw_stats *s)
{
  if (m->target == MODEL_HOOK)
    check_number (call, "written", s->written, m->sink.n);
  else if (m->target == MODEL_FULL)
    check_number (call, "written", s->written, 0);
  if (m->state == MODEL_ENDED || m->state == MODEL_NO_FILE)
    check_number (call, "buffered", s->buffered, 0);
  else
    check_number (call, "discarded", s->discarded, 0);
  m->written = s->written;
  m->buffered = s->buffered;
}

/* What the write hook answered last, or the descriptor would.  */
static void
note_answer (struct model_writer *m)
{
  bool took = m->sink.n != m->sink.before;

  if (m->sink.error != 0)
    m->error_number = m->sink.error;
  if (m->sink.answer != MODEL_NO_ANSWER)
    m->failing = m->sink.answer == MODEL_SAID_NO;
  if (m->sink.answer == MODEL_TOOK)
    m->torn = false;
  else if (took)
    m->torn = true;
  if (took)
    m->full = false;
  if (m->target == MODEL_FULL && m->begun)
    {
      m->failing = true;
      if (m->error_number == 0)
        m->error_number = ENOSPC;
    }
}

/* The error that the file has at present.  */
static enum cgw_status
present_error (const struct model_writer *m)
{
  return m->failing           ? CGW_EIO
         : m->first != CGW_OK ? m->first
         : m->state == MODEL_ENDED ? CGW_OK
                                   : m->names->first;
}

static void
check_error (const struct model_writer *m, const char *call)
{
  const char *sentence = NULL;
  enum cgw_status status = cgw_error (m->w, &sentence);

  if (sentence == NULL || sentence[0] == '\0')
    fuzz_fail ("%s: then cgw_error has no sentence", call);
  check_number (call, "cgw_error", status, present_error (m));
  /* A descriptor that is always full does not tell when it was asked.  */
  if (m->target != MODEL_FULL || cgw_errno (m->w) != ENOSPC)
    check_number (call, "cgw_errno", (uint64_t) cgw_errno (m->w),
                  (uint64_t) m->error_number);
}

void
model_after (struct model_writer *m, const char *call)
{
  uint64_t recorded[MODEL_EVENTS], lost[MODEL_EVENTS];
  struct cgw_stats s = CGW_STATS_INIT;

  if (errno != MARKER && !model_no_memory (m))
    fuzz_fail ("%s: changes errno", call);
  if (m->w == NULL)
    return;
  note_answer (m);
  s.n_costs = MODEL_EVENTS;
  s.recorded_costs = recorded;
  s.lost_costs = lost;
  if (cgw_get_stats (m->w, &s) != CGW_OK)
    fuzz_fail ("%s: then cgw_get_stats fails", call);
  check_bytes (m, call, &s);
  check_records (m, call, &s);
  check_number (call, "lost_busy", s.lost_busy, 0);
  check_number (call, "names_changed", s.names_changed, m->names->changed);
  check_error (m, call);
}
