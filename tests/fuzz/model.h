/* model.h - what libcgw's calls are to return and to write, told the plain way.

   The model of the fuzzer fuzz_calls.  It keeps every record that a writer was
   given, in arrays, and works from include/cgw.h alone: it shares no code with
   the library.  What the library cannot know beforehand, the model sees for
   itself: what the write hook answered, and whether the allocator failed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MODEL_H
#define MODEL_H 1

#include "model_names.h"
#include "model_sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_EVENTS 3    /* the most that a part of the model has */
#define MODEL_PARTS 16    /* of a file */
#define MODEL_ENTRIES 600 /* records and comments of a file */

struct model_pos
{
  const struct model_name *fn;
  const struct model_name *file; /* NULL: the function's own */
  uint32_t line;
  uint64_t instr;
};

enum model_kind_of_entry
{
  MODEL_COST,
  MODEL_CALL,
  MODEL_JUMP,
  MODEL_COND_JUMP,
  MODEL_COMMENT
};

/* What a file has.  */
struct model_bytes
{
  char *bytes; /* NULL: there is no file */
  size_t n;
};

/* A record that was accepted, or a comment.  */
struct model_entry
{
  enum model_kind_of_entry kind;
  struct model_pos from;
  struct model_pos to;
  uint64_t count;    /* of calls, or of jumps that were executed */
  uint64_t followed;
  uint64_t cost[MODEL_EVENTS];
  const char *text;  /* of a comment, as it is written */
  size_t part;
  uint64_t end;      /* where it ends in the file; 0: it has no bytes there */
};

/* A part that was begun.  */
struct model_part
{
  const struct cgw_part *given;
  bool has_summary;
  uint64_t begin; /* the offset of its first record */
  uint64_t lost;  /* records */
  uint64_t lost_cost[MODEL_EVENTS];
  uint64_t sum[MODEL_EVENTS]; /* of the accepted records */
  bool lost_overflow; /* a sum of the lost alone passed 2^64-1 */
  bool overflow; /* a sum of the accepted and the lost passed 2^64-1 */
  bool ended;    /* with a report of what was lost, and with totals if it has
                    no overflow */
};

enum model_state
{
  MODEL_NO_FILE, /* cgw_open_fd or cgw_open failed */
  MODEL_NO_PART, /* yet, or any more */
  MODEL_IN_PART,
  MODEL_REFUSED,   /* the next part was refused, and so are records */
  MODEL_FINISHING, /* cgw_finish returned CGW_EAGAIN: it goes on alone */
  MODEL_ENDED      /* by cgw_finish or cgw_salvage */
};

/* Where a writer writes to.  */
enum model_target
{
  MODEL_HOOK, /* the write hook of its sink */
  MODEL_FD,   /* a descriptor of a file, which takes everything */
  MODEL_FULL, /* a descriptor that takes nothing: ENOSPC */
  MODEL_PATH  /* a file that cgw_open opened, which takes everything */
};

/* What is wrong with the arguments that a writer is made from.  */
enum model_wrong
{
  MODEL_RIGHT,
  MODEL_NO_SIZE, /* options.size */
  MODEL_UNKNOWN_FLAG,
  MODEL_MANY_SLOTS,
  MODEL_REPLACES_FD, /* CGW_REPLACE, in cgw_open_fd */
  MODEL_BAD_FD,
  MODEL_READ_ONLY_FD,
  MODEL_HOOK_AND_PATH, /* in cgw_open */
  MODEL_NO_PATH,
  MODEL_BAD_PERCENT, /* in the path */
  MODEL_NO_DIRECTORY,
  MODEL_IS_DIRECTORY,
  MODEL_WRONGS
};

struct model_writer
{
  struct cgw_writer *w; /* NULL: there is none */
  struct model_names *names;
  unsigned flags;
  size_t limit; /* buffer_size */
  enum model_target target;
  struct model_sink sink;
  int fd;       /* MODEL_FD and MODEL_FULL; or -1 */
  const char *directory; /* of its files */
  unsigned number;       /* in their names */
  char path[200];        /* the file */
  char given[200];       /* as the library gets it: each "%" is doubled */
  struct model_bytes old; /* CGW_REPLACE: what path had before */

  /* Of the present file.  */
  enum model_state state;
  bool begun;   /* a part was */
  bool failing; /* the last write failed, but not with EAGAIN */
  bool torn;    /* a write failed when a part of the bytes was taken */
  bool full;    /* a record found no room, and nothing was taken since */
  int error_number;
  enum cgw_status first; /* the first error that left something out */
  unsigned shape;        /* the events and positions of all parts */
  struct model_part part[MODEL_PARTS];
  size_t n_parts;
  struct model_entry entry[MODEL_ENTRIES];
  size_t n_entries;
  uint64_t refused;
  uint64_t lost;
  uint64_t lost_cost[MODEL_EVENTS];

  /* As the library said after the last call.  */
  uint64_t written;
  uint64_t buffered;
};

/* model_parts.c: what the header of a part may be.  */

#define MODEL_SHAPES 8

/* The part with that number, of those that are right.  */
const struct cgw_part *model_right_part (unsigned shape, unsigned variant);

/* One of those that are wrong.  */
const struct cgw_part *model_wrong_part (unsigned n);

size_t model_n_events (unsigned shape);
unsigned model_positions (unsigned shape);

/* Whether parts of both may be in one file.  */
bool model_go_together (unsigned a, unsigned b);

/* Whether CGW_CACHEGRIND takes its events.  */
bool model_is_for_cachegrind (unsigned shape);

/* model_calls.c: each makes a call, and compares what it does with what it is
   to do.  */

void model_begin_part (struct model_writer *m, const struct cgw_part *part,
                       bool is_right, unsigned shape);
/* The end of another call that begins a part: with that status, its beginning.
   The part is right in itself.  */
void model_end_begin (struct model_writer *m, const char *call,
                      enum cgw_status status, const struct cgw_part *part,
                      unsigned shape);
void model_comment (struct model_writer *m, const char *text,
                    const char *written);
void model_flush (struct model_writer *m);
void model_finish (struct model_writer *m);
void model_salvage (struct model_writer *m);

/* model_records.c */

/* What a record is given; the pointers may be NULL.  */
struct model_record
{
  enum model_kind_of_entry kind;
  const struct model_pos *from;
  const struct model_pos *to;
  uint64_t count;
  uint64_t followed;
  const uint64_t *cost;
  size_t n;
};

void model_submit (struct model_writer *m, const struct model_record *r);

/* A record that was not refused ended with that status.  */
void model_note_record (struct model_writer *m, const struct model_record *r,
                        enum cgw_status status);

/* Whether the file's format has no line for it.  */
bool model_is_silent (const struct model_writer *m,
                      const struct model_record *r);

/* Whether a handle is of another names object.  */
bool model_is_foreign (const struct model_writer *m,
                       const struct model_pos *pos);
struct cgw_pos model_position (const struct model_pos *pos);

/* model_profile.c: add the record some times to a profile, and write that as a
   part.  */
void model_write_profile (struct model_writer *m, unsigned shape,
                          unsigned variant, const struct model_record *r,
                          unsigned times);

/* model_life.c: make and free a writer.  */

/* Make a writer, with flags and a buffer_size.  m has `number` and `directory`,
   and no writer.  */
void model_new (struct model_writer *m, struct model_names *names,
                unsigned flags, size_t buffer_size, enum model_target target,
                enum model_wrong wrong);

void model_free (struct model_writer *m);

/* model_check.c: what holds after each call.  */

/* Comes before each call: forget what the hook and the allocator did.  */
void model_before (struct model_writer *m);

/* Keep an error that left something out of the file.  */
void model_keep (struct model_writer *m, enum cgw_status status);

/* What the calls of the write hook during this call came to.  */
enum model_wrote
{
  MODEL_NOT_ASKED,
  MODEL_ALL,     /* everything that was buffered was taken */
  MODEL_FAILED,  /* CGW_EIO */
  MODEL_STUCK    /* CGW_EAGAIN */
};

enum model_wrote model_wrote (const struct model_writer *m);

/* Whether an allocation failed during this call.  */
bool model_no_memory (const struct model_writer *m);

/* Fail unless the status is that one.  */
void model_expect (const struct model_writer *m, const char *call,
                   enum cgw_status got, enum cgw_status wanted);

/* See that a call that needed room in the buffer ended with the right status.
   A record does not try a descriptor again that failed.  */
void model_expect_room (struct model_writer *m, const char *call,
                        enum cgw_status got, bool is_record);

/* Compare the writer's counts, its error and its errno with the model's, and
   see that errno was kept.  */
void model_after (struct model_writer *m, const char *call);

/* model_files.c */

/* The folder of the files, which is removed when the process exits.  */
const char *model_directory (void);

/* Remove the files of writers with numbers below n.  */
void model_remove_files (unsigned n);

/* Read a whole file.  Errno is kept.  */
struct model_bytes model_read_path (const char *path);
struct model_bytes model_read_fd (int fd);
void model_check_same (const char *what, const struct model_bytes *a,
                       const struct model_bytes *b);

/* model_file.c */

/* The file has ended, or is given up: compare it with what was recorded.  */
void model_check_file (const struct model_writer *m);

#endif
