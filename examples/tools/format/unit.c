/* unit.c - the units of events.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "unit.h"

#include "../base/memory.h"
#include "../base/tool.h"

#include <stdlib.h>
#include <string.h>

enum kind
{
  NUMBER, /* of whatever the event counts */
  TIME,
  BYTES,
  UNKNOWN
};

struct unit
{
  const char *text; /* of n characters; NULL: the event tells no unit */
  int n;
  bool is_in_name;
  enum kind kind;
  uint64_t size;    /* in the smallest unit of its kind */
};

static const uint64_t one = UINT64_C (1000000000000); /* of 10^-12 */

/* pprof's kB, MB and GB, which no other writer has, are powers of 1024.  */
static const struct
{
  const char *spellings; /* each between blanks */
  enum kind kind;
  uint64_t size;
} known[] = {
  { " ps picoseconds ", TIME, 1 },
  { " ns nsec nsecs nanoseconds ", TIME, 1000 },
  { " us \302\265s \316\274s usec usecs microseconds ", TIME, 1000000 },
  { " ms msec msecs milliseconds ", TIME, 1000000000 },
  { " s sec secs seconds ", TIME, UINT64_C (1000000000000) },
  { " min mins minutes ", TIME, UINT64_C (60000000000000) },
  { " hr hrs hours ", TIME, UINT64_C (3600000000000000) },
  { " B bytes ", BYTES, 1 },
  { " kB KB KiB kilobytes ", BYTES, 1 << 10 },
  { " MB MiB megabytes ", BYTES, 1 << 20 },
  { " GB GiB gigabytes ", BYTES, 1 << 30 },
  { " count ", NUMBER, UINT64_C (1000000000000) },
};

/* Reading.  */

static bool
is_among (const char *spellings, const char *word, size_t n)
{
  for (const char *s = spellings; *s != '\0'; s++)
    if (*s == ' ' && strncmp (s + 1, word, n) == 0 && s[n + 1] == ' ')
      return true;
  return false;
}

/* "ms", "10ns" or "10 ns".  False: the unit is not known.  */
static bool
read_known (const char *text, size_t n, struct unit *u)
{
  size_t digits = 0;
  uint64_t number = 0;

  while (digits < n && digits < 6 && text[digits] >= '0'
         && text[digits] <= '9')
    number = 10 * number + (uint64_t) (text[digits++] - '0');
  u->text = text;
  u->n = (int) n;
  if (digits != 0)
    {
      text += digits;
      n -= digits;
      if (number == 0 || n == 0)
        return false;
      if (*text == ' ')
        {
          text++;
          n--;
        }
    }
  for (size_t i = 0; n != 0 && i < sizeof known / sizeof *known; i++)
    if (is_among (known[i].spellings, text, n))
      {
        u->kind = known[i].kind;
        u->size = known[i].size;
        return digits == 0 || unit_multiply (&u->size, number);
      }
  return false;
}

/* "10^-2".  */
static bool
read_power (const char *text, size_t n, struct unit *u)
{
  static const char *const powers[]
      = { "10^-1", "10^-2", "10^-3",  "10^-4",  "10^-5",  "10^-6",
          "10^-7", "10^-8", "10^-9", "10^-10", "10^-11", "10^-12" };

  u->text = text;
  u->n = (int) n;
  u->kind = NUMBER;
  u->size = one;
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
    {
      u->size /= 10;
      if (strlen (powers[i]) == n && memcmp (powers[i], text, n) == 0)
        return true;
    }
  return false;
}

/* What is between the last parentheses.  Returns where they open, or NULL.  */
static const char *
find_parentheses (const char *text, size_t *n)
{
  const char *open = strrchr (text, '('), *close = strrchr (text, ')');

  if (open == NULL || open == text || close < open)
    return NULL;
  *n = (size_t) (close - (open + 1));
  return open;
}

/* A unit that is not known is a word, maybe with a number before it.  */
static bool
is_unknown (const char *text, size_t n)
{
  const char *blank = memchr (text, ' ', n);

  return n != 0
         && (blank == NULL
             || (*text >= '0' && *text <= '9'
                 && memchr (blank + 1, ' ', n - (size_t) (blank + 1 - text))
                        == NULL));
}

/* What may end a unit in a long name, as in "cpu (ns): more than before".  */
static const char ends[] = ":;,";

/* "cpu (ns)", "Time in us", "Bytes, in units of 10^-2".  False: there is no
   unit.  */
static bool
read_long_name (const char *text, struct unit *u)
{
  static const char in[] = " in ", units_of[] = "units of ";
  size_t n;
  const char *open = find_parentheses (text, &n);

  if (open != NULL && strchr (ends, open[n + 2]) != NULL) /* or NUL */
    {
      if (read_known (open + 1, n, u))
        return true;
      u->kind = UNKNOWN;
      if (is_unknown (open + 1, n))
        return true;
    }
  while ((text = strstr (text, in)) != NULL)
    {
      text += sizeof in - 1;
      n = strcspn (text, ends);
      if (strncmp (text, units_of, sizeof units_of - 1) == 0
              ? read_power (text + sizeof units_of - 1,
                            n - (sizeof units_of - 1), u)
              : read_known (text, n, u))
        return true;
      text--; /* its blank may begin the next one */
    }
  return false;
}

/* The name in the file: a reader makes an identifier of one that cannot be
   written, and a long name of the original.  */
static const char *
original_name (const struct cgw_event *event)
{
  const char *text = event->long_name;

  return text != NULL && strpbrk (text, " \t") == NULL ? text : event->name;
}

/* Where the unit of a name begins, or NULL.  */
static const char *
read_name (const char *name, struct unit *u)
{
  size_t n;
  const char *open = find_parentheses (name, &n);

  return open != NULL && read_known (open + 1, n, u) ? open : NULL;
}

static struct unit
unit_of (const struct cgw_event *event)
{
  struct unit u = { NULL, 0, false, NUMBER, 0 };

  u.is_in_name = read_name (original_name (event), &u) != NULL;
  if (!u.is_in_name
      && (event->long_name == NULL || !read_long_name (event->long_name, &u)))
    u = (struct unit){ NULL, 0, false, NUMBER, one };
  return u;
}

/* Comparing.  */

enum relation
{
  SAME,
  FINER,
  COARSER,
  UNTOLD, /* one of the two tells no unit */
  OTHER
};

/* What unit b is, compared with a.  The costs in the coarser one are to be
   multiplied by *factor.  */
static enum relation
compare (const struct unit *a, const struct unit *b, uint64_t *factor)
{
  *factor = 1;
  if (a->kind != b->kind)
    return a->text == NULL || b->text == NULL ? UNTOLD : OTHER;
  if (a->kind == UNKNOWN)
    return a->n == b->n && memcmp (a->text, b->text, (size_t) a->n) == 0
               ? SAME
               : OTHER;
  if (a->size == b->size)
    return SAME;
  if (a->size % b->size == 0)
    {
      *factor = a->size / b->size;
      return FINER;
    }
  *factor = b->size / a->size;
  return b->size % a->size == 0 ? COARSER : OTHER;
}

bool
unit_fits (const struct cgw_event *a, const struct cgw_event *b)
{
  struct unit first = unit_of (a), second = unit_of (b);
  uint64_t factor;
  enum relation relation = compare (&first, &second, &factor);

  return relation == SAME || relation == UNTOLD;
}

/* "Time_more" of "Time_(10ns)_more".  To be freed.  */
static char *
without_unit (const struct cgw_event *event)
{
  struct unit u;
  const char *name = original_name (event), *end = read_name (name, &u);

  if (end == NULL)
    return copy_text (event->name);
  while (end > name + 1 && (end[-1] == '_' || end[-1] == ' '))
    end--;
  return make_text ("%.*s%s", (int) (end - name), name, u.text + u.n + 1);
}

char *
unit_key (const struct cgw_event *events, size_t n, size_t i)
{
  char *key = without_unit (&events[i]);
  bool is_whole = strcmp (key, events[i].name) == 0;

  for (size_t k = 0; k < n && !is_whole; k++)
    if (k != i)
      {
        char *other = without_unit (&events[k]);

        is_whole = strcmp (other, key) == 0;
        free (other);
      }
  if (!is_whole)
    return key;
  free (key);
  return copy_text (events[i].name);
}

/* An event of several inputs.  */

static struct cgw_event
event_of (const struct unit_event *e)
{
  return (struct cgw_event){ .name = e->name, .long_name = e->long_name };
}

struct unit_event
unit_event_first (char *key, const char *file, const struct cgw_event *event)
{
  return (struct unit_event){ .key = key,
                              .name = copy_text (event->name),
                              .long_name = copy_text (event->long_name),
                              .file = file };
}

static void
replace (struct unit_event *e, const char *file,
         const struct cgw_event *event)
{
  free (e->name);
  free (e->long_name);
  e->name = copy_text (event->name);
  e->long_name = copy_text (event->long_name);
  e->file = file;
  e->differs = NULL;
}

static bool
refuse (const struct unit_event *e, const struct unit *old, const char *file,
        const struct unit *new)
{
  char *text = make_text ("event \"%s\" has the unit \"%.*s\" here, and "
                          "\"%.*s\" in %s: one cannot be converted into the "
                          "other",
                          e->key, new->n, new->text, old->n, old->text,
                          e->file);

  tool_complain (file, 0, text);
  free (text);
  return false;
}

static bool
refuse_untold (const struct unit_event *e)
{
  char *text = make_text ("event \"%s\" has no unit here, and several in the "
                          "other files",
                          e->key);

  tool_complain (e->untold, 0, text);
  free (text);
  return false;
}

/* Warns once of an input that tells no unit.  */
static void
take_untold (struct unit_event *e, const char *untold, const struct unit *u,
             const char *file)
{
  char *text = make_text ("event \"%s\" has no unit here, and \"%.*s\" in %s: "
                          "it is taken for the same",
                          e->key, u->n, u->text, file);

  if (e->untold == NULL)
    tool_warn (untold, 0, text);
  e->untold = untold;
  free (text);
}

/* The unit is the same.  Of two names, the result does not depend on the order
   of the inputs.  */
static void
take_same (struct unit_event *e, const char *file,
           const struct cgw_event *event)
{
  int order = strcmp (event->name, e->name);

  if (order < 0)
    replace (e, file, event);
  else if (order == 0 && e->long_name == NULL)
    e->long_name = copy_text (event->long_name);
  else if (order == 0 && event->long_name != NULL && e->differs == NULL
           && strcmp (e->long_name, event->long_name) != 0)
    e->differs = file;
}

bool
unit_event_take (struct unit_event *e, const char *file,
                 const struct cgw_event *event, uint64_t *before)
{
  const struct cgw_event earlier = event_of (e);
  struct unit old = unit_of (&earlier), new = unit_of (event);
  uint64_t factor;

  *before = 1;
  switch (compare (&old, &new, &factor))
    {
    case SAME:
      take_same (e, file, event);
      break;
    case FINER:
      *before = factor;
      e->is_converted = true;
      replace (e, file, event);
      break;
    case COARSER:
      e->is_converted = true;
      break;
    case UNTOLD:
      if (new.text == NULL)
        take_untold (e, file, &old, e->file);
      else
        {
          take_untold (e, e->file, &new, file);
          replace (e, file, event);
        }
      break;
    default:
      return refuse (e, &old, file, &new);
    }
  return e->untold == NULL || !e->is_converted || refuse_untold (e);
}

bool
unit_event_factor (const struct unit_event *e, const struct cgw_event *event,
                   uint64_t *factor)
{
  const struct cgw_event result = event_of (e);
  struct unit a = unit_of (&result), b = unit_of (event);

  switch (compare (&a, &b, factor))
    {
    case SAME:
    case COARSER:
      return true;
    case UNTOLD:
      return e->untold != NULL && b.text == NULL;
    default:
      return false;
    }
}

char *
unit_event_plain (const struct unit_event *e)
{
  const struct cgw_event event = event_of (e);
  struct unit u = unit_of (&event);

  return u.text == NULL || u.is_in_name
             ? NULL
             : make_text ("%s (%.*s)", e->name, u.n, u.text);
}

void
unit_event_free (struct unit_event *e)
{
  free (e->key);
  free (e->name);
  free (e->long_name);
}

/* Telling.  */

/* Whether an event's name is made of this one, with "_" for what an identifier
   has not.  */
static bool
is_made_of (const char *name, const char *from, size_t n)
{
  if (*from >= '0' && *from <= '9' && *name == '_')
    name++;
  for (size_t i = 0; i < n; i++)
    if (name[i] != from[i] && name[i] != '_')
      return false;
  return n != 0 && (name[n] == '\0' || name[n] == '_');
}

/* The name in the input, without the unit.  */
static char *
told_name (const struct cgw_event *event)
{
  const char *text = event->long_name;
  size_t n = text != NULL ? strlen (text) : 0;
  struct unit u = unit_of (event);

  if (u.is_in_name)
    return without_unit (event);
  if (u.text != NULL && u.text[-1] == '(')
    n = (size_t) (u.text - text) - 1;
  while (n != 0 && text[n - 1] == ' ')
    n--;
  return n != 0 && is_made_of (event->name, text, n)
             ? make_text ("%.*s", (int) n, text)
             : without_unit (event);
}

struct unit_told
unit_tell (const struct cgw_event *event)
{
  static const struct
  {
    const char *name;
    enum kind kind;
    uint64_t size;
  } names[] = { { "seconds", TIME, UINT64_C (1000000000000) },
                { "milliseconds", TIME, 1000000000 },
                { "microseconds", TIME, 1000000 },
                { "nanoseconds", TIME, 1000 },
                { "gigabytes", BYTES, 1 << 30 },
                { "megabytes", BYTES, 1 << 20 },
                { "kilobytes", BYTES, 1 << 10 },
                { "bytes", BYTES, 1 },
                { "count", NUMBER, UINT64_C (1000000000000) } };
  struct unit u = unit_of (event);
  struct unit_told told = { told_name (event), NULL, 1 };

  for (size_t i = 0; i < sizeof names / sizeof *names && told.unit == NULL;
       i++)
    if (u.kind == names[i].kind && u.size % names[i].size == 0)
      {
        told.unit = copy_text (names[i].name);
        told.factor = u.size / names[i].size;
      }
  if (told.unit == NULL)
    told.unit = make_text ("%.*s", u.n, u.text);
  return told;
}
