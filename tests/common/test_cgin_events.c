/* test_cgin_events.c - event types: their names, long names and formulas.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_cgin.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test (cgin_events, lines)
{
  reads_as ("event: A : long name\nevent: B\nevents: A\tB  C\n",
            "part A,B,C line\nevent A : long name\n");
  reads_as ("event:\nevents: A\n", "1: event: without a name\n");
  reads_as ("event: A B\nevents: A\n", "1: bad event: line: \"A B\"\n");
  reads_as ("events: A B A\n", "1: event listed twice: \"A\"\n");
  /* What no events: line lists is no event.  */
  reads_as ("event: B : long\nevents: A\n", "part A line\n");
}

/* Readers take the unit from it.  */
Test (cgin_events, a_name_that_is_no_identifier_stays)
{
  reads_as ("events: Time_(10ns) 3x\n", "part Time_(10ns),3x line\n");
}

/* Unless it needs an event: line, which takes none but identifiers.  */
Test (cgin_events, or_becomes_one)
{
  reads_as ("event: Time_(10ns) : the time\nevents: Time_(10ns)\n",
            "part Time_10ns line\nevent Time_10ns : the time\n");
  reads_as ("event: 10 : ten\nevent: (1) : one\nevents: 10 (1) Event\n",
            "part Event2,Event3,Event line\nevent Event2 : ten\n"
            "event Event3 : one\n");
}

/* In an earlier part another event may have got the name.  */
Test (cgin_events, a_name_that_is_taken)
{
  reads_as ("event: 1A : one\nevents: 1A\nfl=f.c\nfn=f\n1 2\nevents: A\n",
            "part A line\nevent A : one\ncost f.c|f 1: 2\n"
            "part A2 line\nevent A2 : A\n");
}

Test (cgin_events, formulas)
{
  reads_as ("event: S = A + 2 B - 3*C : sum\nevents: A B C\n",
            "part A,B,C,S line\nevent S : sum = A + 2 B - 3 C\n");
  /* In any order.  */
  reads_as ("event: T = S + A\nevent: S = 2 A\nevents: A\n",
            "part A,S,T line\nevent S = 2 A\nevent T = S + A\n");
  reads_as ("event: S = A + Z\nevents: A\n",
            "2: bad formula at: \"Z\"\n");
  reads_as ("event: S = A +\nevents: A\n", "2: bad formula at: \"\"\n");
  reads_as ("event: S = A-B\nevents: A-B\n",
            "2: bad formula at: \"A-B\"\n");
  reads_as ("event: S = A ! B\nevents: A B\n",
            "2: bad formula at: \"! B\"\n");
  reads_as ("event: S = T\nevent: T = S\nevents: A\n",
            "3: formula of unknown events: \"S\"\n");
}

Test (cgin_events, too_many)
{
  char text[4000] = "events:";
  const char *end;

  for (int i = 0; i < 200; i++)
    sprintf (text + strlen (text), " E%d", i);
  strcat (text, "\n");
  end = strstr (reads (text), ",E199 line\n");
  cr_assert_not_null (end);
  text[strlen (text) - 1] = '\0';
  strcat (text, " F\n");
  reads_as (text, "1: too many event types\n");
}
