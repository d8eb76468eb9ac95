/* explain.c - say why a record was refused.

   SPDX-License-Identifier: MIT  */

#include "explain.h"

static const char *
call_name (const struct cgwi_submitted *r)
{
  return r->kind == CGWI_COST   ? "cgw_cost"
         : r->kind == CGWI_CALL ? "cgw_call"
         : r->kind == CGWI_JUMP ? "cgw_jump"
                                : "cgw_cond_jump";
}

/* The parameter that is the first position.  */
static const char *
from_name (const struct cgwi_submitted *r)
{
  return r->kind == CGWI_COST ? "pos" : "from";
}

static bool
is_foreign (const struct cgw_writer *w, const _Atomic uint32_t *n,
            uint32_t handle)
{
  return cgwi_index (&w->core, atomic_load (n), handle) == CGWI_NONE;
}

static void
explain_handle (struct cgwi_sentence *s, const struct cgw_writer *w,
                const struct cgwi_submitted *r)
{
  bool is_fn = is_foreign (w, &w->n_fns, r->from->fn.handle);
  bool is_from = is_fn || is_foreign (w, &w->n_files, r->from->file.handle);

  if (!is_from && r->to != NULL)
    is_fn = is_foreign (w, &w->n_fns, r->to->fn.handle);
  cgwi_say (s, "%s: %s->%s is a handle of another writer, or of one that was "
               "freed", call_name (r), is_from ? from_name (r) : "to",
            is_fn ? "fn" : "file");
}

static void
explain_argument (struct cgwi_sentence *s, const struct cgwi_submitted *r)
{
  const char *call = call_name (r);

  if (r->from == NULL)
    cgwi_say (s, "%s: %s is NULL", call, from_name (r));
  else if (r->to == NULL && r->kind != CGWI_COST)
    cgwi_say (s, "%s: to is NULL", call);
  else if (r->cost == NULL && r->n != 0)
    cgwi_say (s, "%s: the costs are NULL, but n is %U", call, (uint64_t) r->n);
  else if (r->kind == CGWI_CALL)
    cgwi_say (s, "%s: count is 0, for which callgrind_annotate takes inclusive "
                 "cost for self cost; CGW_ZERO_CALLS allows it", call);
  else
    cgwi_say (s, "%s: to->fn is in another object than from->fn, and the "
                 "format has no line for that", call);
}

/* Find the reason again: so the records' own path need not carry it.  */
static void
explain (struct cgwi_sentence *s, const struct cgw_writer *w,
         const struct cgwi_submitted *r, enum cgw_status status)
{
  switch (status)
    {
    case CGW_EINVAL:
      explain_argument (s, r);
      break;
    case CGW_EHANDLE:
      explain_handle (s, w, r);
      break;
    case CGW_ECOSTS:
      cgwi_say (s, "%s: n is %U, but there are %U events that are not derived",
                call_name (r), (uint64_t) r->n,
                (uint64_t) atomic_load (&w->n_events));
      break;
    default:
      cgwi_say (s, "%s: no part is open: cgw_begin_part comes first, and must "
                   "succeed", call_name (r));
    }
}

void
cgwi_keep_refused (struct cgw_writer *w, const struct cgwi_submitted *r,
                   enum cgw_status status)
{
  struct cgwi_sentence *s;

  if (status == CGW_EORDER && cgwi_errors_keep_part (&w->core.errors))
    return;
  if ((s = cgwi_errors_keep (&w->core.errors, status)) == NULL)
    return;
  explain (s, w, r, status);
  cgwi_errors_explained (&w->core.errors, status);
}
