/* samples.h - what was imported: the readers of all kinds of inputs hand on
   call stacks with their costs, and the sums of these are written.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLES_H
#define SAMPLES_H 1

#include "../format/reader.h"
#include "../format/recording.h"
#include "input.h"

#include <cgw.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct import_kind;
struct threads;

struct import_options
{
  struct cgw_names *names;    /* to add names to, or NULL */
  const struct import_kind *kind; /* NULL: by the first bytes */
  const char *events;         /* NULL: all; or names, separated by commas */
  const char *comm;           /* NULL: all commands */
  const char *root;           /* NULL, or what calls all stacks */
  bool has_no_root;           /* stacks stay as they are, unless there is no
                                 frame */
  bool inline_functions;      /* what is inlined is a function */
  bool by_thread;             /* a profile for each */
  bool by_command;            /* and one for each command of a thread */
  bool by_part;               /* for each of each part of each input */
  bool by_function;           /* of an input that has sums, those of functions:
                                 lines and addresses take memory */
  uint64_t from, to;          /* ns from the first sample */
  bool has_times;             /* from or to was given */
  const struct reader *reader; /* whom the profile is for, or NULL: any */
  const char *symfs;          /* NULL, or a folder where binaries are */
  const char *debug_path;     /* NULL, or where libdwfl looks for debugging
                                 information, as it has it */
};

/* What the readers write to.  They use the members before `threads`.  */
struct import
{
  const struct import_options *options;
  struct cgw_names *names;
  bool is_signed;             /* set before import_events: costs of this input
                                 may be below 0, in two's complement */
  char *cmd;                  /* the command that was profiled, or NULL; to be
                                 freed */

  struct threads *threads;
};

/* All inputs.  */

void samples_begin (struct import *im, const struct import_options *options);

/* The next input begins: its times have nothing to do with those before.  The
   name must live as long as what is recorded.  */
void samples_next_input (struct import *im, const char *name);

/* Whether there is anything to write.  If not, a message was printed that
   names an input.  */
bool samples_has_any (const struct import *im, const char *name);

/* What was recorded, until the next input is read.  */
struct recording samples_recording (struct import *im);

void samples_end (struct import *im);

/* Describes the profile, in a line of its own: "WHAT: TEXT", or the text.  */
void import_describe (struct import *im, const char *what, const char *text);

/* When it was recorded, in ns since 1970; 0 or less: unknown.  */
void import_describe_time (struct import *im, int64_t time);

/* Whether a list of names separated by commas has the name of an event.  Where a
   profile has "_" for what the format does not take, the list may have that.
   Any is listed if the list is NULL.  */
bool import_is_listed (const char *list, const char *name);

/* Cuts the first name off such a list, which is NULL behind the last one.  To be
   freed; NULL: there is none.  */
char *import_next_listed (const char **list);

/* Takes note of the derived events among n events, before import_events.  */
void import_derived (struct import *im, const struct cgw_event *events,
                     size_t n);

/* A unit as all tools write it: "ns" for "nanoseconds", for instance.  */
const char *import_unit (const char *unit);

/* Makes an event of a name in an input, which becomes an identifier other than
   those of the n events before; the name and the unit, if there is one, become
   the long name.  */
struct cgw_event import_event (const char *name, const char *unit,
                               const struct cgw_event *before, size_t n);
void import_free_event (struct cgw_event *event);

/* Says what is counted: once for each input, before its samples.  All inputs
   must have the same events.  `positions`: CGW_LINE or CGW_INSTR_LINE.  False:
   it failed; a message was printed.  */
bool import_events (struct import *im, const struct input *in,
                    const struct cgw_event *events, size_t n,
                    unsigned positions);

/* A function at a place in the code, as an input names it.  */
struct import_frame
{
  const char *name;   /* NULL or "": unknown */
  const char *file;   /* likewise */
  const char *object; /* likewise */
  uint32_t line;      /* 0: unknown */
  uint64_t address;   /* in the object's file; 0: unknown */
};

/* Says which build ID, in hexadecimal, an object has.  (For
   resolver_each_build_id.)  */
void import_build_id (void *import, const char *object, const char *build_id);

/* Turns the frames of one place into positions: each of them but the last is
   inlined into the next.  Returns how many positions, at most n: with --inline
   lines it is one, of the last function, with the file and the line of the
   first.  */
size_t import_place (struct import *im, const struct import_frame *frames,
                     size_t n, struct cgw_pos *positions);

/* A thread, which may have been the same process's under another command
   before.  */
struct import_thread
{
  uint64_t pid;     /* 0: unknown */
  uint64_t tid;     /* likewise */
  const char *comm; /* NULL: unknown */
  uint64_t part;    /* of the input, from 1; 0: it has no parts */
};

/* Returns a thread's number.  */
uint32_t import_thread (struct import *im, const struct import_thread *thread);

/* Whether samples of a thread are wanted: what is asked for by --comm.  */
bool import_wants (const struct import *im, uint32_t thread);

#define IMPORT_NO_TIME UINT64_MAX

/* The most frames of a stack: a few bytes may claim any number.  */
enum { IMPORT_FRAMES_MAX = 1 << 20 };

/* Whether the stacks of an input may have so many frames together, where a few
   bytes may claim any number.  False: a message was printed.  */
bool import_frames_fit (const struct input *in, uint64_t n);

/* Says when an input's first sample was, if its samples are not sorted by
   time. May be called before any of them.  */
void import_begins (struct import *im, uint64_t time);

/* Whether samples of this time are asked for.  Is called for those of unwanted
   threads, too, for times count from the first.  */
bool import_wants_time (struct import *im, uint64_t time);

/* A call stack and what was spent there.  */
struct import_sample
{
  uint32_t thread;
  uint64_t samples;             /* how many these are, which were asked for; 0:
                                   one, which is left out if its time is not */
  uint64_t time;                /* ns, by any clock that never goes back; or
                                   IMPORT_NO_TIME */
  const struct cgw_pos *frames; /* the leaf first */
  size_t n;
  const uint64_t *cost;         /* of each event */
};

/* Adds a sample, if it is wanted.  False: it failed; a message was printed. */
bool import_sample (struct import *im, const struct input *in,
                    const struct import_sample *sample);

/* Add costs, or calls, of an input that has sums instead of samples, with the
   costs of its first n events.  As cgw_profile_cost and cgw_profile_call.  */
enum cgw_status import_cost (struct import *im, uint32_t thread,
                             const struct cgw_pos *pos, const uint64_t *costs,
                             size_t n);
enum cgw_status import_call (struct import *im, uint32_t thread,
                             const struct cgw_pos *from,
                             const struct cgw_pos *to, uint64_t count,
                             const uint64_t *costs, size_t n);

#endif /* SAMPLES_H */
