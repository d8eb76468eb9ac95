/* cut.c - what becomes of the bytes that a descriptor will never take.

   SPDX-License-Identifier: MIT  */

#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Moves the costs of a cost line from recorded to lost.  */
static void
lose_costs (struct cgw_writer *w, const char *line)
{
  /* The subpositions, each with the blank behind it.  */
  for (int n = w->positions == CGW_INSTR_LINE ? 2 : 1; n > 0; n--)
    line = strchr (line, ' ') + 1;
  for (size_t i = 0; i < w->n_events && line[-1] == ' '; i++)
    {
      uint64_t cost = 0;
      for (; *line >= '0' && *line <= '9'; line++)
        cost = cost * 10 + (uint64_t) (*line - '0');
      line++;
      w->sums.part[i] -= cost;
      w->sums.part_lost[i] += cost;
    }
}

/* Moves the records in n bytes, which begin with one, to the lost ones.  */
static void
lose_records (struct cgw_writer *w, const char *bytes, size_t n)
{
  /* What the next cost line is.  */
  enum { SELF, CALL_OR_JUMP, REPORT } next = SELF;

  for (size_t at = 0; at < n;)
    {
      const char *line = bytes + at;
      size_t length
          = (size_t) ((const char *) memchr (line, '\n', n - at) - line) + 1;

      at += length;
      if (CGWI_BEGINS_WITH (line, length, "calls=")
          || CGWI_BEGINS_WITH (line, length, "jump=")
          || CGWI_BEGINS_WITH (line, length, "jcnd="))
        next = CALL_OR_JUMP;
      else if (CGWI_BEGINS_WITH (line, length, CGWI_LOST_REPORT))
        next = REPORT;
      else if (CGWI_BEGINS_WITH (line, length, "totals:"))
        next = SELF;
      else if (cgwi_is_cost_line (line[0]))
        {
          if (next == SELF)
            lose_costs (w, line);
          w->recorded -= next != REPORT;
          w->lost += next != REPORT;
          next = SELF;
        }
    }
}

/* Cuts a regular file that holds `out` bytes of ours behind the offset, unless
   somebody else may be writing to it, too.  */
static bool
cut_file (const struct cgwi_buffer *b)
{
  struct stat st;
  int flags = fcntl (b->fd, F_GETFL);

  return b->write == NULL && flags != -1 && !(flags & O_APPEND)
         && fstat (b->fd, &st) == 0 && S_ISREG (st.st_mode)
         && (uint64_t) st.st_size == b->offset + b->out
         && ftruncate (b->fd, (off_t) b->offset) == 0
         && lseek (b->fd, (off_t) b->offset, SEEK_SET) != -1;
}

void
cgwi_discard (struct cgw_writer *w)
{
  struct cgwi_buffer *b = &w->buffer;
  int kept = errno;

  lose_records (w, b->bytes, b->used);
  if (cut_file (b))
    b->out = 0;
  errno = kept;
  w->discarded = b->used - b->out;
  b->used = b->out;
  b->inside = 0;
}
