/* perf_attr.c - the events of a perf.data file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_attr.h"

#include "../base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct id
{
  uint64_t id;
  uint32_t attr; /* the number of the attribute */
};

void
perf_attrs_begin (struct perf_attrs *a)
{
  *a = (struct perf_attrs){ .ids = { .key_size = sizeof (uint64_t),
                                     .entry_size = sizeof (struct id) } };
}

/* Each sample has room for the costs of all, and their names are compared.  */
enum { MOST_EVENTS = 1024 };

const char *
perf_attrs_add (struct perf_attrs *a, const unsigned char *bytes, size_t n)
{
  struct perf_attr *attr;

  if (a->n == MOST_EVENTS)
    return "it has too many events";
  a->all = resize_for_one (a->all, a->n, sizeof *a->all);
  attr = &a->all[a->n++];
  memset (attr, 0, sizeof *attr);
  memcpy (&attr->attr, bytes, n < sizeof attr->attr ? n : sizeof attr->attr);
  return NULL;
}

void
perf_attrs_add_id (struct perf_attrs *a, uint64_t id)
{
  struct id *known = table_add (&a->ids, &id);

  known->attr = a->n - 1;
}

uint32_t
perf_attrs_find (const struct perf_attrs *a, uint64_t id)
{
  const struct id *known = table_find (&a->ids, &id);

  return known != NULL ? known->attr : PERF_NO_ATTR;
}

/* Where things are in records.  A sample begins with some of: identifier, ip,
   thread, time, address, id.  The kernel's other records end with some of:
   thread, time, id, stream, processor, identifier.  Each is a word.  */

static size_t
words_before_time (uint64_t type)
{
  return !!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP)
         + !!(type & PERF_SAMPLE_TID);
}

static size_t
words_from_time (uint64_t type)
{
  return (size_t) 1 + !!(type & PERF_SAMPLE_ID)
         + !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_CPU)
         + !!(type & PERF_SAMPLE_IDENTIFIER);
}

static size_t
words_before_id (uint64_t type)
{
  return (type & PERF_SAMPLE_IDENTIFIER) != 0
             ? 0
             : words_before_time (type) + !!(type & PERF_SAMPLE_TIME)
                   + !!(type & PERF_SAMPLE_ADDR);
}

static size_t
words_from_id (uint64_t type)
{
  return (type & PERF_SAMPLE_IDENTIFIER) != 0
             ? 1
             : (size_t) 1 + !!(type & PERF_SAMPLE_STREAM_ID)
                   + !!(type & PERF_SAMPLE_CPU);
}

/* Reads a word that is so many words from the beginning of a sample, or from
   the end of another record.  */
static bool
read_word (const struct perf_record *r, size_t from_begin, size_t from_end,
           uint64_t *word)
{
  size_t at;

  if (r->type == PERF_RECORD_SAMPLE)
    at = PERF_HEADER + from_begin * sizeof *word;
  else if (from_end * sizeof *word <= r->size)
    at = r->size - from_end * sizeof *word;
  else
    return false;
  if (at < PERF_HEADER || at + sizeof *word > r->size)
    return false;
  *word = perf_u64 (r->bytes + at);
  return true;
}

static bool
has_words (const struct perf_attr *a, const struct perf_record *r)
{
  return r->type == PERF_RECORD_SAMPLE
         || (a->attr.sample_id_all && r->type < PERF_OWN_RECORDS);
}

/* Events whose records differ have an identifier, which is at one place in
   all; so the first attribute tells where ids are.  Records that perf makes up
   have the id 0.  */
uint32_t
perf_attrs_of (const struct perf_attrs *a, const struct perf_record *r)
{
  uint64_t type, id = 0;

  if (a->n < 2)
    return a->n == 1 ? 0 : PERF_NO_ATTR;
  type = a->all->attr.sample_type;
  if ((type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)) == 0
      || !has_words (a->all, r)
      || !read_word (r, words_before_id (type), words_from_id (type), &id)
      || id == 0)
    return 0;
  return perf_attrs_find (a, id);
}

uint64_t
perf_attrs_time (const struct perf_attrs *a, const struct perf_record *r)
{
  uint32_t i = perf_attrs_of (a, r);
  const struct perf_attr *attr = i != PERF_NO_ATTR ? &a->all[i] : NULL;
  uint64_t type, time;

  if (attr == NULL || !has_words (attr, r))
    return PERF_NO_TIME;
  type = attr->attr.sample_type;
  if ((type & PERF_SAMPLE_TIME) == 0
      || !read_word (r, words_before_time (type), words_from_time (type),
                     &time)
      || time == 0)
    return PERF_NO_TIME;
  return time;
}

/* Names.  */

static const char *
hardware_name (uint64_t config)
{
  static const char *const names[]
      = { "cycles",
          "instructions",
          "cache-references",
          "cache-misses",
          "branches",
          "branch-misses",
          "bus-cycles",
          "stalled-cycles-frontend",
          "stalled-cycles-backend",
          "ref-cycles" };

  return config < sizeof names / sizeof *names ? names[config] : NULL;
}

static const char *
software_name (uint64_t config)
{
  static const char *const names[]
      = { "cpu-clock",        "task-clock",       "page-faults",
          "context-switches", "cpu-migrations",   "minor-faults",
          "major-faults",     "alignment-faults", "emulation-faults",
          "dummy",            "bpf-output",       "cgroup-switches" };

  return config < sizeof names / sizeof *names ? names[config] : NULL;
}

/* As "L1-dcache-load-misses", to be freed; NULL: there is no such event.  */
static char *
cache_name (uint64_t config)
{
  static const char *const caches[]
      = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
  static const char *const operations[] = { "load", "store", "prefetch" };
  uint64_t cache = config & 0xff, operation = config >> 8 & 0xff,
           result = config >> 16;

  if (cache >= sizeof caches / sizeof *caches
      || operation >= sizeof operations / sizeof *operations || result > 1)
    return NULL;
  return result == 1
             ? make_text ("%s-%s-misses", caches[cache], operations[operation])
             : make_text ("%s-%ss", caches[cache], operations[operation]);
}

/* The privileges that are counted, as perf writes them: ":u", ":k" ...  */
static char *
add_modifiers (const struct perf_event_attr *a, char *name)
{
  bool is_some = a->exclude_user || a->exclude_kernel || a->exclude_hv;
  char *text
      = make_text ("%s%s%s%s%s%.*s", name,
                   is_some || a->precise_ip != 0 ? ":" : "",
                   is_some && !a->exclude_user ? "u" : "",
                   is_some && !a->exclude_kernel ? "k" : "",
                   is_some && !a->exclude_hv ? "h" : "",
                   (int) a->precise_ip, "ppp");

  free (name);
  return text;
}

char *
perf_attr_name (const struct perf_attr *a)
{
  uint64_t config = a->attr.config;
  const char *name = a->name;
  char *made = NULL;

  if (name != NULL && *name != '\0')
    return copy_text (name);
  if (a->attr.type == PERF_TYPE_HARDWARE)
    name = hardware_name (config);
  else if (a->attr.type == PERF_TYPE_SOFTWARE)
    name = software_name (config);
  else if (a->attr.type == PERF_TYPE_HW_CACHE)
    made = cache_name (config);
  else if (a->attr.type == PERF_TYPE_RAW)
    made = make_text ("r%" PRIx64, config);
  if (name != NULL)
    made = copy_text (name);
  if (made == NULL)
    made = make_text ("event-%" PRIu32 "-%" PRIx64, a->attr.type, config);
  return add_modifiers (&a->attr, made);
}

char *
perf_attr_unit (const struct perf_attr *a)
{
  if (a->attr.type == PERF_TYPE_SOFTWARE
      && (a->attr.config == PERF_COUNT_SW_CPU_CLOCK
          || a->attr.config == PERF_COUNT_SW_TASK_CLOCK))
    return copy_text ("ns");
  if (a->unit == NULL || *a->unit == '\0')
    return NULL;
  return a->scale != 0 && a->scale != 1
             ? make_text ("%g %s", a->scale, a->unit)
             : copy_text (a->unit);
}

bool
perf_attr_is_dummy (const struct perf_attr *a)
{
  return a->attr.type == PERF_TYPE_SOFTWARE
         && (a->attr.config == PERF_COUNT_SW_DUMMY
             || a->attr.config == PERF_COUNT_SW_BPF_OUTPUT);
}

void
perf_attrs_free (struct perf_attrs *a)
{
  for (uint32_t i = 0; i < a->n; i++)
    {
      free (a->all[i].name);
      free (a->all[i].unit);
    }
  free (a->all);
  table_free (&a->ids);
}
