/* reader.h - the programs that read profiles, and how to write for one of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef READER_H
#define READER_H 1

#include <cgw.h>

#include <stdbool.h>

enum
{
#define READER(id, ...) READER_##id,
#include "readers.def"
#undef READER
  N_READERS
};

/* What a profile may have that a reader does not show, or shows wrong.  */
enum reader_limit
{
  READER_PARTS = 1 << 0,      /* more than one */
  READER_THREAD = 1 << 1,     /* thread: */
  READER_ADDRESSES = 1 << 2,  /* beside lines */
  READER_LONG_NAMES = 1 << 3, /* of events */
  READER_FORMULAS = 1 << 4,   /* derived events */
  READER_EVENTS = 1 << 5,     /* all but the first */
  READER_CALLS = 1 << 6,
  READER_JUMPS = 1 << 7,
  READER_SAME = 1 << 8,       /* functions that it cannot tell apart */
  READER_CYCLES = 1 << 9,     /* functions that call themselves by others */
  READER_ROOTS = 1 << 10,     /* functions with callers that begin without one,
                                 too */
  N_READER_LIMITS = 11
};

/* By what it tells functions apart.  */
enum reader_key
{
  READER_BY_ALL, /* name, file and object */
  READER_BY_BASENAME, /* likewise, but without folders of the file */
  READER_BY_FILE,
  READER_BY_NAME
};

struct reader
{
  const char *name;   /* as it is printed */
  const char *option; /* as it is given on a command line */
  unsigned flags;     /* of the writer */
  unsigned lacks;     /* limits; what they name is left out, where it can be */
  enum reader_key key;
  /* It takes each fn= for another function, and needs fn= for all that are
     called: records must be sorted by functions.  */
  bool needs_order;
  /* It takes the cost of a function's call of itself for more cost of the
     function.  */
  bool adds_recursion;
  /* It finds no beginning for a function that calls itself.  */
  bool drops_recursion;
};

extern const struct reader readers[N_READERS];

/* Returns the reader of this name, or NULL.  */
const struct reader *reader_named (const char *option);

/* In what follows a reader may be NULL: any.  */

/* The positions to write.  */
unsigned reader_positions (const struct reader *r, unsigned positions);

/* Leaves out of *part what the reader lacks.  `events` has room for as many as
   the part has.  Returns the limits that the part meets.  */
unsigned reader_fit (const struct reader *r, struct cgw_part *part,
                     struct cgw_event *events);

/* Returns the limits that a call stack meets.  */
unsigned reader_stack (const struct reader *r, const struct cgw_pos *frames,
                       size_t n);

/* Says what a limit does, in a sentence.  */
void reader_sentence (const struct reader *r, enum reader_limit limit,
                      char *text, size_t size);

#endif /* READER_H */
