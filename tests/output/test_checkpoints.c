/* test_checkpoints.c - the checkpoints behind the buffer's bytes: the densest
   records fill their place, and are not written behind it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/output/buffer.h"
#include "cgw.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A heap that puts a guard behind each block.  */

#define GUARD 0xa5
enum { GUARDED = 4096, MOST_BLOCKS = 64 };

struct guarded
{
  unsigned char *blocks[MOST_BLOCKS]; /* or NULL */
  size_t sizes[MOST_BLOCKS];
};

static void
check_block (const struct guarded *h, int i, const char *what)
{
  const unsigned char *guard = h->blocks[i] + h->sizes[i];

  for (size_t k = 0; k < GUARDED; k++)
    cr_assert_eq (guard[k], GUARD, "%s: byte %zu behind a block of %zu", what,
                  k, h->sizes[i]);
}

static void
check_blocks (const struct guarded *h, const char *what)
{
  for (int i = 0; i < MOST_BLOCKS; i++)
    if (h->blocks[i] != NULL)
      check_block (h, i, what);
}

static int
find_block (const struct guarded *h, const void *p)
{
  int i = 0;

  while (i < MOST_BLOCKS && h->blocks[i] != p)
    i++;
  cr_assert_lt (i, MOST_BLOCKS, "no such block, or too many");
  return i;
}

/* The library never resizes a block.  */
static void *
allocate (void *context, void *p, size_t n)
{
  struct guarded *h = context;
  int i = find_block (h, p);

  cr_assert (p == NULL || n == 0);
  if (n == 0)
    {
      check_block (h, i, "freed");
      free (p);
      h->blocks[i] = NULL;
      return NULL;
    }
  h->blocks[i] = malloc (n + GUARDED);
  cr_assert_not_null (h->blocks[i]);
  memset (h->blocks[i], GUARD, n + GUARDED);
  h->sizes[i] = n;
  return h->blocks[i];
}

/* The buffer alone, filled to its last byte.  */

/* Records of so many bytes until they fill the capacity.  */
static void
fill (size_t capacity, size_t bytes)
{
  struct guarded h = { { NULL }, { 0 } };
  struct cgwi_memory m = { allocate, &h };
  struct cgwi_buffer b = { .fd = -1, .limit = capacity };

  cr_assert (cgwi_buffer_grow (&b, &m, capacity));
  while (cgwi_buffer_used (&b) + bytes <= capacity)
    {
      char *p = cgwi_buffer_end (&b);

      memset (p, '\n', bytes);
      cgwi_buffer_commit (&b, p + bytes, CGWI_RECORD);
    }
  check_blocks (&h, "a full buffer");
  cgwi_buffer_free (&b, &m);
}

/* "#\n", "* 1\n", and a line with 200 costs of 1.  */
Test (checkpoints, of_a_full_buffer)
{
  static const size_t capacities[] = { 4096, 65536, 4096 + 402 };

  for (int i = 0; i < 3; i++)
    {
      fill (capacities[i], 2);
      fill (capacities[i], 4);
      fill (capacities[i], 2 * 201);
    }
}

/* Wherever a write ends: how much of it is whole, how many records are not, and
   the same when what is whole was dropped.  Long records have several
   checkpoints.  */

static const size_t lengths[]
    = { 2, 40000, 3, 32766, 32767, 32768, 5, 65534, 70000, 1, 2 };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static size_t
whole_up_to (size_t written, uint64_t *unwritten)
{
  size_t end = 0, whole = 0;

  *unwritten = 0;
  for (int i = 0; i < LENGTHS; i++)
    {
      end += lengths[i];
      whole = end <= written ? end : whole;
      *unwritten += end > written && i % 3 != 0; /* the others are texts */
    }
  return whole;
}

static void
write_up_to (size_t written)
{
  struct guarded h = { { NULL }, { 0 } };
  struct cgwi_memory m = { allocate, &h };
  struct cgwi_buffer b = { .fd = -1, .limit = 400000 };
  uint64_t unwritten;
  size_t whole = whole_up_to (written, &unwritten);

  cr_assert (cgwi_buffer_grow (&b, &m, 400000));
  for (int i = 0; i < LENGTHS; i++)
    {
      char *p = cgwi_buffer_end (&b);

      memset (p, 'a' + i, lengths[i]);
      cgwi_buffer_commit (&b, p + lengths[i],
                          i % 3 != 0 ? CGWI_RECORD : CGWI_TEXT);
    }
  b.written = written;
  for (int i = 0; i < 3; i++)
    {
      cr_assert_eq (b.now.offset + cgwi_extent_whole (&b.now, written), whole,
                    "%zu, %d", written, i);
      cr_assert_eq (cgwi_buffer_unwritten (&b), unwritten, "%zu, %d", written,
                    i);
      if (i == 0)
        cr_assert (cgwi_buffer_grow (&b, &m, 500000));
      cgwi_buffer_drop (&b);
    }
  check_blocks (&h, "dropped");
  cgwi_buffer_free (&b, &m);
}

Test (checkpoints, of_long_records)
{
  size_t end = 0;

  for (int i = 0; i < LENGTHS; i++)
    {
      write_up_to (end);
      write_up_to (end + 1);
      write_up_to (end + lengths[i] - 1);
      end += lengths[i];
    }
  write_up_to (end);
}

/* The same through a writer.  */

static ssize_t
take (void *context, const void *bytes, size_t n)
{
  (void) context;
  (void) bytes;
  return (ssize_t) n;
}

enum dense
{
  ONE_COST,
  COMMENT,
  MANY_COSTS,
  MIXED,
  DENSE
};

static void
write_dense (struct cgw_writer *w, enum dense dense, size_t n_events)
{
  static const struct cgw_pos pos = { .line = 1 };
  uint64_t costs[CGW_EVENTS_MAX];

  for (size_t i = 0; i < n_events; i++)
    costs[i] = 1;
  if (dense == COMMENT)
    cr_assert_eq (cgw_comment (w, ""), CGW_OK);
  else
    cr_assert_eq (cgw_cost (w, &pos, costs, dense == ONE_COST ? 1 : n_events),
                  CGW_OK);
}

/* Enough records to fill the buffer several times; a part in the midst of
   them makes it larger.  */
static void
write_file (enum dense dense, size_t buffer_size, unsigned flags)
{
  static char event_names[CGW_EVENTS_MAX][3];
  struct cgw_event events[CGW_EVENTS_MAX] = { { NULL, NULL, NULL } };
  struct guarded h = { { NULL }, { 0 } };
  struct cgw_names_options names_options = CGW_NAMES_OPTIONS_INIT;
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_writer *w;

  part.events = events;
  part.n_events = dense == ONE_COST ? 1 : CGW_EVENTS_MAX;
  for (size_t i = 0; i < part.n_events; i++)
    {
      event_names[i][0] = (char) ('A' + i / 20);
      event_names[i][1] = (char) ('a' + i % 20);
      events[i].name = event_names[i];
    }
  o.flags = flags;
  o.buffer_size = buffer_size;
  o.write = take;
  names_options.allocate = allocate;
  names_options.allocate_context = &h;
  cr_assert_eq (cgw_names_new (&names, &names_options), CGW_OK);
  cr_assert_eq (cgw_open_fd (&w, names, -1, &o), CGW_OK);
  for (int i = 0; i < 2; i++)
    {
      cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
      for (size_t n = 0; n < buffer_size; n++)
        {
          write_dense (w, dense < MIXED ? dense : n % MIXED, part.n_events);
          if (n % 512 == 0)
            check_blocks (&h, "while it is filled");
        }
    }
  cr_assert_eq (cgw_finish (w), CGW_OK);
  check_blocks (&h, "finished");
  cgw_free (w);
  cgw_names_free (names);
}

Test (checkpoints, of_the_densest_records)
{
  for (enum dense dense = 0; dense < DENSE; dense++)
    for (int pad = 0; pad < 2; pad++)
      {
        write_file (dense, 4096, pad ? 0 : CGW_NO_PAD);
        write_file (dense, 65536, pad ? 0 : CGW_NO_PAD);
      }
}

/* Bytes of all blocks of a writer with that buffer_size, which is full of the
   densest records.  */
static size_t
memory_of (size_t buffer_size)
{
  struct guarded h = { { NULL }, { 0 } };
  struct cgw_names_options names_options = CGW_NAMES_OPTIONS_INIT;
  struct cgw_event event = { "A", NULL, NULL };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_writer *w;
  size_t sum = 0;

  o.buffer_size = buffer_size;
  o.write = take;
  names_options.allocate = allocate;
  names_options.allocate_context = &h;
  part.events = &event;
  part.n_events = 1;
  cr_assert_eq (cgw_names_new (&names, &names_options), CGW_OK);
  cr_assert_eq (cgw_open_fd (&w, names, -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  for (size_t n = 0; n < buffer_size; n++)
    write_dense (w, COMMENT, 1);
  for (int i = 0; i < MOST_BLOCKS; i++)
    sum += h.blocks[i] != NULL ? h.sizes[i] : 0;
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cgw_free (w);
  cgw_names_free (names);
  return sum;
}

/* As cgw.h says: twice the buffer, and what does not depend on it.  */
Test (checkpoints, take_as_much_as_the_bytes)
{
  size_t small = memory_of (1 << 16), large = memory_of (1 << 20);

  cr_expect_leq (large - small, 2 * ((1 << 20) - (1 << 16)) + 2 * CGWI_PAGE,
                 "%zu and %zu bytes", small, large);
}
