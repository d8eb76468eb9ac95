/* check.h - what is known of a profile while its lines are checked.

   A check never stops at an error: it reports it and goes on as the readers
   that get over it do.  Each struct is written by the file that is named above
   it, and read by all.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CHECK_H
#define CHECK_H 1

#include "../base/table.h"
#include "rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* KCachegrind takes 200 events.  The sums of more are not checked.  */
enum { EVENTS = 200 };

/* One subposition of a cost line.  */
enum subposition
{
  INSTR,
  BB,
  LINE,
  SUBPOSITIONS
};

/* check.c: what KCachegrind looks at to recognize a file.  */
struct start
{
  uint64_t offset; /* of the line */
  bool recognized;
  bool misplaced_events;
  bool misplaced_creator;
  bool creator_begins_line;
  bool events_begin_line;
};

/* check_header.c.  */
struct header
{
  uint64_t lines;         /* without the marker and comments */
  bool has_blank;         /* a blank line before any events: */
  bool version_first;     /* the only line so far is version: */

  unsigned part;          /* of the file, from 0 */
  uint64_t part_line;     /* that began it; 0: the first */
  bool part_events;       /* events: came in this part */
  bool part_positions;
  bool part_data;         /* and lines of the body */
  bool no_events_said;
  uint64_t new_part_line; /* it began a part right behind events:, or 0 */
  enum rule new_part_rule;

  struct intern event_names;
  bool any_events;        /* in the file */
  uint64_t events_line;
  unsigned n_events;
  uint32_t first_events[EVENTS]; /* of the first part */
  unsigned n_first_events;
  unsigned computed_named; /* events that KCachegrind computes: event: came */

  bool any_positions;
  enum subposition positions[SUBPOSITIONS];
  unsigned n_positions;
  bool positions_default; /* they are "line" */

  bool any_totals;        /* summary: or totals: came */
  uint64_t summary_line;  /* in this part, or 0 */
  uint64_t summary[EVENTS];
  unsigned n_summary;
};

/* An object, a file, or a function's name.  A text is its number, 0 for an
   empty or unknown one.  */
struct name
{
  uint32_t text;
  uint32_t base; /* the text behind the last "/" */
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
  uint64_t id;
  struct name name;
  unsigned part;
  struct name file;      /* of a function, and its object: where the id was */
  struct name object;    /* defined, as KCachegrind has it */
  bool callee_no_file;   /* it was defined by cfn= without cfi= */
  bool callee_no_object; /* it was defined by cfn= without cob= */
  bool ahead;            /* it was defined by fn= and no line followed */
  bool by_jump;          /* it was defined by jfi= or jfn= */
};

struct function
{
  struct function_key
  {
    uint32_t name, file, object; /* numbers of texts */
  } key;
  uint64_t line;     /* of its first use */
  uint64_t id;       /* UINT64_MAX: none */
  bool has_fn;       /* fn= began it */
  bool called;
  bool no_object;    /* it came before any ob= */
};

#define NO_FUNCTION UINT32_MAX

/* check_names.c.  */
struct names
{
  const char *here;        /* the current directory, or NULL */
  struct intern texts;
  struct table ids[TABLES]; /* of definitions */
  struct table functions;
  struct intern alike;     /* what some reader takes for one function */

  uint32_t fn;             /* the current function, or NO_FUNCTION */
  uint32_t fn_definition;  /* its id's, + 1; 0: it was not defined here */
  uint64_t fn_line;        /* of the last fn=, or 0 */
  bool record_in_fn;       /* since then */
  struct name object;      /* of the last ob= */
  struct name file;        /* of the last fl= */
  struct name source;      /* of the last fl=, fi= or fe= */
  bool any_ob;             /* in the file */
  uint64_t last_fl_line;   /* or 0 */
  uint64_t fl_line;        /* of an fl= behind the last fn=, or 0 */
  uint64_t ob_line;        /* likewise */

  /* The next call.  */
  struct name callee_file, callee_object;
  bool has_callee_file, has_callee_object;
  bool cob_stays;    /* no self cost line came behind a call with cob= */
  uint64_t cfn_line; /* that waits for its calls=, or 0 */
  uint32_t callee;   /* or NO_FUNCTION */
};

enum awaited
{
  NOTHING,
  CALL_COST,
  JUMP_SOURCE
};

/* check_records.c.  */
struct records
{
  enum awaited awaited;
  uint64_t awaited_line;
  uint64_t position_line; /* of the last cost line of any kind, or 0 */
  uint64_t base[SUBPOSITIONS];
  uint64_t sums[EVENTS];  /* self costs of this part */
  bool sum_too_large;     /* one passed 2^64-1 */
  uint64_t first_calls_line;
  bool any_call_cost;
};

/* check_graph.c.  */
struct graph
{
  struct table edges;
  struct function_costs *costs; /* of functions, by index */
  uint32_t n_costs;
};

/* check_formulas.c.  */
struct formulas
{
  struct formula *all; /* of the first part, in the order of the file */
  uint32_t n;
  struct of_function *values; /* by function and formula */
  uint32_t n_values;
};

/* check_cachegrind.c.  */
struct cachegrind
{
  enum
  {
    IN_DESC,
    IN_CMD,
    IN_BODY,
    AT_END
  } stage;
  bool any_desc;
  bool any_fl;
  bool any_fn;
  bool fn_after_fl; /* fn= came behind the last fl= */
};

struct check
{
  struct report *report;
  uint64_t line; /* that is being checked */
  struct start start;
  struct header header;
  struct names names;
  struct records records;
  struct graph graph;
  struct formulas formulas;
  struct cachegrind cachegrind;
};

/* A line of the file breaks a rule: one of them, or the current one.  */
static inline void
report_at (struct check *c, enum rule rule, uint64_t line)
{
  report_add (c->report, rule, line);
}

static inline void
report (struct check *c, enum rule rule)
{
  report_at (c, rule, c->line);
}

static inline const char *
skip_blanks (const char *p)
{
  return p + strspn (p, " \t");
}

/* The rest of the line behind "key", or NULL.  */
static inline const char *
after (const char *text, const char *key)
{
  size_t n = strlen (key);

  return strncmp (text, key, n) == 0 ? text + n : NULL;
}

/* check_graph.c.  */
void check_graph_begin (struct graph *g);
void check_graph_free (struct graph *g);
/* A self cost of the current function, and a call of the callee with its costs;
   `any`: there is one above 0.  */
void check_function_cost (struct check *c, uint64_t cost);
void check_edge (struct check *c, const uint64_t *costs, unsigned n, bool any);
/* The file ends.  */
void check_graph_end (struct check *c);

/* check_formulas.c.  */
void check_formulas_free (struct formulas *f);
/* event: came, with a name of n characters and a formula.  */
void check_formula (struct check *c, const char *name, size_t n,
                    const char *text);
/* The first events: came.  */
void check_formulas_begin (struct check *c);
/* Costs of a function, its own or those of calls of it.  */
void check_formula_costs (struct check *c, uint32_t function,
                          const uint64_t *costs, unsigned n, bool inclusive);
/* The file ends.  */
void check_formulas_end (struct check *c);

/* check_names.c: a line "key=name".  Returns false for an unknown key.  */
bool check_name_line (struct check *c, const char *text);
/* A record comes: is the order of the lines before it right?  */
void check_order (struct check *c);
/* Likewise for a self cost, and for calls=.  */
void check_order_of_cost (struct check *c);
void check_order_of_calls (struct check *c);
/* cfn= came, and no calls= behind it.  */
void check_lonely_cfn (struct check *c);
/* A name is empty.  */
void report_empty_name (struct check *c, enum id_table table);
/* The current function ends.  */
void check_function_end (struct check *c);
struct function *function_at (const struct check *c, uint32_t index);
/* The file ends.  */
void check_names_end (struct check *c);

/* check_records.c: lines of costs, calls and jumps.  */
bool is_cost_line (const char *text);
void check_cost_line (struct check *c, const char *text);
bool check_call_or_jump (struct check *c, const char *text);
/* Something else comes: is a cost line missing?  */
void check_awaited (struct check *c);
/* Costs from *p on: reads them into costs, and returns how many there are.  */
unsigned check_costs (struct check *c, const char *p, uint64_t *costs);
void add_costs (struct check *c, const uint64_t *costs, unsigned n);
/* Another part begins.  */
void check_records_part (struct check *c);
/* The file ends.  */
void check_records_end (struct check *c);

/* check_header.c: a line "key: value".  Returns false for an unknown key.  */
bool check_header (struct check *c, const char *text);
void check_header_blank (struct check *c);
/* The names behind events:.  */
void check_events (struct check *c, const char *value);
/* A line of the body comes.  */
void check_body_begins (struct check *c);
/* The file ends, and so does its last part.  */
void check_header_end (struct check *c);
/* The decimal numbers of a summary: or totals: line; false if it has anything
   else.  */
bool read_totals (const char *value, uint64_t *numbers, unsigned *n);

/* check.c: a line, its text a string without the end of the line.  `here` is
   the current directory, with "/", or NULL.  */
void check_begin (struct check *c, struct report *report, const char *here);
void check_line (struct check *c, char *text, size_t length);
void check_end (struct check *c);
void check_free (struct check *c);
/* What both flavours have in common: bytes, and how KCachegrind recognizes a
   profile.  Call it first.  */
void check_bytes (struct check *c, const char *text, size_t length);
/* The file ends: did it begin so that KCachegrind recognizes it?  */
void check_start_end (struct check *c);

/* check_cachegrind.c: the same for files of cachegrind.  */
void check_cachegrind_line (struct check *c, char *text, size_t length);
void check_cachegrind_end (struct check *c);

#endif /* CHECK_H */
