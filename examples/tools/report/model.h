/* model.h - what is reported: functions, calls between them, lines, of a
   profile or of two that are compared.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MODEL_H
#define MODEL_H 1

#include "../format/recording.h"
#include "../format/sums.h"
#include "columns.h"
#include "stack_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sort
{
  SORT_SELF,
  SORT_INCLUSIVE,
  SORT_CALLS,
  SORT_NAME
};

struct model_options
{
  const char *events; /* those shown, between commas; NULL: all */
  enum sort sort;
  bool by_line;
  bool has_tree;
};

/* A profile, and where it is from.  */
struct input_profile
{
  const struct recording *r; /* all its profiles are added up */
  const char *file;          /* for messages */
};

/* A function, or what stands for one in calls and lines.  */
struct model_function
{
  const char *name;
  const char *file;   /* "???": unknown */
  const char *object; /* likewise */
  uint32_t line;      /* the lowest one, or 0 */
  struct sums_function *sums;
};

struct model_call
{
  uint32_t from; /* functions */
  uint32_t to;
  const struct edge *edge;
  uint64_t size; /* by which they are sorted */
};

/* The costs at a line, and those of the calls that are made there.  */
struct model_line
{
  struct place_key key;
  uint32_t function;
  uint64_t costs[]; /* self, calls: before; self, calls: after */
};

struct model
{
  const struct recording *r; /* the one after */
  bool has_base;
  struct columns columns;
  struct sums sums;
  struct model_function *functions; /* sorted */
  uint32_t n_functions;
  uint32_t *rank;              /* of each function of sums, in these */
  struct model_call *calls;    /* by caller; the highest costs first */
  uint32_t n_calls;
  uint32_t *callers;           /* places of calls, by callee, in that order */
  uint32_t *first_caller;      /* per function, and one more: into callers */
  struct table joined;         /* calls by line, joined by function */
  struct table line_table;
  const struct model_line **lines; /* by function, file and line */
  uint32_t n_lines;
  struct tree tree;            /* if it is asked for */
};

/* Adds up a profile, and one that it is compared with if base is not NULL.
   Both have the same names object.  False: it failed; a message was printed.
   To be freed even so.  */
bool model_make (struct model *m, const struct model_options *options,
                 const struct input_profile *after,
                 const struct input_profile *base);

void model_free (struct model *m);

/* Values of the i-th column that is shown.  */

/* SELF or INCLUSIVE of a function; of a line, INCLUSIVE is that of calls.  */
enum kind { SELF, INCLUSIVE, KINDS };
struct amount model_cost (const struct model *m, size_t i,
                          const struct model_function *f, enum kind kind,
                          enum side side);
struct amount model_call_cost (const struct model *m, size_t i,
                               const struct model_call *c, enum side side);
struct amount model_line_cost (const struct model *m, size_t i,
                               const struct model_line *l, enum kind kind,
                               enum side side);
struct amount model_total (const struct model *m, size_t i, enum side side);

/* Whether anything differs that is shown; without a base, whether it is not
   0.  */
bool model_function_differs (const struct model *m,
                             const struct model_function *f);
bool model_call_differs (const struct model *m, const struct model_call *c);
bool model_line_differs (const struct model *m, const struct model_line *l);

/* Where the calls of a function, or its lines, begin: they end where those of
   the next one begin.  */
uint32_t model_first_call (const struct model *m, uint32_t function);
uint32_t model_first_line (const struct model *m, uint32_t function);

/* The file of a line.  */
const char *model_line_file (const struct model *m,
                             const struct model_line *l);

#endif /* MODEL_H */
