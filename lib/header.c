/* header.c - the lines around a part's body: the file's first lines, the
   part's header, and its totals.

   SPDX-License-Identifier: MIT  */

#include "text.h"
#include "writer.h"

/* A number and the blank before it.  */
#define COST_MAX (1 + CGWI_NUMBER_MAX)

static bool
is_letter (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

/* The length of the event name at text, as the format's grammar has it:
   letters and digits, a letter first; 0 when there is none.  */
static size_t
name_length (const char *text)
{
  size_t n = 0;

  if (is_letter (text[0]))
    while (is_letter (text[n]) || is_digit (text[n]))
      n++;
  return n;
}

static const char *
skip_blanks (const char *text)
{
  while (*text == ' ' || *text == '\t')
    text++;
  return text;
}

/* A term of a derived event's formula.  */
struct term
{
  uint32_t coefficient; /* 1 when there is none */
  const char *name;
  size_t length;
};

/* Reads the decimal coefficient of a term, below 2^31 for KCachegrind, and a
   "*" behind it.  NULL when it is too large.  */
static const char *
read_coefficient (const char *text, uint32_t *coefficient)
{
  uint64_t n = 0;

  for (; is_digit (*text); text++)
    {
      n = n * 10 + (uint64_t) (*text - '0');
      if (n > INT32_MAX)
        return NULL;
    }
  *coefficient = (uint32_t) n;
  text = skip_blanks (text);
  return skip_blanks (*text == '*' ? text + 1 : text);
}

/* Reads the term at *formula and the "+" behind it, and steps over both;
   false when the text there is not as the grammar says.  */
static bool
read_term (const char **formula, struct term *term)
{
  const char *text = skip_blanks (*formula);

  term->coefficient = 1;
  if (is_digit (*text))
    text = read_coefficient (text, &term->coefficient);
  if (text == NULL)
    return false;
  term->name = text;
  term->length = name_length (text);
  text = skip_blanks (text + term->length);
  if (term->length == 0 || (*text != '\0' && *text != '+'))
    return false;
  *formula = *text == '+' ? text + 1 : text;
  return *text == '\0' || *skip_blanks (text + 1) != '\0';
}

/* Whether one of the first n events has this name.  */
static bool
has_event (const struct cgw_event *events, size_t n, const char *name,
           size_t length)
{
  for (size_t i = 0; i < n; i++)
    if (strlen (events[i].name) == length
        && memcmp (events[i].name, name, length) == 0)
      return true;
  return false;
}

/* Whether event i is as the grammar says, is new, and counts from events
   before it.  */
static bool
event_is_right (const struct cgw_event *events, size_t i)
{
  const struct cgw_event *e = &events[i];
  struct term term;

  if (e->name == NULL || e->name[0] == '\0'
      || name_length (e->name) != strlen (e->name)
      || has_event (events, i, e->name, strlen (e->name)))
    return false;
  if (e->formula == NULL)
    return true;
  for (const char *f = e->formula; *f != '\0' || f == e->formula;)
    if (!read_term (&f, &term)
        || !has_event (events, i, term.name, term.length))
      return false;
  return true;
}

/* How many events have costs, or 0 when the events are not right.  */
static size_t
count_events (const struct cgw_part *part)
{
  size_t n = 0;

  if (part->events == NULL)
    return 0;
  for (size_t i = 0; i < part->n_events; i++)
    {
      if (!event_is_right (part->events, i))
        return 0;
      n += part->events[i].formula == NULL;
    }
  return n <= CGW_EVENTS_MAX ? n : 0;
}

static bool
part_is_right (const struct cgw_part *part, size_t n_events)
{
  if (n_events == 0 || part->positions > CGW_INSTR_LINE
      || part->n_summary > n_events
      || (part->n_summary > 0 && part->summary == NULL)
      || (part->n_desc > 0 && part->desc == NULL))
    return false;
  for (size_t i = 0; i < part->n_desc; i++)
    if (part->desc[i] == NULL)
      return false;
  return true;
}

static char *
put_text (char *p, const char *text)
{
  size_t n = strlen (text);

  memcpy (p, text, n);
  return p + n;
}

/* " Ir Dr": what stands behind "events:".  */
static char *
put_event_names (char *p, const struct cgw_part *part)
{
  for (size_t i = 0; i < part->n_events; i++)
    if (part->events[i].formula == NULL)
      {
        *p++ = ' ';
        p = put_text (p, part->events[i].name);
      }
  return p;
}

/* Bytes that the events' texts may take.  */
static size_t
events_length (const struct cgw_part *part)
{
  size_t n = 0;

  for (size_t i = 0; i < part->n_events; i++)
    {
      const struct cgw_event *e = &part->events[i];
      n += sizeof "event:  =  : \n" + 2 * strlen (e->name);
      if (e->long_name != NULL)
        n += CGWI_ESCAPE * strlen (e->long_name);
      if (e->formula != NULL) /* "a+b" becomes "a + b" */
        n += 3 * strlen (e->formula);
    }
  return n;
}

/* Bytes that the header may take, and what fills up the page before it.  */
static size_t
header_length (const struct cgw_writer *w, const struct cgw_part *part)
{
  size_t n = CGWI_PAGE + 512 + CGWI_ESCAPE * strlen (w->creator)
             + events_length (part) + CGW_EVENTS_MAX * COST_MAX;

  if (part->cmd != NULL)
    n += CGWI_ESCAPE * strlen (part->cmd);
  for (size_t i = 0; i < part->n_desc; i++)
    n += sizeof "desc: \n" + CGWI_ESCAPE * strlen (part->desc[i]);
  return n;
}

static char *
put_number_line (char *p, const char *key, uint64_t n)
{
  if (n == 0)
    return p;
  p = cgwi_put_decimal (put_text (p, key), n);
  *p++ = '\n';
  return p;
}

/* A key and " " and the value, without a blank at the end if it is empty.  */
static char *
put_value_line (char *p, const char *key, const char *text,
                char *(*put) (char *, const char *))
{
  char *value;

  p = put_text (p, key);
  value = put (p + 1, text);
  if (value > p + 1)
    {
      *p = ' ';
      p = value;
    }
  *p++ = '\n';
  return p;
}

/* The lines that say what the part is.  pid:, part: or thread: is first in
   each part but the file's first: KCachegrind begins a new part there, and
   would take a cmd: or desc: before it for the part before.  */
static char *
put_details (const struct cgw_writer *w, char *p, const struct cgw_part *part)
{
  uint64_t number = part->part;

  if (w->part != w->first_part && part->pid == 0 && part->part == 0
      && part->thread == 0)
    number = w->part - w->first_part + 1;
  p = put_number_line (p, "pid: ", part->pid);
  p = put_number_line (p, "part: ", number);
  p = put_number_line (p, "thread: ", part->thread);
  if (part->cmd != NULL)
    p = put_value_line (p, "cmd:", part->cmd, cgwi_put_command);
  for (size_t i = 0; i < part->n_desc; i++)
    p = put_value_line (p, "desc:", part->desc[i], cgwi_put_value);
  return p;
}

static char *
put_formula (char *p, const char *formula)
{
  struct term term;

  for (const char *rest = formula; *rest != '\0';)
    {
      p = put_text (p, rest == formula ? " = " : " + ");
      read_term (&rest, &term);
      if (term.coefficient != 1)
        {
          p = cgwi_put_decimal (p, term.coefficient);
          *p++ = ' ';
        }
      memcpy (p, term.name, term.length);
      p += term.length;
    }
  return p;
}

/* All events, those with a formula, too: what the parts of a file must have in
   common.  */
static char *
put_all_events (char *p, const struct cgw_part *part)
{
  for (size_t i = 0; i < part->n_events; i++)
    {
      *p++ = ' ';
      p = put_text (p, part->events[i].name);
      if (part->events[i].formula != NULL)
        p = put_formula (p, part->events[i].formula);
    }
  return p;
}

/* event: lines, only where they say something: Qt Creator stops at them.  */
static char *
put_event_line (char *p, const struct cgw_event *e)
{
  bool has_long_name
      = e->long_name != NULL && e->long_name[strspn (e->long_name, " ")] != 0;

  if (!has_long_name && e->formula == NULL)
    return p;
  p = put_text (put_text (p, "event: "), e->name);
  if (e->formula != NULL)
    p = put_formula (p, e->formula);
  if (has_long_name)
    return put_value_line (p, " :", e->long_name, cgwi_put_value);
  *p++ = '\n';
  return p;
}

static char *
put_sums (char *p, const char *key, const uint64_t *a, const uint64_t *b,
          size_t n, size_t n_events)
{
  p = put_text (p, key);
  for (size_t i = 0; i < n_events; i++)
    {
      *p++ = ' ';
      p = cgwi_put_decimal (p, i < n ? a[i] + (b != NULL ? b[i] : 0) : 0);
    }
  *p++ = '\n';
  return p;
}

/* The whole header.  The first lines come directly one after the other, for
   gprof2dot; events: is the last but for summary:, for callgrind_annotate and
   KCachegrind.  */
static char *
put_header (const struct cgw_writer *w, char *p, const struct cgw_part *part)
{
  static const char *const positions[]
      = { "", "positions: line\n", "positions: instr\n",
          "positions: instr line\n" };

  if (w->part == w->first_part)
    {
      p = put_text (p, "# callgrind format\nversion: 1\n");
      p = put_value_line (p, "creator:", w->creator, cgwi_put_value);
    }
  p = put_details (w, p, part);
  p = put_text (p, positions[w->positions]);
  for (size_t i = 0; i < part->n_events; i++)
    p = put_event_line (p, &part->events[i]);
  p = put_text (put_event_names (put_text (p, "events:"), part), "\n");
  if (part->n_summary > 0)
    p = put_sums (p, "summary:", part->summary, NULL, part->n_summary,
                  w->n_events);
  return p;
}

/* Memory for what the first part decides for all: the events, and a sum for
   each.  */
static enum cgw_status
set_events (struct cgw_writer *w, const struct cgw_part *part, size_t n)
{
  char *names = cgwi_resize (&w->memory, NULL, events_length (part));
  uint64_t *sums;

  if (names == NULL)
    return CGW_ENOMEM;
  sums = cgwi_resize (&w->memory, NULL, 5 * n * sizeof *sums);
  if (sums == NULL
      || !cgwi_ring_make (&w->ring, &w->memory, w->parking_slots,
                          cgwi_parked_size (n)))
    {
      cgwi_release (&w->memory, names);
      cgwi_release (&w->memory, sums);
      return CGW_ENOMEM;
    }
  memset (sums, 0, 5 * n * sizeof *sums);
  *put_all_events (names, part) = '\0';
  w->events = names;
  w->n_events = n;
  w->positions = part->positions != 0 ? part->positions : CGW_LINE;
  w->sums = (struct cgwi_sums){ sums, sums, sums + n, sums + 2 * n,
                                sums + 3 * n };
  w->busy_costs = (_Atomic uint64_t *) (sums + 4 * n);
  /* Last: from here on a handler may park costs, or lose them.  */
  atomic_signal_fence (memory_order_seq_cst);
  w->park_costs = n;
  return CGW_OK;
}

/* Whether a later part has the events and positions of the first.  There must
   be room for its header behind the buffer's end.  */
static bool
same_events (const struct cgw_writer *w, const struct cgw_part *part)
{
  char *scratch = w->buffer.bytes + w->buffer.used;

  *put_all_events (scratch, part) = '\0';
  return (part->positions != 0 ? part->positions : CGW_LINE) == w->positions
         && strcmp (scratch, w->events) == 0;
}

/* Everything that can fail, with nothing changed in the file.  */
static enum cgw_status
prepare_part (struct cgw_writer *w, const struct cgw_part *part)
{
  size_t n_events = count_events (part);
  struct cgwi_lengths lengths = cgwi_lengths (w);
  enum cgw_status status;

  if (!part_is_right (part, n_events))
    return CGW_EINVAL;
  if ((status = cgwi_make_room_waiting (w)) != CGW_OK)
    return status;
  lengths.n_events = n_events;
  if (!cgwi_fit (w, &lengths,
                 w->buffer.used + cgwi_end_length (&lengths)
                     + header_length (w, part)))
    return CGW_ENOMEM;
  if (w->events == NULL)
    return set_events (w, part, n_events);
  return same_events (w, part) ? CGW_OK : CGW_EINVAL;
}

static enum cgw_status
begin_part (struct cgw_writer *w, const struct cgw_part *part)
{
  enum cgw_status status = CGW_EFINISHED;

  if (w->state == CGWI_FINISHED
      || (status = prepare_part (w, part)) != CGW_OK)
    return status;
  cgwi_end_part (w);
  w->part++;
  w->state = CGWI_PART_OPEN;
  /* Some readers forget the object here, others (gprof2dot) do not: unless it
     is the unknown one, the first fn= says its object, even if unknown.  */
  w->encoder = (struct cgwi_encoder){ .object = w->encoder.object == 0
                                                    ? 0
                                                    : CGWI_NONE,
                                      .file = CGWI_NONE,
                                      .source = CGWI_NONE,
                                      .fn = CGWI_NONE };
  cgwi_commit (w, put_header (w, w->buffer.bytes + w->buffer.used, part));
  return CGW_OK;
}

enum cgw_status
cgw_begin_part (struct cgw_writer *w, const struct cgw_part *theirs)
{
  struct cgw_part part;
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w)) != CGW_OK)
    return status;
  /* What is parked already belongs to the part before.  */
  cgwi_write_parked (w);
  status = theirs == NULL || !cgwi_take_struct (&part, sizeof part, theirs)
               ? CGW_EINVAL
               : begin_part (w, &part);
  if (status == CGW_EINVAL || status == CGW_ENOMEM)
    cgwi_keep (w, status);
  /* The caller may try these again; cgw_finish asks whether it did.  */
  w->missing_part = status == CGW_EAGAIN ? CGW_ELOST
                    : status == CGW_EIO  ? CGW_EIO
                                         : CGW_OK;
  cgwi_leave (w);
  return status;
}

/* What was lost, for people as a comment, and for readers as the cost of a
   function "[lost]", so that the part's sums are what was delivered.  */
static void
report_lost (struct cgw_writer *w)
{
  char *p = w->buffer.bytes + w->buffer.used;

  p = put_text (p, CGWI_LOST_REPORT);
  p = cgwi_put_decimal (p, w->part_lost);
  p = put_text (p, w->part_lost == 1 ? " record\n" : " records\n");
  cgwi_commit (w, p);
  for (size_t i = 0; i < w->n_events; i++)
    if (w->sums.part_lost[i] != 0)
      {
        cgwi_write_lost (w);
        break;
      }
}

/* Takes over what was lost for want of a place to park.  */
static void
take_busy (struct cgw_writer *w)
{
  uint64_t n = atomic_exchange (&w->busy, 0);

  for (size_t i = 0; i < w->n_events; i++)
    {
      uint64_t cost = atomic_exchange (&w->busy_costs[i], 0);
      w->overflow |= cgwi_add_costs (&w->sums.part_lost[i], &cost, 1);
    }
  w->file_busy += n;
  w->part_lost += n;
}

void
cgwi_end_part (struct cgw_writer *w)
{
  struct cgwi_sums *s = &w->sums;
  size_t size = w->n_events * sizeof *s->part;

  if (w->state != CGWI_PART_OPEN)
    return;
  take_busy (w);
  if (w->part_lost > 0)
    report_lost (w);
  for (size_t i = 0; i < w->n_events; i++)
    w->overflow |= s->part[i] + s->part_lost[i] < s->part[i];
  if (w->overflow)
    cgwi_keep (w, CGW_EOVERFLOW);
  else
    cgwi_commit (w, put_sums (w->buffer.bytes + w->buffer.used, "totals:",
                              s->part, s->part_lost, w->n_events,
                              w->n_events));
  cgwi_add_costs (s->file, s->part, w->n_events);
  cgwi_add_costs (s->file_lost, s->part_lost, w->n_events);
  memset (s->part, 0, size);
  memset (s->part_lost, 0, size);
  w->part_lost = 0;
  w->overflow = false;
  w->state = CGWI_NO_PART;
}
