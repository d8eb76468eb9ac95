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

struct folded
{
  const struct recording *r;
  char *text; /* of one stack */
  size_t n;
  size_t room;
  const char *thread;    /* the outermost frame, or NULL */
  struct intern stacks;  /* by their texts */
  uint64_t *sums;
  size_t n_sums;
};

static void
put (struct folded *f, char c)
{
  if (f->n == f->room)
    {
      f->room = 2 * f->room + 256;
      f->text = resize (f->text, f->room, 1);
    }
  f->text[f->n++] = c;
}

static void
put_name (struct folded *f, const char *name, bool is_last)
{
  size_t n = strlen (name), end = n;

  while (is_last && end != 0 && strchr (" .0123456789", name[end - 1]) != NULL)
    end--;
  if (f->n != 0)
    put (f, ';');
  for (size_t i = 0; i < n; i++)
    put (f, name[i] == ';'                      ? ':'
            : iscntrl ((unsigned char) name[i]) ? '?'
            : name[i] == ' ' && i >= end        ? '_'
                                                : name[i]);
}

static void
take_stack_text (void *context, const struct cgw_pos *frames, size_t n_frames,
                 const uint64_t *cost)
{
  struct folded *f = context;
  uint32_t i;

  if (cost[0] == 0)
    return;
  f->n = 0;
  if (f->thread != NULL)
    put_name (f, f->thread, false);
  while (n_frames-- != 0)
    put_name (f, cgw_fn_name (f->r->names, frames[n_frames].fn, NULL, NULL),
              n_frames == 0);
  i = intern (&f->stacks, f->text, f->n);
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
write_lines (const struct folded *f, const char *out, FILE *to)
{
  bool is_below = false;

  for (uint32_t i = 0; i < f->stacks.n; i++)
    {
      size_t n;
      const char *text = intern_bytes (&f->stacks, i, &n);

      if (f->r->is_signed && f->sums[i] > INT64_MAX)
        is_below = true;
      else if (f->sums[i] != 0)
        fprintf (to, "%.*s %" PRIu64 "\n", (int) n, text, f->sums[i]);
    }
  if (is_below)
    tool_warn (out, 0, "stacks with costs below 0 are left out");
}

void
write_folded (const struct recording *r, const char *out, FILE *to)
{
  struct folded f = { .r = r };

  for (size_t i = 0; i < r->n_profiles; i++)
    {
      char *title = r->n_profiles > 1
                        ? recorded_title (r, &r->profiles[i])
                        : NULL;

      f.thread = title;
      each_stack (r, &r->profiles[i], take_stack_text, &f);
      free (title);
    }
  write_lines (&f, out, to);
  intern_free (&f.stacks);
  free (f.sums);
  free (f.text);
}
