/* model_search.c - visits every state of a configuration, depth first.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 1000

/* The states visited, as 64-bit hashes.  Among 10^7 states, two share one with
   a chance of 3 in 10^6.  */

static struct
{
  uint64_t *hash;
  size_t size, used;
} visited;

size_t
states_visited (void)
{
  return visited.used;
}

uint64_t
mix (uint64_t h, uint64_t word)
{
  h = (h ^ word) * UINT64_C (0x9e3779b97f4a7c15);
  h = (h ^ h >> 29) * UINT64_C (0xbf58476d1ce4e5b9);
  return h ^ h >> 32;
}

/* Also of a stack, between whose variables a sanitizer allows nobody to look. */
__attribute__ ((no_sanitize_address)) uint64_t
mix_bytes (uint64_t h, const void *bytes, size_t n)
{
  const unsigned char *b = bytes;
  uint64_t word;

  for (; n >= sizeof word; n -= sizeof word, b += sizeof word)
    {
      memcpy (&word, b, sizeof word);
      h = mix (h, word);
    }
  word = 0;
  memcpy (&word, b, n);
  return mix (h, word);
}

static uint64_t
hash_state (const struct state *s)
{
  size_t head = offsetof (struct state, messages);
  uint64_t h = 1;

  for (unsigned i = 0; i < config->threads; i++)
    h = mix_bytes (h, &s->thread[i], offsetof (struct thread, memory));
  h = mix_bytes (h, s->messages, offsetof (struct state, message) - head);
  for (unsigned i = 0; i < n_objects; i++)
    h = mix_bytes (h, s->message[i], sizeof **s->message * s->messages[i]);
  return h != 0 ? h : 1;
}

/* The hash's place in the table: its own, or a free one.  */
static uint64_t *
find (uint64_t hash)
{
  size_t i = hash & (visited.size - 1);

  while (visited.hash[i] != 0 && visited.hash[i] != hash)
    i = (i + 1) & (visited.size - 1);
  return &visited.hash[i];
}

static void
resize (size_t size)
{
  uint64_t *old = visited.hash;
  size_t n = visited.size;

  visited.size = size;
  visited.hash = calloc (size, sizeof *visited.hash);
  if (visited.hash == NULL)
    {
      puts ("Bail out! out of memory");
      exit (1);
    }
  for (size_t i = 0; i < n; i++)
    if (old[i] != 0)
      *find (old[i]) = old[i];
  free (old);
}

/* Whether the state is new.  */
static bool
visit (const struct state *s)
{
  uint64_t hash = hash_state (s);
  uint64_t *place = find (hash);

  if (*place == hash)
    return false;
  *place = hash;
  if (++visited.used * 4 > visited.size * 3)
    resize (visited.size * 2);
  return true;
}

static void
forget_states (void)
{
  free (visited.hash);
  memset (&visited, 0, sizeof visited);
  resize (1 << 16);
}

/* Nobody waits: a thread that runs alone from now on, and reads the newest
   messages, comes to its end.  */
static const char *
check_alone (const struct state *s, unsigned thread)
{
  static struct step p;

  p.s = *s;
  p.thread = thread;
  p.wrong = NULL;
  run_alone (&p);
  return p.wrong;
}

static const char *
check_state (const struct state *s)
{
  const char *wrong = NULL;
  bool end = true;

  for (unsigned i = 0; i < config->threads && wrong == NULL; i++)
    if (can_run (s, i))
      {
        end = false;
        if (config->delay == 0)
          wrong = check_alone (s, i);
      }
  return end ? check_end (s) : wrong;
}

/* The search.  In each state there are two moves per thread: its next step, and
   the next of its delayed accesses into the order S.  A step has a choice of
   messages.  */

struct frame
{
  struct state s;
  unsigned move, choice; /* the next to try */
  unsigned thread;       /* what led to the frame above */
  char done[100];
};

static struct frame frames[MOST_DEPTH];

static bool
try_step (struct step *p, struct frame *f)
{
  if (!can_run (&p->s, p->thread) || is_delayed_enough (&p->s, p->thread))
    return false;
  snprintf (f->done, sizeof f->done, "%s", next_name (&p->s, p->thread));
  run_step (p);
  return true;
}

static bool
try_order (struct step *p, struct frame *f)
{
  if (!can_enter_order (&p->s, p->thread))
    return false;
  snprintf (f->done, sizeof f->done, "(delayed access into S)");
  enter_order (&p->s, p->thread);
  return true;
}

static bool
try_move (struct step *p, struct frame *f)
{
  p->s = f->s;
  p->wrong = NULL;
  p->choice = f->choice;
  p->choices = 1;
  p->thread = f->thread = f->move / 2;
  return f->move % 2 == 0 ? try_step (p, f) : try_order (p, f);
}

/* Makes the next move of a frame; false when there is none.  */
static bool
make_move (struct step *p, struct frame *f)
{
  while (f->move < 2u * config->threads)
    {
      bool moved = try_move (p, f);

      f->choice++;
      if (!moved || f->choice >= p->choices)
        {
          f->move++;
          f->choice = 0;
        }
      if (moved)
        return true;
    }
  return false;
}

static void
enter_frame (struct frame *f, const struct state *s)
{
  f->s = *s;
  f->move = f->choice = 0;
}

static void
print_schedule (unsigned depth)
{
  for (unsigned i = 0; i <= depth; i++)
    printf ("#   %u: %s\n", frames[i].thread, frames[i].done);
}

/* Whether the move led to a state to go on from.  */
static bool
is_new (struct step *p)
{
  if (!order_exists (&p->s))
    return false;
  if (p->wrong != NULL)
    return true;
  forget_messages (&p->s);
  if (!visit (&p->s))
    return false;
  p->wrong = check_state (&p->s);
  return true;
}

const char *
search (void)
{
  static struct step p;
  unsigned depth = 0;

  forget_states ();
  initialize (&p);
  visit (&p.s);
  p.choice = p.choices = 0;
  if ((p.wrong = check_state (&p.s)) != NULL)
    return p.wrong;
  enter_frame (&frames[0], &p.s);
  for (;;)
    {
      if (!make_move (&p, &frames[depth]))
        {
          if (depth-- == 0)
            return NULL;
          continue;
        }
      if (!is_new (&p))
        continue;
      if (p.wrong == NULL && depth + 1 == MOST_DEPTH)
        p.wrong = "a schedule is longer than this program has room for";
      if (p.wrong != NULL)
        {
          print_schedule (depth);
          return p.wrong;
        }
      enter_frame (&frames[++depth], &p.s);
    }
}
