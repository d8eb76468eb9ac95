/* folded.c - reads folded stacks, as stackcollapse-perf.pl and the tools around
   flame graphs write them.

   A line is a stack, its frames outermost first, and how often it was seen:

     main;work;read_line 12

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "import.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

struct folded
{
  struct import *im;
  struct cgw_pos *frames; /* of one stack, the leaf first */
  uint32_t room;          /* for so many frames */
  uint32_t thread;
};

/* Reading a line.  */

static bool
is_blank (char c)
{
  return c == ' ' || c == '\t';
}

/* Cuts the blanks off both ends.  */
static char *
trim (char *text)
{
  size_t n;

  while (is_blank (*text))
    text++;
  n = strlen (text);
  while (n > 0 && is_blank (text[n - 1]))
    n--;
  text[n] = '\0';
  return text;
}

/* Reads a count; returns NULL, or what is wrong with it.  */
static const char *
parse_count (const char *text, uint64_t *count)
{
  uint64_t n = 0;

  if (text[strspn (text, "0123456789.")] == '\0' && strchr (text, '.'))
    return "the count is a fraction; counts are whole numbers";
  for (; *text; text++)
    {
      unsigned digit = (unsigned) *text - '0';
      if (digit > 9)
        return "the last word is not a count";
      if (n > (UINT64_MAX - digit) / 10)
        return "the count is larger than 2^64-1";
      n = n * 10 + digit;
    }
  *count = n;
  return NULL;
}

/* Splits a line at its last blank, for names may have blanks, too; returns
   NULL, or what is wrong.  */
static const char *
split (char *line, char **stack, uint64_t *count)
{
  size_t n = strlen (line);

  while (n > 0 && !is_blank (line[n - 1]))
    n--;
  if (n == 0)
    return parse_count (line, count) == NULL ? "a count without a stack"
                                             : "a stack without a count";
  line[n - 1] = '\0';
  *stack = line;
  return parse_count (line + n, count);
}

/* Turns "a;b;c" into frames, c first; returns how many.  */
static size_t
find_frames (struct folded *f, char *stack)
{
  size_t n = 1;
  size_t i;

  for (const char *p = stack; (p = strchr (p, ';')) != NULL; p++)
    n++;
  f->frames = resize_for (f->frames, (uint32_t) n - 1, &f->room,
                          sizeof *f->frames);
  for (i = n; i > 0;)
    {
      char *end = stack + strcspn (stack, ";");
      char *next = *end ? end + 1 : end;
      struct import_frame frame = { 0 };

      *end = '\0';
      frame.name = trim (stack);
      import_place (f->im, &frame, 1, &f->frames[--i]);
      stack = next;
    }
  return n;
}

/* Adds what a line says.  False: a message was printed.  */
static bool
add_line (struct folded *f, const struct input *in, char *line)
{
  struct import_sample sample = { .time = IMPORT_NO_TIME };
  const char *reason;
  uint64_t count;
  char *stack;

  line = trim (line);
  if (!*line)
    return true;
  reason = split (line, &stack, &count);
  if (reason != NULL)
    return input_refuse_line (in, reason);
  sample.n = find_frames (f, stack);
  sample.frames = f->frames;
  sample.thread = f->thread;
  sample.cost = &count;
  return import_sample (f->im, in, &sample);
}

static bool
read_folded (struct import *im, struct input *in)
{
  struct folded f = { .im = im };
  const struct import_thread nobody = { 0 };
  const struct cgw_event event
      = { .name = im->options->events != NULL ? im->options->events
                                                  : "Samples" };
  bool ok = import_events (im, in, &event, 1, CGW_LINE);
  char *line;

  f.thread = import_thread (im, &nobody);
  while (ok && (line = input_line (in, NULL)) != NULL)
    ok = add_line (&f, in, line);
  free (f.frames);
  return ok && input_check (in);
}

/* A line of text, with a blank and a digit at its end.  */
static bool
is_folded (const unsigned char *bytes, size_t n)
{
  const unsigned char *end = memchr (bytes, '\n', n);
  size_t length = end != NULL ? (size_t) (end - bytes) : n;

  if (memchr (bytes, '\0', n) != NULL)
    return false;
  while (length > 0 && (bytes[length - 1] == '\r' || bytes[length - 1] == ' '))
    length--;
  return length > 0 && bytes[length - 1] >= '0' && bytes[length - 1] <= '9';
}

const struct import_kind import_folded
    = { "folded", "folded stacks", is_folded, read_folded };
