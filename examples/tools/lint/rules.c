/* rules.c - the table of the rules, and what is printed of those that a file
   breaks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "rules.h"

#include "../base/progress.h"
#include "../base/text.h"

#include <inttypes.h>
#include <stdio.h>

enum { MISTAKE, LIMIT };

static const struct rule_text
{
  const char *name;
  unsigned readers;
  bool is_limit;
  const char *what; /* the readers do */
  const char *fix;
} rules[N_RULES] = {
#define RULE(id, name, readers, kind, what, fix)                              \
  [RULE_##id] = { name, readers, (kind) == LIMIT, what, fix },
#include "rules.def"
#undef RULE
};

/* Prints the names of a set of readers, commas between them.  */
static void
print_readers (unsigned set)
{
  const char *comma = "";

  for (unsigned i = 0; i < N_READERS; i++)
    if (set & 1U << i)
      {
        printf ("%s%s", comma, readers[i].name);
        comma = ", ";
      }
}

void
print_rules (void)
{
  for (unsigned i = 0; i < N_RULES; i++)
    {
      printf ("%s\t", rules[i].name);
      print_readers (rules[i].readers);
      printf ("\t%s\t%s\t%s\n", rules[i].is_limit ? "limit" : "mistake",
              rules[i].what, rules[i].fix);
    }
}

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

static bool
is_finding (const struct report *r, enum rule rule)
{
  return r->limits || !rules[rule].is_limit;
}

void
report_add (struct report *r, enum rule rule, uint64_t line)
{
  if (!(rules[rule].readers & r->readers))
    return;
  r->n[rule]++;
  if (is_finding (r, rule) && !r->quiet && (r->n[rule] <= PRINTED || r->all))
    print (r, rule, line);
}

static void
print_limits (const struct report *r, bool any_findings)
{
  const char *comma = any_findings ? " limits: " : " no mistakes; limits: ";

  for (unsigned i = 0; i < N_RULES; i++)
    if (r->n[i] > 0 && !is_finding (r, i))
      {
        if (*comma == ' ')
          {
            printable_print (stdout, r->file);
            putchar (':');
          }
        printf ("%s%s", comma, rules[i].name);
        comma = ", ";
      }
  if (*comma == ',')
    puts ("; see -r READER");
}

bool
report_end (const struct report *r, bool at_end)
{
  bool any = false;

  for (unsigned i = 0; i < N_RULES; i++)
    {
      any |= r->n[i] > 0 && is_finding (r, i);
      if (r->n[i] > PRINTED && is_finding (r, i) && !r->all && !r->quiet)
        {
          printable_print (stdout, r->file);
          printf (": %s: and %" PRIu64 " more\n", rules[i].name,
                  r->n[i] - PRINTED);
        }
    }
  if (at_end && !r->quiet)
    print_limits (r, any);
  return any;
}
