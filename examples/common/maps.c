/* maps.c - the address spaces of the profiled processes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "maps.h"

#include "memory.h"
#include "notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers come from memory that a program gone wild may have written to.  */
#define MOST_PROCESSES (UINT32_C (1) << 22)

static uint32_t
intern_object (struct maps *m, uint64_t inode, const char *path, size_t n)
{
  unsigned char key[sizeof inode + SAMPLE_NOTE_BYTES + 1];

  if (n > SAMPLE_NOTE_BYTES)
    n = SAMPLE_NOTE_BYTES;
  memcpy (key, &inode, sizeof inode);
  memcpy (key + sizeof inode, path, n);
  key[sizeof inode + n] = '\0';
  return intern (&m->objects, key, sizeof inode + n + 1);
}

void
maps_begin (struct maps *m)
{
  intern_object (m, 0, "", 0);
}

const char *
maps_path (const struct maps *m, uint64_t object, uint64_t *inode)
{
  const char *key = intern_bytes (&m->objects, (uint32_t) object, NULL);

  memcpy (inode, key, sizeof *inode);
  return key + sizeof *inode;
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

/* What is mapped from no file is code that the process made: its addresses
   count as offsets.  The vdso is a file of a kind.  */
static void
take_map (struct maps *m, struct process *p,
          const struct sample_note_head *head, const char *path)
{
  size_t n = (size_t) head->length;
  bool is_vdso = n == 6 && memcmp (path, "[vdso]", 6) == 0;
  char made[32];
  struct region *r;

  p->regions = resize_for (p->regions, p->n_regions, &p->capacity,
                           sizeof *p->regions);
  r = &p->regions[p->n_regions++];
  r->start = head->word[0];
  r->end = head->word[1];
  r->offset = head->word[2];
  if (head->word[3] != 0 || is_vdso)
    {
      r->object = intern_object (m, head->word[3], path, n);
      return;
    }
  n = (size_t) sprintf (made, "perf-%" PRIu64 ".map", p->pid);
  r->object = intern_object (m, p->start_time, made, n);
  r->offset = r->start;
}

void
maps_take (void *maps, const struct cgw_sample *note)
{
  struct maps *m = maps;
  struct process *p = maps_process (m, note->tag >> 8);
  const char *bytes = (const char *) (note->frames + SAMPLE_NOTE_WORDS);
  struct sample_note_head head;

  if (note->n_frames < SAMPLE_NOTE_WORDS)
    return;
  memcpy (&head, note->frames, sizeof head);
  if (head.length > (note->n_frames - SAMPLE_NOTE_WORDS) * sizeof (uint64_t))
    return;
  if ((note->tag & 0xff) == SAMPLE_NOTE_PROCESS)
    take_process (p, &head, bytes);
  else
    take_map (m, p, &head, bytes);
}

bool
maps_find (struct maps *m, uint64_t process, uint64_t address,
           struct location *location)
{
  const struct process *p = maps_process (m, process);

  for (uint32_t i = p->n_regions; i-- != 0;)
    {
      const struct region *r = &p->regions[i];

      if (address < r->start || address >= r->end)
        continue;
      *location = (struct location){ r->object,
                                     address - r->start + r->offset };
      return true;
    }
  *location = (struct location){ 0, address };
  return false;
}
