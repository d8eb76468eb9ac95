/* check.h - what is known of a profile while its lines are checked.

   A check never stops at an error: it reports it and goes on as the readers
   that get over it do.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CHECK_H
#define CHECK_H 1

#include "map.h"
#include "report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* KCachegrind takes 200 events.  The sums of more are not checked.  */
enum { EVENTS = 200 };

/* An object, a file, or a function's name.  A text is its 64-bit hash, 0 for
   an empty or unknown one, so that names take little memory.  */
struct name
{
  uint64_t text;
  uint64_t base; /* the text behind the last "/" */
  bool unknown;  /* it is "???" */
  bool below_here; /* a file in the current directory or below it */
};

/* The three tables of ids.  */
enum id_table
{
  OBJECTS,
  FILES,
  FUNCTIONS,
  TABLES
};

/* What an id was defined as.  */
struct definition
{
  struct name name;
  unsigned part;         /* of the file, from 0 */
  struct name file;      /* of a function, and its object: where the id was */
  struct name object;    /* defined, as KCachegrind has it */
  bool callee_no_file;   /* it was defined by cfn= without cfi= */
  bool callee_no_object; /* it was defined by cfn= without cob= */
  bool ahead;            /* it was defined by fn= and no line followed */
  bool by_jump;          /* it was defined by jfi= or jfn= */
};

struct ids
{
  struct map map; /* id -> index of its definition + 1 */
  struct definition *items;
  size_t n;
};

/* A function: name, file and object.  */
struct function
{
  uint64_t line;     /* of its first use */
  uint64_t id;       /* UINT64_MAX: none */
  uint64_t self;     /* of the first event */
  uint64_t incoming; /* cost of calls of it, of the first event */
  uint64_t outgoing; /* likewise, of its calls */
  bool has_fn;       /* fn= began it */
  bool called;
  bool no_object;    /* it came before any ob= */
};

/* All calls of a function by another one.  */
struct edge
{
  uint32_t caller, callee;
  uint64_t line; /* of the first one's cost */
  bool has_costs;
};

#define NO_FUNCTION UINT32_MAX

enum awaited
{
  NOTHING,
  CALL_COST,
  JUMP_SOURCE
};

/* One subposition of a cost line.  */
enum subposition
{
  INSTR,
  BB,
  LINE,
  SUBPOSITIONS
};

struct sums
{
  uint64_t of[EVENTS];
  bool too_large; /* one passed 2^64-1 */
};

struct check
{
  struct report *report;
  uint64_t line; /* that is being checked */
  const char *here; /* the current directory, with "/" */

  /* What KCachegrind looks at to recognize a file.  */
  uint64_t offset; /* of the line */
  bool recognized;
  bool misplaced_events;
  bool misplaced_creator;
  bool creator_begins_line;
  bool events_begin_line;

  /* The header.  */
  uint64_t header_lines; /* without the marker and comments */
  bool blank_in_header;
  bool version_first;    /* the only header line so far is version: */
  unsigned part;
  bool any_events;       /* in the file */
  bool any_positions;
  bool part_events;      /* events: came in this part */
  bool part_positions;
  bool part_data;        /* and lines of the body */
  bool no_events_said;
  uint64_t new_part_line; /* it began a part right behind events:, or 0 */
  enum rule new_part_rule;
  uint64_t events_line;
  uint64_t events_hash;  /* of the first part */
  unsigned computed_named; /* events that KCachegrind computes: event: came */
  unsigned n_events;
  enum subposition positions[SUBPOSITIONS];
  unsigned n_positions;
  bool positions_default; /* they are "line" */
  bool any_totals;       /* summary: or totals: came */
  uint64_t summary_line; /* in this part, or 0 */
  uint64_t summary[EVENTS];
  unsigned n_summary;
  struct sums sums;      /* self costs of this part */
  bool sum_said;

  /* Names.  */
  struct ids ids[TABLES];
  struct map function_map; /* name, file, object -> index + 1 */
  struct function *functions;
  size_t n_functions;
  struct map edge_map;     /* caller, callee -> index + 1 */
  struct edge *edges;
  size_t n_edges;
  struct map alike;        /* what some reader takes for one function -> 1 */
  uint32_t fn;             /* the current function, or NO_FUNCTION */
  size_t fn_definition;    /* its id's, + 1; 0: it was not defined here */
  struct name object;      /* of the last ob= */
  struct name file;        /* of the last fl= */
  struct name source;      /* of the last fl=, fi= or fe= */
  bool part_fl;            /* fl= came in this part */
  bool any_fn;             /* in the file */
  bool any_ob;
  uint64_t fl_line;        /* of an fl= behind the last fn=, or 0 */
  uint64_t ob_line;        /* likewise */

  /* The next call.  */
  struct name callee_file, callee_object;
  bool has_callee_file, has_callee_object;
  bool cob_stays;    /* no self cost line came behind a call with cob= */
  uint64_t cfn_line; /* that waits for its calls=, or 0 */
  uint32_t callee;   /* or NO_FUNCTION */
  uint64_t first_calls_line;
  bool any_call_cost;

  /* Records.  */
  enum awaited awaited;
  uint64_t awaited_line;
  bool record_in_fn;    /* since fn= */
  bool position_in_fn;  /* a cost line of any kind since fn= */
  bool position_in_part;
  uint64_t base[SUBPOSITIONS];

  /* Files of cachegrind: see check_cachegrind.c.  */
  enum
  {
    IN_DESC,
    IN_CMD,
    IN_BODY,
    AT_END
  } stage;
  bool any_desc;
  bool fn_after_fl; /* fn= came behind the last fl= */
};

/* check.c: a line, its text a string without the end of the line.  */
void check_begin (struct check *c, struct report *report, const char *here);
void check_line (struct check *c, char *text, size_t length);
void check_end (struct check *c);
void check_free (struct check *c);
/* What both flavours have in common: bytes, and how KCachegrind recognizes a
   profile.  Call it first.  */
void check_bytes (struct check *c, const char *text, size_t length);
/* The file ends: did it begin so that KCachegrind recognizes it?  */
void check_start_end (struct check *c);
/* A line of the file breaks a rule: the current one.  */
void found (struct check *c, enum rule rule);
const char *skip_blanks (const char *p);
/* The rest of the line behind "key", or NULL.  */
const char *after (const char *text, const char *key);

/* check_header.c: a line "key: value".  Returns false for an unknown key.  */
bool check_header (struct check *c, const char *text);
/* The names behind events:.  */
void check_events (struct check *c, const char *value);
/* A line of the body comes.  */
void check_body_begins (struct check *c);
/* A part ends.  */
void check_part_end (struct check *c);
/* The decimal numbers of a summary: or totals: line; false if it has anything
   else.  */
bool read_totals (const char *value, uint64_t *numbers, unsigned *n);

/* check_names.c: a line "key=name".  Returns false for an unknown key.  */
bool check_name_line (struct check *c, const char *text);
/* The current function ends.  */
void check_function_end (struct check *c);
/* The file ends.  */
void check_names_end (struct check *c);
/* A record comes: is the order of the lines before it right?  */
void check_order (struct check *c);
/* cfn= came, and no calls= behind it.  */
void check_lonely_cfn (struct check *c);
/* A name is empty.  */
void found_empty (struct check *c, enum id_table table);

/* check_records.c: lines of costs, calls and jumps.  */
bool is_cost_line (const char *text);
void check_cost_line (struct check *c, const char *text);
bool check_call_or_jump (struct check *c, const char *text);
/* Something else comes: is a cost line missing?  */
void check_awaited (struct check *c);
/* Costs from *p on: reads them into costs, and returns how many there are.  */
unsigned check_costs (struct check *c, const char *p, uint64_t *costs);
void add_costs (struct check *c, const uint64_t *costs, unsigned n);

/* check_graph.c: a call of the callee, with its costs, and whether there is
   one above 0.  */
void check_edge (struct check *c, const uint64_t *costs, unsigned n, bool any);
/* The file ends.  */
void check_graph_end (struct check *c);

/* check_cachegrind.c: the same for files of cachegrind.  */
void check_cachegrind_line (struct check *c, char *text, size_t length);
void check_cachegrind_end (struct check *c);

#endif /* CHECK_H */
