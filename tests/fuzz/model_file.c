/* model_file.c - compare a file with the records that are to be in it.

   The records are written a second time, in the plainest form of the format:
   each with its object, its files and its function, in absolute numbers.  The
   test-suite's reader reads both files, and all sums must be the same.  In the
   cachegrind format no name is an id: there, all get a "_" before them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"
#include "reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of names that are none of the names object's.  */
#define LOST_ID 1000

/* Put a specification with the id of the name.  */
static void
put_spec (FILE *out, const char *key, const struct model_name *name)
{
  fprintf (out, "%s=(%td) %s\n", key, name - name->owner->name + 1,
           name->text->written);
}

static const struct model_name *
source_of (const struct model_pos *pos)
{
  return pos->file != NULL ? pos->file : pos->fn->file;
}

static void
put_numbers (FILE *out, const struct model_writer *m,
             const struct model_pos *pos)
{
  unsigned positions = model_positions (m->shape);

  fprintf (out, "0x%" PRIx64 " %" PRIu32,
           positions & CGW_INSTR ? pos->instr : 0,
           positions & CGW_LINE ? pos->line : 0);
}

static void
put_costs (FILE *out, const struct model_writer *m, const uint64_t *cost)
{
  for (size_t i = 0; i < model_n_events (m->shape); i++)
    fprintf (out, " %" PRIu64, cost[i]);
  fputc ('\n', out);
}

static void
put_place (FILE *out, const struct model_pos *pos)
{
  put_spec (out, "ob", pos->fn->object);
  put_spec (out, "fl", pos->fn->file);
  put_spec (out, "fn", pos->fn);
  put_spec (out, "fi", source_of (pos));
}

static void
put_call (FILE *out, const struct model_writer *m,
          const struct model_entry *e)
{
  put_spec (out, "cob", e->to.fn->object);
  put_spec (out, "cfi", e->to.fn->file);
  put_spec (out, "cfn", e->to.fn);
  fprintf (out, "calls=%" PRIu64 " ", e->count);
  put_numbers (out, m, &e->to);
  fputc ('\n', out);
}

static bool
is_same_fn (const struct model_name *a, const struct model_name *b)
{
  return strcmp (a->text->written, b->text->written) == 0
         && strcmp (a->file->text->written, b->file->text->written) == 0
         && strcmp (a->object->text->written, b->object->text->written) == 0;
}

/* The target's file matters only within one function.  */
static void
put_jump (FILE *out, const struct model_writer *m,
          const struct model_entry *e)
{
  bool within = is_same_fn (e->from.fn, e->to.fn);

  put_spec (out, "jfi", within ? source_of (&e->to) : e->to.fn->file);
  if (!within)
    put_spec (out, "jfn", e->to.fn);
  if (e->kind == MODEL_COND_JUMP)
    fprintf (out, "jcnd=%" PRIu64 "/%" PRIu64 " ", e->followed, e->count);
  else
    fprintf (out, "jump=%" PRIu64 " ", e->count);
  put_numbers (out, m, &e->to);
  fputc ('\n', out);
}

static bool
is_cachegrind (const struct model_writer *m)
{
  return m->flags & CGW_CACHEGRIND;
}

static void
put_cachegrind (FILE *out, const struct model_writer *m, const char *file,
                const char *fn, uint32_t line, const uint64_t *cost)
{
  fprintf (out, "fl=_%s\nfn=_%s\n%" PRIu32, file, fn,
           model_positions (m->shape) & CGW_LINE ? line : 0);
  put_costs (out, m, cost);
}

static void
put_entry (FILE *out, const struct model_writer *m,
           const struct model_entry *e)
{
  if (is_cachegrind (m) && e->kind == MODEL_COST)
    put_cachegrind (out, m, source_of (&e->from)->text->written,
                    e->from.fn->text->written, e->from.line, e->cost);
  if (is_cachegrind (m) || e->kind == MODEL_COMMENT)
    return;
  put_place (out, &e->from);
  if (e->kind == MODEL_CALL)
    put_call (out, m, e);
  else if (e->kind != MODEL_COST)
    put_jump (out, m, e);
  put_numbers (out, m, &e->from);
  if (e->kind == MODEL_COST || e->kind == MODEL_CALL)
    put_costs (out, m, e->cost);
  else
    fputc ('\n', out);
}

/* Whether the costs of lost records take a line.  */
static bool
has_lost_line (const struct model_part *part)
{
  for (size_t i = 0; i < MODEL_EVENTS; i++)
    if (part->lost_cost[i] != 0)
      return true;
  return false;
}

static void
put_lost (FILE *out, const struct model_writer *m,
          const struct model_part *part)
{
  if (!has_lost_line (part))
    return;
  if (is_cachegrind (m))
    {
      put_cachegrind (out, m, "???", "[lost]", 0, part->lost_cost);
      return;
    }
  fprintf (out, "ob=(1) ???\nfl=(2) ???\nfn=(%d) [lost]\n0x0 0", LOST_ID);
  put_costs (out, m, part->lost_cost);
}

/* The file up to `end`, of which only the parts count that are whole.  */
struct extent
{
  uint64_t end;
  size_t n_parts;
  size_t n_ended;
};

static char *
write_plainly (const struct model_writer *m, const struct extent *x,
               size_t *n)
{
  static const char *const names[] = { "A", "B", "C" };
  char *bytes;
  FILE *out = open_memstream (&bytes, n);

  if (out == NULL)
    abort ();
  fputs (is_cachegrind (m) ? "events:" : "positions: instr line\nevents:",
         out);
  for (size_t i = 0; i < model_n_events (m->shape); i++)
    fprintf (out, " %s", names[i]);
  fputc ('\n', out);
  for (size_t i = 0; i < m->n_entries; i++)
    if (m->entry[i].end <= x->end)
      put_entry (out, m, &m->entry[i]);
  for (size_t i = 0; i < x->n_ended; i++)
    put_lost (out, m, &m->part[i]);
  fclose (out);
  return bytes;
}

/* That of an overflow the strict reader would not believe: it sees only what is
   left of the sum.  */
static bool
has_lost_overflow (const struct model_writer *m)
{
  for (size_t i = 0; i < m->n_parts; i++)
    if (m->part[i].lost_overflow)
      return true;
  return false;
}

static unsigned
flags_of_reader (const struct model_writer *m, bool is_complete)
{
  if (has_lost_overflow (m) || is_cachegrind (m))
    return READER_LENIENT;
  return (m->flags & CGW_PLAIN_NAMES ? READER_PLAIN : 0)
         | (m->flags & CGW_ABSOLUTE ? READER_ABSOLUTE : 0)
         | (m->flags & CGW_KEEP_ZEROS ? READER_KEEP_ZEROS : 0)
         | (m->flags & CGW_NO_PAD ? READER_NO_PAD : 0)
         | (m->flags & CGW_ZERO_CALLS ? READER_ALLOW_ZERO_CALLS : 0)
         | (is_complete ? 0 : READER_UNFINISHED);
}

static void
must_be (const char *what, uint64_t got, uint64_t wanted)
{
  if (got != wanted)
    fuzz_fail ("the file: %s: %" PRIu64 ", not %" PRIu64, what, got, wanted);
}

static void
check_counts (const struct model_writer *m, const struct extent *x,
              const struct profile *p)
{
  uint64_t n[MODEL_COMMENT + 1] = { 0 };

  for (size_t i = 0; i < m->n_entries; i++)
    n[m->entry[i].kind] += m->entry[i].end <= x->end
                           && (!is_cachegrind (m)
                               || m->entry[i].kind == MODEL_COST);
  for (size_t i = 0; i < x->n_ended; i++)
    n[MODEL_COST] += has_lost_line (&m->part[i]);
  must_be ("cost lines", p->cost_lines, n[MODEL_COST]);
  must_be ("calls", p->calls, n[MODEL_CALL]);
  must_be ("jumps", p->jump_lines, n[MODEL_JUMP] + n[MODEL_COND_JUMP]);
  must_be ("parts", p->n_parts, x->n_parts);
}

static void
check_comment (const struct profile_part *part, size_t *n, const char *text)
{
  if (*n == part->n_comments || strcmp (part->comments[*n], text) != 0)
    fuzz_fail ("the file: a comment is not '%s'", text);
  ++*n;
}

static void
check_comments (const struct model_writer *m, const struct extent *x,
                size_t i, const struct profile_part *part)
{
  uint64_t lost = i < x->n_ended ? m->part[i].lost : 0;
  size_t n = has_lost_overflow (m) && i == 0; /* lenient: the first line */
  char text[60];

  for (size_t j = 0; j < m->n_entries; j++)
    if (m->entry[j].kind == MODEL_COMMENT && m->entry[j].part == i
        && m->entry[j].end <= x->end)
      check_comment (part, &n, m->entry[j].text);
  snprintf (text, sizeof text, "cgw: lost %" PRIu64 " record%s", lost,
            lost == 1 ? "" : "s");
  if (lost > 0)
    check_comment (part, &n, text);
  must_be ("comments", part->n_comments, n);
}

/* KCachegrind takes a later part without any number for the same part.  */
static uint64_t
number_of_part (const struct cgw_part *given, size_t i)
{
  return i > 0 && given->pid == 0 && given->number == 0 && given->thread == 0
             ? i + 1
             : given->number;
}

static void
check_sums (const struct model_writer *m, const uint64_t *sums, size_t n,
            bool are_there, const struct model_part *ours)
{
  must_be ("sums", n, are_there ? model_n_events (m->shape) : 0);
  for (size_t i = 0; i < n; i++)
    must_be ("a sum", sums[i], ours->sum[i]);
}

/* The header and the totals.  */
static void
check_part (const struct model_writer *m, const struct extent *x, size_t i,
            const struct profile_part *part)
{
  const struct model_part *ours = &m->part[i];
  bool has_totals = i < x->n_ended && !ours->overflow;

  if (is_cachegrind (m))
    {
      must_be ("summary", part->has_summary, has_totals);
      check_sums (m, part->summary, part->n_summary, has_totals, ours);
      return;
    }
  must_be ("pid", part->pid, ours->given->pid);
  must_be ("part", part->part, number_of_part (ours->given, i));
  must_be ("thread", part->thread, ours->given->thread);
  must_be ("cmd", part->cmd != NULL, ours->given->cmd != NULL);
  must_be ("desc lines", part->n_desc, ours->given->n_desc);
  must_be ("summary", part->has_summary, ours->has_summary);
  must_be ("totals", part->has_totals, has_totals);
  check_sums (m, part->totals, part->n_totals, has_totals, ours);
  check_comments (m, x, i, part);
}

static struct profile *
must_read (const char *bytes, size_t n, unsigned flags)
{
  char error[300] = "";
  struct profile *p = profile_read (bytes, n, flags, error, sizeof error);

  if (p == NULL)
    fuzz_fail ("the file is refused: %s\n%.*s", error, (int) n, bytes);
  return p;
}

/* Copy the lines of the cachegrind format, in which all costs are there and
   summary: is the last line, with another byte before names.  */
static char *
mark_names (const struct model_writer *m, const char *bytes, size_t *n)
{
  const char *end = bytes + *n;
  char *copy;
  FILE *out = open_memstream (&copy, n);

  if (out == NULL)
    abort ();
  for (const char *next; bytes < end; bytes = next)
    {
      size_t n_blanks = 0;
      const char *line = bytes;

      next = (const char *) memchr (bytes, '\n', (size_t) (end - bytes)) + 1;
      for (const char *p = line; p < next; p++)
        n_blanks += *p == ' ';
      if (*line >= '0' && *line <= '9')
        must_be ("costs", n_blanks, model_n_events (m->shape));
      if (strncmp (line, "summary:", 8) == 0)
        must_be ("bytes behind summary:", (uint64_t) (end - next), 0);
      if (strncmp (line, "fl=", 3) == 0 || strncmp (line, "fn=", 3) == 0)
        {
          fprintf (out, "%.3s_", line);
          line += 3;
        }
      fwrite (line, 1, (size_t) (next - line), out);
    }
  fclose (out);
  return copy;
}

static void
check_profile (const struct model_writer *m, const char *bytes,
               const struct extent *x, bool is_complete)
{
  size_t n = x->end;
  char *marked = is_cachegrind (m) ? mark_names (m, bytes, &n) : NULL;
  struct profile *theirs = must_read (marked != NULL ? marked : bytes, n,
                                      flags_of_reader (m, is_complete));
  char *plain = write_plainly (m, x, &n);
  struct profile *ours = must_read (plain, n, READER_LENIENT);
  char why[300];

  check_counts (m, x, theirs);
  for (size_t i = 0; i < x->n_parts; i++)
    check_part (m, x, i, &theirs->parts[i]);
  if (!profile_same (ours, theirs, why, sizeof why))
    fuzz_fail ("the file: %s", why);
  profile_free (theirs);
  profile_free (ours);
  free (plain);
  free (marked);
}

/* Find how much of the file is whole: all of it, or up to the last record,
   comment or header before `written`.  */
static struct extent
whole_extent (const struct model_writer *m, bool is_complete)
{
  struct extent x = { .end = 0 };

  for (size_t i = 0; i < m->n_entries; i++)
    if (m->entry[i].end <= m->written && m->entry[i].end > x.end)
      x.end = m->entry[i].end;
  for (size_t i = 0; i < m->n_parts && m->part[i].begin <= m->written; i++)
    {
      x.n_parts++;
      if (m->part[i].begin > x.end)
        x.end = m->part[i].begin;
    }
  if (is_complete)
    x.end = m->written;
  for (size_t i = 0; i < x.n_parts; i++)
    x.n_ended += m->part[i].ended && (is_complete || i + 1 < x.n_parts);
  return x;
}

static struct model_bytes
read_file (const struct model_writer *m)
{
  return m->target == MODEL_FD     ? model_read_fd (m->fd)
         : m->target == MODEL_PATH ? model_read_path (m->path)
                                   : (struct model_bytes){ m->sink.bytes,
                                                           m->sink.n };
}

void
model_check_file (const struct model_writer *m)
{
  bool has_ended = m->state == MODEL_ENDED;
  bool is_complete
      = has_ended && m->n_parts > 0 && m->part[m->n_parts - 1].ended
        && (m->target == MODEL_FD || m->target == MODEL_PATH
            || (m->target == MODEL_HOOK && m->sink.answer == MODEL_TOOK));
  struct extent x = whole_extent (m, is_complete);
  struct model_bytes b;

  /* Under the name that it had before, nobody finds it.  */
  if (!m->begun || (m->target == MODEL_PATH && (m->flags & CGW_REPLACE)
                    && !has_ended))
    return;
  b = read_file (m);
  if (m->target != MODEL_FULL)
    must_be ("bytes", b.n, m->written);
  if (x.n_parts > 0)
    check_profile (m, b.bytes, &x, is_complete);
  if (m->target == MODEL_FD || m->target == MODEL_PATH)
    free (b.bytes);
}
