/* at_least_zero.c - sums of signed events as a file can have them.

   SPDX-License-Identifier: MIT  */

#include "at_least_zero.h"

#include "../text/number.h"

#include <string.h>

/* Sums below 0: how many, and the amount of all, at most 2^64-1.  */
struct negative
{
  uint64_t n;
  uint64_t amount;
};

/* Bytes of a comment but for the event's name.  */
#define COMMENT_MAX 300

static struct negative
negative_of (const struct cgwi_table *t, size_t event)
{
  struct negative n = { 0, 0 };

  for (uint32_t i = 0; i < t->n; i++)
    {
      uint64_t cost = cgwi_table_costs (t, i)[event];

      if (cost >> 63 == 0)
        continue;
      n.n++;
      if (__builtin_add_overflow (n.amount, 0 - cost, &n.amount))
        n.amount = UINT64_MAX;
    }
  return n;
}

static char *
put_negative (char *to, const struct negative *n, const char *what)
{
  to = cgwi_put_text (cgwi_put_decimal (to, n->n), what);
  to = cgwi_put_text (to, n->n == 1 ? " cost below 0 was written as 0, -"
                               : " costs below 0 were written as 0, -");
  to = cgwi_put_decimal (to, n->amount);
  return cgwi_put_text (to, n->amount == UINT64_MAX ? " or less together"
                                               : " together");
}

/* Make the comment about a signed event.  False: no memory.  */
static bool
make_comment (struct cgw_profile *p, size_t event, const char *name,
              char **comment)
{
  struct negative self = negative_of (&p->self, event);
  struct negative inclusive = negative_of (&p->edges, event);
  char *end;

  if (self.n == 0 && inclusive.n == 0)
    return true;
  end = *comment = cgwi_borrow (p, strlen (name) + COMMENT_MAX, 1);
  if (end == NULL)
    return false;
  end = cgwi_put_text (cgwi_put_text (end, "event "), name);
  end = cgwi_put_text (end, ": ");
  if (self.n != 0)
    end = put_negative (end, &self, " self");
  if (self.n != 0 && inclusive.n != 0)
    end = cgwi_put_text (end, "; ");
  if (inclusive.n != 0)
    end = put_negative (end, &inclusive, " inclusive");
  *end = '\0';
  return true;
}

/* Sum up what is written as self costs.  False: a sum passes 2^64-1.  */
static bool
add_up (const struct cgw_profile *p, uint64_t *totals)
{
  memset (totals, 0, p->n_events * sizeof *totals);
  for (uint32_t i = 0; i < p->self.n; i++)
    for (size_t k = 0; k < p->n_events; k++)
      {
        uint64_t cost = cgwi_table_costs (&p->self, i)[k];

        if ((!p->is_signed[k] || cost >> 63 == 0)
            && __builtin_add_overflow (totals[k], cost, &totals[k]))
          return false;
      }
  return true;
}

bool
cgwi_find_zeroed (struct cgw_profile *p, const struct cgw_part *part,
                  struct cgwi_zeroed *z)
{
  size_t event = 0;

  z->totals = cgwi_borrow (p, p->n_events, sizeof *z->totals);
  z->comments = cgwi_borrow (p, p->n_events, sizeof *z->comments);
  if (z->totals == NULL || z->comments == NULL)
    return false;
  if (!add_up (p, z->totals))
    z->totals = NULL;
  for (size_t i = 0; i < part->n_events; i++)
    if (part->events[i].formula == NULL)
      {
        z->comments[event] = NULL;
        if (p->is_signed[event]
            && !make_comment (p, event, part->events[i].name,
                              &z->comments[event]))
          return false;
        event++;
      }
  return true;
}
