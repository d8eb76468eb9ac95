/* test_gate_seams.c - cgw_salvage in a handler where the interrupted call is
   between two steps that belong together: the writing of a deferred record and
   the note of it; the close of a file that is cut back, and the end of it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"

#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite (gate_seams, .timeout = 600);

static struct gate g;
static enum cgw_status inner; /* of cgw_salvage */

/* Deferred records are written when the call that holds the writer leaves.  */

static void
defer_in_hook (struct gate *gate)
{
  step_pause ();
  gate->in_write = NULL;
  gate_records (gate);
  step_resume ();
}

static void
flush (void *context)
{
  (void) context;
  g.status = cgw_flush (g.w);
}

static void
salvage_in_handler (void *context)
{
  (void) context;
  step_stop ();
  inner = cgw_salvage (g.w);
}

static void
open_with_records (void)
{
  gate_open (&g, NULL, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  g.in_write = defer_in_hook;
}

Test (gate_seams, deferred_records_count_once)
{
  unsigned long n, stride = step_stride (23);

  STEP_OR_SKIP ();
  open_with_records ();
  n = step (STEP_NEVER, flush, NULL, NULL);
  gate_end (&g, CGW_OK, "not interrupted");
  for (unsigned long at = 1; at <= n; at += stride)
    {
      open_with_records ();
      step (at, flush, salvage_in_handler, NULL);
      cr_assert_eq (cgw_salvage (g.w), CGW_EFINISHED);
      gate_check (&g, inner == CGW_OK ? READER_STRICT : READER_UNFINISHED,
                  gate_what ("flush", at));
    }
}

/* A file that is cut back because its disk is full.  */

static int victim;
static char path[4096];

static void
limit_files (rlim_t limit)
{
  struct rlimit l = { .rlim_max = RLIM_INFINITY };

  cr_assert_eq (getrlimit (RLIMIT_FSIZE, &l), 0);
  l.rlim_cur = limit;
  cr_assert_eq (setrlimit (RLIMIT_FSIZE, &l), 0);
}

static void
create_with_records (void)
{
  cr_assert_eq (truncate (path, 0), 0);
  victim = -1;
  g.n = 0;
  memset (&g.ledger, 0, sizeof g.ledger);
  cr_assert_eq (cgw_names_new (&g.names, NULL), CGW_OK);
  cr_assert_eq (cgw_create (&g.w, g.names, path, NULL), CGW_OK);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  for (int i = 0; i < 200; i++)
    gate_record (&g, GATE_COST);
}

static void
finish_full_disk (void *context)
{
  (void) context;
  g.status = cgw_finish (g.w);
}

/* The file that the handler opens gets the number that is free.  */
static void
open_and_salvage (void *context)
{
  (void) context;
  step_stop ();
  victim = gate_file ();
  inner = cgw_salvage (g.w);
}

Test (gate_seams, a_file_that_is_cut_back)
{
  char *directory = make_directory ();
  unsigned long n, stride = step_stride (31);
  char byte;
  int fd;

  STEP_OR_SKIP ();
  signal (SIGXFSZ, SIG_IGN);
  fd = open_in (directory, "profile", path);
  create_with_records ();
  limit_files (700);
  n = step (STEP_NEVER, finish_full_disk, NULL, NULL);
  limit_files (RLIM_INFINITY);
  gate_free (&g);
  for (unsigned long at = 1; at <= n; at += stride)
    {
      const char *what = gate_what ("a full disk", at);

      create_with_records ();
      limit_files (700);
      step (at, finish_full_disk, open_and_salvage, NULL);
      limit_files (RLIM_INFINITY);
      /* One of the two finished the file.  */
      cr_assert (g.status == CGW_EIO || inner == CGW_EIO
                     || (g.status == CGW_ELOST && inner == CGW_ELOST),
                 "%s: %s, in the handler %s", what, cgw_strerror (g.status),
                 cgw_strerror (inner));
      cr_assert (victim == -1 || pread (victim, &byte, 1, 0) == 0,
                 "%s: bytes in another file", what);
      if (victim != -1)
        close (victim);
      gate_load (&g, fd);
      gate_check (&g, READER_UNFINISHED, what);
    }
  close (fd);
  remove_directory (directory);
}
