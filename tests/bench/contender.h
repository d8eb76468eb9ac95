/* contender.h - the one interface behind which all contenders write.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CONTENDER_H
#define CONTENDER_H 1

#include "workload.h"

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

struct contender
{
  /* Prepares for many runs.  */
  void *(*open) (const struct contender *c, const struct workload *w,
                 struct sink *sink);
  void (*close) (void *context);

  /* A run: begin, any records in their order, end.  False, or a status that
     is not 0: it failed.  */
  bool (*begin) (void *context);
  int (*cost) (void *context, const struct cgw_pos *pos, const uint64_t *cost,
               size_t n);
  int (*call) (void *context, const struct cgw_pos *from,
               const struct cgw_pos *to, uint64_t count,
               const uint64_t *inclusive_cost, size_t n);
  bool (*end) (void *context);

  unsigned flags; /* of the library's writer, as its buffer size */
  size_t buffer_size;
  bool is_compressed; /* of those that use fprintf */
  bool is_slow;       /* many times slower than libcgw */
};

/* The library's writer, in the ways to use it.  */
extern const struct contender contender_libcgw, contender_threads,
    contender_no_pad, contender_absolute, contender_4k;

/* fprintf, as tools write by hand; and with both compressions.  */
extern const struct contender contender_fprintf, contender_compressed;

extern const struct contender contender_memcpy;  /* libcgw's lines, ready */
extern const struct contender contender_nothing; /* the replay alone */

/* The library's object inside the context of contender_libcgw.  */
struct cgw_writer *contender_writer (void *context);

/* A contender, ready to run.  */
struct entrant
{
  const struct contender *contender;
  void *context;
  struct sink *sink;
  struct script script;
};

void entrant_open (struct entrant *e, const struct contender *c,
                   const struct workload *w, struct sink *sink);
void entrant_close (struct entrant *e);

/* The ends of a run.  They end the program when the contender fails.  */
void entrant_begin (struct entrant *e);
void entrant_end (struct entrant *e);

/* Hands a record over; returns what the contender does.  */
static inline int
replay_record (const struct script *s, const struct bench_event *e,
               const uint64_t *cost, const struct contender *c, void *context)
{
  if (e->call == 0)
    return c->cost (context, &e->pos, cost, s->n_events);
  const struct bench_call *call = &s->calls[e->call - 1];
  return c->call (context, &e->pos, &call->to, call->count, cost,
                  s->n_events);
}

/* A whole run; nanoseconds per record.  */
double entrant_run (struct entrant *e);

#endif /* CONTENDER_H */
