/* folded.c - reads folded stacks, as stackcollapse-perf.pl and the tools
   around flame graphs write them.

   A line is a stack, its frames outermost first, and how often it was seen:

     main;work;read 12

   difffolded.pl writes two counts, before and after.  py-spy writes where each
   frame is: "read (file.py:7)".

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"

#include "../base/memory.h"
#include "../base/tool.h"

#include <stdlib.h>
#include <string.h>

#define NO_THREAD UINT32_MAX

struct folded
{
  struct import *im;
  size_t n_counts;        /* of each line; 0: none was read */
  bool has_events;        /* they were named */
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

/* Where the last word of a line begins; NULL if there is no other.  */
static char *
last_word (char *line)
{
  size_t n = strlen (line);

  while (n > 0 && !is_blank (line[n - 1]))
    n--;
  return n != 0 ? line + n : NULL;
}

/* Cuts the last word off a line.  */
static char *
cut_word (char *line)
{
  char *word = last_word (line);

  if (word != NULL)
    {
      word[-1] = '\0';
      trim (line);
    }
  return word;
}

/* Whether a word is a count, or wants to be one.  */
static bool
is_number (const char *word)
{
  return word[strspn (word, "0123456789.")] == '\0'
         && word[strcspn (word, "0123456789")] != '\0';
}

/* Finds out how many counts the lines have, by the first: a name may end with
   a number, too.  Returns NULL, or what is wrong.  */
static const char *
find_counts (struct folded *f, char *line)
{
  const char *word = last_word (line);
  size_t n = word != NULL && is_number (word) ? 2 : 1;

  if (f->n_counts == 0)
    f->n_counts = n;
  if (n < f->n_counts)
    return f->has_events ? "it has one count, and two events are named"
                         : "it has one count, and the first line has two";
  if (n > f->n_counts && !f->has_events)
    return "it has two counts, and the first line has one (with --event, the "
           "first is part of the name)";
  return NULL;
}

/* Splits a line into a stack and its counts, at blanks, for names may have
   blanks, too.  Returns NULL, or what is wrong.  */
static const char *
split (struct folded *f, char *line, uint64_t *counts)
{
  char *word = cut_word (line);
  const char *reason;

  if (word == NULL)
    return parse_count (line, counts) == NULL ? "a count without a stack"
                                              : "a stack without a count";
  if (!is_number (word))
    return parse_count (word, counts);
  reason = find_counts (f, line);
  if (reason == NULL)
    reason = parse_count (word, &counts[f->n_counts - 1]);
  if (reason == NULL && f->n_counts == 2)
    reason = parse_count (cut_word (line), &counts[0]);
  return reason;
}

/* Reads a number in front of which there is a colon, at the end of a text,
   which is cut off there.  */
static bool
cut_number (char *text, uint32_t *number)
{
  char *colon = strrchr (text, ':');
  uint64_t n = 0;

  if (colon == NULL || colon == text || colon[1] == '\0'
      || colon[1 + strspn (colon + 1, "0123456789")] != '\0')
    return false;
  for (const char *c = colon + 1; *c && n <= UINT32_MAX; c++)
    n = n * 10 + (uint64_t) (*c - '0');
  *colon = '\0';
  *number = n <= UINT32_MAX ? (uint32_t) n : 0;
  return true;
}

/* Takes "name (file:line)" apart, or "name (file:line:column)".  Other
   parentheses belong to names.  */
static void
find_place (char *text, struct import_frame *frame)
{
  size_t n = strlen (text);
  char *open = strrchr (text, '(');
  uint32_t outer;

  frame->name = text;
  if (open == NULL || open == text || text[n - 1] != ')')
    return;
  text[n - 1] = '\0';
  if (!cut_number (open + 1, &frame->line))
    {
      text[n - 1] = ')';
      return;
    }
  if (cut_number (open + 1, &outer))
    frame->line = outer;
  frame->file = open + 1;
  *open = '\0';
  trim (text);
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
      find_place (trim (stack), &frame);
      import_place (f->im, &frame, 1, &f->frames[--i]);
      stack = next;
    }
  return n;
}

/* Says what is counted: the events that were named, or two of our own.  */
static bool
begin (struct folded *f, const struct input *in)
{
  const char *list = f->im->options->events;
  char *names = copy_text (list != NULL       ? list
                           : f->n_counts == 2 ? "Before,After"
                                              : "Samples");
  char *comma = strchr (names, ',');
  const struct cgw_event events[]
      = { { .name = names }, { .name = comma != NULL ? comma + 1 : NULL } };
  const struct import_thread nobody = { 0 };
  bool ok;

  if (comma != NULL)
    *comma = '\0';
  ok = import_events (f->im, in, events, f->n_counts, CGW_LINE);
  free (names);
  f->thread = import_thread (f->im, &nobody);
  return ok;
}

/* Adds what a line says.  False: a message was printed.  */
static bool
add_line (struct folded *f, const struct input *in, char *line)
{
  struct import_sample sample = { .time = IMPORT_NO_TIME };
  bool is_first = f->thread == NO_THREAD;
  const char *reason;
  uint64_t counts[2];

  line = trim (line);
  if (!*line)
    return true;
  reason = split (f, line, counts);
  if (reason != NULL)
    return input_refuse_line (in, reason);
  if (is_first && !begin (f, in))
    return false;
  sample.n = find_frames (f, line);
  sample.frames = f->frames;
  sample.thread = f->thread;
  sample.cost = counts;
  if (f->n_counts == 1 && !f->has_events) /* it counts samples */
    sample.samples = counts[0];
  return import_sample (f->im, in, &sample);
}

/* How many events were named; 0 if none were.  */
static size_t
count_names (const char *events)
{
  size_t n = events != NULL;

  while (events != NULL && (events = strchr (events, ',')) != NULL)
    {
      events++;
      n++;
    }
  return n;
}

static bool
read_folded (struct import *im, struct input *in)
{
  struct folded f = { .im = im, .thread = NO_THREAD,
                      .n_counts = count_names (im->options->events),
                      .has_events = im->options->events != NULL };
  char *line;
  bool ok = true;

  if (f.n_counts > 2)
    return tool_complain (in->name, 0,
                          "folded stacks have at most two events");
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
    = { "folded", is_folded, read_folded };
