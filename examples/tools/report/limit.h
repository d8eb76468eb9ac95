/* limit.h - what a cost may be, or how much more than before: "Ir > +1 %".

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef LIMIT_H
#define LIMIT_H 1

#include "model.h"

#include <stdbool.h>

struct limit
{
  const char *text;      /* as it was given */
  char *function;        /* whose inclusive cost it is; or NULL: the total */
  char *event;
  bool is_change;        /* of what was before */
  bool is_percent;       /* of that */
  struct amount number;
  uint64_t scale;        /* what the number is divided by */
};

/* Reads one, or ends the program.  To be freed by limit_free.  */
struct limit limit_parse (const char *text);
void limit_free (struct limit *limit);

/* Sets *is_over if a cost is above the limit, and prints it.  False: there is
   no such event or function; a message was printed.  */
bool limit_check (const struct limit *limit, const struct model *m,
                  const char *file, bool *is_over);

#endif /* LIMIT_H */
