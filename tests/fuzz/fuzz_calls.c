/* fuzz_calls.c - sequences of public calls on writers, against a model.

   The input is a program: each byte chooses a call, the bytes behind it the
   arguments, faults of the write hook and of the allocator among them.
   model.h says what each call is to do.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define N_NAMES 4
#define N_WRITERS 3
#define N(array) (sizeof (array) / sizeof *(array))

struct world
{
  struct fuzz_input in;
  struct model_names names[N_NAMES];
  size_t n_names; /* made so far */
  struct model_writer writers[N_WRITERS];
  struct model_writer *m; /* the one that calls are about */
};

static unsigned
next (struct world *w)
{
  return fuzz_byte (&w->in);
}

static uint64_t
number (struct world *w)
{
  static const uint64_t numbers[]
      = { 0, 1, 2, 9, 10, 99, 9999, 999999, 1000000, UINT32_MAX,
          (uint64_t) UINT32_MAX + 1, INT64_MAX, (uint64_t) INT64_MAX + 1,
          UINT64_MAX - 1, UINT64_MAX, 123456789012 };
  unsigned byte = next (w);

  return byte < N (numbers) ? numbers[byte] : byte;
}

/* Names of the writer's own names object or, rarely, of another.  */
static const struct model_names *
names_for (struct world *w, unsigned byte)
{
  return byte >= 0xf0 ? &w->names[byte % w->n_names] : w->m->names;
}

static struct model_pos
position (struct world *w)
{
  unsigned byte = next (w), more = next (w);
  struct model_pos pos
      = { .fn = model_names_pick (names_for (w, byte), MODEL_FN, byte & 15),
          .line = more & 15 };

  if (more & 16)
    {
      pos.file = model_names_pick (names_for (w, byte), MODEL_FILE, next (w));
      if (pos.file->handle == 0)
        pos.file = NULL;
    }
  if (more & 32)
    pos.line = (uint32_t) number (w);
  pos.instr = more & 64 ? number (w) : pos.line * 4;
  return pos;
}

static void
submit (struct world *w, enum model_kind_of_entry kind)
{
  struct model_pos from = position (w), to;
  uint64_t cost[MODEL_EVENTS + 1] = { 0 };
  struct model_record r = { .kind = kind, .from = &from };
  unsigned byte = next (w);

  r.n = kind == MODEL_COST || kind == MODEL_CALL ? byte & 3 : 0;
  r.cost = r.n > 0 ? cost : NULL;
  for (size_t i = 0; i < r.n; i++)
    cost[i] = number (w);
  if (kind != MODEL_COST)
    {
      to = position (w);
      r.to = &to;
      r.count = number (w);
    }
  if (kind == MODEL_COND_JUMP)
    r.followed = number (w);
  if (byte >= 0xf0)
    {
      r.from = byte & 4 ? NULL : r.from;
      r.to = byte & 8 ? NULL : r.to;
      r.n += (byte & 3) == 3;
      r.cost = (byte & 3) == 2 ? NULL : r.cost;
    }
  model_submit (w->m, &r);
}

/* Cost lines as tools write most of them.  */
static void
submit_run (struct world *w)
{
  unsigned n = next (w) & 63;
  struct model_pos from = position (w);
  uint64_t cost[MODEL_EVENTS] = { next (w), next (w), 1 };
  struct model_record r
      = { .kind = MODEL_COST, .from = &from, .cost = cost, .n = 1 };

  if (w->m->begun)
    r.n = model_n_events (w->m->shape);
  for (unsigned i = 0; i < n; i++)
    {
      from.line++;
      from.instr += 4;
      model_submit (w->m, &r);
    }
}

static void
comment (struct world *w)
{
  static const char *const texts[][2]
      = { { "a comment", "a comment" },
          { "", "" },
          { "  two\nlines ", "two\\x0alines" },
          { "cgw: lost 3 records", "\\x63gw: lost 3 records" },
          { "\xff", "\\xff" },
          { NULL, NULL } };
  size_t n = next (w) % N (texts);

  model_comment (w->m, texts[n][0], texts[n][1]);
}

static void
begin_part (struct world *w)
{
  unsigned byte = next (w);
  unsigned shape = w->m->begun && byte < 0xc0 ? w->m->shape
                                              : byte % MODEL_SHAPES;

  if (byte >= 0xf8)
    model_begin_part (w->m, model_wrong_part (next (w)), false, 0);
  else
    model_begin_part (w->m, model_right_part (shape, byte >> 3), true, shape);
}

static void
write_profile (struct world *w)
{
  unsigned byte = next (w), more = next (w);
  struct model_pos from = position (w), to = from;
  uint64_t cost[MODEL_EVENTS] = { 0 };
  struct model_record r
      = { .kind = byte & 1 ? MODEL_CALL : MODEL_COST,
          .from = &from,
          .to = &to,
          .count = byte & 1 ? number (w) : 0,
          .cost = cost,
          .n = 1 + (more & 1) };

  for (size_t i = 0; i < r.n; i++)
    cost[i] = number (w);
  if (r.kind == MODEL_CALL)
    to = position (w);
  model_write_profile (w->m,
                       w->m->begun && more < 0xe0 ? w->m->shape
                                                  : byte / 2 % MODEL_SHAPES,
                       byte >> 4, &r, more >> 1 & 3);
}

static void
set_fault (struct world *w)
{
  struct model_sink *s = &w->m->sink;

  s->fault = (enum model_fault) (next (w) % MODEL_FAULTS);
  s->times = next (w) & 15;
  s->amount = next (w) * (s->fault == MODEL_DISK_FULL ? 16 : 1);
  if (s->fault == MODEL_DISK_FULL)
    s->amount += s->n;
  if (s->fault == MODEL_INTERRUPTED && s->times == 0)
    s->times = 1;
}

static void
set_heap_fault (struct world *w)
{
  unsigned byte = next (w);
  struct heap *heap = &w->names[byte % w->n_names].heap;
  unsigned n = byte >> 4;

  heap->fail_at = n == 0 ? 0 : heap->calls + n;
  heap->forever = byte & 8;
}

static void
add_name (struct world *w)
{
  unsigned byte = next (w), text = next (w);
  struct model_names *names = &w->names[byte & 15 ? 0 : next (w) % w->n_names];
  enum model_kind_of_name kind = (enum model_kind_of_name) ((byte >> 4) % 3);
  const struct model_names *others = byte >= 0xf0 ? &w->names[0] : names;

  if (names->freed)
    return;
  model_names_add (names, kind, &model_texts[text % MODEL_TEXTS],
                   text & 16,
                   model_names_pick (others, MODEL_FILE, text >> 5),
                   model_names_pick (others, MODEL_OBJECT, next (w)));
}

static void
new_names (struct world *w)
{
  struct model_names *names = &w->names[w->n_names];
  unsigned byte = next (w);

  if (w->n_names == N_NAMES)
    return;
  w->n_names++;
  names->heap.fail_at = byte & 15;
  model_names_new (names);
  names->heap.fail_at = 0;
}

static void
free_names (struct world *w)
{
  model_names_free (&w->names[next (w) % w->n_names]);
}

static enum model_wrong
wrong (struct world *w)
{
  unsigned byte = next (w);

  return byte >= 0xe0 ? (enum model_wrong) (byte % MODEL_WRONGS)
                      : MODEL_RIGHT;
}

static enum model_target
target (struct world *w)
{
  static const enum model_target targets[]
      = { MODEL_HOOK, MODEL_HOOK, MODEL_HOOK, MODEL_HOOK,
          MODEL_HOOK, MODEL_FD,   MODEL_FULL, MODEL_PATH };

  enum model_target to = targets[next (w) & 7];

  return to == MODEL_FULL && access ("/dev/full", W_OK) == -1 ? MODEL_HOOK
                                                              : to;
}

static void
new_writer (struct world *w)
{
  static const size_t sizes[] = { 1, 16, 100, 500, 1000, 4096, 5000, 0 };
  struct model_names *names = &w->names[next (w) % w->n_names];
  unsigned flags = next (w) | (next (w) & 1) << 8;
  size_t size = sizes[next (w) & 7];
  enum model_target to = target (w);

  /* CGW_CACHEGRIND excludes so much that it is to be rare.  */
  if ((next (w) & 7) != 7)
    flags &= ~CGW_CACHEGRIND;
  if (to != MODEL_PATH && (next (w) & 15) != 15)
    flags &= ~CGW_REPLACE;
  if (names->names == NULL || names->freed)
    return;
  if (w->m->w == NULL)
    model_new (w->m, names, flags, size, to, wrong (w));
}

static void
free_writer (struct world *w)
{
  struct model_sink *s = &w->m->sink;

  model_free (w->m);
  model_sink_free (s);
}

/* Calls that need a writer.  */
static void
call (struct world *w, unsigned op)
{
  switch (op)
    {
    case 0:
      model_finish (w->m);
      break;
    case 1:
      model_salvage (w->m);
      break;
    case 2:
      free_writer (w);
      break;
    case 5:
      model_flush (w->m);
      break;
    case 6:
      comment (w);
      break;
    case 7:
    case 8:
      begin_part (w);
      break;
    case 9:
      set_fault (w);
      break;
    case 10:
      submit_run (w);
      break;
    case 11:
      submit (w, MODEL_CALL);
      break;
    case 12:
      submit (w, MODEL_JUMP);
      break;
    case 13:
      submit (w, MODEL_COND_JUMP);
      break;
    case 23:
      write_profile (w);
      break;
    default:
      submit (w, MODEL_COST);
      break;
    }
}

static void
step (struct world *w)
{
  unsigned op = next (w);

  if (op >= 0xe0)
    w->m = &w->writers[op % N_WRITERS];
  else if (op >= 0xc0)
    add_name (w);
  else if (op >= 0xb8)
    set_heap_fault (w);
  else if (op >= 0xb4)
    new_names (w);
  else if (op >= 0xb2)
    free_names (w);
  else if (op >= 0xa8)
    new_writer (w);
  else if (w->m->w != NULL)
    call (w, op % 24);
}

static void
start (struct world *w)
{
  w->n_names = 1;
  model_names_new (&w->names[0]);
  for (unsigned i = 0; i < N_WRITERS; i++)
    {
      w->writers[i].directory = model_directory ();
      w->writers[i].number = i;
      w->writers[i].fd = -1;
    }
  w->m = &w->writers[0];
  new_writer (w);
}

static void
finish (struct world *w)
{
  for (unsigned i = 0; i < N_WRITERS; i++)
    if (w->writers[i].w != NULL)
      {
        w->m = &w->writers[i];
        model_finish (w->m);
        free_writer (w);
      }
  for (size_t i = 0; i < w->n_names; i++)
    {
      model_names_free (&w->names[i]);
      if (w->names[i].heap.live != 0)
        fuzz_fail ("%zu blocks leak", w->names[i].heap.live);
    }
  model_remove_files (N_WRITERS);
}

/* The number that the next descriptor gets.  */
static int
next_fd (void)
{
  int fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);

  close (fd);
  return fd;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  struct world *w = calloc (1, sizeof *w);
  int fd;

  if (w == NULL)
    abort ();
  model_directory ();
  fd = next_fd ();
  w->in = (struct fuzz_input){ bytes, bytes + n };
  start (w);
  while (fuzz_left (&w->in) > 0)
    {
      step (w);
      for (size_t i = 0; i < w->n_names; i++)
        model_names_check (&w->names[i]);
    }
  finish (w);
  if (next_fd () != fd)
    fuzz_fail ("a descriptor leaks");
  free (w);
  return 0;
}
