/* arena.c - memory straight from the kernel.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "arena.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum
{
  PAGE = 4096,
  LINE = 64,            /* blocks begin with a cache line */
  LARGE = 4 * PAGE,     /* blocks of more have pages of their own */
  CHUNK = 16 * PAGE
};

/* The header of a block.  */
struct block
{
  size_t size;   /* with this */
  char pad[LINE - sizeof (size_t)];
};

/* The header of small blocks.  */
struct chunk
{
  struct chunk *next;
  char pad[LINE - sizeof (struct chunk *)];
};

/* The size with a header, in units; 0: too large.  */
static size_t
full_size (size_t n, size_t unit)
{
  return n > SIZE_MAX / 2 ? 0 : (n + sizeof (struct block) + unit - 1) / unit
                                    * unit;
}

static void *
map (size_t size)
{
  void *p = mmap (NULL, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p != MAP_FAILED ? p : NULL;
}

static struct block *
resize_mapping (struct block *old, size_t size)
{
  void *p = old ? mremap (old, old->size, size, MREMAP_MAYMOVE) : map (size);

  return p != MAP_FAILED ? p : NULL;
}

/* For good: in pieces of a few large mappings, for the kernel allows a process
   only so many of them.  */

enum { KEPT = 1 << 20 };

struct kept
{
  _Atomic size_t used; /* with this; may be more than there is */
  char pad[LINE - sizeof (size_t)];
};
static struct kept *_Atomic kept;

/* Makes a new mapping the present one, unless another thread has done it.
   False: no memory.  */
static bool
replace_kept (struct kept *old)
{
  struct kept *new = map (KEPT);

  if (!new)
    return false;
  atomic_store (&new->used, sizeof *new);
  if (!atomic_compare_exchange_strong (&kept, &old, new))
    munmap (new, KEPT);
  return true;
}

void *
memory_keep (size_t n)
{
  size_t size = (n + LINE - 1) / LINE * LINE;

  if (n > KEPT / 4)
    return n < SIZE_MAX / 2 ? map (n) : NULL;
  for (;;)
    {
      struct kept *k = atomic_load (&kept);
      size_t at = k ? atomic_fetch_add (&k->used, size) : KEPT;
      if (at + size <= KEPT)
        return (char *) k + at;
      if (!replace_kept (k))
        return NULL;
    }
}

/* Blocks.  */

static struct block *
block_of (void *p)
{
  return p ? (struct block *) p - 1 : NULL;
}

/* As arena_resize, in whole pages.  */
static void *
pages_resize (void *p, size_t n)
{
  struct block *old = block_of (p), *b;
  size_t size = full_size (n, PAGE);

  if (n == 0)
    {
      if (old)
        munmap (old, old->size);
      return NULL;
    }
  if (old && old->size == size)
    return p;
  if (size == 0 || !(b = resize_mapping (old, size)))
    return NULL;
  b->size = size;
  return b + 1;
}

static void *
allocate_small (struct arena *a, size_t size)
{
  struct block *b;

  if (a->n_unused < size)
    {
      struct chunk *c = map (CHUNK);
      if (!c)
        return NULL;
      c->next = a->chunks;
      a->chunks = c;
      a->unused = (char *) (c + 1);
      a->n_unused = CHUNK - sizeof *c;
    }
  b = (struct block *) (void *) a->unused;
  a->unused += size;
  a->n_unused -= size;
  b->size = size;
  return b + 1;
}

void *
arena_resize (void *arena, void *p, size_t n)
{
  struct block *old = block_of (p);
  size_t size = full_size (n, LINE);
  void *new;

  if (old && old->size > LARGE)
    return pages_resize (p, n == 0 || n > LARGE ? n : LARGE); /* stays large */
  if (n == 0)
    return NULL;
  if (old && size != 0 && size <= old->size)
    return p;
  new = size != 0 && size <= LARGE ? allocate_small (arena, size)
                                   : pages_resize (NULL, n);
  if (old && new)
    memcpy (new, p, old->size - sizeof *old);
  return new;
}

void
arena_free (struct arena *a)
{
  for (struct chunk *next, *c = a->chunks; c; c = next)
    {
      next = c->next;
      munmap (c, CHUNK);
    }
  memset (a, 0, sizeof *a);
}
