/* errors.c - the errors of a writer, and sentences that explain them.

   SPDX-License-Identifier: MIT  */

#include "errors.h"

#include <stddef.h>

static enum cgw_status
get (const _Atomic int *status)
{
  return (enum cgw_status) atomic_load_explicit (status, memory_order_relaxed);
}

static void
set (_Atomic int *status, enum cgw_status value)
{
  atomic_store_explicit (status, (int) value, memory_order_relaxed);
}

/* The parts of `kept`.  */

static enum cgw_status
status_of (uint64_t kept)
{
  return (enum cgw_status) (kept & ((1 << CGWI_CALL_SHIFT) - 1));
}

static uint64_t
kept_as (enum cgw_status status, uint64_t call)
{
  return call << CGWI_CALL_SHIFT | (uint64_t) status;
}

/* Return what kept_as takes for a call: not 0.  */
static uint64_t
shortened (uint64_t hash)
{
  return hash >> CGWI_CALL_SHIFT | 1;
}

static enum cgw_status
get_kept (const struct cgwi_errors *e)
{
  return status_of (atomic_load_explicit (&e->kept, memory_order_relaxed));
}

static bool
change_kept (struct cgwi_errors *e, uint64_t *from, uint64_t to)
{
  return atomic_compare_exchange_weak_explicit (&e->kept, from, to,
                                                memory_order_relaxed,
                                                memory_order_relaxed);
}

/* `kept` last: until then a handler's errors are the old file's.  */
void
cgwi_errors_clear (struct cgwi_errors *e)
{
  set (&e->part, CGW_OK);
  set (&e->last, CGW_OK);
  set (&e->kept_explained, CGW_OK);
  atomic_store_explicit (&e->kept_is_part, false, memory_order_relaxed);
  atomic_signal_fence (memory_order_seq_cst);
  atomic_store_explicit (&e->kept, 0, memory_order_relaxed);
}

/* What `kept` becomes with one more error.  If it then stands for two, it must
   not be forgotten for one of them.  */
static uint64_t
with (uint64_t kept, enum cgw_status status, uint64_t call)
{
  bool replace = status_of (kept) == CGW_OK
                 || (status == CGW_EIO && status_of (kept) != CGW_EIO);

  if (replace || (call != 0 && kept == kept_as (status, call)))
    return kept_as (status, call);
  return kept_as (status_of (kept), 0);
}

/* Return where to explain it, or NULL: it is not the first.  */
static struct cgwi_sentence *
keep (struct cgwi_errors *e, enum cgw_status status, uint64_t call)
{
  uint64_t kept = atomic_load_explicit (&e->kept, memory_order_relaxed);

  while (!change_kept (e, &kept, with (kept, status, call)))
    continue;
  if (status_of (kept) != CGW_OK)
    return NULL;
  set (&e->kept_explained, CGW_OK);
  return &e->kept_why;
}

struct cgwi_sentence *
cgwi_errors_keep (struct cgwi_errors *e, enum cgw_status status)
{
  return keep (e, status, 0);
}

/* release: any thread may read the sentence.  */
void
cgwi_errors_explained (struct cgwi_errors *e, enum cgw_status status)
{
  atomic_store_explicit (&e->kept_explained, (int) status,
                         memory_order_release);
}

enum cgw_status
cgwi_errors_keep_text (struct cgwi_errors *e, enum cgw_status status,
                       const char *why)
{
  struct cgwi_sentence *s = cgwi_errors_keep (e, status);

  if (s != NULL)
    {
      cgwi_say (s, why);
      cgwi_errors_explained (e, status);
    }
  return status;
}

static void
keep_sentence (struct cgwi_errors *e, enum cgw_status status,
               const struct cgwi_sentence *why, uint64_t call)
{
  struct cgwi_sentence *s = keep (e, status, call);

  if (s == NULL || why->text[0] == '\0')
    return;
  *s = *why;
  cgwi_errors_explained (e, status);
}

void
cgwi_errors_keep_sentence (struct cgwi_errors *e, enum cgw_status status,
                           const struct cgwi_sentence *why)
{
  keep_sentence (e, status, why, 0);
}

void
cgwi_errors_keep_call (struct cgwi_errors *e, enum cgw_status status,
                       const struct cgwi_sentence *why, uint64_t call)
{
  keep_sentence (e, status, why, shortened (call));
}

void
cgwi_errors_forget_call (struct cgwi_errors *e, uint64_t call)
{
  uint64_t kept = atomic_load_explicit (&e->kept, memory_order_relaxed);

  while (kept == kept_as (status_of (kept), shortened (call))
         && !change_kept (e, &kept, CGW_OK))
    continue;
}

struct cgwi_sentence *
cgwi_errors_begin (struct cgwi_errors *e)
{
  set (&e->last, CGW_OK);
  e->last_why.text[0] = '\0';
  return &e->last_why;
}

enum cgw_status
cgwi_errors_end (struct cgwi_errors *e, enum cgw_status status)
{
  set (&e->last, status);
  return status;
}

void
cgwi_errors_silence (struct cgwi_errors *e)
{
  set (&e->last, CGW_OK);
}

void
cgwi_errors_refused (struct cgwi_errors *e, int refused)
{
  atomic_store_explicit (&e->last, -refused, memory_order_relaxed);
}

/* The first refusal stays, but for a cgw_finish that came too early.  */
void
cgwi_errors_miss_part (struct cgwi_errors *e, enum cgw_status why)
{
  enum cgw_status part = get (&e->part);

  if (part != CGW_OK && part != CGW_EORDER)
    return;
  if (!atomic_load_explicit (&e->kept_is_part, memory_order_relaxed))
    e->part_why = e->last_why;
  atomic_store_explicit (&e->part_is_first, get_kept (e) == CGW_OK,
                         memory_order_relaxed);
  set (&e->part, why);
}

/* Without reading part_why, which the holder may be writing.  */
bool
cgwi_errors_keep_part (struct cgwi_errors *e)
{
  enum cgw_status part = get (&e->part);

  if (part == CGW_OK)
    return false;
  if (keep (e, part, 0) != NULL)
    atomic_store_explicit (&e->kept_is_part, true, memory_order_relaxed);
  return true;
}

void
cgwi_errors_forget_part (struct cgwi_errors *e)
{
  set (&e->part, CGW_OK);
}

enum cgw_status
cgwi_errors_first (const struct cgwi_errors *e)
{
  enum cgw_status part = get (&e->part);
  enum cgw_status kept = get_kept (e);
  bool part_is_first
      = atomic_load_explicit (&e->part_is_first, memory_order_relaxed);

  if (part == CGW_OK || kept == CGW_EIO)
    return kept;
  return kept == CGW_OK || part_is_first || part == CGW_EIO ? part : kept;
}

/* Whether part_why explains a status.  */
static bool
is_of_part (const struct cgwi_errors *e, enum cgw_status status)
{
  return get (&e->part) == status
         || (get_kept (e) == status
             && atomic_load_explicit (&e->kept_is_part,
                                      memory_order_relaxed));
}

const char *
cgwi_errors_explain (const struct cgwi_errors *e, enum cgw_status status)
{
  const char *text = NULL;

  int last = atomic_load_explicit (&e->last, memory_order_relaxed);

  if (last < 0 && cgwi_refused_status (-last) == status)
    return cgwi_refused_text (-last);
  if (last == (int) status)
    text = e->last_why.text;
  else if (is_of_part (e, status))
    text = e->part_why.text;
  else if (atomic_load_explicit (&e->kept_explained, memory_order_acquire)
           == (int) status)
    text = e->kept_why.text;
  return text != NULL && text[0] != '\0' ? text : NULL;
}
