/* profile.c - make, clear and free profiles; what adding shares.

   SPDX-License-Identifier: MIT  */

#include "profile.h"

static bool
shape_is_right (size_t n_events, unsigned positions, struct cgwi_sentence *why)
{
  if (n_events == 0 || n_events > CGW_EVENTS_MAX)
    return cgwi_say (why, "cgw_profile_new: n_events is %U: 1 to %u",
                     (uint64_t) n_events, CGW_EVENTS_MAX);
  if (positions > CGW_INSTR_LINE)
    return cgwi_say (why, "cgw_profile_new: positions is %u: it is CGW_LINE, "
                          "CGW_INSTR or CGW_INSTR_LINE", positions);
  return true;
}

/* Return an epoch that no profile had before.  */
static uint32_t
next_epoch (void)
{
  static _Atomic uint32_t last;

  return atomic_fetch_add_explicit (&last, 1, memory_order_relaxed) + 1;
}

enum cgw_status
cgwi_profile_make (struct cgw_profile **result, struct cgw_writer *w,
                   size_t n_events, unsigned positions)
{
  size_t size = sizeof (struct cgw_profile) + 2 * n_events * sizeof (uint64_t);
  struct cgw_profile *p = cgwi_resize (&w->memory, NULL, size);

  if (p == NULL)
    return CGW_ENOMEM;
  memset (p, 0, size);
  p->w = w;
  p->epoch = next_epoch ();
  p->n_events = n_events;
  p->called = p->totals + n_events;
  p->positions = positions;
  p->line_mask = positions & CGW_LINE ? UINT32_MAX : 0;
  p->instr_mask = positions & CGW_INSTR ? UINT64_MAX : 0;
  cgwi_spots_init (&p->self, sizeof (struct cgwi_spot), n_events);
  cgwi_spots_init (&p->edges, sizeof (struct cgwi_edge), n_events);
  cgwi_stacks_init (&p->stacks, positions, n_events);
  *result = p;
  return CGW_OK;
}

/* Make a profile of the caller's shape, inside the writer.  */
static enum cgw_status
make (struct cgw_profile **result, struct cgw_writer *w, size_t n_events,
      unsigned positions)
{
  return shape_is_right (n_events, positions, &w->core.errors.last_why)
             ? cgwi_profile_make (result, w, n_events,
                                  positions != 0 ? positions : CGW_LINE)
             : CGW_EINVAL;
}

/* Without its profile, the file will lack a part.  */
enum cgw_status
cgw_profile_new (struct cgw_profile **result, struct cgw_writer *w,
                 size_t n_events, unsigned positions)
{
  struct cgwi_errors *e;
  enum cgw_status status;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (w == NULL)
    return CGW_EINVAL;
  e = &w->core.errors;
  if ((status = cgwi_enter (w)) != CGW_OK)
    return status;
  status = cgwi_errors_end (e, make (result, w, n_events, positions));
  if (status != CGW_OK && w->core.state != CGWI_FINISHED)
    cgwi_errors_miss_part (e, status);
  cgwi_leave (w);
  return status;
}

/* Set the sums to 0, and keep the entries, for tracers have their indices, and
   the targets, which open calls do not know.  */
static void
clear_sums (struct cgw_profile *p)
{
  size_t size = p->n_events * sizeof *p->totals;

  for (uint32_t i = 0; i < p->self.n; i++)
    memset (cgwi_table_costs (&p->self, i), 0, size);
  for (uint32_t i = 0; i < p->edges.n; i++)
    {
      struct cgwi_edge *edge = cgwi_table_entry (&p->edges, i);

      edge->count = 0;
      memset (cgwi_table_costs (&p->edges, i), 0, size);
    }
}

/* Free what a profile holds, inside.  */
static void
clear (struct cgw_profile *p)
{
  const struct cgwi_memory *m = &p->w->memory;

  p->interval++;
  p->has_stale = p->tracers != NULL;
  if (p->has_stale)
    clear_sums (p);
  else
    {
      cgwi_table_clear (&p->self, m);
      cgwi_table_clear (&p->edges, m);
      cgwi_release (m, p->begins);
      p->begins = NULL;
      p->n_begins = 0;
      p->epoch = next_epoch ();
    }
  cgwi_stacks_clear (&p->stacks, m);
  cgwi_release (m, p->seen.edges);
  cgwi_release (m, p->seen.of_fn);
  cgwi_release (m, p->homes.files);
  p->seen = (struct cgwi_seen){ 0 };
  p->homes = (struct cgwi_homes){ 0 };
  p->exact = p->tracers != NULL;
  p->n_calls = 0;
  memset (p->totals, 0, 2 * p->n_events * sizeof *p->totals);
  atomic_store_explicit (&p->refused, CGW_OK, memory_order_relaxed);
}

void
cgw_profile_clear (struct cgw_profile *p)
{
  if (p == NULL || !cgwi_profile_enter (p))
    return;
  clear (p);
  cgwi_profile_leave (p);
}

/* What a call holds that was left by a longjmp is lost: it may be half
   changed.  */
void
cgw_profile_free (struct cgw_profile *p)
{
  if (p == NULL || !cgwi_profile_enter (p))
    return;
  clear (p);
  cgwi_release (&p->w->memory, p);
}

enum cgw_status
cgwi_profile_refuse (struct cgw_profile *p, enum cgw_status status,
                     enum cgwi_reason reason)
{
  int refused = cgwi_refused_as (status, reason);
  int none = CGW_OK;

  cgwi_errors_refused (&p->w->core.errors, refused);
  atomic_compare_exchange_strong_explicit (&p->refused, &none, refused,
                                           memory_order_relaxed,
                                           memory_order_relaxed);
  return status;
}

enum cgw_status
cgwi_profile_busy (struct cgw_profile *p)
{
  return cgwi_profile_refuse (p, CGW_EBUSY, CGWI_BUSY);
}

void
cgwi_profile_add_tracer (struct cgw_profile *p, struct cgwi_tracing *t)
{
  t->next = p->tracers;
  t->link = &p->tracers;
  if (t->next != NULL)
    t->next->link = &t->next;
  p->tracers = t;
}

static void
book_open_calls (struct cgw_profile *p, struct cgwi_tracing *t)
{
  enum cgw_status status = t->book (t);

  if (status != CGW_OK)
    cgwi_profile_refuse (p, status, CGWI_NO_REASON);
}

void
cgwi_profile_remove_tracer (struct cgw_profile *p, struct cgwi_tracing *t)
{
  book_open_calls (p, t);
  *t->link = t->next;
  if (t->next != NULL)
    t->next->link = t->link;
}

void
cgwi_profile_sync (struct cgw_profile *p)
{
  for (struct cgwi_tracing *t = p->tracers; t != NULL; t = t->next)
    book_open_calls (p, t);
}

bool
cgwi_profile_reserve (const struct cgw_profile *p, uint32_t **words,
                      uint32_t *capacity, uint32_t n)
{
  /* Fewer than 2^31 names and edges: this does not wrap.  */
  uint32_t more = n + n / 2 + 32;
  uint32_t *larger;

  if (n <= *capacity)
    return true;
  if ((size_t) more * sizeof *larger / sizeof *larger != more)
    return false;
  larger = cgwi_resize (&p->w->memory, *words, more * sizeof *larger);
  if (larger == NULL)
    return false;
  memset (larger + *capacity, 0, (more - *capacity) * sizeof *larger);
  *words = larger;
  *capacity = more;
  return true;
}

void
cgwi_add_target (struct cgwi_edge *edge, uint64_t instr, uint32_t line)
{
  bool known = edge->to_instr != 0 || edge->to_line != 0;

  if (instr == 0 && line == 0)
    return;
  if (known
      && (edge->to_instr < instr
          || (edge->to_instr == instr && edge->to_line <= line)))
    return;
  edge->to_instr = instr;
  edge->to_line = line;
}
