/* report.c - prints findings, and counts them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "report.h"

#include "../base/progress.h"
#include "../base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* How many findings of a rule are printed.  */
enum { PRINTED = 3 };

static void
print (const struct report *r, enum rule rule, uint64_t line)
{
  const struct rule_text *text = &rules[rule];

  progress_clear ();
  printable_print (stdout, r->file);
  putchar (':');
  if (line != 0)
    printf ("%" PRIu64 ":", line);
  printf (" %s: ", text->name);
  print_readers (text->readers & r->readers);
  printf (": %s; %s\n", text->what, text->fix);
}

void
report (struct report *r, enum rule rule, uint64_t line)
{
  const struct rule_text *text = &rules[rule];

  if (!(text->readers & r->readers) || (text->is_limit && !r->limits))
    return;
  if (r->n[rule]++ < PRINTED || r->all)
    print (r, rule, line);
}

bool
report_end (struct report *r)
{
  bool any = false;

  for (unsigned i = 0; i < N_RULES; i++)
    {
      any |= r->n[i] > 0;
      if (r->n[i] > PRINTED && !r->all)
        {
          printable_print (stdout, r->file);
          printf (": %s: and %" PRIu64 " more\n", rules[i].name,
                  r->n[i] - PRINTED);
        }
    }
  memset (r->n, 0, sizeof r->n);
  return any;
}
