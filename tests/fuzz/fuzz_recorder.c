/* fuzz_recorder.c - sequences of calls on a recorder, against a queue; and on
   one whose memory another process has scribbled over.

   Each push must have the status that the queue has, and each drain must pass
   on what the queue has, in its order; the counts must agree after each call.
   From the first scribble on nothing is known but what the calls with _shared
   promise: they touch no other memory, and pass on samples of the recorder's
   size, and no more than it may hold.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"

#include "cgw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MARKER 4711 /* no errno */
#define CANARY 0xa5
enum { MOST_SLOTS = 16, MOST_FRAMES = 4, MOST_COSTS = 3, CANARIES = 64 };

struct expected
{
  uint64_t tag;
  size_t n_frames;
  uint64_t frames[MOST_FRAMES];
  uint64_t cost[MOST_COSTS];
};

struct game
{
  struct fuzz_input *in;
  struct cgw_recorder *r;
  unsigned char *memory;
  size_t size;
  size_t n_samples, max_frames, n_costs;
  size_t n_slots;
  bool is_scribbled;
  /* The queue: its first `taken` samples are being drained.  */
  struct expected queue[MOST_SLOTS];
  size_t n, taken;
  struct cgw_recorder_stats counts;
  uint64_t lost_costs[MOST_COSTS];
  uint64_t next; /* of numbers that are all different */
  size_t passed_on; /* by this drain */
};

static size_t
smaller (size_t a, size_t b)
{
  return a < b ? a : b;
}

/* The status of a push, which the queue has too, then.  */
static enum cgw_status
push_to_queue (struct game *g, uint64_t tag, const uint64_t *frames,
               size_t n_frames, const uint64_t *cost, size_t n)
{
  struct expected *e = &g->queue[g->n];

  if (n_frames == 0 || (cost == NULL && n != 0))
    return CGW_EINVAL;
  if (n > g->n_costs)
    return CGW_ECOSTS;
  if (g->n == g->n_slots)
    {
      for (size_t i = 0; i < n; i++)
        g->lost_costs[i] += cost[i];
      g->counts.lost++;
      return CGW_ELOST;
    }
  g->n++;
  g->counts.recorded++;
  g->counts.cut += n_frames > g->max_frames;
  memset (e, 0, sizeof *e);
  e->tag = tag;
  e->n_frames = smaller (n_frames, g->max_frames);
  memcpy (e->frames, frames, e->n_frames * sizeof *frames);
  if (n != 0)
    memcpy (e->cost, cost, n * sizeof *cost);
  return CGW_OK;
}

static void
push (struct game *g)
{
  uint64_t frames[MOST_FRAMES + 2], cost[MOST_COSTS + 1];
  unsigned byte = fuzz_byte (g->in);
  size_t n_frames = byte % (MOST_FRAMES + 3);
  size_t n = byte / 16 % (MOST_COSTS + 2);
  bool has_cost = byte != 255;
  uint64_t tag = g->next++;
  enum cgw_status status;

  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
    frames[i] = g->next++;
  /* Their sums pass 2^64.  */
  for (size_t i = 0; i < sizeof cost / sizeof *cost; i++)
    cost[i] = UINT64_MAX / 2 + g->next++;
  errno = MARKER;
  if (g->is_scribbled || byte & 128)
    status = cgw_recorder_push_shared (g->r, g->n_samples, g->max_frames,
                                       g->n_costs, tag, frames, n_frames,
                                       has_cost ? cost : NULL, n);
  else
    status = cgw_recorder_push (g->r, tag, frames, n_frames,
                                has_cost ? cost : NULL, n);
  if (errno != MARKER)
    fuzz_fail ("a push changed errno");
  if (!g->is_scribbled
      && status
             != push_to_queue (g, tag, frames, n_frames,
                               has_cost ? cost : NULL, n))
    fuzz_fail ("a push returned %s", cgw_strerror (status));
}

static bool
is_inside (const struct game *g, const void *p, size_t n)
{
  const unsigned char *at = p;

  return at >= g->memory && at <= g->memory + g->size
         && n <= (size_t) (g->memory + g->size - at);
}

/* The first of the queue, which has its slot until `take` returns.  */
static void
compare (struct game *g, const struct cgw_sample *s)
{
  const struct expected *e = &g->queue[0];

  if (g->taken == 0)
    fuzz_fail ("sample %" PRIu64 " was pushed after the drain began", s->tag);
  if (s->tag != e->tag || s->n_frames != e->n_frames
      || memcmp (s->frames, e->frames, e->n_frames * sizeof *e->frames) != 0
      || (g->n_costs != 0
          && memcmp (s->cost, e->cost, g->n_costs * sizeof *e->cost) != 0))
    fuzz_fail ("sample %" PRIu64 " is not the %" PRIu64 " that was pushed",
               s->tag, e->tag);
}

static void
take (void *context, const struct cgw_sample *s)
{
  struct game *g = context;

  if (s->n_costs != g->n_costs || s->n_frames > g->max_frames
      || !is_inside (g, s->frames, s->n_frames * sizeof *s->frames)
      || !is_inside (g, s->cost, s->n_costs * sizeof *s->cost))
    fuzz_fail ("a sample has %zu frames and %zu costs", s->n_frames,
               s->n_costs);
  g->passed_on++;
  if (!g->is_scribbled)
    compare (g, s);
  for (unsigned pushes = fuzz_byte (g->in) % 4; pushes > 0; pushes--)
    push (g);
  if (!g->is_scribbled)
    {
      memmove (g->queue, g->queue + 1, --g->n * sizeof *g->queue);
      g->taken--;
      g->counts.drained++;
    }
}

static void
drain (struct game *g)
{
  bool is_shared = g->is_scribbled || fuzz_byte (g->in) & 1;
  size_t waiting = g->taken = g->n, n;

  g->passed_on = 0;
  n = is_shared ? cgw_recorder_drain_shared (g->r, g->n_samples, g->max_frames,
                                             g->n_costs, take, g)
                : cgw_recorder_drain (g->r, take, g);
  if (g->is_scribbled && n == SIZE_MAX)
    n = 0;
  if (n != g->passed_on)
    fuzz_fail ("a drain counts %zu samples and passed on %zu", n,
               g->passed_on);
  if (g->is_scribbled ? n > 2 * g->n_slots : n != waiting)
    fuzz_fail ("a drain passed on %zu samples of %zu", n, waiting);
}

static void
check_counts (const struct game *g)
{
  uint64_t lost_costs[MOST_COSTS + 1];
  struct cgw_recorder_stats s = CGW_RECORDER_STATS_INIT;

  memset (lost_costs, CANARY, sizeof lost_costs);
  s.n_costs = g->n_costs;
  s.lost_costs = lost_costs;
  if (cgw_recorder_get_stats (g->r, &s) != CGW_OK)
    fuzz_fail ("no counts");
  if (!g->is_scribbled
      && (s.recorded != g->counts.recorded || s.drained != g->counts.drained
          || s.lost != g->counts.lost || s.cut != g->counts.cut
          || memcmp (lost_costs, g->lost_costs,
                     g->n_costs * sizeof *lost_costs) != 0))
    fuzz_fail ("%" PRIu64 " recorded, %" PRIu64 " drained, %" PRIu64
               " lost, %" PRIu64 " cut",
               s.recorded, s.drained, s.lost, s.cut);
  for (size_t i = 0; i < CANARIES; i++)
    if (g->memory[g->size + i] != CANARY)
      fuzz_fail ("byte %zu behind the recorder was written", i);
}

/* Another process writes a word: any, or a small number.  */
static void
scribble (struct game *g)
{
  uint32_t word = (uint32_t) fuzz_below (g->in, UINT64_C (1) << 32);
  size_t at = fuzz_below (g->in, g->size / sizeof word);

  if (word % 3 != 0)
    word %= 32;
  memcpy (g->memory + at * sizeof word, &word, sizeof word);
  g->is_scribbled = true;
}

/* One call in 32 scribbles, so that many inputs have long queues.  */
static void
play (struct game *g)
{
  while (fuzz_left (g->in) > 0)
    {
      unsigned choice = fuzz_byte (g->in) % 32;

      if (choice == 31 || (g->is_scribbled && choice > 20))
        scribble (g);
      else if (choice % 4 == 3)
        drain (g);
      else
        push (g);
      check_counts (g);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct fuzz_input in = { data, data + size };
  struct game g = { .in = &in };

  g.n_samples = 1 + fuzz_below (&in, MOST_SLOTS);
  g.max_frames = 1 + fuzz_below (&in, MOST_FRAMES);
  g.n_costs = fuzz_below (&in, MOST_COSTS + 1);
  for (g.n_slots = 1; g.n_slots < g.n_samples;)
    g.n_slots *= 2;
  g.size = cgw_recorder_size (g.n_samples, g.max_frames, g.n_costs);
  if ((g.memory = malloc (g.size + CANARIES)) == NULL)
    fuzz_fail ("no memory for a recorder");
  memset (g.memory, CANARY, g.size + CANARIES);
  g.r = cgw_recorder_init (g.memory, g.n_samples, g.max_frames, g.n_costs);
  if (g.r == NULL)
    fuzz_fail ("no recorder of %zu bytes", g.size);
  play (&g);
  free (g.memory);
  return 0;
}
