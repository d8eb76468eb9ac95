/* stream.h - a stream of stdio and what has been written to it: what both
   contenders with fprintf have.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef STREAM_H
#define STREAM_H 1

#include "sink.h"
#include "text.h"

struct stream
{
  FILE *file;
  struct text text;
  struct defined defined;
};

void *stream_open (const struct workload *w, struct sink *sink,
                   struct script *script);
void stream_close (void *context);
/* Writes the header.  */
bool stream_begin (void *context);
bool stream_end (void *context);

#endif /* STREAM_H */
