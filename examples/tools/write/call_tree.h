/* call_tree.h - makes a recording with stacks of the call trees that a program
   has written: see run/tree.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALL_TREE_H
#define CALL_TREE_H 1

#include "../format/recording.h"

#include <stddef.h>

struct call_tree
{
  struct recording recording;
  struct cgw_event events[CGW_EVENTS_MAX];
  struct recorded *profiles; /* one of each part */
  const char **desc;
  char **texts;              /* all that the recording names */
  size_t n_texts;
};

/* Reads a file.  `name` is what messages call it.  NULL: it failed, and a
   message was printed.  */
struct call_tree *call_tree_read (const char *path, const char *name);

void call_tree_free (struct call_tree *t); /* or NULL */

#endif /* CALL_TREE_H */
