/* header.h - what all parts agree on: their command, process, thread, and
   descriptions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef HEADER_H
#define HEADER_H 1

#include <cgw.h>
#include <stdbool.h>

/* Begins as {0}.  */
struct header
{
  bool any; /* part was taken */
  char *cmd;
  uint64_t pid;
  uint64_t thread;
  char **desc; /* sorted */
  size_t n_desc;
};

/* Takes the first part's, and from then on drops what differs.  */
void header_take (struct header *h, const struct cgw_part *part);

void header_free (struct header *h);

#endif /* HEADER_H */
