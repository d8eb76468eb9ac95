/* test_same_bytes.c - the same calls give the same bytes, whatever the buffer
   size, the kind of descriptor, the locale, and what the writer or the process
   did before.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wctype.h>

#define PAGE 4096

static const struct scenario scenario = { .parts = 4,
                                          .functions = 200,
                                          .records = 600,
                                          .long_name = true };

static const unsigned all_flags[]
    = { 0, CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_KEEP_ZEROS, CGW_NO_PAD };
#define FLAGS (sizeof all_flags / sizeof *all_flags)

static const size_t buffer_sizes[] = { 1,    2,    3,    7,    64,    100,
                                       1000, 4095, 4096, 4097, 65536,
                                       1 << 20 };
#define SIZES (sizeof buffer_sizes / sizeof *buffer_sizes)

/* What the fixed writer of scenario_baseline gives.  */
static struct sink baseline;

static void
set_up (void)
{
  scenario_baseline (&scenario, 0, &baseline);
}

static void
tear_down (void)
{
  sink_free (&baseline);
}

TestSuite (same_bytes, .init = set_up, .fini = tear_down);

/* Runs the scenario to its end.  */
static void
run (struct cgw_writer *w)
{
  struct delivered d;

  scenario_run (&scenario, w, &d, NULL);
  cr_assert_eq (d.failed + d.refused + d.errno_changed, 0);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
}

/* Runs the scenario on a descriptor.  */
static void
run_on (int fd, size_t buffer_size, unsigned flags)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  options.buffer_size = buffer_size;
  options.flags = flags;
  cr_assert_eq (cgw_open_fd (&w, test_names (), fd, &options), CGW_OK);
  run (w);
  cgw_free (w);
}

/* Runs the scenario into a hook.  */
static void
run_into (struct sink *sink, size_t buffer_size, unsigned flags)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  sink->n = 0;
  options.buffer_size = buffer_size;
  options.flags = flags;
  options.write = sink_write;
  options.write_context = sink;
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &options), CGW_OK);
  run (w);
  cgw_free (w);
}

/* Runs the scenario on a new file.  */
static void
run_to_file (struct sink *got, size_t buffer_size, unsigned flags)
{
  char *directory = make_directory ();
  char path[4096];
  int fd = open_in (directory, "file", path);

  run_on (fd, buffer_size, flags);
  sink_load (got, path);
  close (fd);
  remove_directory (directory);
}

static void
run_to_pipe (struct sink *got, size_t buffer_size, unsigned flags)
{
  struct pipe_reader *reader;
  int ends[2];

  got->n = 0;
  cr_assert_eq (pipe2 (ends, O_CLOEXEC), 0);
  reader = reader_start (got, ends[0], false);
  run_on (ends[1], buffer_size, flags);
  close (ends[1]);
  reader_join (reader);
  close (ends[0]);
}

Test (same_bytes, buffer_sizes_and_descriptors)
{
  for (size_t f = 0; f < FLAGS; f++)
    {
      struct sink first = { 0 }, got = { 0 };

      scenario_baseline (&scenario, all_flags[f], &first);
      for (size_t i = 0; i < SIZES; i++)
        {
          char context[60];
          snprintf (context, sizeof context, "flags %u, buffer %zu",
                    all_flags[f], buffer_sizes[i]);
          run_into (&got, buffer_sizes[i], all_flags[f]);
          check_same (got.bytes, got.n, &first, context);
          run_to_file (&got, buffer_sizes[i], all_flags[f]);
          check_same (got.bytes, got.n, &first, context);
          run_to_pipe (&got, buffer_sizes[i], all_flags[f]);
          check_same (got.bytes, got.n, &first, context);
        }
      sink_free (&first);
      sink_free (&got);
    }
}

/* And they are a profile that the strict reader takes.  */
Test (same_bytes, valid)
{
  profile_free (must_read (baseline.bytes, baseline.n, 0, "baseline"));
}

/* In Turkish i and I are no pair: what uses tolower or a decimal point from
   the locale shows.  tests/run makes the locale and sets LOCPATH.  */
Test (same_bytes, locale)
{
  struct sink got = { 0 };

  if (setlocale (LC_ALL, "tr_TR.UTF-8") == NULL)
    cr_skip_test ("there is no locale tr_TR.UTF-8");
  cr_assert_eq (towlower (L'I'), 0x131, "this is not Turkish");
  for (size_t i = 0; i < SIZES; i++)
    {
      run_into (&got, buffer_sizes[i], 0);
      check_same (got.bytes, got.n, &baseline, "locale");
    }
  sink_free (&got);
}

/* Behind a file's beginning the padding is for the file's pages: cut at any
   of them, the part is a profile of whole records.  */
static void
check_pages (const struct sink *file, size_t offset)
{
  for (size_t end = offset - offset % PAGE + PAGE; end < file->n; end += PAGE)
    {
      char context[80];
      snprintf (context, sizeof context, "from %zu to %zu", offset, end);
      profile_free (must_read (file->bytes + offset, end - offset,
                               READER_NO_PAD | READER_UNFINISHED, context));
    }
}

/* Writes a file behind `offset` bytes that are there already, and stay.  */
static void
run_behind (size_t offset, size_t buffer_size, bool append)
{
  static const struct scenario short_names
      = { .parts = 4, .functions = 200, .records = 600 };
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_stats s = CGW_STATS_INIT;
  struct cgw_writer *w;
  struct delivered d;
  struct sink got = { 0 };
  char *directory = make_directory ();
  char path[4096];
  int fd = open_in (directory, "file", path);

  cr_assert_eq (ftruncate (fd, (off_t) offset), 0);
  /* With O_APPEND, where the descriptor stands does not count.  */
  if (append)
    cr_assert_neq (fcntl (fd, F_SETFL, O_APPEND), -1);
  else
    cr_assert_neq (lseek (fd, (off_t) offset, SEEK_SET), -1);
  options.buffer_size = buffer_size;
  cr_assert_eq (cgw_open_fd (&w, test_names (), fd, &options), CGW_OK);
  scenario_run (&short_names, w, &d, NULL);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  sink_load (&got, path);
  cr_assert_gt (got.n, offset + 8 * PAGE);
  for (size_t i = 0; i < offset; i++)
    cr_assert_eq (got.bytes[i], 0, "byte %zu before the file", i);
  cr_assert_eq (lseek (fd, 0, SEEK_CUR), (off_t) got.n);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_eq (s.written, got.n - offset);
  while (got.bytes[offset] == '\n') /* a header does not straddle, either */
    offset++;
  check_conserved (w, &d, got.bytes + offset, got.n - offset, true,
                   READER_NO_PAD, "behind");
  cgw_free (w);
  check_pages (&got, offset);
  close (fd);
  remove_directory (directory);
  sink_free (&got);
}

Test (same_bytes, offset)
{
  static const size_t offsets[] = { 0, 1, 100, 4095, 4096, 4097, 9999 };

  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
    for (int append = 0; append < 2; append++)
      {
        run_behind (offsets[i], 0, append);
        run_behind (offsets[i], 700, append);
      }
}
