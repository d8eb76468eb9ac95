/* model_sink.h - a write hook that keeps what it takes, and fails on demand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MODEL_SINK_H
#define MODEL_SINK_H 1

#include <stddef.h>
#include <sys/types.h>

enum model_fault
{
  MODEL_TAKES,
  MODEL_TAKES_LITTLE, /* only so many bytes at once */
  MODEL_DISK_FULL,    /* ENOSPC once it has so many bytes */
  MODEL_INTERRUPTED,  /* EINTR */
  MODEL_BLOCKS,       /* EAGAIN */
  MODEL_BREAKS,       /* EPIPE */
  MODEL_SAYS_ZERO,    /* takes nothing, and says so */
  MODEL_SAYS_MORE,    /* takes nothing, and says one more than it got */
  MODEL_NO_ERRNO,     /* -1 without errno */
  MODEL_FAULTS
};

enum model_answer
{
  MODEL_NO_ANSWER,
  MODEL_TOOK,
  MODEL_SAID_AGAIN,
  MODEL_SAID_NO
};

struct model_sink
{
  char *bytes;
  size_t n;
  size_t room;
  enum model_fault fault;
  size_t amount; /* of bytes, where a fault has one */
  size_t times;  /* then it heals; 0: never */

  /* Since model_sink_listen.  */
  size_t calls;
  size_t before;             /* n then */
  enum model_answer answer;  /* the last one that is not EINTR */
  int error;                 /* errno of the last one that said no, or 0 */
};

ssize_t model_sink_write (void *context, const void *bytes, size_t n);
void model_sink_listen (struct model_sink *s);
void model_sink_free (struct model_sink *s);

#endif
