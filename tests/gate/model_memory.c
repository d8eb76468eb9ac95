/* model_memory.c - the C11 memory model, as a machine.

   Each atomic object has a list of messages, one per store, in modification
   order.  A message carries the view that it releases: for each object the
   oldest message that may still be read.  A load reads any message that is not
   older than the view of its thread; an acquire load joins the message's view.
   A successful read-modify-write reads the last message and hands its view on:
   a release sequence.  A failed compare-exchange is a load: it may read an old
   message.  Compare-exchange never fails spuriously here: that would only lead
   back to an earlier state of the thread.  No load reads from a later store:
   there is no load buffering, and no value out of thin air.

   The seq_cst accesses have a total order S.  It agrees with program order,
   with modification order, and with what each of them reads.  With delay 0, S
   is the order of execution.  With delay N, up to N accesses of each thread
   are executed but not in S yet; that allows whatever C11 and its repair RC11
   allow, and more, for S need not agree with happens-before.

   A plain object has one bit in each view: whether the last access to it
   happens before.  An access without the bit is a data race.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <string.h>

static void
join (struct view *into, const struct view *from)
{
  for (unsigned i = 0; i < n_objects; i++)
    if (into->seen[i] < from->seen[i])
      into->seen[i] = from->seen[i];
  into->plain |= from->plain;
}

void
need (struct step *p, unsigned plain)
{
  if (!(self (p)->view.plain & 1u << plain))
    violate (p, plain == CORE    ? "data race on the core"
                : plain == QUEUE ? "data race on the queue's memory"
                                 : "data race on a payload");
}

/* Nobody reads without having written the core or a payload, or taken a
   payload over; so each access counts as a write.  */
void
touch (struct step *p, unsigned plain)
{
  uint8_t bit = (uint8_t) (1u << plain);

  need (p, plain);
  for (unsigned i = 0; i < config->threads; i++)
    p->s.thread[i].view.plain &= (uint8_t) ~bit;
  for (unsigned i = 0; i < n_objects; i++)
    for (unsigned k = 0; k < p->s.messages[i]; k++)
      p->s.message[i][k].released.plain &= (uint8_t) ~bit;
  self (p)->view.plain |= bit;
}

/* The order S.  */

static void
append_to_order (struct state *s, struct delayed d)
{
  if (d.writes)
    s->in_order[d.object] = d.at;
}

static void
order_access (struct step *p, unsigned object, unsigned at, bool writes)
{
  struct delayed d = { (uint8_t) object, (uint8_t) at, writes };
  struct thread *t = &p->s.thread[carrier (p->thread)];

  if (config->delay == 0)
    append_to_order (&p->s, d);
  else
    t->delayed[t->n_delayed++] = d;
}

bool
is_delayed_enough (const struct state *s, unsigned thread)
{
  return config->delay != 0
         && s->thread[carrier (thread)].n_delayed == config->delay;
}

/* Whether e must be before d in S.  */
static bool
precedes (struct delayed e, struct delayed d)
{
  if (e.object != d.object)
    return false;
  return d.writes ? e.at < d.at : e.writes && e.at <= d.at;
}

bool
can_enter_order (const struct state *s, unsigned thread)
{
  const struct thread *t = &s->thread[thread];

  if (t->n_delayed == 0
      || s->in_order[t->delayed[0].object] > t->delayed[0].at)
    return false;
  for (unsigned i = 0; i < config->threads; i++)
    for (unsigned k = 0; i != thread && k < s->thread[i].n_delayed; k++)
      if (precedes (s->thread[i].delayed[k], t->delayed[0]))
        return false;
  return true;
}

void
enter_order (struct state *s, unsigned thread)
{
  struct thread *t = &s->thread[thread];

  append_to_order (s, t->delayed[0]);
  t->n_delayed--;
  memmove (t->delayed, t->delayed + 1, sizeof *t->delayed * t->n_delayed);
  memset (t->delayed + t->n_delayed, 0, sizeof *t->delayed);
}

bool
order_exists (const struct state *s)
{
  struct state copy;
  unsigned left = 0, before;

  if (config->delay == 0)
    return true;
  copy = *s;
  do
    {
      before = left;
      left = 0;
      for (unsigned i = 0; i < config->threads; i++)
        {
          while (can_enter_order (&copy, i))
            enter_order (&copy, i);
          left += copy.thread[i].n_delayed;
        }
    }
  while (left != 0 && left != before);
  return left == 0;
}

/* Atomic accesses.  */

static unsigned
last_message (const struct state *s, unsigned object)
{
  return s->messages[object] - 1u;
}

uint64_t
last_value (const struct state *s, unsigned object)
{
  return s->message[object][last_message (s, object)].value;
}

/* The oldest message that the thread may read.  */
static unsigned
oldest (struct step *p, unsigned object, unsigned order)
{
  unsigned at = self (p)->view.seen[object];

  return order == SEQ_CST && at < p->s.in_order[object] ? p->s.in_order[object]
                                                        : at;
}

static struct result
read_message (struct step *p, unsigned object, unsigned at, unsigned order)
{
  struct view *view = &self (p)->view;
  const struct message *m = &p->s.message[object][at];

  if (view->seen[object] < at)
    view->seen[object] = (uint8_t) at;
  if (order & ACQUIRE)
    join (view, &m->released);
  return (struct result){ .value = m->value };
}

/* Adds a message.  It hands on `base`, if not NULL.  */
static void
add_message (struct step *p, unsigned object, uint64_t value, unsigned order,
             const struct view *base)
{
  static const struct view none;
  unsigned at = p->s.messages[object];
  struct message *m = &p->s.message[object][at];

  if (at == MOST_MESSAGES)
    {
      violate (p, "more messages than this program has room for");
      return;
    }
  p->s.messages[object]++;
  self (p)->view.seen[object] = (uint8_t) at;
  m->value = value;
  m->released = base != NULL ? *base : none;
  if (order & RELEASE)
    join (&m->released, &self (p)->view);
  if (order == SEQ_CST)
    order_access (p, object, at, true);
}

/* Reads one of the messages from the oldest on.  */
static struct result
load (struct step *p, unsigned object, unsigned order)
{
  unsigned low = oldest (p, object, order);
  unsigned last = last_message (&p->s, object);
  unsigned at = p->choice < last - low ? low + p->choice : last;

  p->choices = p->s.messages[object] - low;
  if (order == SEQ_CST)
    order_access (p, object, at, false);
  return read_message (p, object, at, order);
}

/* The stores of the gate must be ordered by happens-before, although the
   objects are atomic.  Then each comes last in modification order.  */
static void
store (struct step *p, unsigned object, uint64_t value, unsigned order)
{
  if (self (p)->view.seen[object] != last_message (&p->s, object))
    violate (p, "two stores without order");
  add_message (p, object, value, order, NULL);
}

static struct result
exchange (struct step *p, unsigned object, uint64_t value, unsigned order)
{
  unsigned last = last_message (&p->s, object);
  struct view base = p->s.message[object][last].released;
  struct result r = read_message (p, object, last, order);

  add_message (p, object, value, order, &base);
  r.exchanged = true;
  return r;
}

/* The bits of a list's head that are no tag.  */
#define WITHOUT_TAG UINT64_C (0x7ffffff)

/* Whether compare-exchange finds what it expects in a message.  */
static bool
matches (struct step *p, unsigned object, unsigned at, uint64_t expects)
{
  uint64_t difference = p->s.message[object][at].value ^ expects;

  return (mutation == NO_TAG ? difference & WITHOUT_TAG : difference) == 0;
}

static struct result
compare_exchange (struct step *p, const struct access *a, unsigned object,
                  uint64_t value, uint64_t expects)
{
  unsigned last = last_message (&p->s, object), failure
      = order_of (a, CAS_FAILS);
  unsigned at = oldest (p, object, failure), chosen = last;

  /* An old message can be read only by failing, the last one always.  */
  p->choices = 0;
  for (; at <= last; at++)
    if ((at == last || !matches (p, object, at, expects))
        && p->choices++ == p->choice)
      chosen = at;
  if (chosen == last && matches (p, object, last, expects))
    return exchange (p, object, value, order_of (a, CAS));
  if (failure == SEQ_CST)
    order_access (p, object, chosen, false);
  return read_message (p, object, chosen, failure);
}

/* A seq_cst fence, where S is the order of execution: what is before it in S is
   seen behind it, and what its thread has seen is seen by all behind it.  */
static void
fence (struct step *p)
{
  for (unsigned i = 0; i < n_objects; i++)
    {
      uint8_t *seen = &self (p)->view.seen[i];

      if (*seen < p->s.in_order[i])
        *seen = p->s.in_order[i];
      p->s.in_order[i] = *seen;
    }
}

struct result
perform (struct step *p, const struct access *a, unsigned object,
         uint64_t value, uint64_t expects)
{
  unsigned order = order_of (a, (enum kind) a->kind);

  switch (a->kind)
    {
    case LOAD:
      return load (p, object, order);
    case STORE:
      store (p, object, value, order);
      return (struct result){ 0 };
    case FENCE:
      fence (p);
      return (struct result){ 0 };
    case EXCHANGE:
      return exchange (p, object, value, order);
    default:
      return compare_exchange (p, a, object, value, expects);
    }
}

/* Old messages.  */

static void
lower (uint8_t *number, unsigned by)
{
  *number = (uint8_t) (*number > by ? *number - by : 0);
}

/* The oldest message of an object that somebody may read, or has to order. */
static unsigned
oldest_of_all (const struct state *s, unsigned object)
{
  unsigned low = last_message (s, object);

  for (unsigned i = 0; i < config->threads; i++)
    {
      const struct thread *t = &s->thread[i];

      if (!is_done (s, i) && !waits_to_start (s, i) && !is_interrupted (s, i)
          && low > t->view.seen[object])
        low = t->view.seen[object];
      for (unsigned k = 0; k < t->n_delayed; k++)
        if (t->delayed[k].object == object && low > t->delayed[k].at)
          low = t->delayed[k].at;
    }
  return low;
}

/* Renumbers the messages of an object without the first ones.  */
static void
forget_first (struct state *s, unsigned object, unsigned n)
{
  s->messages[object] = (uint8_t) (s->messages[object] - n);
  memmove (s->message[object], s->message[object] + n,
           sizeof **s->message * s->messages[object]);
  for (unsigned i = 0; i < n_objects; i++)
    for (unsigned k = 0; k < s->messages[i]; k++)
      lower (&s->message[i][k].released.seen[object], n);
  for (unsigned i = 0; i < config->threads; i++)
    {
      struct thread *t = &s->thread[i];

      lower (&t->view.seen[object], n);
      for (unsigned k = 0; k < t->n_delayed; k++)
        if (t->delayed[k].object == object)
          lower (&t->delayed[k].at, n);
    }
  lower (&s->in_order[object], n);
}

void
forget_messages (struct state *s)
{
  for (unsigned i = 0; i < n_objects; i++)
    {
      unsigned low = oldest_of_all (s, i);

      if (low != 0)
        forget_first (s, i, low);
    }
}
