/* profile_text.h - what the tools' reader finds in a profile, as a text, and
   its sums.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H 1

#include "tool_run.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

/* Modulo 2^64, over all parts.  */
struct event_sums
{
  char *name;
  uint64_t self;
  uint64_t inclusive; /* of calls */
};

struct profile_sums
{
  struct event_sums events[4 * CGW_EVENTS_MAX];
  size_t n_events;
  size_t n_parts;
  uint64_t calls;    /* their counts */
  uint64_t executed; /* jumps */
  uint64_t followed;
  bool has_overflow; /* one of them passed 2^64-1 */
};

struct profile_text
{
  struct profile_sums sums;
  char *text;   /* a line for each part, event and record, in their order */
  size_t size;
  bool is_read; /* else error has the reason */
  char error[200];
};

/* Reads a file.  Release it by profile_text_free.  */
void profile_text_read (struct profile_text *t, const struct tool_file *file);
void profile_text_free (struct profile_text *t);

#endif /* PROFILE_TEXT_H */
