/* tree.h - how what runs in the program writes call trees: as a callgrind
   profile, which write/call_tree.c reads.

   Each calling context is a function there, NAME'CONTEXT, in which only one
   other function calls it.  All contexts of a part have texts CONTEXT of their
   own.  Inclusive costs and counts of calls do not matter.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TREE_H
#define TREE_H 1

/* A call inside so many calls has TREE_CUT as its only caller, and so have
   those inside it: of a recursion, all stacks together grow with the square of
   its depth.  So has a call in a new context, if there is no room for one.
   Such calls of one function are one context.  */
enum { TREE_DEPTH = 1000 };
#define TREE_CUT "(cut)"

/* A profile with such calls has this line.  */
#define TREE_CUT_DESC                                                         \
  "Cut: callers of calls in stacks above 1000 frames, or in too many contexts"

#endif /* TREE_H */
