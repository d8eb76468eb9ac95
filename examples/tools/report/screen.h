/* screen.h - where a report goes: to a file, or the standard output, which on a
   terminal has colours and a pager.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SCREEN_H
#define SCREEN_H 1

#include <stdbool.h>
#include <stdio.h>

enum colours
{
  COLOURS_AUTO,
  COLOURS_ALWAYS,
  COLOURS_NEVER
};

struct screen
{
  FILE *to;
  bool is_coloured;
  bool is_pager;
  const char *path;
};

/* Opens it.  A text may get colours and a pager.  False: it failed; a message
   was printed.  */
bool screen_open (struct screen *s, const char *path, bool is_text,
                  enum colours colours);

/* Ends it, as outfile_finish_stream.  A pager may have ended early.  */
bool screen_close (struct screen *s);

/* Removes what was written to a file.  */
void screen_discard (struct screen *s);

#endif /* SCREEN_H */
