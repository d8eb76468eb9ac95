/* reader_state.h - what the parts of the reader share.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef READER_STATE_H
#define READER_STATE_H 1

#include "reader.h"

/* Text from at to end, not included.  Parsers move at on.  */
struct reader_span
{
  const char *at;
  const char *end;
};

/* Where in a part the reader is.  */
enum reader_stage
{
  STAGE_HEADER,    /* before positions: */
  STAGE_POSITIONS, /* between positions: and events: */
  STAGE_EVENTS,    /* after events: */
  STAGE_SUMMARY,   /* after summary: */
  STAGE_BODY,
  STAGE_TOTALS
};

/* Kinds of lines of a record, in the order in which they may come.  */
enum reader_spec
{
  SPEC_NONE, SPEC_OB, SPEC_FL, SPEC_FN, SPEC_FI,
  SPEC_COB, SPEC_CFI, SPEC_CFN, SPEC_CALLS,
  SPEC_JFI, SPEC_JFN, SPEC_JUMP, SPEC_COST
};

/* The three tables of ids.  */
enum reader_ids { IDS_OBJECT, IDS_FILE, IDS_FN, IDS_TABLES };

#define READER_NO_FN UINT32_MAX

/* What an id stands for.  */
struct reader_id
{
  bool known;
  uint32_t name;
  uint32_t fn;      /* functions: the row bound to it, or READER_NO_FN */
  size_t part;      /* the last part that defined it, counted from 1 */
};

struct reader_id_table
{
  struct reader_id *ids; /* by id */
  size_t n;              /* 1 + the largest id */
  size_t room;
};

/* A name as a position specification gives it.  */
struct reader_name
{
  uint32_t name;
  uint32_t id; /* 0: plain */
};

/* What a record may name, and else takes from the lines before.  */
struct reader_choice
{
  bool is_set;
  uint32_t name;
};

/* An "event:" line that waits for the events: line.  */
struct reader_event_line
{
  struct reader_span name;
  struct reader_span formula; /* at NULL: none */
  struct reader_span text;    /* its long name; at NULL: none */
  uint64_t line;
};

struct reader_pos
{
  uint64_t instr;
  uint64_t line;
};

struct reader
{
  struct profile *p;
  const char *bytes;
  const char *end;
  unsigned flags;
  bool strict;
  char *error;
  size_t error_size;
  uint64_t line; /* number of the current line */
  struct reader_span text;

  /* The header.  */
  struct profile_part *part;
  enum reader_stage stage;
  unsigned seen; /* which keys came in this part */
  struct reader_event_line *event_lines;
  size_t n_event_lines;
  size_t event_line_room;
  size_t part_room;
  uint64_t *numbers; /* scratch: the numbers of one line */
  size_t number_room;

  /* Where the cost is: as the last lines said.  */
  struct reader_id_table ids[IDS_TABLES];
  struct profile_table id_of; /* of a name or, by its row, a function */
  uint32_t object;
  uint32_t former_object; /* at the end of the part before */
  uint32_t fl;
  uint32_t active; /* the file of the last fl=, fi= or fe= */
  uint32_t fn;
  bool has_ob; /* in this part */
  bool has_fl;
  bool fi_since_fl;
  struct reader_pos base;
  bool has_base;      /* a cost line came in this part */
  bool need_absolute; /* no cost line came since fn= */

  /* The record under way.  */
  enum reader_spec last; /* its last line, SPEC_NONE between records */
  const char *record;    /* its first byte */
  struct reader_choice cob;
  struct reader_choice cfi;
  struct reader_choice jfi;
  struct reader_choice jfn; /* its row */
  uint32_t callee;
  enum reader_spec pending; /* SPEC_CALLS or SPEC_JUMP, or SPEC_NONE */
  bool conditional;
  uint64_t count;    /* calls, or jumps executed */
  uint64_t followed;
  struct reader_pos target;
};

/* reader.c */

/* Says why the file is refused, at the current line; returns false.  */
bool reader_fail (struct reader *r, const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));
/* A rule of strict files: says why the file is refused if it is not kept.  */
bool reader_rule (struct reader *r, bool kept, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
/* For lines of no known kind.  */
bool reader_other_line (struct reader *r);
char *reader_copy (struct reader_span text);
bool reader_is (struct reader_span text, const char *word);
void reader_trim (struct reader_span *text);

/* reader_number.c */
bool reader_number (struct reader *r, struct reader_span *text, uint64_t *n);
bool reader_separator (struct reader *r, struct reader_span *text);
bool reader_position (struct reader *r, struct reader_span *text, bool target,
                      struct reader_pos *pos);
bool reader_numbers (struct reader *r, struct reader_span *text, size_t max,
                     size_t *n);

/* reader_events.c */
bool reader_event_line (struct reader *r, struct reader_span value);
bool reader_events (struct reader *r, struct reader_span value);
bool reader_same_events (const struct profile_part *a,
                         const struct profile_part *b);

/* reader_header.c */
bool reader_header_line (struct reader *r, struct reader_span key,
                         struct reader_span value);
void reader_begin_part (struct reader *r);
bool reader_end_part (struct reader *r, bool last);
bool reader_comment (struct reader *r, struct reader_span text);

/* reader_names.c */
bool reader_name (struct reader *r, enum reader_ids table,
                  struct reader_span value, struct reader_name *name);
bool reader_bind_fn (struct reader *r, struct reader_name name,
                     uint32_t object, uint32_t file, uint32_t *fn);
uint32_t reader_bound_fn (const struct reader *r, struct reader_name name);

/* reader_body.c */
bool reader_spec_line (struct reader *r, struct reader_span key,
                       struct reader_span value);
bool reader_cost_line (struct reader *r);
/* For lines that may not come inside a record.  */
bool reader_between_records (struct reader *r, const char *what);

#endif /* READER_STATE_H */
