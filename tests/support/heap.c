/* heap.c - an allocation hook that counts, and fails on demand; and names
   objects for tests.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "heap.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What stands before each block's bytes.  */
union block
{
  size_t n;
  max_align_t align;
};

/* What stands behind them: nobody writes there.  */
#define GUARD 64

static void
guard (union block *block)
{
  memset ((char *) (block + 1) + block->n, 0xc3, GUARD);
}

static void
check_guard (const union block *block)
{
  const unsigned char *behind = (const unsigned char *) (block + 1) + block->n;

  for (size_t i = 0; i < GUARD; i++)
    if (behind[i] != 0xc3)
      abort ();
}

static bool
fails (const struct heap *h)
{
  return h->fail_at != 0
         && (h->forever ? h->calls >= h->fail_at : h->calls == h->fail_at);
}

static void
release (struct heap *h, union block *block)
{
  if (block == NULL)
    return;
  check_guard (block);
  h->live--;
  h->bytes -= block->n;
  memset (block + 1, 0x5a, block->n);
  atomic_signal_fence (memory_order_seq_cst); /* or compilers drop the memset */
  free (block);
}

void *
heap_allocate (void *context, void *p, size_t n)
{
  struct heap *h = context;
  union block *old = p != NULL ? (union block *) p - 1 : NULL;
  union block *block;

  if (n == 0)
    {
      release (h, old);
      return NULL;
    }
  h->calls++;
  if (fails (h))
    {
      h->failed++;
      errno = ENOMEM;
      return NULL;
    }
  if ((block = malloc (sizeof *block + n + GUARD)) == NULL)
    abort ();
  block->n = n;
  guard (block);
  h->live++;
  h->bytes += n;
  memset (block + 1, 0xa5, n);
  if (old != NULL)
    memcpy (block + 1, p, n < old->n ? n : old->n);
  release (h, old);
  return block + 1;
}

void
heap_limit (struct heap *h, size_t n)
{
  h->fail_at = h->calls + n + 1;
  h->forever = true;
}

struct cgw_names *
make_names (struct heap *h)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  struct cgw_names *names;

  if (h != NULL)
    {
      o.allocate = heap_allocate;
      o.allocate_context = h;
    }
  if (cgw_names_new (&names, &o) != CGW_OK)
    abort ();
  return names;
}

struct cgw_names *
test_names (void)
{
  static struct cgw_names *names;

  if (names == NULL)
    names = make_names (NULL);
  return names;
}
