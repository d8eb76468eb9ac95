/* test_cgin.h - what the reader of callgrind files passes on, as a text.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TEST_CGIN_H
#define TEST_CGIN_H 1

/* Reads a file and returns what became of it, until the next call; a line each:

     part EVENTS POSITIONS [pid=N] [part=N] [thread=N] [by=CREATOR] [cmd=CMD]
       [desc=DESC]... [sum=SUMMARY]
     event NAME : LONG NAME = FORMULA    of those that have more than a name
     cost FN POSITION: COSTS
     call FN POSITION -> FN POSITION xCOUNT: COSTS
     jump FN POSITION -> FN POSITION EXECUTED
     jcnd FN POSITION -> FN POSITION FOLLOWED/EXECUTED
     # COMMENT
     LINE: warning: TEXT
     LINE: TEXT                          the error

   FN is OBJECT|FILE|NAME without what is unknown; POSITION is a line, or
   ADDRESS/LINE, and "in FILE" if that is not the function's.  */
const char *reads (const char *text);

/* Asserts what becomes of a file; `parts`: with its part lines.  */
void reads_as (const char *text, const char *expected);

/* The same for records in a function f of f.c, the costs of two events, behind
   five lines.  */
#define BODY "events: A B\nfl=f.c\nfn=f\n1 1 1\n\n"
void body_reads_as (const char *text, const char *expected);

#endif /* TEST_CGIN_H */
