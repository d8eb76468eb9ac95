/* perf_script.c - reads the text that "perf script" prints.

   A sample is a line, its call stack, the leaf first, and an empty line:

     comm 12/13 [001] 3.456789:     250000 cycles:u:
     <tab>  1136 work+0x16 (/usr/bin/prog)

   Commands, symbols and objects are free text, with blanks and parentheses, so
   lines are read by what is around these.  Addresses are offsets in files or
   run- time addresses, and none of them is certain to be an address in the
   object.

   All stacks are collected, for a later sample may have an event that none
   before had.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"

#include "../base/memory.h"
#include "../base/table.h"

#include <stdlib.h>
#include <string.h>

/* What the line above a stack says.  */
struct header
{
  char *comm; /* NULL: there is none */
  uint64_t pid, tid;
  uint64_t time;    /* ns; IMPORT_NO_TIME: it is not there */
  uint64_t period;
  char *event;      /* NULL: it is not there */
  char *rest; /* what follows: a frame, or other text */
};

/* The place of some code: the functions inlined there, and that which they are
   in.  */
struct place
{
  uint32_t first; /* of its positions */
  uint32_t n;
};

/* The sums of a stack.  */
struct sum
{
  uint64_t cost;
  uint64_t samples;
  uint64_t time; /* of the first; IMPORT_NO_TIME: they have none */
};

struct stack_key
{
  uint32_t thread;
  uint32_t event;
};

struct perf_script
{
  struct import *im;
  struct input *in;
  struct cgw_event events[CGW_EVENTS_MAX];
  size_t n_events;
  struct intern event_names;

  struct intern place_texts; /* of all that is known of their frames */
  struct place *places;
  struct cgw_pos *positions;
  uint32_t n_positions, positions_room;

  struct intern stacks; /* keys, and numbers of places, the leaf first */
  struct sum *sums;

  /* The sample that is read.  */
  bool in_sample;
  bool is_wanted;
  bool has_frame;
  struct stack_key key;
  uint64_t cost;
  uint64_t time;
  uint32_t *stack; /* with room for the key in front */
  uint32_t n, stack_room;
  char *text; /* of the frames of one place: see make_place */
  size_t text_end, text_room;
  size_t last_frame;   /* where its source is in the text */
  bool is_inlined;     /* into the next frame */
  unsigned n_inlined;
};

enum { KEY_WORDS = sizeof (struct stack_key) / sizeof (uint32_t) };

/* Words.  */

static char *
skip_blanks (char *text)
{
  return text + strspn (text, " \t");
}

/* Cuts off what follows a word; returns where the next one begins.  */
static char *
end_word (char *word)
{
  char *end = word + strcspn (word, " \t");

  if (*end == '\0')
    return end;
  *end = '\0';
  return skip_blanks (end + 1);
}

/* Takes digits.  False: there are none, or they are too large a number.  */
static bool
take_digits (char **text, uint64_t *n)
{
  const char *begin = *text;

  for (*n = 0; **text >= '0' && **text <= '9'; ++*text)
    if (__builtin_mul_overflow (*n, 10, n)
        || __builtin_add_overflow (*n, (uint64_t) (**text - '0'), n))
      return false;
  return *text != begin;
}

/* Takes a number, and all blanks behind it; there must be one, or the end.  */
static bool
take_number (char **text, uint64_t *n)
{
  char *p = *text;

  if (!take_digits (&p, n) || (*p != ' ' && *p != '\0'))
    return false;
  *text = skip_blanks (p);
  return true;
}

/* Takes "pid/tid" or "tid".  */
static bool
take_ids (char **text, uint64_t *pid, uint64_t *tid)
{
  char *p = *text;

  *pid = 0;
  if (!take_digits (&p, tid))
    return false;
  if (*p == '/')
    {
      *pid = *tid;
      p++;
      if (!take_digits (&p, tid))
        return false;
    }
  if (*p != ' ')
    return false;
  *text = skip_blanks (p);
  return true;
}

/* Takes "[cpu]", if it is there.  */
static void
take_cpu (char **text)
{
  char *p = *text;
  uint64_t cpu;

  if (*p++ == '[' && take_digits (&p, &cpu) && *p == ']' && p[1] == ' ')
    *text = skip_blanks (p + 1);
}

/* Whether a word is "seconds.fraction:".  */
static bool
is_time (const char *word)
{
  size_t seconds = strspn (word, "0123456789");
  size_t fraction = word[seconds] == '.'
                        ? strspn (word + seconds + 1, "0123456789")
                        : 0;
  const char *end = word + seconds + 1 + fraction;

  return seconds != 0 && fraction != 0 && *end == ':'
         && (end[1] == ' ' || end[1] == '\0');
}

/* Takes a time, if it is there: ns, as perf has it in 64 bits.  */
static void
take_time (char **text, uint64_t *time)
{
  uint64_t seconds, fraction;
  char *p = *text, *point;

  if (!is_time (p) || !take_digits (&p, &seconds))
    return;
  point = ++p;
  if (!take_digits (&p, &fraction) || p - point > 9)
    return;
  for (int digits = (int) (p - point); digits < 9; digits++)
    fraction *= 10;
  if (__builtin_mul_overflow (seconds, 1000000000, &seconds)
      || __builtin_add_overflow (seconds, fraction, time))
    return;
  *text = skip_blanks (p + 1);
}

/* Takes "event:", with a letter in it.  */
static bool
take_event (char **text, char **event)
{
  size_t n = strcspn (*text, " \t");
  bool has_letter = false;

  for (size_t i = 0; i < n; i++)
    has_letter = has_letter || ((*text)[i] | 32) >= 'a';
  if (n < 2 || (*text)[n - 1] != ':' || !has_letter)
    return false;
  *event = *text;
  *text = end_word (*text);
  (*event)[n - 1] = '\0';
  return true;
}

/* Reads what follows the command.  It must have a time or an event.  */
static bool
read_fields (char *text, struct header *h)
{
  char *before;

  *h = (struct header){ .time = IMPORT_NO_TIME, .period = 1 };
  if (!take_ids (&text, &h->pid, &h->tid))
    return false;
  take_cpu (&text);
  take_time (&text, &h->time);
  before = text;
  if (!take_number (&text, &h->period))
    h->period = 1;
  if (!take_event (&text, &h->event) && h->time == IMPORT_NO_TIME)
    return false;
  if (h->event == NULL)
    {
      h->period = 1;
      text = before;
    }
  h->rest = text;
  return true;
}

/* Reads a header: a command may have any words, so what follows it is looked
   for at each word.  Numbers behind a time are other numbers, so a time that
   belongs to no fields makes the line none.  */
static bool
read_header (char *line, struct header *h)
{
  char *begin = skip_blanks (line);

  for (char *p = begin; *p && !is_time (p);
       p = skip_blanks (p + strcspn (p, " \t")))
    if (*p >= '0' && *p <= '9' && read_fields (p, h))
      {
        while (p > begin && (p[-1] == ' ' || p[-1] == '\t'))
          p--;
        if (p > begin)
          h->comm = begin;
        *p = '\0';
        return true;
      }
  return false;
}

/* Frames.  */

/* Where the parentheses begin that a text ends with, behind a blank; NULL:
   there are none.  */
static char *
find_object (char *text)
{
  size_t i = strlen (text);
  int depth = 0;

  if (i == 0 || text[i - 1] != ')')
    return NULL;
  while (i > 0)
    {
      i--;
      depth += text[i] == ')';
      depth -= text[i] == '(';
      if (depth == 0)
        return i == 0 || text[i - 1] == ' ' ? text + i : NULL;
    }
  return NULL;
}

/* Cuts off "+0x12".  */
static void
cut_offset (char *symbol)
{
  size_t n = strlen (symbol), i = n;

  while (i > 0 && strchr ("0123456789abcdef", symbol[i - 1]) != NULL)
    i--;
  if (i < n && i > 3 && memcmp (symbol + i - 3, "+0x", 3) == 0)
    symbol[i - 3] = '\0';
}

/* Whether a text begins with an address.  */
static bool
is_frame (const char *text)
{
  size_t n = strspn (text, "0123456789abcdef");

  return n > 0 && (text[n] == ' ' || text[n] == '\0');
}

static void
add_text (struct perf_script *p, const char *text)
{
  size_t size = strlen (text) + 1;

  if (p->text_end + size > p->text_room)
    {
      p->text_room = 2 * (p->text_end + size);
      p->text = resize (p->text, p->text_room, 1);
    }
  memcpy (p->text + p->text_end, text, size);
  p->text_end += size;
}

/* Takes a string of a place's text.  */
static const char *
take_text (const char **text)
{
  const char *begin = *text;

  *text += strlen (begin) + 1;
  return begin;
}

/* Makes positions of the frames in p->text: of each the object, the name, the
   line and the file.  */
static void
make_place (struct perf_script *p, struct place *place)
{
  const char *text = p->text, *end = p->text + p->text_end;
  struct import_frame *frames = NULL;
  size_t n = 0;

  while (text < end)
    {
      struct import_frame *f;

      frames = resize_for_one (frames, n, sizeof *frames);
      f = &frames[n++];
      *f = (struct import_frame){ .object = take_text (&text) };
      f->name = take_text (&text);
      f->line = (uint32_t) strtoul (take_text (&text), NULL, 10);
      f->file = take_text (&text);
    }
  p->positions = resize_for (p->positions, p->n_positions + (uint32_t) n,
                             &p->positions_room, sizeof *p->positions);
  place->first = p->n_positions;
  place->n = (uint32_t) import_place (p->im, frames, n,
                                      p->positions + place->first);
  p->n_positions += place->n;
  free (frames);
}

/* Ends the place that frames were read of.  */
static bool
end_place (struct perf_script *p)
{
  uint32_t n = p->place_texts.n, i;

  if (p->text_end == 0)
    return true;
  if (p->n == IMPORT_FRAMES_MAX)
    return input_refuse_line (p->in, "a stack has too many frames");
  i = intern (&p->place_texts, p->text, p->text_end);
  if (i == n) /* it is new */
    {
      p->places = resize_for_one (p->places, n, sizeof *p->places);
      make_place (p, &p->places[i]);
    }
  p->stack = resize_for (p->stack, KEY_WORDS + p->n, &p->stack_room,
                         sizeof *p->stack);
  p->stack[KEY_WORDS + p->n++] = i;
  p->text_end = 0;
  p->is_inlined = false;
  return true;
}

enum { MOST_INLINED = 1000 };

/* Adds a frame: "address symbol+0xoffset (object)", each but the first of
   which may be missing.  */
static bool
add_frame (struct perf_script *p, char *frame)
{
  char *name = end_word (frame);
  char *object = find_object (name);
  size_t n;

  p->has_frame = true;
  if (!p->is_wanted)
    return true;
  if (object != NULL)
    {
      object[strlen (object) - 1] = '\0';
      if (object > name)
        object[-1] = '\0';
      else
        name = object + strlen (object);
      object++;
    }
  for (n = strlen (name); n > 0 && name[n - 1] == ' '; n--)
    name[n - 1] = '\0';
  cut_offset (name);
  if ((!p->is_inlined || p->n_inlined == MOST_INLINED) && !end_place (p))
    return false;
  p->is_inlined = object != NULL && strcmp (object, "inlined") == 0;
  p->n_inlined = p->is_inlined ? p->n_inlined + 1 : 0;
  add_text (p, object == NULL || p->is_inlined ? "" : object);
  add_text (p, strcmp (name, "[unknown]") == 0 ? "" : name);
  p->last_frame = p->text_end;
  add_text (p, "");
  add_text (p, "");
  return true;
}

/* Takes a line that -F +srcline puts below a frame: "  file:12", or what stands
   for an unknown one: "  :0", "  ??:0", "  object[address]".  */
static bool
take_source (struct perf_script *p, char *line)
{
  char *colon = strrchr (line, ':'), *digits = colon;
  char *file = skip_blanks (line);
  uint64_t number;

  if (!p->has_frame || file < line + 2)
    return false;
  if (colon != NULL)
    digits++;
  if (colon == NULL || !take_digits (&digits, &number) || *digits != '\0')
    return line[strlen (line) - 1] == ']';
  *colon = '\0';
  if (!p->is_wanted || number == 0 || number > UINT32_MAX)
    return true;
  p->text_end = p->last_frame;
  add_text (p, colon + 1);
  add_text (p, file);
  return true;
}

/* Samples.  */

static bool
end_sample (struct perf_script *p)
{
  uint32_t n = p->stacks.n, i;

  if (!p->in_sample)
    return true;
  p->in_sample = p->has_frame = false;
  if (!p->is_wanted)
    return true;
  if (!end_place (p))
    return false;
  p->stack = resize_for (p->stack, KEY_WORDS, &p->stack_room,
                         sizeof *p->stack);
  memcpy (p->stack, &p->key, sizeof p->key);
  i = intern (&p->stacks, p->stack, (KEY_WORDS + p->n) * sizeof *p->stack);
  if (i == n) /* it is new */
    {
      p->sums = resize_for_one (p->sums, n, sizeof *p->sums);
      p->sums[i] = (struct sum){ .time = p->time };
    }
  p->sums[i].samples++;
  return !__builtin_add_overflow (p->sums[i].cost, p->cost, &p->sums[i].cost)
         || input_refuse_line (p->in, "a sum of costs passed 2^64-1");
}

static bool
find_event (struct perf_script *p, const char *name)
{
  uint32_t n = p->event_names.n;
  bool is_clock
      = strstr (name, "cpu-clock") != NULL || strstr (name, "task-clock");

  p->key.event = intern (&p->event_names, name, strlen (name));
  if (p->key.event < n)
    return true;
  if (n == CGW_EVENTS_MAX)
    return input_refuse_line (p->in, "it has too many events");
  p->events[n] = import_event (name, is_clock ? "ns" : NULL,
                               p->events, n);
  p->n_events++;
  return true;
}

/* Whether it is no sample, but what perf script prints by --show-mmap-events and
   the like: "PERF_RECORD_COMM: ...", "PERF_RECORD_MMAP 1/1: ...".  */
static bool
is_record (const struct header *h)
{
  const char *name = h->event != NULL ? h->event : h->rest;

  return strncmp (name, "PERF_RECORD_", 12) == 0;
}

static bool
begin_sample (struct perf_script *p, struct header *h)
{
  const struct import_thread thread = { h->pid, h->tid, h->comm, 0 };

  if (!end_sample (p))
    return false;
  if (is_record (h))
    return true;
  if (!find_event (p, h->event != NULL ? h->event : "Samples"))
    return false;
  p->key.thread = import_thread (p->im, &thread);
  p->is_wanted = import_wants_time (p->im, h->time)
                 && import_wants (p->im, p->key.thread);
  p->in_sample = true;
  p->cost = h->period;
  p->time = h->time;
  p->n = 0;
  /* Of a tracepoint it is other text.  */
  return !is_frame (h->rest) || find_object (h->rest) == NULL
         || add_frame (p, h->rest);
}

static bool
add_line (struct perf_script *p, char *line, size_t length)
{
  char *text = skip_blanks (line);
  struct header h;

  while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
    line[--length] = '\0';
  if (*text == '\0')
    return end_sample (p);
  if (*line == '#')
    return true;
  if (*line == '\t' && p->in_sample && is_frame (text))
    return add_frame (p, text);
  if (take_source (p, line))
    return true;
  if (*line != '\t' && read_header (line, &h))
    return begin_sample (p, &h);
  return input_refuse_line (p->in, "it is neither a sample nor a frame");
}

/* Hands a stack on.  */
static bool
add_stack (struct perf_script *p, uint32_t number)
{
  struct cgw_pos *frames = NULL;
  uint64_t costs[CGW_EVENTS_MAX] = { 0 };
  struct import_sample sample = { .samples = p->sums[number].samples,
                                  .time = p->sums[number].time,
                                  .cost = costs };
  struct stack_key key;
  const uint32_t *places;
  uint32_t room = 0;
  size_t size;
  bool ok;

  places = intern_bytes (&p->stacks, number, &size);
  memcpy (&key, places, sizeof key);
  for (size_t i = KEY_WORDS; i < size / sizeof *places; i++)
    {
      const struct place *place = &p->places[places[i]];

      frames = resize_for (frames, (uint32_t) sample.n + place->n, &room,
                           sizeof *frames);
      memcpy (frames + sample.n, p->positions + place->first,
              place->n * sizeof *frames);
      sample.n += place->n;
    }
  sample.frames = frames;
  sample.thread = key.thread;
  costs[key.event] = p->sums[number].cost;
  ok = import_sample (p->im, p->in, &sample);
  free (frames);
  return ok;
}

static bool
add_stacks (struct perf_script *p)
{
  bool ok = p->n_events == 0
            || import_events (p->im, p->in, p->events, p->n_events, CGW_LINE);

  for (uint32_t i = 0; i < p->stacks.n && ok; i++)
    ok = add_stack (p, i);
  return ok;
}

static bool
read_perf_script (struct import *im, struct input *in)
{
  struct perf_script p = { .im = im, .in = in };
  bool ok = true;
  size_t length;
  char *line;

  while (ok && (line = input_line (in, &length)) != NULL)
    ok = add_line (&p, line, length);
  ok = ok && input_check (in) && end_sample (&p) && add_stacks (&p);
  for (size_t i = 0; i < p.n_events; i++)
    import_free_event (&p.events[i]);
  intern_free (&p.event_names);
  intern_free (&p.place_texts);
  intern_free (&p.stacks);
  free (p.places);
  free (p.positions);
  free (p.sums);
  free (p.stack);
  free (p.text);
  return ok;
}

/* The first line that is no comment is a header, and what follows is a frame,
   a header, or nothing.  */
static bool
is_perf_script (const unsigned char *bytes, size_t n)
{
  char line[1024];
  struct header h;
  size_t length = 0;

  for (; n > 0 && (*bytes == '#' || *bytes == '\n'); n -= length)
    {
      const unsigned char *end = memchr (bytes, '\n', n);

      if (end == NULL)
        return false;
      length = (size_t) (end - bytes) + 1;
      bytes += length;
    }
  for (length = 0; length < n && bytes[length] != '\n'; length++)
    if (bytes[length] == '\0' || length == sizeof line - 1)
      return false;
    else
      line[length] = (char) bytes[length];
  line[length] = '\0';
  return read_header (line, &h) && h.comm != NULL;
}

const struct import_kind import_perf_script
    = { "perf-script", is_perf_script, read_perf_script };
