/* sink.h - where a contender's bytes go: into nothing, or into a file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SINK_H
#define SINK_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* How much every contender gathers before it writes.  */
#define BENCH_BUFFER 65536

struct sink
{
  int fd;      /* of the file, or -1: into nothing */
  bool keep;   /* into memory instead of nothing */
  char *bytes; /* what was kept */
  size_t n;
  size_t room;
};

/* A file on tmpfs that nobody else sees.  Ends the program when there is
   none.  */
int sink_open_file (void);

/* Empties it for the next run.  */
void sink_restart (struct sink *s);

/* Keeps nothing any more, and frees what was kept.  */
void sink_forget (struct sink *s);

/* With the contract of the library's write hook, and so write(2)'s.  */
ssize_t sink_write (void *context, const void *bytes, size_t n);

/* A stream into the sink, with a buffer of BENCH_BUFFER bytes.  */
FILE *sink_stream (struct sink *s);

/* Bytes on the way into a sink, for those who have no buffer of their own.  */
struct out
{
  char *p; /* where the next byte goes */
  struct sink *sink;
  bool failed;
  _Alignas(4096) char bytes[BENCH_BUFFER];
};

struct out *out_new (struct sink *sink);
void out_restart (struct out *o);
void out_flush (struct out *o);

/* Makes sure that there is room at o->p for n bytes, no more than the whole
   buffer has.  */
static inline void
out_reserve (struct out *o, size_t n)
{
  if (n > (size_t)(o->bytes + BENCH_BUFFER - o->p))
    out_flush (o);
}

#endif /* SINK_H */
