/* profile.c - aggregation: sum costs per position and calls per edge.

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

/* Make a profile, inside.  */
static enum cgw_status
make (struct cgw_profile **result, struct cgw_writer *w, size_t n_events,
      unsigned positions)
{
  struct cgw_profile *p;
  size_t size = sizeof *p + n_events * sizeof *p->totals;

  if (!shape_is_right (n_events, positions, &w->core.errors.last_why))
    return CGW_EINVAL;
  if ((p = cgwi_resize (&w->memory, NULL, size)) == NULL)
    return CGW_ENOMEM;
  memset (p, 0, size);
  p->w = w;
  p->n_events = n_events;
  p->positions = positions != 0 ? positions : CGW_LINE;
  cgwi_table_init (&p->self, sizeof (struct cgwi_spot), n_events);
  cgwi_table_init (&p->edges, sizeof (struct cgwi_edge), n_events);
  *result = p;
  return CGW_OK;
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

void
cgw_profile_clear (struct cgw_profile *p)
{
  const struct cgwi_memory *m;

  if (p == NULL)
    return;
  m = &p->w->memory;
  cgwi_table_clear (&p->self, m);
  cgwi_table_clear (&p->edges, m);
  cgwi_release (m, p->seen.edges);
  cgwi_release (m, p->seen.of_fn);
  p->seen = (struct cgwi_seen){ 0 };
  memset (p->totals, 0, p->n_events * sizeof *p->totals);
  p->refused = CGW_OK;
}

void
cgw_profile_free (struct cgw_profile *p)
{
  cgw_profile_clear (p);
  if (p != NULL)
    cgwi_release (&p->w->memory, p);
}

enum cgw_status
cgwi_profile_spot (const struct cgw_profile *p, const struct cgw_pos *pos,
                   struct cgwi_spot *spot)
{
  const struct cgwi_core *c = &p->w->core;
  const struct cgwi_encoder *e = &c->encoder;
  uint32_t fn = cgwi_index (c, e->fns.n, pos->fn.handle);
  uint32_t source = cgwi_index (c, e->files.n, pos->file.handle);

  if (fn == CGWI_NONE || source == CGWI_NONE)
    return CGW_EHANDLE;
  if (pos->file.handle == 0 || source == e->fns.entries[fn].file)
    source = 0;
  else
    source++;
  *spot = (struct cgwi_spot){
    .fn = fn,
    .source = source,
    .line = p->positions & CGW_LINE ? pos->line : 0,
    .callee = CGWI_NONE,
    .instr = p->positions & CGW_INSTR ? pos->instr : 0
  };
  return CGW_OK;
}

enum cgw_status
cgwi_profile_check (const struct cgw_profile *p, const uint64_t *cost,
                    size_t n)
{
  if (cost == NULL && n != 0)
    return CGW_EINVAL;
  return n > p->n_events ? CGW_ECOSTS : CGW_OK;
}

bool
cgwi_costs_fit (const uint64_t *sums, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (sums[i] + cost[i] < cost[i])
      return false;
  return true;
}

/* Add costs that fit.  */
void
cgwi_add_costs (uint64_t *sums, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    sums[i] += cost[i];
}

/* Check the totals for overflow: a position's sums never exceed them.  */
enum cgw_status
cgwi_profile_add_self (struct cgw_profile *p, const struct cgwi_spot *spot,
                       const uint64_t *cost, size_t n)
{
  uint32_t index;

  if (!cgwi_costs_fit (p->totals, cost, n))
    return CGW_EOVERFLOW;
  index = cgwi_table_add (&p->self, &p->w->memory, spot);
  if (index == CGWI_TABLE_FULL)
    return CGW_ENOMEM;
  cgwi_add_costs (cgwi_table_costs (&p->self, index), cost, n);
  cgwi_add_costs (p->totals, cost, n);
  return CGW_OK;
}

static enum cgw_status
cost (struct cgw_profile *p, const struct cgw_pos *pos, const uint64_t *costs,
      size_t n)
{
  struct cgwi_spot spot;
  enum cgw_status status;

  if (pos == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_profile_check (p, costs, n)) != CGW_OK
      || (status = cgwi_enter (p->w)) != CGW_OK)
    return status;
  status = cgwi_profile_spot (p, pos, &spot);
  cgwi_leave (p->w);
  return status == CGW_OK ? cgwi_profile_add_self (p, &spot, costs, n)
                          : status;
}

enum cgw_status
cgw_profile_cost (struct cgw_profile *p, const struct cgw_pos *pos,
                  const uint64_t *costs, size_t n)
{
  return p != NULL ? cgwi_profile_keep (p, cost (p, pos, costs, n))
                   : CGW_EINVAL;
}

/* Keep the lowest known target: then the result does not depend on the order
   of the calls.  */
static void
add_target (struct cgwi_edge *edge, const struct cgwi_spot *to)
{
  bool known = edge->to_instr != 0 || edge->to_line != 0;

  if (to->instr == 0 && to->line == 0)
    return;
  if (known
      && (edge->to_instr < to->instr
          || (edge->to_instr == to->instr && edge->to_line <= to->line)))
    return;
  edge->to_instr = to->instr;
  edge->to_line = to->line;
}

static enum cgw_status
add_call (struct cgw_profile *p, const struct cgwi_spot *key,
          const struct cgwi_spot *to, uint64_t count, const uint64_t *cost,
          size_t n)
{
  uint32_t index = cgwi_table_add (&p->edges, &p->w->memory, key);
  struct cgwi_edge *edge;

  if (index == CGWI_TABLE_FULL)
    return CGW_ENOMEM;
  edge = cgwi_table_entry (&p->edges, index);
  /* A new edge cannot overflow, so it never has to be removed again.  */
  if (edge->count + count < count
      || !cgwi_costs_fit (cgwi_table_costs (&p->edges, index), cost, n))
    return CGW_EOVERFLOW;
  edge->count += count;
  cgwi_add_costs (cgwi_table_costs (&p->edges, index), cost, n);
  add_target (edge, to);
  return CGW_OK;
}

static enum cgw_status
call (struct cgw_profile *p, const struct cgw_pos *from,
      const struct cgw_pos *to, uint64_t count, const uint64_t *cost, size_t n)
{
  struct cgwi_spot key, target;
  enum cgw_status status;

  if (from == NULL || to == NULL || count == 0)
    return CGW_EINVAL;
  if ((status = cgwi_profile_check (p, cost, n)) != CGW_OK
      || (status = cgwi_enter (p->w)) != CGW_OK)
    return status;
  status = cgwi_profile_spot (p, from, &key);
  if (status == CGW_OK)
    status = cgwi_profile_spot (p, to, &target);
  cgwi_leave (p->w);
  if (status != CGW_OK)
    return status;
  key.callee = target.fn;
  return add_call (p, &key, &target, count, cost, n);
}

enum cgw_status
cgw_profile_call (struct cgw_profile *p, const struct cgw_pos *from,
                  const struct cgw_pos *to, uint64_t count,
                  const uint64_t *inclusive_cost, size_t n)
{
  return p != NULL ? cgwi_profile_keep (p, call (p, from, to, count,
                                                 inclusive_cost, n))
                   : CGW_EINVAL;
}
