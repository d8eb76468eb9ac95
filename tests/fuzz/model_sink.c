/* model_sink.c - a write hook that keeps what it takes, and fails on demand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static ssize_t
take (struct model_sink *s, const void *bytes, size_t n)
{
  if (s->n + n > s->room)
    {
      s->room = 2 * (s->n + n);
      s->bytes = realloc (s->bytes, s->room);
      if (s->bytes == NULL)
        abort ();
    }
  memcpy (s->bytes + s->n, bytes, n);
  s->n += n;
  s->answer = MODEL_TOOK;
  return (ssize_t) n;
}

/* Refuse, and say that.  The library takes for EIO what is no errno.  */
static ssize_t
refuse (struct model_sink *s, ssize_t result, int error)
{
  s->answer = error == EAGAIN ? MODEL_SAID_AGAIN : MODEL_SAID_NO;
  if (error != EAGAIN)
    s->error = result == -1 && error != 0 ? error : EIO;
  errno = error;
  return result;
}

static ssize_t
strike (struct model_sink *s, const void *bytes, size_t n)
{
  size_t left = s->amount > s->n ? s->amount - s->n : 0;

  switch (s->fault)
    {
    case MODEL_TAKES_LITTLE:
      return take (s, bytes, n < s->amount + 1 ? n : s->amount + 1);
    case MODEL_DISK_FULL:
      return left > 0 ? take (s, bytes, n < left ? n : left)
                      : refuse (s, -1, ENOSPC);
    case MODEL_INTERRUPTED:
      errno = EINTR;
      return -1;
    case MODEL_BLOCKS:
      return refuse (s, -1, EAGAIN);
    case MODEL_BREAKS:
      return refuse (s, -1, EPIPE);
    case MODEL_SAYS_ZERO:
      return refuse (s, 0, 0);
    case MODEL_SAYS_MORE:
      return refuse (s, (ssize_t) n + 1, 0);
    case MODEL_NO_ERRNO:
      return refuse (s, -1, 0);
    default:
      return take (s, bytes, n);
    }
}

ssize_t
model_sink_write (void *context, const void *bytes, size_t n)
{
  struct model_sink *s = context;
  ssize_t result;

  s->calls++;
  result = strike (s, bytes, n);
  if (s->times > 0 && --s->times == 0)
    s->fault = MODEL_TAKES;
  return result;
}

void
model_sink_listen (struct model_sink *s)
{
  s->calls = 0;
  s->before = s->n;
  s->answer = MODEL_NO_ANSWER;
  s->error = 0;
}

void
model_sink_free (struct model_sink *s)
{
  free (s->bytes);
  memset (s, 0, sizeof *s);
}
