/* maps.c - the address spaces of the profiled processes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "maps.h"

#include "../base/memory.h"
#include "../run/notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers come from memory that a program gone wild may have written to.  */
#define MOST_PROCESSES (UINT32_C (1) << 22)

/* Processes that were forked and then changed what they have mapped each need a
   copy of all of it.  A recording may have one for every hundred bytes.  */
enum { MOST_COPIED = 1 << 22 };

/* Objects.  */

/* An object's key, before its path.  */
struct object_key
{
  uint64_t inode;
  uint64_t start_time;
  uint32_t build_id_size;
  unsigned char build_id[OBJECT_BUILD_ID];
};

uint32_t
maps_object (struct maps *m, const struct object *object)
{
  struct { struct object_key key; char path[SAMPLE_NOTE_BYTES + 1]; } bytes;
  size_t n = strnlen (object->path, SAMPLE_NOTE_BYTES);

  memset (&bytes.key, 0, sizeof bytes.key);
  bytes.key.inode = object->inode;
  bytes.key.start_time = object->start_time;
  bytes.key.build_id_size = object->build_id_size < OBJECT_BUILD_ID
                                ? object->build_id_size
                                : (uint32_t) OBJECT_BUILD_ID;
  memcpy (bytes.key.build_id, object->build_id, bytes.key.build_id_size);
  memcpy (bytes.path, object->path, n);
  bytes.path[n] = '\0';
  return intern (&m->objects, &bytes, sizeof bytes.key + n + 1);
}

struct object
maps_object_of (const struct maps *m, uint64_t number)
{
  const char *bytes = intern_bytes (&m->objects, (uint32_t) number, NULL);
  struct object object;
  struct object_key key;

  memcpy (&key, bytes, sizeof key);
  object.path = bytes + sizeof key;
  object.inode = key.inode;
  object.start_time = key.start_time;
  memcpy (object.build_id, key.build_id, sizeof object.build_id);
  object.build_id_size = key.build_id_size;
  return object;
}

/* Processes.  */

void
maps_begin (struct maps *m)
{
  maps_object (m, &(struct object){ .path = "" });
}

struct process *
maps_process (struct maps *m, uint64_t number)
{
  if (number >= MOST_PROCESSES)
    number = 0;
  m->processes = resize_for (m->processes, (uint32_t) number, &m->capacity,
                             sizeof *m->processes);
  return &m->processes[number];
}

static void
leave (struct maps *m, struct process *p)
{
  struct regions *r = p->regions;

  p->regions = NULL;
  if (r == NULL || --r->users != 0)
    return;
  m->copied -= r->copied;
  free (r->region);
  free (r);
}

void
maps_forget (struct maps *m, uint64_t process)
{
  leave (m, maps_process (m, process));
}

void
maps_fork (struct maps *m, uint64_t parent, uint64_t child)
{
  struct regions *r = maps_process (m, parent)->regions;
  struct process *p = maps_process (m, child);

  if (p->regions == r)
    return;
  leave (m, p);
  p->regions = r;
  if (r != NULL)
    r->users++;
}

void
maps_end (struct maps *m)
{
  for (uint32_t i = 0; i < m->capacity; i++)
    {
      leave (m, &m->processes[i]);
      free (m->processes[i].command);
    }
  free (m->processes);
  intern_free (&m->objects);
}

/* Regions.  */

/* Those of a process alone, to be changed.  If there are too many copies, it
   has forgotten what it shared.  */
static struct regions *
own_regions (struct maps *m, struct process *p)
{
  struct regions *old = p->regions, *own;

  if (old != NULL && old->users == 1)
    return old;
  own = resize (NULL, 1, sizeof *own);
  *own = (struct regions){ .users = 1 };
  if (old != NULL && old->n != 0 && old->n <= MOST_COPIED - m->copied)
    {
      m->copied += own->copied = old->n;
      own->n = own->capacity = old->n;
      own->region = resize (NULL, own->n, sizeof *own->region);
      memcpy (own->region, old->region, own->n * sizeof *own->region);
    }
  leave (m, p);
  p->regions = own;
  return own;
}

/* The first region that ends behind an address.  */
static uint32_t
first_behind (const struct regions *r, uint64_t address)
{
  uint32_t low = 0, high = r->n;

  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;

      if (r->region[middle].end <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
begin_at (struct region *region, uint64_t start)
{
  region->offset += start - region->start;
  region->start = start;
}

/* Replaces the regions from number i to k by others.  */
static void
replace (struct regions *r, uint32_t i, uint32_t k,
         const struct region *others, uint32_t n)
{
  if (n > k - i)
    r->region = resize_for (r->region, r->n + n - (k - i) - 1, &r->capacity,
                            sizeof *r->region);
  if (n != k - i)
    memmove (r->region + i + n, r->region + k,
             (r->n - k) * sizeof *r->region);
  memcpy (r->region + i, others, n * sizeof *others);
  r->n = r->n - (k - i) + n;
}

void
maps_add (struct maps *m, uint64_t process, struct region region)
{
  struct regions *r;
  struct region parts[3];
  uint32_t n = 0, i, k;

  if (region.start >= region.end)
    return;
  r = own_regions (m, maps_process (m, process));
  i = first_behind (r, region.start);
  for (k = i; k < r->n && r->region[k].start < region.end;)
    k++;
  /* What stays of those that it covers partly.  */
  if (i < k && r->region[i].start < region.start)
    {
      parts[n] = r->region[i];
      parts[n++].end = region.start;
    }
  parts[n++] = region;
  if (i < k && r->region[k - 1].end > region.end)
    {
      parts[n] = r->region[k - 1];
      begin_at (&parts[n++], region.end);
    }
  replace (r, i, k, parts, n);
}

void
maps_add_made (struct maps *m, uint64_t process, uint64_t start, uint64_t end)
{
  const struct process *p = maps_process (m, process);
  char name[32];
  struct object object = { .path = name, .start_time = p->start_time };

  snprintf (name, sizeof name, "perf-%" PRIu64 ".map", p->pid);
  maps_add (m, process,
            (struct region){ start, end, start, maps_object (m, &object) });
}

const struct region *
maps_region (struct maps *m, uint64_t process, uint64_t address)
{
  const struct regions *r = maps_process (m, process)->regions;
  uint32_t i = r != NULL ? first_behind (r, address) : 0;

  return r != NULL && i < r->n && address >= r->region[i].start
             ? &r->region[i]
             : NULL;
}

bool
maps_find (struct maps *m, uint64_t process, uint64_t address,
           struct location *location)
{
  const struct region *region = maps_region (m, process, address);

  *location = (struct location){ 0, address };
  if (region != NULL)
    *location = (struct location){
      region->object, address - region->start + region->offset
    };
  return region != NULL;
}

/* Notes.  */

static void
take_process (struct process *p, const struct sample_note_head *head,
              const char *arguments)
{
  size_t n = (size_t) head->length;

  p->is_known = true;
  p->pid = head->word[0];
  p->start_time = head->word[1];
  p->device = head->word[2];
  p->inode = head->word[3];
  free (p->command);
  p->command = resize (NULL, n + 1, 1);
  memcpy (p->command, arguments, n);
  while (n != 0 && p->command[n - 1] == '\0')
    n--;
  p->command[n] = '\0';
  for (size_t i = 0; i < n; i++)
    if (p->command[i] == '\0')
      p->command[i] = ' ';
}

/* What is mapped from no file is code that the process made.  The vdso is a
   file of a kind.  */
static void
take_place (struct maps *m, uint64_t process,
            const uint64_t place[SAMPLE_NOTE_PLACE],
            const struct object *object)
{
  if (object->inode == 0 && strcmp (object->path, "[vdso]") != 0)
    maps_add_made (m, process, place[0], place[1]);
  else
    maps_add (m, process,
              (struct region){ place[0], place[1], place[2],
                               maps_object (m, object) });
}

/* `end` is that of the note.  */
static void
take_map (struct maps *m, uint64_t process,
          const struct sample_note_head *head, const char *bytes,
          const uint64_t *end)
{
  char *path = strndup (bytes, (size_t) head->length);
  struct object object
      = { .path = path, .inode = head->word[SAMPLE_NOTE_INODE] };
  const uint64_t *place
      = (const uint64_t *) (const void *) bytes + (head->length + 7) / 8;

  if (path == NULL)
    no_memory ();
  take_place (m, process, head->word, &object);
  for (; end - place >= SAMPLE_NOTE_PLACE; place += SAMPLE_NOTE_PLACE)
    take_place (m, process, place, &object);
  free (path);
}

void
maps_take (void *maps, const struct cgw_sample *note)
{
  struct maps *m = maps;
  uint64_t process = note->tag >> 8;
  const char *bytes = (const char *) (note->frames + SAMPLE_NOTE_WORDS);
  struct sample_note_head head;

  if (note->n_frames < SAMPLE_NOTE_WORDS)
    return;
  memcpy (&head, note->frames, sizeof head);
  if (head.length > (note->n_frames - SAMPLE_NOTE_WORDS) * sizeof (uint64_t))
    return;
  if ((note->tag & 0xff) == SAMPLE_NOTE_PROCESS)
    take_process (maps_process (m, process), &head, bytes);
  else
    take_map (m, process, &head, bytes, note->frames + note->n_frames);
}
