/* cgin_read.c - reads a callgrind file line by line.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin.h"
#include "cgin_impl.h"

#include "../base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More bytes of header lines than this are no header, and must not fill the
   memory.  */
#define HEADER_MAX ((size_t) 16 << 20)

/* ob=, fl=, fi=, fe=, fn=: where the next costs happen.  */

/* Says which file the next costs are booked on.  */
static void
set_source (struct cgin *in, struct cgw_file source)
{
  in->source = source;
  in->pos.file = source;
  if (source.handle == in->fn_file.handle)
    in->pos.file.handle = 0;
}

static bool
ob_line (struct cgin *in, char *spec)
{
  return cgin_object (in, spec, &in->object);
}

/* Costs before any fn= are those of an unknown function of the file.  */
static void
enter_file (struct cgin *in, struct cgw_file file)
{
  in->file = file;
  if (!in->any_fn)
    {
      in->pos.fn = cgin_add_fn (in, "???", file, in->object);
      in->fn_file = file;
    }
  set_source (in, file);
}

static bool
fl_line (struct cgin *in, char *spec)
{
  struct cgw_file file;

  if (!cgin_file (in, spec, &file))
    return false;
  in->any_fl = true;
  enter_file (in, file);
  return true;
}

/* Python profilers write fi= before each fn=, and no fl=: functions are in
   that file.  */
static bool
fi_line (struct cgin *in, char *spec)
{
  struct cgw_file file;

  if (!cgin_file (in, spec, &file))
    return false;
  if (in->any_fl)
    set_source (in, file);
  else
    enter_file (in, file);
  return true;
}

/* A function is in the file of the last fl= and the object of the last ob=,
   and so are its lines until the next fi=: callgrind does not end each fi=
   before another function begins.  */
static bool
fn_line (struct cgin *in, char *spec)
{
  uint32_t index;

  if (!cgin_fn_name (in, spec, CGIN_PLAIN_FN, &index))
    return false;
  in->pos.fn = cgin_bind (in, index, in->file, in->object);
  in->any_fn = true;
  in->fn_file = in->file;
  set_source (in, in->file);
  return true;
}

/* callgrind names the callers of a context or the depth of a recursion in
   lines that all readers skip; the first kind can define ids.  */
static bool
frfn_line (struct cgin *in, char *spec)
{
  uint32_t index;

  return cgin_fn_name (in, spec, CGIN_PLAIN_JUMP, &index);
}

static bool
rec_line (struct cgin *in, char *spec)
{
  uint64_t depth;

  return cgin_last_number (in, spec, &depth);
}

/* cob=, cfi=, cfn=, calls=: a call.  */

static bool
cob_line (struct cgin *in, char *spec)
{
  in->has_callee_object = in->new_callee = true;
  return cgin_object (in, spec, &in->callee_object);
}

static bool
cfi_line (struct cgin *in, char *spec)
{
  in->has_callee_file = in->new_callee = true;
  return cgin_file (in, spec, &in->callee_file);
}

static bool
cfn_line (struct cgin *in, char *spec)
{
  in->new_callee = true;
  in->pending = CGIN_CALLEE;
  return cgin_fn_name (in, spec, CGIN_PLAIN_CALLEE, &in->callee);
}

static bool
calls_line (struct cgin *in, char *value)
{
  const char *p = cgin_skip_blanks (value);
  struct cgin_edge *edge = &in->edge;

  if (in->callee == UINT32_MAX)
    return cgin_fail (in, "calls= before any cfn=");
  *edge = (struct cgin_edge) { 0 };
  if (!cgin_number (in, &p, &edge->count)
      || !cgin_target (in, cgin_skip_blanks (p), &in->pos, &edge->to))
    return false;
  cgin_start_call (in, in->lines.number);
  return true;
}

/* jfi=, jfn=, jump=, jcnd=: a jump.  */

static bool
jfi_line (struct cgin *in, char *spec)
{
  in->has_jump_file = true;
  return cgin_file (in, spec, &in->jump_file);
}

static bool
jfn_line (struct cgin *in, char *spec)
{
  return cgin_fn_name (in, spec, CGIN_PLAIN_JUMP, &in->jump_fn);
}

/* The function that jfn= names: the one that its id was bound to, if that is
   in this object; for jfi= is the file of the target's line, which may be
   inlined code, and not always the function's.  A name without an id tells
   nothing of the file: there jfi= counts.  */
static struct cgw_fn
jump_target (struct cgin *in, struct cgw_file file)
{
  if (in->jump_fn == UINT32_MAX)
    return in->pos.fn;
  const struct cgin_fn_name *name = &in->names.fn_names[in->jump_fn];
  if (in->jump_fn != CGIN_PLAIN_JUMP && name->bound
      && name->object.handle == in->object.handle)
    return name->fn;
  return cgin_bind (in, in->jump_fn, file, in->object);
}

static bool
start_jump (struct cgin *in, const char *p)
{
  struct cgin_edge *edge = &in->edge;
  struct cgw_file file = in->has_jump_file ? in->jump_file : in->source;

  if (*p == '\0')
    return cgin_fail (in, "jump without a target");
  if (!cgin_target (in, p, &in->pos, &edge->to))
    return false;
  edge->to.fn = jump_target (in, file);
  edge->to.file = file;
  in->has_jump_file = false;
  in->jump_fn = UINT32_MAX;
  in->pending = CGIN_JUMP;
  return true;
}

static bool
jump_line (struct cgin *in, char *value)
{
  const char *p = cgin_skip_blanks (value);

  in->edge = (struct cgin_edge) { 0 };
  return cgin_number (in, &p, &in->edge.count)
         && start_jump (in, cgin_skip_blanks (p));
}

/* jcnd=FOLLOWED/EXECUTED as callgrind and the readers have it, or
   jcnd=EXECUTED FOLLOWED as the document has it.  */
static bool
jcnd_line (struct cgin *in, char *value)
{
  const char *p = cgin_skip_blanks (value);
  struct cgin_edge *edge = &in->edge;
  uint64_t first, second;

  *edge = (struct cgin_edge) { .conditional = true };
  if (!cgin_number (in, &p, &first))
    return false;
  bool slash = *p == '/';
  p = slash ? p + 1 : cgin_skip_blanks (p);
  if (!cgin_number (in, &p, &second))
    return false;
  edge->followed = slash ? first : second;
  edge->count = slash ? second : first;
  return start_jump (in, cgin_skip_blanks (p));
}

/* Cost lines.  */

/* pprof leaves an unknown line number empty: a blank and one cost.  */
static bool
lacks_position (const struct cgin *in, const char *line)
{
  return line[0] == ' ' && line[1] != ' ' && !strchr (line + 1, ' ')
         && in->header.n_listed == 1 && in->header.positions == CGW_LINE;
}

/* A line of subpositions and costs.  In the document's form a jump has no line
   of its own: its source is then where the last costs were.  */
static bool
cost_line (struct cgin *in, const char *line)
{
  uint64_t costs[CGW_EVENTS_MAX];
  struct cgw_pos pos = in->pos;
  const char *p = line;
  size_t n;

  if (lacks_position (in, line))
    {
      p++;
      pos.line = 0;
    }
  else
    {
      p = cgin_skip_blanks (p);
      if (!cgin_position (in, &p, &in->pos, &pos))
        return false;
    }
  if (in->pending == CGIN_JUMP && *p != '\0' && !cgin_end_jump (in))
    return false;
  in->pos = pos;
  return cgin_numbers (in, p, costs, in->header.n_listed, &n)
         && cgin_end_cost_line (in, costs, n);
}

/* Kinds of lines.  */

enum place
{
  HEADER, /* begins a new part when it comes behind a body */
  BODY,
  ANYWHERE
};

/* The first ones are the most frequent.  */
static const struct kind
{
  const char *word; /* with its "=" or ":" */
  size_t length;
  enum place place;
  bool (*read) (struct cgin *in, char *value);
} kinds[] = {
#define KIND(word, place, read) { word, sizeof word - 1, place, read }
  KIND ("cfn=", BODY, cfn_line),
  KIND ("calls=", BODY, calls_line),
  KIND ("jcnd=", BODY, jcnd_line),
  KIND ("jump=", BODY, jump_line),
  KIND ("fn=", BODY, fn_line),
  KIND ("cfi=", BODY, cfi_line),
  KIND ("cob=", BODY, cob_line),
  KIND ("fi=", BODY, fi_line),
  KIND ("fe=", BODY, fi_line),
  KIND ("fl=", BODY, fl_line),
  KIND ("ob=", BODY, ob_line),
  KIND ("cfl=", BODY, cfi_line),
  KIND ("jfi=", BODY, jfi_line),
  KIND ("jfn=", BODY, jfn_line),
  KIND ("frfn=", BODY, frfn_line),
  KIND ("rec=", BODY, rec_line),
  KIND ("cmd:", HEADER, cgin_cmd),
  KIND ("creator:", HEADER, cgin_creator),
  KIND ("desc:", HEADER, cgin_desc),
  KIND ("event:", HEADER, cgin_event),
  KIND ("events:", HEADER, cgin_events),
  KIND ("part:", HEADER, cgin_part),
  KIND ("pid:", HEADER, cgin_pid),
  KIND ("positions:", HEADER, cgin_positions),
  KIND ("summary:", ANYWHERE, cgin_summary),
  KIND ("thread:", HEADER, cgin_thread),
  KIND ("totals:", ANYWHERE, cgin_totals),
  KIND ("version:", HEADER, cgin_is_version),
#undef KIND
};

static const struct kind *
find_kind (const char *line)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (line[0] == kinds[i].word[0] && line[1] == kinds[i].word[1]
        && strncmp (line, kinds[i].word, kinds[i].length) == 0)
      return &kinds[i];
  return NULL;
}

static void
trim_end (char *text)
{
  size_t n = strlen (text);

  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
    n--;
  text[n] = '\0';
}

static bool
header_line (struct cgin *in, const struct kind *kind, char *line)
{
  char *value = line + kind->length;

  if (!in->in_header && kind->place == HEADER && !cgin_start_header (in))
    return false;
  in->header.bytes += strlen (line);
  if (in->in_header && in->header.bytes > HEADER_MAX)
    return cgin_fail (in, "the header is too large");
  value += strspn (value, " \t");
  trim_end (value);
  return kind->read (in, value);
}

static bool
comment_line (struct cgin *in, char *line)
{
  char *text = line + 1 + strspn (line + 1, " \t");

  trim_end (text);
  if (strcmp (text, "callgrind format") == 0)
    return true;
  if (!in->in_header)
    return cgin_comment (in, text);
  in->header.bytes += strlen (line) + sizeof (char *);
  if (in->header.bytes > HEADER_MAX)
    return cgin_fail (in, "the header is too large");
  return cgin_header_comment (in, text);
}

static bool
is_cost_line (const char *line)
{
  char c = *line;

  return (c >= '0' && c <= '9') || c == '*' || c == '+' || c == '-';
}

/* Ends what waits for a cost line when another one comes.  */
static bool
end_pending (struct cgin *in)
{
  if (in->pending == CGIN_CALL)
    return cgin_fail (in, "calls= is not followed by its cost line");
  if (in->pending == CGIN_JUMP)
    return cgin_end_jump (in);
  in->pending = CGIN_NOTHING;
  return true;
}

static bool
body_line (struct cgin *in, const struct kind *kind, char *line)
{
  if (in->in_header && !cgin_open_part (in))
    return false;
  return kind ? kind->read (in, line + kind->length)
              : cost_line (in, line);
}

static bool
read_line (struct cgin *in, char *line)
{
  char *start = line + (cgin_skip_blanks (line) - line);

  if (is_cost_line (start))
    return body_line (in, NULL, line);
  if (*start == '\0')
    return true;
  if (*start == '#')
    return comment_line (in, start);
  const struct kind *kind = find_kind (start);
  if (!kind)
    return strncmp (start, "\xEF\xBB\xBF", 3) == 0
               ? cgin_fail (in, "begins with a byte order mark: remove it")
               : cgin_fail_at (in, "unknown line", start);
  if (!end_pending (in))
    return false;
  return kind->place == BODY ? body_line (in, kind, start)
                             : header_line (in, kind, start);
}

/* The whole file.  */

/* The number of words that a line with all its numbers has; 0 for a line with
   a name, which may lack letters.  */
static size_t
whole_line_words (const struct cgin *in, const char *line)
{
  const struct cgin_header *h = &in->header;

  if (is_cost_line (line))
    return (h->positions & CGW_INSTR ? 1u : 0)
           + (h->positions & CGW_LINE ? 1u : 0) + h->has_bb
           + (in->pending == CGIN_JUMP ? 0 : h->n_listed);
  if (!in->in_header
      && (strncmp (line, "totals:", 7) == 0
          || strncmp (line, "summary:", 8) == 0))
    return 1 + h->n_listed;
  return 0;
}

static bool
is_whole (const struct cgin *in, const char *line)
{
  size_t words = 0;

  line = cgin_skip_blanks (line);
  for (const char *p = line; *p; p = cgin_skip_blanks (p + strcspn (p, " \t")))
    words++;
  return words > 0 && words == whole_line_words (in, line);
}

/* A line without "\n" may be torn.  Only yappi leaves out the last one.  */
static bool
check_newline (struct cgin *in, const char *line)
{
  if (!in->lines.no_newline || cgin_by_yappi (in))
    return true;
  if (!is_whole (in, line))
    return cgin_fail (in, "the last line has no newline: the file is cut");
  cgin_warn (in, "the last line has no newline, but all its numbers");
  return true;
}

static void
warn_of_zero_calls (const struct cgin *in)
{
  const char *remedy = in->sink->zero_calls_remedy;
  char text[200];

  if (in->zero_calls == 0 || remedy == NULL || in->sink->warn == NULL
      || (in->sink->is_sum && in->has_counts))
    return;
  snprintf (text, sizeof text,
            "calls with a cost and calls=0 (%" PRIu64 "): "
            "callgrind_annotate takes the cost for self cost; %s",
            in->zero_calls, remedy);
  in->sink->warn (in->sink->context, in->first_zero_call, text);
}

static void
tell_of_costs_behind_cfn (const struct cgin *in)
{
  char text[160];

  if (in->sink->costs_behind_cfn != NULL)
    in->sink->costs_behind_cfn (in->sink->context, in->behind_cfn,
                                in->first_behind_cfn,
                                in->behind_cfn_in_totals);
  else if (in->sink->warn != NULL && !in->behind_cfn_in_totals)
    {
      snprintf (text, sizeof text,
                "costs directly behind cfn=, without calls= (%" PRIu64 "), "
                "count as self costs; cgw-recode --repair makes them those of "
                "calls",
                in->behind_cfn);
      in->sink->warn (in->sink->context, in->first_behind_cfn, text);
    }
}

static bool
check_end (struct cgin *in)
{
  if (in->lines.number == 0)
    return cgin_fail (in, "the file is empty");
  if (!end_pending (in))
    return false;
  if (in->behind_cfn != 0)
    tell_of_costs_behind_cfn (in);
  warn_of_zero_calls (in);
  return !in->in_header || cgin_open_part (in);
}

static bool
read_lines (struct cgin *in)
{
  char *line;
  size_t length;

  while (cgin_usual_lines (in))
    switch (lines_next (&in->lines, &line, &length))
      {
      case LINES_OK:
        if (!check_newline (in, line) || !read_line (in, line))
          return false;
        break;
      case LINES_END:
        return check_end (in);
      case LINES_ERRNO:
        cgin_fail (in, strerror (errno));
        in->error->line = 0;
        return false;
      case LINES_TOO_LONG:
        return cgin_fail (in, "line too long");
      case LINES_NUL:
        return cgin_fail (in, "NUL byte: not a callgrind file");
      }
  return false;
}

/* The first line of a compressed file, such as xdebug can write, is wrong; what
   is wrong with it does not matter.  */
static void
explain_first_line (struct cgin *in)
{
  const char *reason
    = in->error->line == 1 ? lines_compressed (in->lines.buffer) : NULL;

  if (reason != NULL)
    cgin_fail (in, reason);
}

bool
cgin_read_lines (const struct lines *lines, const struct cgin_sink *sink,
                 struct cgin_error *error)
{
  struct cgin *in = resize (NULL, 1, sizeof *in);

  *in = (struct cgin) { .lines = *lines,
                        .sink = sink,
                        .error = error,
                        .in_header = true,
                        .header.positions = CGW_LINE,
                        .callee = UINT32_MAX,
                        .jump_fn = UINT32_MAX };
  cgin_names_begin (&in->names);
  cgin_find_late_summary (in);
  bool ok = read_lines (in);
  if (!ok)
    explain_first_line (in);
  lines_free (&in->lines);
  cgin_names_free (&in->names);
  cgin_header_free (in);
  free (in);
  return ok;
}

bool
cgin_read (int fd, const struct cgin_sink *sink, struct cgin_error *error)
{
  const struct lines lines = { .fd = fd };

  return cgin_read_lines (&lines, sink, error);
}
