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

/* Writes the comment line at p; returns the end.  One that reads like our own
   report of what was lost gets its first letter escaped, because cut.c goes by
   that report.  */
static char *
put_comment (char *p, const char *text)
{
  char *end;

  memcpy (p, "# ", 2);
  end = cgwi_put_value (p + 2, text);
  if (end == p + 2) /* no blank at a line's end */
    end--;
  else if (CGWI_BEGINS_WITH (p, (size_t) (end - p), CGWI_LOST_REPORT))
    {
      memmove (p + 6, p + 3, (size_t) (end - (p + 3)));
      memcpy (p + 2, "\\x63", 4);
      end += 3;
    }
  *end++ = '\n';
  return end;
}

static enum cgw_status
write_comment (struct cgw_writer *w, const char *text)
{
  struct cgwi_lengths lengths = cgwi_lengths (w);
  enum cgw_status status;

  if (w->state != CGWI_PART_OPEN)
    return w->state == CGWI_FINISHED ? CGW_EFINISHED : CGW_EORDER;
  if (text == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_make_room_waiting (w)) != CGW_OK)
    return status;
  if (!cgwi_fit (w, &lengths, w->buffer.used + comment_length (text)))
    return CGW_ENOMEM;
  cgwi_commit (w, put_comment (w->buffer.bytes + w->buffer.used, text));
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
