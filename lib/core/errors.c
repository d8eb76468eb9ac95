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

static bool
is_call (const struct cgwi_errors *e, uint64_t call)
{
  return atomic_load_explicit (&e->retry, memory_order_relaxed) == call;
}

static void
set_call (struct cgwi_errors *e, uint64_t call)
{
  atomic_store_explicit (&e->retry, call, memory_order_relaxed);
}

void
cgwi_errors_clear (struct cgwi_errors *e)
{
  set (&e->kept, CGW_OK);
  set (&e->kept_explained, CGW_OK);
  set (&e->part, CGW_OK);
  set_call (e, 0);
  e->last = CGW_OK;
}

struct cgwi_sentence *
cgwi_errors_keep (struct cgwi_errors *e, enum cgw_status status)
{
  int kept = get (&e->kept);

  while (kept == CGW_OK || (status == CGW_EIO && kept != CGW_EIO))
    if (atomic_compare_exchange_weak_explicit (&e->kept, &kept, (int) status,
                                               memory_order_relaxed,
                                               memory_order_relaxed))
      {
        if (kept != CGW_OK)
          return NULL;
        set (&e->kept_explained, CGW_OK);
        return &e->kept_why;
      }
  /* `kept` now stands for two errors: do not forget it for one of them.  */
  set_call (e, 0);
  return NULL;
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
explain (struct cgwi_errors *e, enum cgw_status status,
         struct cgwi_sentence *s, const struct cgwi_sentence *why)
{
  if (why->text[0] == '\0')
    return;
  *s = *why;
  cgwi_errors_explained (e, status);
}

enum cgw_status
cgwi_errors_keep_sentence (struct cgwi_errors *e, enum cgw_status status,
                           const struct cgwi_sentence *why)
{
  struct cgwi_sentence *s = cgwi_errors_keep (e, status);

  if (s != NULL)
    explain (e, status, s, why);
  return status;
}

void
cgwi_errors_keep_call (struct cgwi_errors *e, enum cgw_status status,
                       const struct cgwi_sentence *why, uint64_t call)
{
  bool failed_before = is_call (e, call);
  struct cgwi_sentence *s = cgwi_errors_keep (e, status);

  if (s != NULL)
    explain (e, status, s, why);
  if (s != NULL || failed_before)
    set_call (e, call);
}

void
cgwi_errors_forget_call (struct cgwi_errors *e, uint64_t call)
{
  int kept = get (&e->kept);

  if (kept == CGW_OK || !is_call (e, call))
    return;
  set_call (e, 0);
  /* Unless CGW_EIO has replaced it, before or meanwhile.  */
  if (kept != CGW_EIO)
    atomic_compare_exchange_strong_explicit (&e->kept, &kept, CGW_OK,
                                             memory_order_relaxed,
                                             memory_order_relaxed);
}

struct cgwi_sentence *
cgwi_errors_begin (struct cgwi_errors *e)
{
  e->last = CGW_OK;
  e->last_why.text[0] = '\0';
  return &e->last_why;
}

enum cgw_status
cgwi_errors_end (struct cgwi_errors *e, enum cgw_status status)
{
  e->last = status;
  return status;
}

void
cgwi_errors_miss_part (struct cgwi_errors *e, enum cgw_status why)
{
  if (get (&e->part) != CGW_OK)
    return;
  e->part_why = e->last_why;
  atomic_store_explicit (&e->part_is_first, get (&e->kept) == CGW_OK,
                         memory_order_relaxed);
  /* release: for cgwi_errors_keep_part.  */
  atomic_store_explicit (&e->part, (int) why, memory_order_release);
}

bool
cgwi_errors_keep_part (struct cgwi_errors *e)
{
  int part = atomic_load_explicit (&e->part, memory_order_acquire);

  if (part != CGW_OK)
    cgwi_errors_keep_sentence (e, (enum cgw_status) part, &e->part_why);
  return part != CGW_OK;
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
  enum cgw_status kept = get (&e->kept);
  bool part_is_first
      = atomic_load_explicit (&e->part_is_first, memory_order_relaxed);

  if (part == CGW_OK || kept == CGW_EIO)
    return kept;
  return kept == CGW_OK || part_is_first || part == CGW_EIO ? part : kept;
}

const char *
cgwi_errors_explain (const struct cgwi_errors *e, enum cgw_status status)
{
  if (e->last == status && e->last_why.text[0] != '\0')
    return e->last_why.text;
  if (get (&e->part) == status && e->part_why.text[0] != '\0')
    return e->part_why.text;
  if (atomic_load_explicit (&e->kept_explained, memory_order_acquire)
      == (int) status)
    return e->kept_why.text;
  return NULL;
}
