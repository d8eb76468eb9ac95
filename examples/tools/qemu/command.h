/* command.h - the command that runs a program under QEMU with the plugin.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef COMMAND_H
#define COMMAND_H 1

#include "../format/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the command line asks for.  */
struct settings
{
  char *out;                   /* the profile's path, from any folder */
  const char *shared;          /* the path of struct qemu_shared */
  const char *sysroot;         /* in what follows NULL is: not given */
  const char *symbols;
  const char *from;
  const char *until;
  const struct reader *reader;
  uint64_t save_every;         /* 0: never */
  bool has_accesses;
  bool has_blocks;
  bool has_jumps;
  bool has_parts;
  bool has_trees;
};

/* Words of a command line, which ends with NULL.  */
struct words
{
  char **word;
  size_t n;
};

/* Makes the command for a program and its arguments, which end with NULL.
   Returns 0, or the exit status after a message.  */
int command_make (struct words *w, const struct settings *s, char **program);

void command_free (struct words *w);

#endif /* COMMAND_H */
