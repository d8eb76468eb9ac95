/* tree_folder.h - a folder where a program writes call trees, and what becomes
   of them: files of a format that has stacks.

   The program's tool names OUT as the file there.  Further files are
   OUT-THREAD, OUT.PROCESS and OUT.PROCESS-THREAD.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TREE_FOLDER_H
#define TREE_FOLDER_H 1

#include "call_tree.h"
#include "export.h"

#include <stdbool.h>
#include <stdint.h>

/* Of which process and thread a file is; 0: of the first one.  */
struct tree_file
{
  uint32_t process;
  uint32_t thread;
};

struct tree_folder
{
  const struct export_format *format;
  /* Returns the name of the output for a file, to be freed.  */
  char *(*name) (const void *context, struct tree_file file);
  const void *context;
  struct tree_file hottest; /* whose hottest functions tree_folder_hottest
                               prints */
  struct call_tree *kept;   /* the tree of that, or NULL */
  unsigned n_files;         /* that were written */
};

/* Makes the folder, which is gone when this process ends, unless a signal ends
   it.  Returns the path of OUT, or NULL after a message.  */
const char *tree_folder_make (void);

/* Writes an output for each file.  False: one failed, and a message was
   printed.  */
bool tree_folder_export (struct tree_folder *f);

/* Prints the hottest functions of one output.  */
void tree_folder_hottest (const struct tree_folder *f);

/* Removes the folder, and frees what was read.  */
void tree_folder_end (struct tree_folder *f);

#endif /* TREE_FOLDER_H */
