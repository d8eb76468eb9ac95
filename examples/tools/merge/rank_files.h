/* rank_files.h - the rank-N files of cgw-mpi; finds the slowest and the fastest
   rank.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_RANK_FILES_H
#define MERGE_RANK_FILES_H 1

#include <cgw.h>
#include <stdbool.h>

struct rank_file
{
  const char *name;
  uint32_t rank;
  uint32_t of;      /* how many ranks there were */
  uint64_t outside; /* nanoseconds outside MPI */
  char *cmd;        /* or NULL */
  bool bytes;       /* has the events of --bytes */
  bool begun;       /* its part was read */
};

/* Begins as {0}.  */
struct rank_files
{
  struct rank_file *list; /* in the order of the inputs */
  size_t n;
  const struct rank_file *first; /* the lowest rank's */
  const struct rank_file *slowest;
  const struct rank_file *fastest;
};

/* Takes note of an input's part.  `name` must live as long as r.  False: it is
   not a rank-N file; a message was printed.  */
bool rank_files_take (struct rank_files *r, const char *name,
                      const struct cgw_part *part);

/* Finds the slowest and the fastest.  Warns if ranks are missing.  False: the
   files are not from one run; a message was printed.  */
bool rank_files_compare (struct rank_files *r);

/* Begins to read the part of a file that was taken.  Returns why it is refused,
   or NULL.  */
const char *rank_file_begin (struct rank_file *file,
                             const struct cgw_part *part);

void rank_files_free (struct rank_files *r);

#endif /* MERGE_RANK_FILES_H */
