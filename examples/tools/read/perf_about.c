/* perf_about.c - what the header of a perf.data file says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_about.h"

#include "../base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sections, by their bits in the header.  */
enum
{
  SECTION_BUILD_ID = 2,
  SECTION_HOST = 3,
  SECTION_RELEASE = 4,
  SECTION_VERSION = 5,
  SECTION_MACHINE = 6,
  SECTION_COMMAND = 11,
  SECTION_EVENTS = 12
};

static const char cut_off[] = "the section is cut off";

/* Strings: a length, which counts the padding, and as many bytes.  */

/* Takes a string; NULL: it is cut off.  */
static const char *
take_text (const unsigned char **at, size_t *n)
{
  const char *text;
  uint32_t size;

  if (*n < sizeof size)
    return NULL;
  size = perf_u32 (*at);
  if (size > *n - sizeof size)
    return NULL;
  text = perf_text (*at + sizeof size, size, 0);
  *at += sizeof size + size;
  *n -= sizeof size + size;
  return text;
}

static const char *
take_only_text (char **to, const unsigned char *bytes, size_t n)
{
  const char *text = take_text (&bytes, &n);

  if (text == NULL)
    return cut_off;
  free (*to);
  *to = copy_text (text);
  return NULL;
}

/* A number of strings.  */
static const char *
take_command (struct perf_about *a, const unsigned char *bytes, size_t n)
{
  uint32_t count = n >= sizeof count ? perf_u32 (bytes) : 1;
  const char *text = "";
  size_t size;
  FILE *stream;

  if (n < sizeof count)
    return cut_off;
  bytes += sizeof count;
  n -= sizeof count;
  free (a->command);
  stream = open_memstream (&a->command, &size);
  if (stream == NULL)
    no_memory ();
  for (uint32_t i = 0; i < count && text != NULL; i++)
    {
      text = take_text (&bytes, &n);
      if (text != NULL)
        fprintf (stream, "%s%s", i != 0 ? " " : "", text);
    }
  if (fclose (stream) != 0)
    no_memory ();
  return text == NULL ? cut_off : NULL;
}

/* Events.  */

static void
set_text (char **to, const char *text)
{
  free (*to);
  *to = copy_text (text);
}

/* The number of events and the size of an attribute; then of each the
   attribute, the number of its ids, its name, and the ids.  They are in the
   order of the attributes.  */
static const char *
take_events (struct perf_about *a, const unsigned char *bytes, size_t n)
{
  uint32_t count, size, ids;

  if (n < 2 * sizeof count)
    return cut_off;
  count = perf_u32 (bytes);
  size = perf_u32 (bytes + sizeof count);
  bytes += 2 * sizeof count;
  n -= 2 * sizeof count;
  for (uint32_t i = 0; i < count; i++)
    {
      const char *name;

      if (size > n || n - size < sizeof ids)
        return cut_off;
      ids = perf_u32 (bytes + size);
      bytes += size + sizeof ids;
      n -= size + sizeof ids;
      name = take_text (&bytes, &n);
      if (name == NULL || ids > n / sizeof (uint64_t))
        return cut_off;
      bytes += ids * sizeof (uint64_t);
      n -= ids * sizeof (uint64_t);
      if (i < a->attrs.n)
        set_text (&a->attrs.all[i].name, name);
    }
  return NULL;
}

/* An attribute, which says how large it is, and its ids.  */
static const char *
take_attr (struct perf_about *a, const struct perf_record *r)
{
  size_t n = r->size - PERF_HEADER, size;
  const unsigned char *bytes = r->bytes + PERF_HEADER;
  const char *reason;

  if (n < PERF_ATTR_SIZE_VER0)
    return "the attribute is cut off";
  size = perf_u32 (bytes + offsetof (struct perf_event_attr, size));
  if (size == 0)
    size = PERF_ATTR_SIZE_VER0;
  if (size < PERF_ATTR_SIZE_VER0 || size > n)
    return "the size of the attribute is wrong";
  reason = perf_attrs_add (&a->attrs, bytes, size);
  if (reason != NULL)
    return reason;
  for (; size + sizeof (uint64_t) <= n; size += sizeof (uint64_t))
    perf_attrs_add_id (&a->attrs, perf_u64 (bytes + size));
  return NULL;
}

/* What is known of an event beside its attribute: a kind, an id, a value.  */
static const char *
take_update (struct perf_about *a, const struct perf_record *r)
{
  enum { UNIT, SCALE, NAME };
  enum { KIND = PERF_HEADER, ID = KIND + 8, VALUE = ID + 8 };
  uint32_t i;
  const char *text;

  if (r->size < VALUE)
    return "the record is cut off";
  i = perf_attrs_find (&a->attrs, perf_u64 (r->bytes + ID));
  if (i == PERF_NO_ATTR)
    return NULL;
  text = perf_text (r->bytes, r->size, VALUE);
  switch (perf_u64 (r->bytes + KIND))
    {
    case UNIT:
      if (text != NULL)
        set_text (&a->attrs.all[i].unit, text);
      break;
    case SCALE:
      if (r->size >= VALUE + sizeof (double))
        memcpy (&a->attrs.all[i].scale, r->bytes + VALUE, sizeof (double));
      break;
    case NAME:
      if (text != NULL)
        set_text (&a->attrs.all[i].name, text);
      break;
    default:
      break;
    }
  return NULL;
}

/* Build IDs.  */

/* That of a file; an unknown one if it is new.  */
static struct perf_build_id *
find_build_id (struct perf_about *a, const char *path)
{
  uint32_t n = a->paths.n;
  uint32_t i = intern (&a->paths, path, strlen (path));

  if (i == n) /* it is new */
    {
      a->build_ids = resize_for_one (a->build_ids, n, sizeof *a->build_ids);
      memset (&a->build_ids[i], 0, sizeof *a->build_ids);
    }
  return &a->build_ids[i];
}

/* A process, the ID with its size, which older versions of perf did not say,
   and the path.  */
static const char *
take_build_id (struct perf_about *a, const struct perf_record *r)
{
  enum { ID = PERF_HEADER + 4, SIZE = ID + PERF_BUILD_ID, PATH = ID + 24 };
  const char *path = perf_text (r->bytes, r->size, PATH);
  struct perf_build_id *b;
  uint32_t size = PERF_BUILD_ID;

  if (path == NULL)
    return "the record of a build ID is cut off";
  if ((r->misc & 1 << 15) != 0 && r->bytes[SIZE] < size)
    size = r->bytes[SIZE];
  b = find_build_id (a, path);
  b->size = size;
  memcpy (b->id, r->bytes + ID, size);
  return NULL;
}

static const char *
take_build_ids (struct perf_about *a, const unsigned char *bytes, size_t n)
{
  const char *reason = NULL;

  while (n >= PERF_HEADER && reason == NULL)
    {
      struct perf_record r = perf_header (bytes, 0);

      if (r.size < PERF_HEADER || r.size > n)
        return cut_off;
      reason = take_build_id (a, &r);
      bytes += r.size;
      n -= r.size;
    }
  return reason;
}

struct perf_build_id
perf_about_build_id (struct perf_about *a, const char *path)
{
  return *find_build_id (a, path);
}

/* All.  */

bool
perf_about_wants (uint64_t section)
{
  return (section >= SECTION_BUILD_ID && section <= SECTION_MACHINE)
         || section == SECTION_COMMAND || section == SECTION_EVENTS;
}

const char *
perf_about_take (struct perf_about *a, uint64_t section,
                 const unsigned char *bytes, size_t n)
{
  switch (section)
    {
    case SECTION_BUILD_ID:
      return take_build_ids (a, bytes, n);
    case SECTION_HOST:
      return take_only_text (&a->host, bytes, n);
    case SECTION_RELEASE:
      return take_only_text (&a->release, bytes, n);
    case SECTION_VERSION:
      return take_only_text (&a->version, bytes, n);
    case SECTION_MACHINE:
      return take_only_text (&a->machine, bytes, n);
    case SECTION_COMMAND:
      return take_command (a, bytes, n);
    case SECTION_EVENTS:
      return take_events (a, bytes, n);
    default:
      return NULL;
    }
}

bool
perf_about_record (struct perf_about *a, const struct perf_record *r,
                   const char **reason)
{
  enum { SECTION = PERF_HEADER, BYTES = SECTION + 8 };

  switch (r->type)
    {
    case PERF_OWN_ATTR:
      *reason = take_attr (a, r);
      return true;
    case PERF_OWN_BUILD_ID:
      *reason = take_build_id (a, r);
      return true;
    case PERF_OWN_EVENT_UPDATE:
      *reason = take_update (a, r);
      return true;
    case PERF_OWN_FEATURE:
      *reason = r->size < BYTES
                    ? cut_off
                    : perf_about_take (a, perf_u64 (r->bytes + SECTION),
                                       r->bytes + BYTES, r->size - BYTES);
      return true;
    default:
      return false;
    }
}

void
perf_about_begin (struct perf_about *a)
{
  *a = (struct perf_about){ .host = NULL };
  perf_attrs_begin (&a->attrs);
}

void
perf_about_free (struct perf_about *a)
{
  intern_free (&a->paths);
  free (a->build_ids);
  free (a->host);
  free (a->release);
  free (a->version);
  free (a->machine);
  free (a->command);
  perf_attrs_free (&a->attrs);
}
