/* tool_run.h - runs tools in this process, on files in memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TOOL_RUN_H
#define TOOL_RUN_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

int main_recode (int argc, char **argv);
int main_merge (int argc, char **argv);
int main_lint (int argc, char **argv);
int main_import (int argc, char **argv);
int main_export (int argc, char **argv);
int main_report (int argc, char **argv);

/* A file in memory.  */
struct tool_file
{
  int fd;
  char path[32];
};

/* Makes an empty one, once.  */
void tool_file_make (struct tool_file *file);

void tool_file_fill (struct tool_file *file, const void *bytes, size_t n);

/* Reads it whole, a NUL behind it; to be freed.  */
char *tool_file_read (const struct tool_file *file, size_t *n);

/* Runs a tool with the arguments, which end with NULL; its standard output
   goes to the file.  Returns the exit status.  */
int tool_run (int (*tool) (int argc, char **argv), const char *const *arguments,
              struct tool_file *out);

/* Returns what cgw-import makes of a file, or NULL if it refuses it.  A kind
   that is not NULL is given as --from: folded stacks may look like a file of
   another kind.  */
struct profile *imported (const struct tool_file *input, const char *kind);

/* Whether cgw-import reads samples from a file, of a kind if that is not NULL:
   their stacks begin at a root.  Callgrind's profiles have sums, which need not
   add up.  */
bool is_of_samples (const struct tool_file *file, const char *kind);

/* What it said on the standard error.  Valid until the next run.  */
const char *tool_said (void);

/* Where that goes.  */
FILE *tool_messages (void);

/* Forgets what was said, where parts of tools run without tool_run.  */
void tool_forget (void);

#endif /* TOOL_RUN_H */
