/* gperftools.c - reads CPU profiles of gperftools, as its library writes them.

   They are words of 4 or 8 bytes, in the order of the machine that wrote them:
   a header, for each stack how often it was sampled, how many addresses it has
   and these, the leaf first, and a trailer; then follows the text of
   /proc/PID/maps.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"

#include "../base/memory.h"
#include "../symbols/ranges.h"
#include "symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 512 << 20 };

/* Words of the header, which may be longer, and says so.  */
enum { HEADER_ZERO, HEADER_WORDS, HEADER_VERSION, HEADER_PERIOD, HEADER };
enum { HEADER_MAX = 1000 };

struct words
{
  const unsigned char *bytes;
  size_t n; /* bytes */
  size_t size;
  bool is_big_endian;
};

/* What was mapped.  */
struct mapping
{
  uint64_t start, end, offset;
  const char *path;
};

struct gperftools
{
  struct import *im;
  struct input *in;
  struct words words;
  struct mapping *mappings;
  size_t n_mappings;
  struct ranges ranges; /* of the mappings */
  struct symbols *symbols;
  uint32_t thread;
  uint64_t period; /* in microseconds */
  struct cgw_pos *frames;
  uint32_t room;
};

/* Words.  */

/* There must be such a word.  */
static uint64_t
word_at (const struct words *w, size_t index)
{
  const unsigned char *p = w->bytes + index * w->size;
  uint64_t value = 0;

  for (size_t i = 0; i < w->size; i++)
    value = value << 8 | p[w->is_big_endian ? i : w->size - 1 - i];
  return value;
}

/* Whether the words begin with a header.  */
static bool
has_header (const struct words *w)
{
  return w->n / w->size > HEADER && word_at (w, HEADER_ZERO) == 0
         && word_at (w, HEADER_WORDS) >= 3
         && word_at (w, HEADER_WORDS) <= HEADER_MAX
         && word_at (w, HEADER_VERSION) == 0;
}

static bool
find_words (struct words *w, const unsigned char *bytes, size_t n)
{
  for (size_t size = 4; size <= 8; size += 4)
    for (int is_big_endian = 0; is_big_endian < 2; is_big_endian++)
      {
        *w = (struct words){ bytes, n, size, is_big_endian != 0 };
        if (has_header (w))
          return true;
      }
  return false;
}

static bool
refuse (const struct gperftools *p, size_t index, const char *reason)
{
  return input_refuse (p->in, index * p->words.size, reason);
}

/* Finds out where a stack ends, and whether it is the trailer: its count is 0.
   False: a message was printed.  */
static bool
check_stack (const struct gperftools *p, size_t *index, bool *is_trailer)
{
  size_t all = p->words.n / p->words.size, left = all - *index;
  uint64_t n;

  if (*index > all || left < 3)
    return refuse (p, *index, "there is no trailer");
  n = word_at (&p->words, *index + 1);
  if (n == 0 || n > left - 2 || n > IMPORT_FRAMES_MAX)
    return refuse (p, *index, "a stack has too many addresses, or none");
  *is_trailer = word_at (&p->words, *index) == 0;
  *index += 2 + (size_t) n;
  return true;
}

/* Mappings.  */

/* Reads a line of /proc/PID/maps.  */
static void
read_mapping (struct gperftools *p, char *line)
{
  char access[5];
  struct mapping m;
  int n = 0;

  if (sscanf (line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
              &m.start, &m.end, access, &m.offset, &n)
          != 4
      || n == 0 || strchr (access, 'x') == NULL)
    return;
  m.path = line + n;
  p->mappings = resize_for_one (p->mappings, p->n_mappings,
                                sizeof *p->mappings);
  p->mappings[p->n_mappings++] = m;
}

/* The text behind the words, up to a NUL.  */
static void
read_mappings (struct gperftools *p, char *text)
{
  while (*text != '\0')
    {
      char *end = text + strcspn (text, "\n");
      char *next = *end ? end + 1 : end;

      *end = '\0';
      read_mapping (p, text);
      text = next;
    }
  for (size_t i = 0; i < p->n_mappings; i++)
    if (!ranges_add (&p->ranges,
                     (struct range){ .start = p->mappings[i].start,
                                     .end = p->mappings[i].end,
                                     .what = &p->mappings[i],
                                     .level = RANGES_LABEL + 1 }))
      no_memory ();
  ranges_sort (&p->ranges);
}

/* Stacks.  */

/* Adds the frames at an address to a stack; returns how many frames it has
   now.  */
static uint32_t
add_frames (struct gperftools *p, uint64_t address, bool is_call, uint32_t n)
{
  const struct range *range = ranges_find (&p->ranges, address - is_call);
  const struct mapping *m = range != NULL ? range->what : NULL;
  const char *path = m != NULL ? m->path : "";
  uint64_t offset = address - is_call;
  const struct cgw_pos *positions;
  uint32_t more;

  if (m != NULL)
    offset = offset - m->start + m->offset;
  positions = symbols_at (p->symbols, path, "", offset, is_call, &more);
  p->frames = resize_for (p->frames, n + more, &p->room, sizeof *p->frames);
  memcpy (p->frames + n, positions, more * sizeof *p->frames);
  return n + more;
}

/* Adds the stack that begins at a word.  */
static bool
add_stack (struct gperftools *p, size_t index)
{
  uint64_t cost[2] = { 0, word_at (&p->words, index) };
  uint64_t n = word_at (&p->words, index + 1);
  struct import_sample sample = { .thread = p->thread,
                                  .samples = cost[1],
                                  .time = IMPORT_NO_TIME,
                                  .cost = cost };
  uint32_t n_frames = 0;

  if (__builtin_mul_overflow (cost[1], p->period, &cost[0]))
    return refuse (p, index, "the sum of costs passed 2^64-1");
  for (uint64_t i = 0; i < n && n_frames < IMPORT_FRAMES_MAX; i++)
    n_frames = add_frames (p, word_at (&p->words, index + 2 + i), i != 0,
                           n_frames);
  sample.frames = p->frames;
  sample.n = n_frames;
  return import_sample (p->im, p->in, &sample);
}

static bool
add_stacks (struct gperftools *p)
{
  size_t first = word_at (&p->words, HEADER_WORDS) + 2, end = first;
  bool is_trailer = false, ok = true;

  while (!is_trailer)
    if (!check_stack (p, &end, &is_trailer))
      return false;
  read_mappings (p, (char *) (uintptr_t) p->words.bytes + end * p->words.size);
  for (is_trailer = false; ok && !is_trailer;)
    {
      size_t index = first;

      ok = check_stack (p, &first, &is_trailer)
           && (is_trailer || add_stack (p, index));
    }
  return ok;
}

static bool
read_gperftools (struct import *im, struct input *in)
{
  static const struct cgw_event events[]
      = { { .name = "CPU", .long_name = "Processor time in us" },
          { .name = "Samples", .long_name = "Samples" } };
  struct gperftools p = { .im = im, .in = in };
  const struct import_thread nobody = { 0 };
  bool ok;

  if (!input_read_all (in, LONGEST))
    return false;
  if (!find_words (&p.words, input_bytes (in), in->end - in->start))
    return input_refuse (in, 0, "it has no header of a CPU profile");
  p.period = word_at (&p.words, HEADER_PERIOD);
  p.thread = import_thread (im, &nobody);
  p.symbols = symbols_new (im);
  ok = import_events (im, in, events, 2, CGW_INSTR_LINE) && add_stacks (&p);
  symbols_free (p.symbols);
  ranges_free (&p.ranges);
  free (p.mappings);
  free (p.frames);
  return ok;
}

static bool
is_gperftools (const unsigned char *bytes, size_t n)
{
  struct words w;

  return find_words (&w, bytes, n);
}

const struct import_kind import_gperftools
    = { "gperftools", is_gperftools, read_gperftools };
