/* profile_text.c - what the tools' reader finds in a profile, as a text, and
   its sums.

   A line of the text has names, not handles, so that the texts of two files can
   be compared.  What the library has another form for is written in one form:
   bytes that it escapes, and positions that the file does not have.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "profile_text.h"

#include "fuzz.h"

#include "cgin.h"
#include "memory.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct name_key
{
  uint32_t kind;
  uint32_t handle;
};

/* A name, and what a function is in.  */
struct name
{
  struct name_key key;
  char *text;
  uint32_t file, object;
};

struct reading
{
  struct profile_text *t;
  FILE *out;
  struct table names;
  unsigned positions;
  size_t n_costs;
  size_t column[CGW_EVENTS_MAX]; /* of the part's events in the sums */
};

static void
add (struct profile_sums *sums, uint64_t *sum, uint64_t more)
{
  sums->has_overflow |= *sum > UINT64_MAX - more;
  *sum += more;
}

/* Names.  */

static void
take_name (void *context, const struct cgin_name *n)
{
  struct reading *r = context;
  struct name *name
      = table_add (&r->names, &(struct name_key){ n->kind, n->handle });

  if (name->text != NULL)
    return;
  name->text = copy_text (n->text);
  name->file = n->file.handle;
  name->object = n->object.handle;
}

static const struct name *
find_name (const struct reading *r, enum cgin_kind kind, uint32_t handle)
{
  static const struct name unknown;
  const struct name *name
      = table_find (&r->names, &(struct name_key){ kind, handle });

  return name != NULL ? name : &unknown;
}

static void
put_text (FILE *out, const char *text)
{
  for (const char *p = text != NULL && *text != '\0' ? text : "???";
       *p != '\0'; p++)
    if ((unsigned char) *p < ' ' || (unsigned char) *p >= 0x7f)
      fprintf (out, "\\x%02x", (unsigned char) *p);
    else
      fputc (*p, out);
}

static void
put_name (const struct reading *r, enum cgin_kind kind, uint32_t handle)
{
  fputc ('|', r->out);
  put_text (r->out, find_name (r, kind, handle)->text);
}

static void
put_function (const struct reading *r, struct cgw_fn fn)
{
  const struct name *name = find_name (r, CGIN_FN, fn.handle);

  put_name (r, CGIN_FN, fn.handle);
  put_name (r, CGIN_FILE, name->file);
  put_name (r, CGIN_OBJECT, name->object);
}

static void
put_position (const struct reading *r, const struct cgw_pos *pos)
{
  fprintf (r->out, " @%" PRIx64 ":%" PRIu32,
           r->positions & CGW_INSTR ? pos->instr : 0,
           r->positions & CGW_LINE ? pos->line : 0);
}

static void
put_from (const struct reading *r, const struct cgw_pos *pos)
{
  uint32_t file = pos->file.handle;

  put_function (r, pos->fn);
  put_name (r, CGIN_FILE,
            file != 0 ? file : find_name (r, CGIN_FN, pos->fn.handle)->file);
  put_position (r, pos);
}

/* Parts.  */

static size_t
find_event (struct profile_sums *sums, const char *name)
{
  size_t i = 0;

  while (i < sums->n_events && strcmp (sums->events[i].name, name) != 0)
    i++;
  if (i == sums->n_events)
    {
      if (i == sizeof sums->events / sizeof *sums->events)
        fuzz_fail ("too many events");
      sums->events[sums->n_events++]
          = (struct event_sums){ .name = copy_text (name) };
    }
  return i;
}

static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct reading *r = context;

  (void) creator;
  r->t->sums.n_parts++;
  r->positions = part->positions != 0 ? part->positions : CGW_LINE;
  /* The library numbers parts that have no number.  */
  fprintf (r->out, "part %" PRIu64 " %" PRIu64 " %u\n", part->pid,
           part->thread, r->positions);
  r->n_costs = 0;
  for (size_t i = 0; i < part->n_events; i++)
    {
      const struct cgw_event *event = &part->events[i];

      /* Formulas are written in another form: "A" for "1 A".  */
      fprintf (r->out, "%s %s ", event->formula != NULL ? "derived" : "event",
               event->name);
      put_text (r->out, event->long_name);
      fputc ('\n', r->out);
      if (event->formula == NULL)
        r->column[r->n_costs++] = find_event (&r->t->sums, event->name);
    }
  return CGW_OK;
}

/* Records.  */

static void
put_costs (const struct reading *r, const uint64_t *cost, size_t n)
{
  while (n > 0 && cost[n - 1] == 0)
    n--;
  for (size_t i = 0; i < n; i++)
    fprintf (r->out, " %" PRIu64, cost[i]);
  fputc ('\n', r->out);
}

static enum cgw_status
take_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  struct reading *r = context;
  struct profile_sums *sums = &r->t->sums;

  fputs ("cost", r->out);
  put_from (r, pos);
  put_costs (r, cost, n);
  for (size_t i = 0; i < n; i++)
    add (sums, &sums->events[r->column[i]].self, cost[i]);
  return CGW_OK;
}

static enum cgw_status
take_call (void *context, const struct cgw_pos *from,
           const struct cgw_pos *to, uint64_t count, const uint64_t *cost,
           size_t n)
{
  struct reading *r = context;
  struct profile_sums *sums = &r->t->sums;

  fprintf (r->out, "call %" PRIu64, count);
  put_from (r, from);
  put_function (r, to->fn);
  put_position (r, to);
  put_costs (r, cost, n);
  add (sums, &sums->calls, count);
  for (size_t i = 0; i < n; i++)
    add (sums, &sums->events[r->column[i]].inclusive, cost[i]);
  return CGW_OK;
}

/* A function without a name has no handle, or one as "???".  */
static bool
has_name (const struct reading *r, struct cgw_fn fn)
{
  const struct name *name = find_name (r, CGIN_FN, fn.handle);

  return name->text != NULL && strcmp (name->text, "???") != 0;
}

static void
put_jump (const struct reading *r, const struct cgw_pos *from,
          const struct cgw_pos *to)
{
  put_from (r, from);
  /* In another function the file has no place: see cgw_jump.  */
  if (from->fn.handle == to->fn.handle && has_name (r, to->fn))
    put_from (r, to);
  else
    {
      put_function (r, to->fn);
      put_position (r, to);
    }
  fputc ('\n', r->out);
}

static enum cgw_status
take_jump (void *context, const struct cgw_pos *from,
           const struct cgw_pos *to, uint64_t executed)
{
  struct reading *r = context;

  fprintf (r->out, "jump %" PRIu64, executed);
  put_jump (r, from, to);
  add (&r->t->sums, &r->t->sums.executed, executed);
  return CGW_OK;
}

static enum cgw_status
take_cond_jump (void *context, const struct cgw_pos *from,
                const struct cgw_pos *to, uint64_t followed,
                uint64_t executed)
{
  struct reading *r = context;

  fprintf (r->out, "jcnd %" PRIu64 "/%" PRIu64, followed, executed);
  put_jump (r, from, to);
  add (&r->t->sums, &r->t->sums.executed, executed);
  add (&r->t->sums, &r->t->sums.followed, followed);
  return CGW_OK;
}

/* The whole.  */

static void
free_names (struct table *names)
{
  for (uint32_t i = 0; i < names->n; i++)
    free (((struct name *) table_entry (names, i))->text);
  table_free (names);
}

void
profile_text_read (struct profile_text *t, const struct tool_file *file)
{
  struct cgw_names *names = new_names ();
  struct reading r
      = { .t = t,
          .names = { .key_size = sizeof (struct name_key),
                     .entry_size = sizeof (struct name) } };
  const struct cgin_sink sink = { .context = &r,
                                  .names = names,
                                  .name = take_name,
                                  .begin_part = begin_part,
                                  .cost = take_cost,
                                  .call = take_call,
                                  .jump = take_jump,
                                  .cond_jump = take_cond_jump };
  struct cgin_error error;

  *t = (struct profile_text){ .is_read = false };
  r.out = open_memstream (&t->text, &t->size);
  if (r.out == NULL || lseek (file->fd, 0, SEEK_SET) != 0)
    fuzz_fail ("a file in memory cannot be read");
  t->is_read = cgin_read (file->fd, &sink, &error);
  if (!t->is_read)
    snprintf (t->error, sizeof t->error, "%" PRIu64 ": %s", error.line,
              error.text);
  fclose (r.out);
  free_names (&r.names);
  cgw_names_free (names);
}

void
profile_text_free (struct profile_text *t)
{
  for (size_t i = 0; i < t->sums.n_events; i++)
    free (t->sums.events[i].name);
  free (t->text);
}
