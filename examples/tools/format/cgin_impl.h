/* cgin_impl.h - shared declarations of the reader (cgin*.c).

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CGIN_IMPL_H
#define CGIN_IMPL_H 1

#include "../base/infile.h"
#include "../base/table.h"
#include "cgin.h"

/* One table of these for each of ob, fl and fn.  No array, because some
   writers' ids are sparse.  */
struct cgin_id
{
  uint64_t id;
  uint32_t value;
};

/* A function's name.  Which function it is depends on the file and object at
   the line that uses it; the last answer is kept, for it is mostly the next
   one too.  */
struct cgin_fn_name
{
  char *text;
  size_t size; /* of the memory at text */
  bool bound;  /* what follows is valid */
  struct cgw_file file;
  struct cgw_object object;
  struct cgw_fn fn;
};

/* Names without an id have fixed places, one for each use.  */
enum { CGIN_PLAIN_FN, CGIN_PLAIN_CALLEE, CGIN_PLAIN_JUMP, CGIN_FIRST_FN };

struct cgin_names
{
  struct table objects;       /* values are handles */
  struct table files;
  struct table fns;           /* values are indices into fn_names */
  struct cgin_fn_name *fn_names;
  uint32_t n_fn_names;
  uint32_t fn_names_capacity;
};

/* An event type of the file.  */
struct cgin_event
{
  char *original; /* as the file has it */
  char *name;     /* as event: lines want it; NULL: not made yet */
  char *long_name;
  char *formula;  /* as the file has it, or NULL */
  char *terms;    /* the same in the names above */
  bool listed;    /* in the last events: line */
  bool placed;    /* in the list for the part */
};

/* More is no use: the library takes CGW_EVENTS_MAX that are not derived.  */
enum { CGIN_EVENTS = 2 * CGW_EVENTS_MAX };

struct cgin_texts
{
  char **items;
  size_t n;
};

/* The header of one part, and what of it stays for the next.  */
struct cgin_header
{
  size_t bytes; /* of its lines so far */
  char *creator;
  char *cmd;
  char *summary;
  uint64_t pid, part, thread;
  struct cgin_texts desc;
  struct cgin_texts comments;

  /* These stay: readers take them for all parts that have no other.  */
  unsigned positions;                  /* CGW_LINE | CGW_INSTR, or 0 */
  bool has_bb;                         /* that of a basic block, too */
  struct cgin_event events[CGIN_EVENTS];
  size_t n_events;                     /* known ones, listed or not */
  size_t listed[CGW_EVENTS_MAX];       /* indices, in the order of events: */
  size_t n_listed;
};

/* What waits for the next cost line: cfn= in the line before, or calls=, or a
   jump.  */
enum cgin_pending { CGIN_NOTHING, CGIN_CALLEE, CGIN_CALL, CGIN_JUMP };

struct cgin_edge
{
  struct cgw_pos to;
  uint64_t count; /* of calls, or of executions */
  uint64_t followed;
  bool conditional;
};

struct cgin
{
  struct lines lines;
  const struct cgin_sink *sink;
  struct cgin_error *error;

  bool in_header;
  bool any_part;
  struct cgin_header header;
  char *late_summary;     /* of the file's last line, or NULL */
  bool late_summary_used;

  struct cgin_names names;
  struct cgw_object object; /* of the last ob= */
  struct cgw_file file;     /* of the last fl=, or fi= before any */
  struct cgw_file source;   /* of the last fl=, fi= or fe= */
  struct cgw_file fn_file;  /* the file that the function belongs to */
  bool any_fl;              /* fl= was seen in this part */
  bool any_fn;              /* fn= was */
  struct cgw_pos pos;       /* of the last cost line of any kind */

  /* The next call: cob= and cfi= live until its cost line, cfn= longer.  */
  struct cgw_object callee_object;
  struct cgw_file callee_file;
  bool has_callee_object, has_callee_file;
  uint32_t callee; /* index into fn_names, or UINT32_MAX before any cfn= */
  bool new_callee; /* one of the three came since the last calls= */
  struct cgw_fn callee_fn;
  bool names_object; /* cob= was among the lines that name callee_fn */
  bool names_file;   /* cfi= was */
  uint64_t call_line;

  /* The next jump.  */
  struct cgw_file jump_file;
  bool has_jump_file;
  uint32_t jump_fn; /* index into fn_names, or UINT32_MAX without jfn= */

  enum cgin_pending pending;
  struct cgin_edge edge;

  uint64_t sums[CGW_EVENTS_MAX]; /* self costs of this part, modulo 2^64 */

  /* Costs directly behind cfn=.  */
  uint64_t behind_cfn;
  uint64_t first_behind_cfn; /* the line */
  bool behind_cfn_in_totals;

  /* Calls that have a cost, but happened 0 times.  */
  uint64_t zero_calls;
  uint64_t first_zero_call; /* the line */
  bool has_counts;          /* a call happened */
};

/* cgin_message.c.  These end the reading: they set the error, and return false.
   The second quotes the line's text, and replaces what a terminal should not
   get.  */
bool cgin_fail (struct cgin *in, const char *reason);
bool cgin_fail_at (struct cgin *in, const char *reason, const char *text);
/* True if the sink said CGW_OK; else fails with its reason.  */
static inline bool
cgin_check (struct cgin *in, enum cgw_status status)
{
  return status == CGW_OK || cgin_fail (in, cgw_strerror (status));
}
/* Hand a comment, and a warning about the line, on to the sink, if it wants
   them.  */
bool cgin_comment (struct cgin *in, const char *text);
void cgin_warn (const struct cgin *in, const char *text);

/* cgin_number.c: numbers at *p, which is stepped over them.  They may be
   decimal or 0x-hex everywhere, as the document has it.  */
bool cgin_number (struct cgin *in, const char **p, uint64_t *value);
/* The same, and then the line must be at its end.  */
bool cgin_last_number (struct cgin *in, const char *p, uint64_t *value);
static inline const char *
cgin_skip_blanks (const char *p)
{
  while (*p == ' ' || *p == '\t')
    p++;
  return p;
}
/* Up to max numbers, blanks between them, up to the end of the line.  */
bool cgin_numbers (struct cgin *in, const char *p, uint64_t *values,
                   size_t max, size_t *n);
/* The subpositions of a cost line into pos; relative ones count from base.  */
bool cgin_position (struct cgin *in, const char **p,
                    const struct cgw_pos *base, struct cgw_pos *pos);
/* The same for a target, where some are missing or wrong in many files: what
   is out of range is 0, unknown.  */
bool cgin_target (struct cgin *in, const char *p, const struct cgw_pos *base,
                  struct cgw_pos *pos);

/* cgin_names.c: the names behind "ob=" and so on.  */
void cgin_names_begin (struct cgin_names *names);
/* The value of a function's id; NULL: there is no such id.  */
const uint32_t *cgin_fn_of (const struct cgin *in, uint64_t id);
bool cgin_object (struct cgin *in, char *spec, struct cgw_object *object);
bool cgin_file (struct cgin *in, char *spec, struct cgw_file *file);
bool cgin_fn_name (struct cgin *in, char *spec, uint32_t plain,
                   uint32_t *index);
struct cgw_fn cgin_add_fn (struct cgin *in, const char *name,
                           struct cgw_file file, struct cgw_object object);
struct cgw_fn cgin_bind (struct cgin *in, uint32_t index,
                         struct cgw_file file, struct cgw_object object);
void cgin_names_free (struct cgin_names *names);

/* cgin_record.c: calls= came in this line, and in->edge has it.  */
void cgin_start_call (struct cgin *in, uint64_t line);
/* The costs of a cost line belong to what waits for it.  */
bool cgin_end_cost_line (struct cgin *in, const uint64_t *costs, size_t n);
/* The jump that waits has its source: in->pos.  */
bool cgin_end_jump (struct cgin *in);

/* cgin_header.c: header lines, and the part that they make.  */
bool cgin_start_header (struct cgin *in);
bool cgin_open_part (struct cgin *in);
bool cgin_header_comment (struct cgin *in, const char *text);
/* yappi leaves some things out that nobody else may.  */
bool cgin_by_yappi (const struct cgin *in);
bool cgin_is_version (struct cgin *in, char *value);
bool cgin_creator (struct cgin *in, char *value);
bool cgin_cmd (struct cgin *in, char *value);
bool cgin_pid (struct cgin *in, char *value);
bool cgin_part (struct cgin *in, char *value);
bool cgin_thread (struct cgin *in, char *value);
bool cgin_desc (struct cgin *in, char *value);
bool cgin_positions (struct cgin *in, char *value);
bool cgin_summary (struct cgin *in, char *value);
bool cgin_totals (struct cgin *in, char *value);
void cgin_find_late_summary (struct cgin *in);
void cgin_header_free (struct cgin *in);

/* cgin_events.c: event: and events: lines.  */
bool cgin_event (struct cgin *in, char *value);
bool cgin_events (struct cgin *in, char *value);
/* Fills list, CGIN_EVENTS long, with the events for the part.  */
bool cgin_list_events (struct cgin *in, struct cgw_event *list, size_t *n);
void cgin_events_free (struct cgin_header *header);

/* cgin_usual.c: reads the lines that come next as long as they have a usual
   form.  False: reading failed.  */
bool cgin_usual_lines (struct cgin *in);

#endif /* CGIN_IMPL_H */
