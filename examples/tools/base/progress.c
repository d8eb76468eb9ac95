/* progress.c - shows on a terminal how far long work has come.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum
{
  FIRST = 1000, /* milliseconds before it is shown */
  AGAIN = 250   /* before it is redrawn */
};

static bool is_on;
static uint64_t total; /* or 0: unknown */
static uint64_t done;
static uint64_t next;  /* milliseconds: when to draw */
static int width;      /* of what is on the terminal */

static uint64_t
milliseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

void
progress_begin (uint64_t of)
{
  is_on = isatty (STDERR_FILENO) != 0;
  total = of;
  done = 0;
  if (is_on)
    next = milliseconds () + FIRST;
}

/* Input that grows meanwhile, and what comes after reading, stay at 99 %.  */
static unsigned
percent (void)
{
  double part = (double) done / (double) total;

  return part < 0.99 ? (unsigned) (part * 100) : 99;
}

static void
draw (void)
{
  if (total != 0)
    width = fprintf (stderr, "\r%3u %%", percent ());
  else
    width = fprintf (stderr, "\r%3" PRIu64 " MB", done / 1000000);
  fflush (stderr);
}

void
progress_add (uint64_t more)
{
  uint64_t now;

  done += more;
  if (!is_on || (now = milliseconds ()) < next)
    return;
  draw ();
  next = now + AGAIN;
}

void
progress_clear (void)
{
  if (width > 0)
    {
      fprintf (stderr, "\r%*s\r", width - 1, "");
      fflush (stderr);
    }
  width = 0;
}

void
progress_end (void)
{
  progress_clear ();
  is_on = false;
}

uint64_t
progress_size (int fd)
{
  struct stat st;
  off_t at = lseek (fd, 0, SEEK_CUR);

  if (at < 0 || fstat (fd, &st) != 0 || !S_ISREG (st.st_mode)
      || st.st_size <= at)
    return 0;
  return (uint64_t) (st.st_size - at);
}
