/* comment.c - comment lines.

   SPDX-License-Identifier: MIT  */

#include "text.h"
#include "writer.h"

/* Bytes of the longest comment line with that text, and of what fills up the
   page before it.  */
static size_t
comment_length (const char *text)
{
  return CGWI_PAGE + sizeof "# \n" + CGWI_ESCAPE * strlen (text);
}

static enum cgw_status
write_comment (struct cgw_writer *w, const char *text)
{
  struct cgwi_lengths lengths = cgwi_lengths (w);
  enum cgw_status status;
  char *p, *end;

  if (w->state != CGWI_PART_OPEN)
    return w->state == CGWI_FINISHED ? CGW_EFINISHED : CGW_EORDER;
  if (text == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_make_room_waiting (w)) != CGW_OK)
    return status;
  if (!cgwi_fit (w, &lengths, w->buffer.used + comment_length (text)))
    return CGW_ENOMEM;
  p = w->buffer.bytes + w->buffer.used;
  memcpy (p, "# ", 2);
  end = cgwi_put_value (p + 2, text);
  if (end == p + 2) /* no blank at a line's end */
    end--;
  *end++ = '\n';
  cgwi_commit (w, end);
  return CGW_OK;
}

enum cgw_status
cgw_comment (struct cgw_writer *w, const char *text)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w)) != CGW_OK)
    return status;
  status = write_comment (w, text);
  if (status == CGW_EINVAL || status == CGW_EORDER || status == CGW_ENOMEM)
    cgwi_keep (w, status);
  cgwi_leave (w);
  return status;
}
