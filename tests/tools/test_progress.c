/* test_progress.c - how far a tool has come, on a terminal.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/progress.h"
#include "base/tool.h"
#include "capture.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static const struct tool tool
    = { .name = "test", .usage = "", .help = "", .letters = "" };

/* The clock of progress.c: it goes on only when a test says so.  */

static struct timespec now;

int
test_clock_gettime (clockid_t clock, struct timespec *result)
{
  cr_assert_eq (clock, CLOCK_MONOTONIC);
  *result = now;
  return 0;
}

static void
wait_milliseconds (long n)
{
  now.tv_nsec += n * 1000000;
  now.tv_sec += now.tv_nsec / 1000000000;
  now.tv_nsec %= 1000000000;
}

/* Makes the standard error a terminal.  Returns the other end of it.  */
static int
begin (void)
{
  int other = posix_openpt (O_RDWR | O_NOCTTY);
  struct termios raw;
  int terminal;

  if (other < 0 || grantpt (other) != 0 || unlockpt (other) != 0)
    cr_skip_test ("there are no pseudo-terminals");
  terminal = open (ptsname (other), O_RDWR | O_NOCTTY);
  cr_assert_geq (terminal, 0);
  cr_assert_eq (tcgetattr (terminal, &raw), 0);
  raw.c_oflag &= ~(tcflag_t) OPOST;
  cr_assert_eq (tcsetattr (terminal, TCSANOW, &raw), 0);
  cr_assert_eq (dup2 (terminal, STDERR_FILENO), STDERR_FILENO);
  close (terminal);
  tool_begin (&tool);
  return other;
}

/* A terminal may hand on in pieces what was written.  */
static void
assert_shown (int other, const char *expected)
{
  struct pollfd ready = { .fd = other, .events = POLLIN };
  size_t size = strlen (expected), n = 0;
  char text[80] = "";

  while (n < size && poll (&ready, 1, 60000) == 1)
    {
      ssize_t got = read (other, text + n, size - n);

      cr_assert_gt (got, 0);
      n += (size_t) got;
    }
  cr_assert_str_eq (text, expected);
}

/* What is shown is there before the line ends, for it never does.  */

Test (progress, a_percentage)
{
  int other = begin ();

  progress_begin (200);
  progress_add (10);
  wait_milliseconds (999);
  progress_add (10);
  fputs ("nothing for short work", stderr);
  fflush (stderr);
  assert_shown (other, "nothing for short work");
  wait_milliseconds (1);
  progress_add (30);
  assert_shown (other, "\r 25 %");
  wait_milliseconds (249);
  progress_add (100);
  wait_milliseconds (1);
  progress_add (1000);
  assert_shown (other, "\r 99 %");
  progress_clear ();
  assert_shown (other, "\r     \r");
  progress_end ();
}

Test (progress, bytes_of_an_unknown_total)
{
  int other = begin ();

  progress_begin (0);
  wait_milliseconds (1000);
  progress_add (7654321);
  assert_shown (other, "\r  7 MB");
  tool_say ("file", 0, "done");
  assert_shown (other, "\r      \rtest: file: done\n");
  progress_end ();
}

Test (progress, ends)
{
  int other = begin ();

  progress_begin (100);
  wait_milliseconds (1000);
  progress_add (1);
  progress_end ();
  progress_add (1);
  progress_clear ();
  fputs ("end", stderr);
  fflush (stderr);
  assert_shown (other, "\r  1 %\r     \rend");
}

static void
show_half (void *unused)
{
  (void) unused;
  progress_begin (100);
  wait_milliseconds (1000);
  progress_add (50);
  progress_end ();
}

Test (progress, none_without_a_terminal)
{
  cr_assert_str_eq (capture (show_half, NULL)->err, "");
}

Test (progress, the_size_that_is_left_of_a_file)
{
  int ends[2], fd;

  enter_folder ();
  put_file ("file", "12345");
  fd = open ("file", O_RDONLY);
  cr_assert_eq (progress_size (fd), 5);
  cr_assert_eq (lseek (fd, 2, SEEK_SET), 2);
  cr_assert_eq (progress_size (fd), 3);
  cr_assert_eq (lseek (fd, 9, SEEK_SET), 9);
  cr_assert_eq (progress_size (fd), 0);
  cr_assert_eq (pipe (ends), 0);
  cr_assert_eq (progress_size (ends[0]), 0);
  cr_assert_eq (progress_size (-1), 0);
  leave_folder ();
}
