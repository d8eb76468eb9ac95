/* jump_counts.c - how often jumps within functions were taken.

   A jump that was not always taken is a conditional one, unless it leads where
   a register or memory says: that one may have left the function.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "jump_counts.h"

#include "../base/memory.h"
#include "guest.h"

#include <stdlib.h>
#include <string.h>

struct jump
{
  struct
  {
    uint32_t from; /* sites */
    uint32_t to;
  } key;
  uint64_t count;
};

void
jumps_begin (struct jumps *j)
{
  *j = (struct jumps){
    .taken = { .key_size = sizeof ((struct jump *) NULL)->key,
               .entry_size = sizeof (struct jump) }
  };
}

void
jumps_free (struct jumps *j)
{
  table_free (&j->taken);
  free (j->executed);
}

static void
take (struct jumps *j, struct jump more)
{
  struct jump *jump = table_add (&j->taken, &more.key);

  jump->count += more.count;
}

void
jumps_take (struct jumps *j, uint32_t from, uint32_t to)
{
  take (j, (struct jump){ { from, to }, 1 });
}

void
jumps_execute (struct jumps *j, uint32_t site, uint64_t count)
{
  j->executed
      = resize_for (j->executed, site, &j->n_executed, sizeof *j->executed);
  j->executed[site] += count;
}

void
jumps_forget (struct jumps *j)
{
  for (uint32_t i = 0; i < j->taken.n; i++)
    ((struct jump *) table_entry (&j->taken, i))->count = 0;
  if (j->n_executed != 0)
    memset (j->executed, 0, j->n_executed * sizeof *j->executed);
}

void
jumps_move (struct jumps *j, struct jumps *to)
{
  for (uint32_t i = 0; i < j->taken.n; i++)
    take (to, *(struct jump *) table_entry (&j->taken, i));
  for (uint32_t i = 0; i < j->n_executed; i++)
    if (j->executed[i] != 0)
      jumps_execute (to, i, j->executed[i]);
  jumps_forget (j);
}

/* Functions stay together, so that the file names each once.  */
struct line
{
  struct cgw_pos from;
  struct cgw_pos to;
  const struct jump *jump;
};

static int
compare (const void *a, const void *b)
{
  const struct line *p = a, *q = b;
  uint64_t fn = p->from.fn.handle, other_fn = q->from.fn.handle;

  if (fn != other_fn)
    return fn < other_fn ? -1 : 1;
  if (p->from.instr != q->from.instr)
    return p->from.instr < q->from.instr ? -1 : 1;
  return p->to.instr < q->to.instr ? -1 : p->to.instr > q->to.instr;
}

static void
write_line (const struct jumps *j, const struct line *line,
            struct cgw_writer *w)
{
  uint32_t site = line->jump->key.from;
  uint64_t taken = line->jump->count;
  uint64_t executed = site < j->n_executed ? j->executed[site] : 0;

  if (taken < executed && !guest_leaps (site))
    cgw_cond_jump (w, &line->from, &line->to, taken, executed);
  else
    cgw_jump (w, &line->from, &line->to, taken);
}

void
jumps_write (const struct jumps *j, struct cgw_writer *w)
{
  struct line *lines = resize (NULL, j->taken.n + (size_t) 1, sizeof *lines);
  size_t n = 0;

  guest_lock ();
  for (uint32_t i = 0; i < j->taken.n; i++)
    {
      const struct jump *jump = table_entry (&j->taken, i);

      if (jump->count != 0)
        lines[n++] = (struct line){ guest_site (jump->key.from),
                                    guest_site (jump->key.to), jump };
    }
  qsort (lines, n, sizeof *lines, compare);
  for (size_t i = 0; i < n; i++)
    write_line (j, &lines[i], w);
  guest_unlock ();
  free (lines);
}
