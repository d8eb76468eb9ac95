/* part.c - begin and end parts; comments.

   SPDX-License-Identifier: MIT  */

#include "core.h"

#include "../format/cachegrind.h"
#include "../format/events.h"
#include "../format/header.h"
#include "record.h"

/* Commit a text that was written at the buffer's end.  */
static void
commit_text (struct cgwi_core *c, char *end)
{
  cgwi_buffer_commit (&c->buffer, end, CGWI_TEXT);
}

/* Whether the format allows the names of the events that have costs.  cg_merge
   takes only those for events that begin with a letter.  */
static bool
may_have_events (const struct cgwi_core *c, const struct cgw_part *part,
                 struct cgwi_why *why)
{
  const struct cgw_event *e = part->events;

  for (size_t i = 0; cgwi_is_cachegrind (&c->encoder) && i < part->n_events;
       i++)
    if (e[i].formula == NULL
        && (e[i].name[0] == '_' || cgwi_identifier_length (e[i].name) == 0))
      return CGWI_BECAUSE (why, .reason = CGWI_WHY_EVENT_LETTER,
                           .parameter = CGWI_ARG_EVENT_NAME,
                           .value = (uint32_t) i, .text = e[i].name);
  return true;
}

static bool
has_comments (const struct cgwi_core *c)
{
  return !cgwi_is_cachegrind (&c->encoder);
}

static unsigned
positions_of (const struct cgw_part *part)
{
  return part->positions != 0 ? part->positions : CGW_LINE;
}

/* Set what the file's first part decides for all: the events, the positions,
   and the accounts.  Their text is shorter than the header, which fits.  False:
   no memory.  */
static bool
set_events (struct cgwi_core *c, const struct cgw_part *part, size_t n)
{
  char *events = cgwi_resize (c->memory, NULL,
                              (size_t) cgwi_all_events_max (part) + 1);

  if (events == NULL)
    return false;
  *cgwi_put_all_events (events, part) = '\0';
  if (!cgwi_accounts_make (&c->accounts, c->memory, n))
    {
      cgwi_release (c->memory, events);
      return false;
    }
  c->encoder.n_events = n;
  c->encoder.most_fast
      = c->encoder.flags & (CGW_ABSOLUTE | CGW_KEEP_ZEROS) ? 0 : n;
  c->encoder.positions = positions_of (part);
  c->events = events;
  return true;
}

/* Whether a later part has the events and positions of the first.  There must
   be room for its header behind the buffer's end.  */
static bool
has_same_events (const struct cgwi_core *c, const struct cgw_part *part,
                 struct cgwi_why *why)
{
  char *scratch = cgwi_buffer_end (&c->buffer);

  *cgwi_put_all_events (scratch, part) = '\0';
  if (positions_of (part) != c->encoder.positions)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_OTHER_POSITIONS);
  if (strcmp (scratch, c->events) != 0)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_OTHER_EVENTS,
                         .text = c->events + 1);
  return true;
}

/* Do everything that can fail, without changing the file.  */
static enum cgw_status
prepare_part (struct cgwi_core *c, const struct cgw_part *part,
              size_t n_events, struct cgwi_why *why)
{
  bool is_cachegrind = cgwi_is_cachegrind (&c->encoder);
  enum cgw_status status;

  if (c->events != NULL && is_cachegrind)
    {
      *why = (struct cgwi_why){ .reason = CGWI_WHY_SECOND_PART };
      return CGW_EINVAL;
    }
  if (!may_have_events (c, part, why))
    return CGW_EINVAL;
  if ((status = cgwi_make_room_waiting (c)) != CGW_OK)
    return status;
  if (!cgwi_fit (c, n_events,
                 cgwi_buffer_used (&c->buffer) + cgwi_end_max (n_events)
                     + CGWI_PAGE
                     + (is_cachegrind ? cgwi_cachegrind_header_max (part)
                                      : cgwi_header_max (c->creator, part))))
    return CGW_ENOMEM;
  if (c->events == NULL)
    return set_events (c, part, n_events) ? CGW_OK : CGW_ENOMEM;
  return has_same_events (c, part, why) ? CGW_OK : CGW_EINVAL;
}

/* The file's first header is written at once: no reader takes an empty file,
   which is what a process killed before the first flush would leave.  If the
   descriptor fails, the header stays in the buffer, and later writes try
   again.  */
enum cgw_status
cgwi_begin_part (struct cgwi_core *c, const struct cgw_part *part,
                 size_t n_events, struct cgwi_why *why)
{
  struct cgwi_encoder *e = &c->encoder;
  enum cgw_status status = prepare_part (c, part, n_events, why);
  char *p;

  if (status != CGW_OK)
    return status;
  cgwi_end_part (c);
  e->part++;
  /* Some readers forget the object here, others (gprof2dot) do not.  */
  e->last = (struct cgwi_remembered){ .object = CGWI_NONE,
                                      .file = CGWI_NONE,
                                      .source = CGWI_NONE,
                                      .fn = CGWI_NONE };
  p = cgwi_buffer_end (&c->buffer);
  commit_text (c, cgwi_is_cachegrind (e)
                      ? cgwi_put_cachegrind_header (p, c->creator, part)
                      : cgwi_put_header (p, e, c->creator, part));
  cgwi_set_state (c, CGWI_PART_OPEN);
  return e->part == 1 && cgwi_flush (c) == CGW_EFORK ? CGW_EFORK : CGW_OK;
}

/* Report lost records: as a comment for people, and as the self cost of a
   function "[lost]" for readers, so that the part's sums are what was
   submitted.  A record that is lost just now may have its cost in this part,
   and be counted in the one before.  */
static void
report_lost (struct cgwi_core *c, uint64_t n)
{
  const uint64_t *costs = c->accounts.lost;

  if (n > 0 && has_comments (c))
    commit_text (c, cgwi_put_lost_comment (cgwi_buffer_end (&c->buffer), n));
  for (size_t i = 0; i < c->encoder.n_events; i++)
    if (costs[i] != 0)
      {
        cgwi_write_lost (c, costs);
        break;
      }
}

void
cgwi_refuse_part (struct cgwi_core *c)
{
  if (cgwi_state (c) == CGWI_PART_OPEN)
    cgwi_set_state (c, CGWI_PART_REFUSED);
}

void
cgwi_end_part (struct cgwi_core *c)
{
  struct cgwi_accounts *a = &c->accounts;
  enum cgwi_state state = cgwi_state (c);

  if (state == CGWI_NO_PART || state == CGWI_PARTS_ENDED)
    return;
  cgwi_close_losses (a);
  report_lost (c, a->n_lost);
  if (cgwi_totals_fit (a))
    commit_text (c, cgwi_put_sums (cgwi_buffer_end (&c->buffer),
                                   cgwi_is_cachegrind (&c->encoder)
                                       ? "summary:"
                                       : "totals:",
                                   a->part, a->lost, a->n_events,
                                   a->n_events));
  else
    cgwi_keep_error (&c->refusals, CGW_EOVERFLOW, CGWI_WHY_TOTAL_OVERFLOW,
                     atomic_load_explicit (&a->overflowed,
                                           memory_order_relaxed));
  cgwi_accounts_end_part (a);
  cgwi_set_state (c, state == CGWI_FINISHING ? CGWI_PARTS_ENDED : CGWI_NO_PART);
}

enum cgw_status
cgwi_write_comment (struct cgwi_core *c, const char *text)
{
  enum cgw_status status = cgwi_check_open (c);

  if (status != CGW_OK)
    return status;
  if (!has_comments (c))
    return CGW_OK;
  if ((status = cgwi_make_room_waiting (c)) != CGW_OK)
    return status;
  if (!cgwi_fit (c, c->encoder.n_events,
                 cgwi_buffer_used (&c->buffer) + CGWI_PAGE
                     + cgwi_comment_max (text)))
    return CGW_ENOMEM;
  commit_text (c, cgwi_put_comment (cgwi_buffer_end (&c->buffer), text));
  return CGW_OK;
}
