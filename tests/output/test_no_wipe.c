/* test_no_wipe.c - forks where the kernel wipes no page in the child: linked
   to a library that was built with CGWI_NO_WIPEONFORK.  Normal code and writes
   notice; a child's records return CGW_OK until its copy of the buffer is
   full.  In no case are bytes written twice.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../support/support.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUFFER 8192
#define MOST_RECORDS 100000

static struct cgw_writer *w;
static struct cgw_pos here;
static int fd, childs_fd;
static off_t header; /* bytes, which cgw_begin_part has written */

static int
temporary_file (void)
{
  char name[] = "/tmp/cgw-no-wipe-XXXXXX";
  int file = mkstemp (name);

  cr_assert_neq (file, -1);
  unlink (name);
  return file;
}

static void
begin (void)
{
  static const struct cgw_event event = { "Ir", NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;

  part.events = &event;
  part.n_events = 1;
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
}

static enum cgw_status
record (void)
{
  return cgw_cost (w, &here, (uint64_t[]){ 1 }, 1);
}

/* A writer with one record in its buffer.  */
static void
set_up (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.buffer_size = BUFFER;
  fd = temporary_file ();
  childs_fd = temporary_file ();
  cr_assert_eq (cgw_open_fd (&w, test_names (), fd, &o), CGW_OK);
  here = written_line (written_fn (test_names (), NULL, "f.c", "f"), 1);
  begin ();
  header = lseek (fd, 0, SEEK_END);
  cr_assert_eq (record (), CGW_OK);
}

TestSuite (no_wipe, .init = set_up, .timeout = 60);

static void
in_child (int (*part) (void))
{
  pid_t child = fork ();
  int status;

  cr_assert_neq (child, -1);
  if (child == 0)
    leave (part ());
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0,
             "child: status %x", (unsigned) status);
}

/* The parent goes on, and its file has so many records, each once.  */
static void
finish_parent (unsigned long long records)
{
  char bytes[4096], totals[40];
  ssize_t n;

  cr_assert_eq (record (), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cgw_free (w);
  n = pread (fd, bytes, sizeof bytes - 1, 0);
  cr_assert_gt (n, 0);
  bytes[n] = '\0';
  snprintf (totals, sizeof totals, "\ntotals: %llu\n", records);
  cr_assert_not_null (strstr (bytes, totals), "%s", bytes);
  must_read (bytes, (size_t) n, 0, "the parent's");
}

static int
normal_code (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  if (record () != CGW_OK)
    return 1; /* this library's pages are wiped: not what is to be tested */
  if (cgw_flush (w) != CGW_EFORK || cgw_comment (w, "c") != CGW_EFORK
      || cgw_get_stats (w, &s) != CGW_EFORK)
    return 2;
  if (cgw_add_file (test_names (), "late").handle == 0)
    return 3; /* names are the child's own */
  return cgw_finish (w) == CGW_EFORK ? 0 : 4;
}

Test (no_wipe, normal_code_notices)
{
  in_child (normal_code);
  finish_parent (2);
}

static int
records (void)
{
  unsigned long n = 0;
  enum cgw_status status;

  do
    status = record ();
  while (status == CGW_OK && ++n < MOST_RECORDS);
  if (n < BUFFER / 8 || n >= MOST_RECORDS)
    return 1;
  if (status != CGW_EFORK || record () != CGW_EFORK)
    return 2;
  return lseek (fd, 0, SEEK_END) == header ? 0 : 3;
}

Test (no_wipe, records_end_with_the_buffer)
{
  in_child (records);
  finish_parent (2);
}

static int
own_file (void)
{
  record ();
  cgw_free (w);
  if (cgw_open_fd (&w, test_names (), childs_fd, NULL) != CGW_OK)
    return 1;
  begin ();
  if (record () != CGW_OK || cgw_finish (w) != CGW_OK)
    return 2;
  cgw_free (w);
  return 0;
}

/* What the child recorded in its copy is not in its file.  */
Test (no_wipe, childs_own_file)
{
  char bytes[4096];
  ssize_t n;

  in_child (own_file);
  n = pread (childs_fd, bytes, sizeof bytes - 1, 0);
  cr_assert_gt (n, 0);
  bytes[n] = '\0';
  cr_assert_not_null (strstr (bytes, "\ntotals: 1\n"), "%s", bytes);
  finish_parent (2);
}

static int
leave_it (void)
{
  record ();
  cgw_free (w);
  return 0;
}

Test (no_wipe, free_writes_nothing)
{
  in_child (leave_it);
  finish_parent (2);
}

/* A file that replaces another: a child neither renames nor removes its
   parent's.  */

static int
end_in_child (void)
{
  bool right = cgw_finish (w) == CGW_EFORK && cgw_salvage (w) == CGW_EFORK;

  cgw_free (w);
  return right ? 0 : 1;
}

static int
replace_in_child (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  bool right;

  cgw_free (w);
  o.flags = CGW_REPLACE | CGW_PATH_EXPAND;
  right = cgw_open (&w, test_names (), "child.%p", &o) == CGW_OK;
  begin ();
  right = right && record () == CGW_OK && cgw_finish (w) == CGW_OK;
  cgw_free (w);
  return right ? 0 : 1;
}

Test (no_wipe, replaced_file)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct sink file = { 0 };
  char *directory = make_directory ();

  cgw_free (w);
  cr_assert_eq (chdir (directory), 0);
  o.flags = CGW_REPLACE;
  cr_assert_eq (cgw_open (&w, test_names (), "parent", &o), CGW_OK);
  begin ();
  cr_assert_eq (record (), CGW_OK);
  in_child (end_in_child);
  in_child (replace_in_child);
  cr_assert_eq (access ("parent", F_OK), -1);
  cr_assert_eq (cgw_finish (w), CGW_OK, "%s", cgw_explain (w));
  sink_load (&file, "parent");
  profile_free (must_read (file.bytes, file.n, 0, "parent"));
  cgw_free (w);
  sink_free (&file);
  cr_assert_eq (chdir ("/"), 0);
  remove_directory (directory);
}
