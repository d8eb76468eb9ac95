/* to_folded.c - writes folded stacks: a line for each, with one cost.

   The names in a stack are separated by semicolons, and the cost stands behind
   the last blank.  Readers take all else for names, blanks, too; but a number
   behind a blank at the end of the last name would be one cost more.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "formats.h"

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/tool.h"
#include "each_stack.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a function is called in a stack.  */
struct called
{
  struct
  {
    uint32_t fn;
    uint32_t is_last; /* of the stack */
  } key;
  uint32_t name; /* its number, plus 1 */
};

struct folded
{
  const struct recording *r;
  struct intern names;   /* as they are written */
  struct table called;
  uint32_t *stack;       /* the numbers of its names */
  uint32_t room;
  const char *thread;    /* the outermost name, or NULL */
  struct intern stacks;  /* as numbers of names */
  uint64_t *sums;
  size_t n_sums;
};

/* Returns the number of a name.  */
static uint32_t
add_name (struct folded *f, const char *name, bool is_last)
{
  char *text = copy_text (name);
  size_t n = strlen (text), end = n;
  uint32_t number;

  while (is_last && end != 0 && strchr (" .0123456789", text[end - 1]) != NULL)
    end--;
  for (size_t i = 0; i < n; i++)
    if (text[i] == ';')
      text[i] = ':';
    else if (iscntrl ((unsigned char) text[i]))
      text[i] = '?';
    else if (text[i] == ' ' && i >= end)
      text[i] = '_';
  number = intern (&f->names, text, n);
  free (text);
  return number;
}

static uint32_t
name_of (struct folded *f, struct cgw_fn fn, bool is_last)
{
  const struct called key = { .key = { fn.handle, is_last } };
  struct called *c = table_add (&f->called, &key.key);

  if (c->name == 0)
    c->name
        = 1 + add_name (f, cgw_fn_name (f->r->names, fn, NULL, NULL), is_last);
  return c->name - 1;
}

static void
take_folded (void *context, const struct cgw_pos *frames, size_t n_frames,
             const uint64_t *cost)
{
  struct folded *f = context;
  uint32_t n = 0, i;

  if (cost[0] == 0)
    return;
  f->stack = resize_for (f->stack, (uint32_t) n_frames, &f->room,
                         sizeof *f->stack);
  if (f->thread != NULL)
    f->stack[n++] = add_name (f, f->thread, false);
  while (n_frames-- != 0)
    f->stack[n++] = name_of (f, frames[n_frames].fn, n_frames == 0);
  i = intern (&f->stacks, f->stack, n * sizeof *f->stack);
  if (i == f->n_sums)
    {
      f->sums = resize_for_one (f->sums, f->n_sums, sizeof *f->sums);
      f->sums[f->n_sums++] = 0;
    }
  f->sums[i] = f->r->is_signed || cost[0] <= UINT64_MAX - f->sums[i]
                   ? f->sums[i] + cost[0]
                   : UINT64_MAX;
}

static void
write_line (const struct folded *f, uint32_t i, FILE *to)
{
  size_t size, n;
  const uint32_t *stack = intern_bytes (&f->stacks, i, &size);

  for (size_t k = 0; k < size / sizeof *stack; k++)
    {
      const char *name = intern_bytes (&f->names, stack[k], &n);

      if (k != 0)
        putc (';', to);
      fwrite (name, 1, n, to);
    }
  fprintf (to, " %" PRIu64 "\n", f->sums[i]);
}

static void
write_lines (const struct folded *f, const char *out, FILE *to)
{
  bool is_below = false;

  for (uint32_t i = 0; i < f->stacks.n; i++)
    if (f->r->is_signed && f->sums[i] > INT64_MAX)
      is_below = true;
    else if (f->sums[i] != 0)
      write_line (f, i, to);
  if (is_below)
    tool_warn (out, 0, "stacks with costs below 0 are left out");
}

void
write_folded (const struct recording *r, const char *out, FILE *to)
{
  struct folded f = { .r = r,
                      .called
                      = { .key_size = sizeof ((struct called *) 0)->key,
                          .entry_size = sizeof (struct called) } };

  for (size_t i = 0; i < r->n_profiles; i++)
    {
      char *title = r->n_profiles > 1
                        ? recorded_title (r, &r->profiles[i])
                        : NULL;

      f.thread = title;
      each_stack (r, &r->profiles[i], take_folded, &f);
      free (title);
    }
  write_lines (&f, out, to);
  intern_free (&f.names);
  table_free (&f.called);
  intern_free (&f.stacks);
  free (f.sums);
  free (f.stack);
}
