/* tracer.c - make and free tracers.

   SPDX-License-Identifier: MIT  */

#include "slow.h"

#include "../sized.h"

#include <string.h>

/* Once for all tracers of a chain is enough.  */
static void
sync_hook (struct cgwi_tracing *of_profile)
{
  struct cgw_tracer *t = (struct cgw_tracer *) of_profile;

  if (t->resumed == NULL)
    {
      cgwi_follow_profile (t);
      cgwi_sync_calls (t);
    }
}

static void
free_hook (struct cgwi_tracing *of_profile)
{
  struct cgw_tracer *t = (struct cgw_tracer *) of_profile;
  const struct cgwi_memory *m = cgwi_memory_of (t->p);

  cgwi_release_array (m, &t->frames);
  cgwi_release_array (m, &t->active);
  cgwi_release (m, t);
}

static enum cgw_status
take_options (struct cgw_tracer_options *o, struct cgw_profile *p,
              const struct cgw_tracer_options *theirs)
{
  struct cgwi_why why;
  uint64_t unknown;

  *o = (struct cgw_tracer_options) CGW_TRACER_OPTIONS_INIT;
  if (theirs != NULL
      && !cgwi_take_struct (o, sizeof *o, theirs, CGWI_ARG_TRACER_OPTIONS,
                            &why))
    return cgwi_fail (p, CGW_EINVAL, &why);
  if ((unknown = o->flags & ~(uint64_t) CGW_CALLS_ONLY) != 0)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_UNKNOWN_FLAGS,
                      .a = unknown);
  if (o->n_counters > p->n_events)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_TOO_LARGE,
                      .parameter = CGWI_ARG_N_COUNTERS, .a = o->n_counters,
                      .b = p->n_events);
  return CGW_OK;
}

/* Make room for what a tracer needs before its first event.  */
static bool
reserve_tracer (struct cgw_tracer *t, uint32_t root)
{
  struct cgw_profile *p = t->p;
  const struct cgwi_memory *m = cgwi_memory_of (p);
  bool has_sites = p->sites.room != 0;

  if (!cgwi_grow (m, &t->frames, 1, t->frame_size)
      || !cgwi_reserve_active (t, root)
      || !cgwi_grow (m, &p->sites, CGWI_SITES, sizeof (struct cgwi_site)))
    return false;
  if (!has_sites) /* no call is in them: no function has such an index */
    memset (p->sites.at, 0xff, CGWI_SITES * sizeof (struct cgwi_site));
  return true;
}

/* Make a tracer, which is not the profile's yet.  NULL: no memory.  */
static struct cgw_tracer *
make_tracer (struct cgw_profile *p, const struct cgw_tracer_options *o)
{
  size_t size = sizeof (struct cgw_tracer)
                + (p->n_events + o->n_counters) * sizeof (uint64_t);
  struct cgw_tracer *t = cgwi_resize (cgwi_memory_of (p), NULL, size);
  uint32_t root = cgwi_index (p->names, p->root.handle);

  if (t == NULL)
    return NULL;
  memset (t, 0, size);
  t->of_profile.book = sync_hook;
  t->of_profile.free = free_hook;
  t->p = p;
  t->n_counters = o->n_counters;
  t->calls_only = (o->flags & CGW_CALLS_ONLY) != 0;
  t->root = p->root;
  t->interval = p->interval;
  t->from_self = CGWI_NONE;
  t->frame_size = cgwi_frame_size (p->n_events);
  if (!reserve_tracer (t, root))
    {
      free_hook (&t->of_profile);
      return NULL;
    }
  t->top = cgwi_frame (t, 0);
  t->end = cgwi_frame (t, t->frames.room - 1);
  t->top->edge = CGWI_NONE;
  t->top->self = CGWI_OUTSIDE;
  *cgwi_active (t, root) = p->root.handle != 0; /* it is always open */
  return t;
}

/* Make a tracer, inside the profile.  */
static enum cgw_status
make_inside (struct cgw_tracer **result, struct cgw_profile *p,
             const struct cgw_tracer_options *theirs)
{
  struct cgw_tracer_options o;
  enum cgw_status status;
  struct cgw_tracer *t;

  if (result == NULL)
    return cgwi_fail_null (p, CGWI_ARG_TRACER);
  if ((status = take_options (&o, p, theirs)) != CGW_OK)
    return status;
  if ((t = make_tracer (p, &o)) == NULL)
    return CGW_ENOMEM;
  cgwi_profile_add_tracer (p, &t->of_profile);
  *result = t;
  return CGW_OK;
}

CGWI_COLD enum cgw_status
cgw_tracer_new (struct cgw_tracer **result, struct cgw_profile *p,
                const struct cgw_tracer_options *options)
{
  enum cgw_status status;

  if (result != NULL)
    *result = NULL;
  status = cgwi_profile_begin (p, CGWI_CALLED_TRACER_NEW);
  return status == CGW_OK ? cgwi_profile_end (p, CGWI_CALLED_TRACER_NEW,
                                              make_inside (result, p, options))
                          : status;
}

CGWI_COLD enum cgw_status
cgw_tracer_free (struct cgw_tracer *t)
{
  struct cgw_profile *p;

  if (t == NULL)
    return CGW_OK;
  p = t->p;
  if (!cgwi_profile_enter (p))
    return cgwi_profile_refuse (p, CGWI_CALLED_TRACER_FREE, CGW_EBUSY);
  cgwi_follow_profile (t);
  cgwi_sync_calls (t);
  cgwi_yield_to (t);
  if (t->resumer != NULL)
    cgwi_yield (t);
  cgwi_profile_remove_tracer (&t->of_profile);
  free_hook (&t->of_profile);
  cgwi_profile_leave (p);
  return CGW_OK;
}

size_t
cgw_tracer_depth (const struct cgw_tracer *t)
{
  return t != NULL ? t->depth + t->missed : 0;
}

uint64_t
cgw_tracer_tag (const struct cgw_tracer *t, size_t depth)
{
  return t != NULL && depth - 1 < t->depth ? cgwi_frame (t, depth)->tag : 0;
}
