/* cgin_header.c - the header lines of a callgrind file, the parts that they
   begin, and the lines with sums.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin_impl.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
texts_free (struct cgin_texts *texts)
{
  for (size_t i = 0; i < texts->n; i++)
    free (texts->items[i]);
  free (texts->items);
  *texts = (struct cgin_texts) { 0 };
}

static bool
texts_add (struct cgin_texts *texts, const char *text)
{
  texts->items = resize_for_one (texts->items, texts->n, sizeof *texts->items);
  texts->items[texts->n++] = copy_text (text);
  return true;
}

/* Forgets what belongs to one part alone.  */
static void
forget_part (struct cgin_header *h)
{
  free (h->creator);
  free (h->cmd);
  free (h->summary);
  h->creator = h->cmd = h->summary = NULL;
  h->pid = h->part = h->thread = 0;
  h->bytes = 0;
  texts_free (&h->desc);
  texts_free (&h->comments);
}

bool
cgin_start_header (struct cgin *in)
{
  if (in->late_summary_used)
    return cgin_fail (in, "the file ends in summary:, but has several parts");
  forget_part (&in->header);
  in->in_header = true;
  return true;
}

/* Keeps one value; "" is as good as no line.  The last of several counts.  */
static bool
keep (char **place, const char *value)
{
  free (*place);
  *place = copy_text (*value ? value : NULL);
  return true;
}

bool
cgin_is_version (struct cgin *in, char *value)
{
  uint64_t version;

  if (!cgin_last_number (in, value, &version))
    return false;
  return version <= 1 || cgin_fail (in, "unknown version of the format");
}

bool
cgin_creator (struct cgin *in, char *value)
{
  return keep (&in->header.creator, value);
}

bool
cgin_by_yappi (const struct cgin *in)
{
  return in->header.creator && strcmp (in->header.creator, "yappi") == 0;
}

static int
hex_value (char c)
{
  const char *digits = "0123456789abcdef";
  const char *found = c ? strchr (digits, c) : NULL;
  return found ? (int) (found - digits) : -1;
}

/* The byte that \xHH at s stands for, or 0 when it is just these letters:
   only what the library would write in this way is read in this way.  */
static unsigned char
escaped_byte (const char *s, bool at_end)
{
  if (s[0] != '\\' || s[1] != 'x' || hex_value (s[2]) < 0
      || hex_value (s[3]) < 0)
    return 0;
  unsigned c = (unsigned) (hex_value (s[2]) * 16 + hex_value (s[3]));
  return c < ' ' || c >= 0x7f || (c == ' ' && at_end) ? (unsigned char) c : 0;
}

/* Undoes the escapes of a command line, for the library puts them back.  */
static void
unescape (char *text)
{
  char *to = text;
  unsigned char byte;

  for (const char *s = text; *s; to++)
    if (s[0] == '\\' && (s[1] == '\\' || s[1] == 'n'))
      {
        *to = s[1] == 'n' ? '\n' : '\\';
        s += 2;
      }
    else if ((byte = escaped_byte (s, s == text || !s[4])))
      {
        *to = (char) byte;
        s += 4;
      }
    else
      *to = *s++;
  *to = '\0';
}

bool
cgin_cmd (struct cgin *in, char *value)
{
  unescape (value);
  return keep (&in->header.cmd, value);
}

bool
cgin_pid (struct cgin *in, char *value)
{
  return cgin_last_number (in, value, &in->header.pid);
}

bool
cgin_part (struct cgin *in, char *value)
{
  return cgin_last_number (in, value, &in->header.part);
}

bool
cgin_thread (struct cgin *in, char *value)
{
  return cgin_last_number (in, value, &in->header.thread);
}

bool
cgin_desc (struct cgin *in, char *value)
{
  return !*value || texts_add (&in->header.desc, value);
}

bool
cgin_header_comment (struct cgin *in, const char *text)
{
  return texts_add (&in->header.comments, text);
}

/* The words of positions:, each with a bit, in the document's order.  */
enum { INSTR = 1, BB = 2, LINE = 4 };

static unsigned
position_bit (const char *word, size_t length)
{
  static const char *const words[] = { "instr", "bb", "line" };

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (length == strlen (words[i]) && strncmp (word, words[i], length) == 0)
      return 1u << i;
  return 0;
}

/* Readers ask only whether there is "instr" or "line", and take the address
   first.  None of them can read the address of the basic block.  */
bool
cgin_positions (struct cgin *in, char *value)
{
  struct cgin_header *h = &in->header;
  unsigned seen = 0;
  bool ordered = true;
  size_t length;

  for (const char *p = value; *p; p = cgin_skip_blanks (p + length))
    {
      length = strcspn (p, " \t");
      unsigned bit = position_bit (p, length);
      if (!bit || seen & bit)
        return cgin_fail_at (in, "unknown positions", value);
      ordered = ordered && bit > seen;
      seen |= bit;
    }
  if (!seen || (!ordered && seen & BB))
    return cgin_fail_at (in, "unknown positions", value);
  if (!ordered)
    cgin_warn (in, "positions: the address is read first, then the line");
  if (seen & BB && !h->has_bb)
    cgin_warn (in, "positions: bb is left out");
  h->positions = (seen & INSTR ? CGW_INSTR : 0) | (seen & LINE ? CGW_LINE : 0);
  h->has_bb = seen & BB;
  return true;
}

/* The numbers of a summary: or totals: line.  */
static bool
sums (struct cgin *in, const char *text, uint64_t *values, size_t *n)
{
  return cgin_numbers (in, text, values, in->header.n_listed, n);
}

/* Whether a line's sums are those of the part's cost lines.  */
static bool
same_sums (struct cgin *in, const uint64_t *values, size_t n)
{
  for (size_t i = 0; i < in->header.n_listed; i++)
    if (in->sums[i] != (i < n ? values[i] : 0))
      return false;
  return true;
}

/* A summary: after the costs comes too late for a writer that has written
   them.  At the end of a file that can be read twice it was found before;
   else it is no loss when it says what the totals say.  */
static bool
late_summary (struct cgin *in, const char *text)
{
  uint64_t values[CGW_EVENTS_MAX];
  size_t n;

  if (!sums (in, text, values, &n))
    return false;
  if (in->late_summary_used || same_sums (in, values, n))
    return true;
  cgin_warn (in, "summary: after the costs becomes a comment");
  char *comment = make_text ("summary: %s", text);
  bool ok = cgin_comment (in, comment);
  free (comment);
  return ok;
}

bool
cgin_summary (struct cgin *in, char *value)
{
  if (in->in_header)
    return keep (&in->header.summary, value);
  return late_summary (in, value);
}

/* valgrind's xtree writes "(null)" when nothing was summed.  */
bool
cgin_totals (struct cgin *in, char *value)
{
  uint64_t values[CGW_EVENTS_MAX];
  size_t n;

  if (in->in_header && !cgin_open_part (in))
    return false;
  if (strcmp (value, "(null)") == 0)
    return true;
  if (!sums (in, value, values, &n))
    return false;
  if (!same_sums (in, values, n))
    cgin_warn (in, "totals: are not the sums of the cost lines");
  else if (in->behind_cfn != 0 && !in->sink->cfn_is_call)
    in->behind_cfn_in_totals = true;
  return true;
}

/* Looks for a summary: as the last line of a regular file, where cachegrind
   and xdebug write it.  What cannot be read is no error here: the reading
   that follows says so.  */
void
cgin_find_late_summary (struct cgin *in)
{
  enum { TAIL = 8192 };
  struct stat st;
  char tail[TAIL + 1];

  if (in->lines.read != NULL || fstat (in->lines.fd, &st) != 0
      || !S_ISREG (st.st_mode))
    return;
  off_t start = st.st_size > TAIL ? st.st_size - TAIL : 0;
  ssize_t n = pread (in->lines.fd, tail, TAIL, start);
  while (n > 0 && strchr ("\r\n \t", tail[n - 1]))
    n--;
  if (n <= 0)
    return;
  tail[n] = '\0';
  const char *line = strrchr (tail, '\n');
  line = line ? line + 1 : tail;
  if (strncmp (line, "summary:", 8) == 0)
    in->late_summary = copy_text (cgin_skip_blanks (line + 8));
}

/* The summary of the part that begins: its own, or the late one.  */
static bool
find_summary (struct cgin *in, uint64_t *values, size_t *n)
{
  const char *text = in->header.summary;

  *n = 0;
  if (!text && !in->any_part)
    {
      text = in->late_summary;
      in->late_summary_used = text != NULL;
    }
  return !text || sums (in, text, values, n);
}

static bool
begin_part (struct cgin *in, const struct cgw_event *events, size_t n_events)
{
  struct cgin_header *h = &in->header;
  struct cgw_part part = CGW_PART_INIT;
  uint64_t summary[CGW_EVENTS_MAX];

  if (!find_summary (in, summary, &part.n_summary))
    return false;
  part.summary = part.n_summary ? summary : NULL;
  part.events = events;
  part.n_events = n_events;
  part.positions = h->positions;
  part.pid = h->pid;
  part.number = h->part;
  part.thread = h->thread;
  part.cmd = h->cmd;
  part.desc = (const char *const *) h->desc.items;
  part.n_desc = h->desc.n;
  enum cgw_status status
    = in->sink->begin_part == NULL
        ? CGW_OK
        : in->sink->begin_part (in->sink->context, &part, h->creator);
  if (status == CGW_EINVAL)
    return cgin_fail (in, in->any_part
                            ? "events or positions differ from the part before"
                            : "the header cannot be written");
  return cgin_check (in, status);
}

/* Nothing of the part before holds in the next, but the ids.  Where no file is
   named it is unknown, as in fl=???.  */
static void
reset_body (struct cgin *in)
{
  in->object = (struct cgw_object) { 0 };
  in->file = in->source = in->fn_file
    = cgw_add_file (in->sink->names, "???");
  in->pos = (struct cgw_pos) { 0 };
  in->any_fl = in->any_fn = false;
  in->has_callee_object = in->has_callee_file = in->has_jump_file = false;
  in->callee = in->jump_fn = UINT32_MAX;
  memset (in->sums, 0, sizeof in->sums);
}

bool
cgin_open_part (struct cgin *in)
{
  struct cgw_event events[CGIN_EVENTS];
  struct cgin_header *h = &in->header;
  size_t n_events;

  if (h->n_listed == 0)
    return cgin_fail (in, "there is no events: line before this line");
  if (!cgin_list_events (in, events, &n_events)
      || !begin_part (in, events, n_events))
    return false;
  in->in_header = false;
  in->any_part = true;
  reset_body (in);
  for (size_t i = 0; i < h->comments.n; i++)
    if (!cgin_comment (in, h->comments.items[i]))
      return false;
  return true;
}

void
cgin_header_free (struct cgin *in)
{
  forget_part (&in->header);
  cgin_events_free (&in->header);
  free (in->late_summary);
}
