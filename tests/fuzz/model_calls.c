/* model_calls.c - begin a part, comment, flush, finish and salvage, and see
   that each does what include/cgw.h says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"

#include <string.h>

static bool
has_file (const struct model_writer *m)
{
  return m->state != MODEL_NO_FILE && m->state < MODEL_FINISHING;
}

/* The open part ends: with its totals, unless a sum is too large.  */
static void
end_part (struct model_writer *m)
{
  struct model_part *part;

  if (m->n_parts == 0)
    return;
  part = &m->part[m->n_parts - 1];
  if (part->ended)
    return;
  part->ended = true;
  if (part->overflow)
    model_keep (m, CGW_EOVERFLOW);
}

/* Whether a part is refused that is right in itself.  */
static bool
does_not_fit (const struct model_writer *m, unsigned shape)
{
  if (m->flags & CGW_CACHEGRIND)
    return m->begun || !model_is_for_cachegrind (shape);
  return m->begun && !model_go_together (shape, m->shape);
}

static void
expect_begin (struct model_writer *m, enum cgw_status status, bool is_right,
              unsigned shape)
{
  static const char call[] = "cgw_begin_part";

  if (!is_right)
    model_expect (m, call, status, CGW_EINVAL);
  else if (model_no_memory (m))
    model_expect (m, call, status, CGW_ENOMEM);
  else if (does_not_fit (m, shape))
    {
      if (status != CGW_EINVAL)
        {
          model_expect_room (m, call, status, false);
          if (status == CGW_OK)
            fuzz_fail ("%s: began a part that does not fit", call);
        }
    }
  else if (!m->begun)
    model_expect (m, call, status, CGW_OK);
  else
    model_expect_room (m, call, status, false);
}

/* A call that was to begin a part has done so, or not.  */
static void
note_begin (struct model_writer *m, enum cgw_status status,
            const struct cgw_part *part, unsigned shape)
{
  if (status == CGW_OK)
    {
      end_part (m);
      m->part[m->n_parts++]
          = (struct model_part){ .given = part,
                                 .has_summary = part->n_summary != 0 };
      m->begun = true;
      m->state = MODEL_IN_PART;
      m->shape = shape;
    }
  else if (status != CGW_EFINISHED)
    {
      if (status != CGW_EAGAIN)
        model_keep (m, status);
      if (m->state == MODEL_IN_PART)
        m->state = MODEL_REFUSED;
    }
}

void
model_begin_part (struct model_writer *m, const struct cgw_part *part,
                  bool is_right, unsigned shape)
{
  enum cgw_status status;

  if (m->n_parts == MODEL_PARTS)
    return;
  model_before (m);
  status = cgw_begin_part (m->w, part);
  if (!has_file (m))
    model_expect (m, "cgw_begin_part", status, CGW_EFINISHED);
  else
    expect_begin (m, status, is_right, shape);
  note_begin (m, status, part, shape);
  model_after (m, "cgw_begin_part");
  if (status == CGW_OK)
    m->part[m->n_parts - 1].begin = m->written + m->buffered;
}

/* Here a write may have failed before or after the part began.  */
void
model_end_begin (struct model_writer *m, const char *call,
                 enum cgw_status status, const struct cgw_part *part,
                 unsigned shape)
{
  enum model_wrote wrote = model_wrote (m);

  if (!has_file (m))
    model_expect (m, call, status, CGW_EFINISHED);
  else if (model_no_memory (m))
    model_expect (m, call, status, CGW_ENOMEM);
  else if (does_not_fit (m, shape) && (status == CGW_OK || !m->begun))
    model_expect (m, call, status, CGW_EINVAL);
  else if (!m->begun || (wrote == MODEL_ALL && !does_not_fit (m, shape)))
    model_expect (m, call, status, CGW_OK);
  else if (status == CGW_EIO && wrote != MODEL_FAILED && !m->failing)
    fuzz_fail ("%s: returns CGW_EIO, but no write failed", call);
  else if (status == CGW_EAGAIN && wrote != MODEL_STUCK)
    fuzz_fail ("%s: returns CGW_EAGAIN, but no write did", call);
  note_begin (m, status, part, shape);
}

/* What a comment returns that needs no room.  */
static void
expect_comment (struct model_writer *m, const char *text,
                enum cgw_status status)
{
  static const char call[] = "cgw_comment";

  if (!has_file (m))
    model_expect (m, call, status, CGW_EFINISHED);
  else if (text == NULL && (m->state == MODEL_IN_PART || status != CGW_EORDER))
    model_expect (m, call, status, CGW_EINVAL);
  else if (m->state != MODEL_IN_PART)
    model_expect (m, call, status, CGW_EORDER);
  else if (m->flags & CGW_CACHEGRIND)
    model_expect (m, call, status, CGW_OK);
  else if (model_no_memory (m))
    model_expect (m, call, status, CGW_ENOMEM);
  else
    model_expect_room (m, call, status, false);
}

void
model_comment (struct model_writer *m, const char *text, const char *written)
{
  enum cgw_status status;
  bool is_written;

  if (m->n_entries == MODEL_ENTRIES)
    return;
  model_before (m);
  status = cgw_comment (m->w, text);
  expect_comment (m, text, status);
  is_written = status == CGW_OK && !(m->flags & CGW_CACHEGRIND);
  if (is_written)
    m->entry[m->n_entries++] = (struct model_entry){ .kind = MODEL_COMMENT,
                                                     .text = written,
                                                     .part = m->n_parts - 1 };
  if (status != CGW_OK && status != CGW_EAGAIN && status != CGW_EFINISHED)
    model_keep (m, status);
  model_after (m, "cgw_comment");
  if (is_written)
    m->entry[m->n_entries - 1].end = m->written + m->buffered;
}

/* The status of a call that writes everything.  */
static enum cgw_status
write_status (const struct model_writer *m)
{
  enum model_wrote wrote = model_wrote (m);

  return wrote == MODEL_FAILED  ? CGW_EIO
         : wrote == MODEL_STUCK ? CGW_EAGAIN
                                : CGW_OK;
}

void
model_flush (struct model_writer *m)
{
  enum cgw_status status;

  model_before (m);
  status = cgw_flush (m->w);
  if (!has_file (m))
    model_expect (m, "cgw_flush", status, CGW_EFINISHED);
  else if (m->buffered == 0)
    model_expect (m, "cgw_flush", status, CGW_OK);
  else if (model_wrote (m) == MODEL_NOT_ASKED)
    fuzz_fail ("cgw_flush: writes nothing");
  else
    model_expect (m, "cgw_flush", status, write_status (m));
  model_after (m, "cgw_flush");
  if (status == CGW_OK && m->buffered != 0)
    fuzz_fail ("cgw_flush: something is still buffered");
}

/* All that was buffered was taken, so the part has ended, too.  */
static bool
has_written_records (const struct model_writer *m)
{
  return m->target == MODEL_HOOK
             ? m->sink.n - m->sink.before >= m->buffered
             : m->target != MODEL_FULL;
}

/* The file ends: its error is that of its names, if it has none itself.  */
static void
end_file (struct model_writer *m)
{
  if (m->first == CGW_OK)
    m->first = m->names->first;
  m->state = MODEL_ENDED;
}

static void
check_ended (struct model_writer *m, const char *call)
{
  model_after (m, call);
  if (m->state == MODEL_ENDED)
    model_check_file (m);
}

void
model_finish (struct model_writer *m)
{
  static const char call[] = "cgw_finish";
  enum cgw_status status, wrote;

  model_before (m);
  status = cgw_finish (m->w);
  if (m->state == MODEL_ENDED)
    {
      model_expect (m, call, status, CGW_EFINISHED);
      model_after (m, call);
      return;
    }
  if (!m->begun)
    {
      model_expect (m, call, status,
                    m->first != CGW_OK ? m->first : CGW_EORDER);
      model_after (m, call);
      return;
    }
  wrote = write_status (m);
  m->state = MODEL_FINISHING;
  if (has_written_records (m))
    end_part (m);
  if (wrote == CGW_EIO)
    model_keep (m, CGW_EIO);
  if (wrote != CGW_EAGAIN)
    end_file (m);
  model_expect (m, call, status, wrote == CGW_EAGAIN ? wrote : m->first);
  check_ended (m, call);
}

void
model_salvage (struct model_writer *m)
{
  static const char call[] = "cgw_salvage";
  enum cgw_status status, wrote;
  bool lacks_part = !m->begun && m->first == CGW_OK;

  model_before (m);
  status = cgw_salvage (m->w);
  if (m->state == MODEL_ENDED)
    {
      model_expect (m, call, status, CGW_EFINISHED);
      model_after (m, call);
      return;
    }
  wrote = m->begun ? write_status (m) : CGW_OK;
  if (wrote != CGW_OK)
    model_keep (m, wrote == CGW_EAGAIN ? CGW_ELOST : wrote);
  end_file (m);
  model_expect (m, call, status,
                lacks_part ? CGW_EORDER
                           : wrote == CGW_EAGAIN ? wrote : m->first);
  check_ended (m, call);
}
