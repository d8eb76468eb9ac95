/* test_lines.c - lines of a file, whatever read(2) returns at a time.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/infile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A source of bytes that returns some at a time, and fails at its end if it
   has an error.  */
struct bytes
{
  const char *at;
  size_t n;
  size_t step;
  int error;
};

static ssize_t
read_bytes (void *source, void *to, size_t n)
{
  struct bytes *b = source;

  if (b->n == 0 && b->error != 0)
    {
      errno = b->error;
      return -1;
    }
  n = b->n < n ? b->n : n;
  n = b->step != 0 && b->step < n ? b->step : n;
  memcpy (to, b->at, n);
  b->at += n;
  b->n -= n;
  return (ssize_t) n;
}

static char *line;
static size_t length;

#define NEXT(in, status) cr_assert_eq (lines_next (&in, &line, &length), status)

/* The next line is this text.  */
static void
next_is (struct lines *in, const char *text, uint64_t number)
{
  cr_assert_eq (lines_next (in, &line, &length), LINES_OK);
  cr_assert_str_eq (line, text);
  cr_assert_eq (length, strlen (text));
  cr_assert_eq (in->number, number);
}

Test (lines, ends_of_lines)
{
  static const char text[] = "one\n\r\ntwo\r\n\nx\ry\nlast\r";

  for (size_t step = 1; step <= sizeof text; step++)
    {
      struct bytes b = { text, sizeof text - 1, step, 0 };
      struct lines in = { .read = read_bytes, .source = &b };

      next_is (&in, "one", 1);
      cr_assert (!in.had_cr && !in.no_newline);
      next_is (&in, "", 2);
      cr_assert (in.had_cr);
      next_is (&in, "two", 3);
      cr_assert (in.had_cr);
      next_is (&in, "", 4);
      cr_assert (!in.had_cr);
      next_is (&in, "x\ry", 5);
      next_is (&in, "last", 6);
      cr_assert (in.had_cr && in.no_newline);
      NEXT (in, LINES_END);
      NEXT (in, LINES_END);
      lines_free (&in);
    }
}

Test (lines, none)
{
  struct bytes b = { "", 0, 0, 0 };
  struct lines in = { .read = read_bytes, .source = &b };

  NEXT (in, LINES_END);
  cr_assert_eq (in.number, 0);
  lines_free (&in);
}

Test (lines, a_nul)
{
  struct bytes b = { "a\nb\0c\nd\n", 8, 0, 0 };
  struct lines in = { .read = read_bytes, .source = &b };

  next_is (&in, "a", 1);
  NEXT (in, LINES_NUL);
  cr_assert_eq (in.number, 2);
  lines_free (&in);
}

/* Bytes before an error are handed out if they make a line.  */
Test (lines, errors)
{
  struct bytes b = { "a\nb", 3, 0, EIO };
  struct lines in = { .read = read_bytes, .source = &b };

  next_is (&in, "a", 1);
  errno = 0;
  NEXT (in, LINES_ERRNO);
  cr_assert_eq (errno, EIO);
  lines_free (&in);

  in = (struct lines){ .fd = -1 };
  NEXT (in, LINES_ERRNO);
  cr_assert_eq (errno, EBADF);
  lines_free (&in);
}

Test (lines, the_longest)
{
  char *text = malloc (LINES_MAX + 3);
  struct bytes b = { text, LINES_MAX + 1, 0, 0 };
  struct lines in = { .read = read_bytes, .source = &b };

  cr_assert_not_null (text);
  memset (text, 'x', LINES_MAX + 2);
  text[LINES_MAX] = '\n';
  NEXT (in, LINES_OK);
  cr_assert_eq (length, LINES_MAX);
  cr_assert_eq (strlen (line), LINES_MAX);
  NEXT (in, LINES_END);
  lines_free (&in);

  text[LINES_MAX] = 'x';
  text[LINES_MAX + 1] = '\n';
  b = (struct bytes){ text, LINES_MAX + 2, 0, 0 };
  in = (struct lines){ .read = read_bytes, .source = &b };
  NEXT (in, LINES_TOO_LONG);
  cr_assert_eq (in.number, 1);
  lines_free (&in);
  free (text);
}

/* Lines of all lengths, so that their ends meet those of chunks.  */
Test (lines, many)
{
  enum { N = 2000 };
  char *text = malloc (N * (N + 1) / 2 + N), *end = text;
  struct bytes b = { text, 0, 4093, 0 };
  struct lines in = { .read = read_bytes, .source = &b };

  cr_assert_not_null (text);
  for (size_t i = 0; i < N; i++, *end++ = '\n')
    end = (char *) memset (end, 'a' + (int) (i % 26), i) + i;
  b.n = (size_t) (end - text);
  for (size_t i = 0; i < N; i++)
    {
      NEXT (in, LINES_OK);
      cr_assert_eq (length, i);
      cr_assert (i == 0 || (line[0] == 'a' + (int) (i % 26)
                            && line[i - 1] == line[0]));
    }
  NEXT (in, LINES_END);
  lines_free (&in);
  free (text);
}

/* What is read ahead ends with NULs, and may be taken from there.  */
Test (lines, ahead)
{
  struct bytes b = { "a\nbc\nd", 6, 0, 0 };
  struct lines in = { .read = read_bytes, .source = &b };

  cr_assert_str_eq (lines_ahead (&in), "");
  next_is (&in, "a", 1);
  cr_assert_eq (memcmp (lines_ahead (&in), "bc\nd\0\0\0\0\0\0\0\0", 12), 0);
  lines_take (&in, lines_ahead (&in) + 3);
  next_is (&in, "d", 3);
  lines_free (&in);
}

Test (lines, digits)
{
  cr_assert_eq (digit_value ('0'), 0);
  cr_assert_eq (digit_value ('9'), 9);
  cr_assert_eq (digit_value ('a'), 10);
  cr_assert_eq (digit_value ('F'), 15);
  for (const char *c = "/:@G`g \377"; *c; c++)
    cr_assert_eq (digit_value (*c), 16);
  cr_assert_eq (digit_value ('\0'), 16);
}
