/* test_maps.c - names of code that a process generated, what agents note, what
   is mapped where, and the events of MPI programs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/tool.h"
#include "capture.h"
#include "run/notes.h"
#include "run/ranks.h"
#include "symbols/maps.h"
#include "symbols/perf_map.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* perf_map.c.  */

static const char *
name_at (const struct perf_map *map, uint64_t address)
{
  const char *name = perf_map_name (map, address);

  return name != NULL ? name : "";
}

Test (perf_map, names, .init = enter_folder, .fini = leave_folder)
{
  struct perf_map map = { 0 };

  put_file ("map", "1000 10 first\n"
                   "2000 100 a name of words\n"
                   "no line\n"
                   "3000 0 empty\n"
                   "4000\n"
                   "2010 10 a later one\n"
                   "FFFFffffFFFF0000 10 high\n"
                   "5000 10 without an end");
  perf_map_read (&map, "map", 0);
  cr_assert_str_eq (name_at (&map, 0xfff), "");
  cr_assert_str_eq (name_at (&map, 0x1000), "first");
  cr_assert_str_eq (name_at (&map, 0x100f), "first");
  cr_assert_str_eq (name_at (&map, 0x1010), "");
  cr_assert_str_eq (name_at (&map, 0x200f), "a name of words");
  cr_assert_str_eq (name_at (&map, 0x2010), "a later one");
  cr_assert_str_eq (name_at (&map, 0x2020), "a name of words");
  cr_assert_str_eq (name_at (&map, 0x3000), "");
  cr_assert_str_eq (name_at (&map, 0x4000), "");
  cr_assert_str_eq (name_at (&map, 0x5000), "");
  cr_assert_str_eq (name_at (&map, UINT64_C (0xffffffffffff0008)), "high");
  perf_map_free (&map);
}

/* No name: of a missing file, one behind a link, a folder, and one that was
   written before the process began.  */
Test (perf_map, files_of_others, .init = enter_folder, .fini = leave_folder)
{
  const char *const paths[] = { "missing", "link", ".", "old" };
  const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

  put_file ("map", "1000 10 name\n");
  put_file ("old", "1000 10 name\n");
  cr_assert_eq (symlink ("map", "link"), 0);
  cr_assert_eq (utimensat (-100, "old", times, 0), 0);
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    {
      struct perf_map map = { 0 };

      perf_map_read (&map, paths[i], 1);
      cr_assert_str_eq (name_at (&map, 0x1000), "", "%s", paths[i]);
      perf_map_free (&map);
    }
  struct perf_map map = { 0 };
  perf_map_read (&map, "map", 1);
  cr_assert_str_eq (name_at (&map, 0x1000), "name");
  perf_map_free (&map);
}

static void
read_map (void *path)
{
  static const struct tool tool
      = { .name = "test", .usage = "", .help = "", .letters = "" };
  struct perf_map map = { 0 };

  tool_begin (&tool);
  perf_map_read (&map, path, 0);
  cr_assert_str_eq (name_at (&map, 0x1000), "");
  perf_map_free (&map);
}

/* A file that would fill the memory: this one needs none on the disk.  */
Test (perf_map, too_long, .init = enter_folder, .fini = leave_folder)
{
  const struct captured *c;

  put_file ("map", "1000 10 name\n");
  cr_assert_eq (truncate ("map", (512 << 20) + 1), 0);
  c = capture (read_map, (char[]){ "map" });
  cr_assert_eq (c->status, 0);
  cr_assert_str_eq (c->err, "test: map: warning: is longer than 512 MiB: its "
                            "functions have no names\n");
}

/* maps.c.  */

/* Passes a note on, as if an agent had made it.  */
static void
note (struct maps *m, enum sample_note kind, uint64_t process,
      const struct sample_note_head *head, const char *bytes, size_t n)
{
  uint64_t words[SAMPLE_NOTE_FRAMES] = { 0 };
  const struct cgw_sample sample
      = { .tag = process << 8 | kind,
          .frames = words,
          .n_frames = SAMPLE_NOTE_WORDS + (n + 7) / 8 };

  memcpy (words, head, sizeof *head);
  memcpy (words + SAMPLE_NOTE_WORDS, bytes, n);
  maps_take (m, &sample);
}

static const char *
path_at (struct maps *m, uint64_t process, uint64_t address, uint64_t *offset)
{
  struct location location;

  if (!maps_find (m, process, address, &location))
    return NULL;
  *offset = location.offset;
  return maps_object_of (m, location.object).path;
}

Test (maps, notes)
{
  static const char arguments[] = "prog\0-x\0";
  /* Behind the path, which has a multiple of 8 bytes.  */
  uint64_t regions[] = { 0,      0xa000, 0xb000, 0x200, 0xc000,
                         0xd000, 0x300,  0xe000, 0xf000 };
  struct maps m = { 0 };
  uint64_t offset = 0;

  maps_begin (&m);
  note (&m, SAMPLE_NOTE_PROCESS, 3,
        &(struct sample_note_head){ { 4711, 99, 0, 17 }, sizeof arguments },
        arguments, sizeof arguments);
  cr_assert (maps_process (&m, 3)->is_known);
  cr_assert_eq (maps_process (&m, 3)->pid, 4711);
  cr_assert_str_eq (maps_process (&m, 3)->command, "prog -x");
  note (&m, SAMPLE_NOTE_MAP, 3,
        &(struct sample_note_head){ { 0x1000, 0x2000, 0x500, 18 }, 7 },
        "/bin/xy", 7);
  note (&m, SAMPLE_NOTE_MAP, 3,
        &(struct sample_note_head){ { 0x4000, 0x5000, 0, 0 }, 0 }, "", 0);
  note (&m, SAMPLE_NOTE_MAP, 3,
        &(struct sample_note_head){ { 0x6000, 0x7000, 0, 0 }, 6 }, "[vdso]",
        6);
  memcpy (regions, "/f", 2);
  note (&m, SAMPLE_NOTE_MAP, 3,
        &(struct sample_note_head){ { 0x8000, 0x9000, 0x100, 19 }, 2 },
        (const char *) regions, sizeof regions);
  cr_assert_str_eq (path_at (&m, 3, 0x1010, &offset), "/bin/xy");
  cr_assert_eq (offset, 0x510);
  cr_assert_str_eq (path_at (&m, 3, 0x4010, &offset), "perf-4711.map");
  cr_assert_eq (offset, 0x4010);
  cr_assert_str_eq (path_at (&m, 3, 0x6010, &offset), "[vdso]");
  cr_assert_str_eq (path_at (&m, 3, 0x8010, &offset), "/f");
  cr_assert_eq (offset, 0x110);
  cr_assert_str_eq (path_at (&m, 3, 0xcfff, &offset), "/f");
  cr_assert_eq (offset, 0x12ff);
  cr_assert_null (path_at (&m, 3, 0xe000, &offset));
  cr_assert_null (path_at (&m, 3, 0x2000, &offset));
  cr_assert_null (path_at (&m, 2, 0x1010, &offset));
  maps_end (&m);
}

/* A note that is cut off, or that says that it is longer, is nothing.  */
Test (maps, notes_that_are_cut_off)
{
  const struct sample_note_head head = { { 0x1000, 0x2000, 0, 18 }, 100 };
  const uint64_t words[SAMPLE_NOTE_WORDS] = { 0x1000, 0x2000 };
  struct maps m = { 0 };
  uint64_t offset = 0;

  maps_begin (&m);
  note (&m, SAMPLE_NOTE_MAP, 3, &head, "/bin/xy", 7);
  maps_take (&m, &(struct cgw_sample){ .tag = 3 << 8 | SAMPLE_NOTE_MAP,
                                       .frames = words,
                                       .n_frames = SAMPLE_NOTE_WORDS - 1 });
  cr_assert_null (path_at (&m, 3, 0x1010, &offset));
  maps_end (&m);
}

Test (maps, objects)
{
  const struct object object = { .path = "/bin/xy", .inode = 1 };
  struct object other = object;
  struct maps m = { 0 };
  uint32_t number;

  maps_begin (&m);
  cr_assert_str_eq (maps_object_of (&m, 0).path, "");
  number = maps_object (&m, &object);
  cr_assert_neq (number, 0);
  cr_assert_eq (maps_object (&m, &object), number);
  other.inode = 2;
  cr_assert_neq (maps_object (&m, &other), number);
  other = object;
  other.build_id_size = 4;
  memcpy (other.build_id, "abcd", 4);
  cr_assert_neq (maps_object (&m, &other), number);
  cr_assert_eq (memcmp (maps_object_of (&m, maps_object (&m, &other)).build_id,
                        "abcd", 4),
                0);
  maps_end (&m);
}

/* What is found mapped against a list of all that was mapped, searched from its
   end: small address spaces, with all kinds of overlaps, forks and execs.  */

enum { PROCESSES = 4, ADDRESSES = 64, MOST_MAPPED = 512, STEPS = 200000 };

/* What was mapped in each process, the newest last.  */
struct list
{
  struct region region[MOST_MAPPED];
  size_t n;
};

static struct list lists[PROCESSES];

static uint64_t
some (uint64_t below)
{
  static uint64_t state = 88172645463325252;

  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % below;
}

static struct location
search (const struct list *list, uint64_t address)
{
  for (size_t i = list->n; i-- != 0;)
    {
      const struct region *r = &list->region[i];

      if (address >= r->start && address < r->end)
        return (struct location){ r->object, address - r->start + r->offset };
    }
  return (struct location){ 0, address };
}

static void
map_some (struct maps *m, uint64_t process)
{
  struct list *list = &lists[process];
  struct region r = { .start = some (ADDRESSES), .offset = some (1000) };
  struct object object = { .path = "/object", .inode = some (20) };

  if (list->n == MOST_MAPPED)
    return;
  r.end = some (10) == 0 ? r.start : r.start + some (ADDRESSES / 4);
  r.object = maps_object (m, &object);
  maps_add (m, process, r);
  list->region[list->n++] = r;
}

static void
all_are_found (struct maps *m, int step)
{
  for (uint64_t p = 0; p < PROCESSES; p++)
    for (uint64_t a = 0; a < 2 * ADDRESSES; a++)
      {
        struct location wanted = search (&lists[p], a), found;
        bool is_found = maps_find (m, p, a, &found);

        cr_assert (is_found == (wanted.object != 0)
                       && found.object == wanted.object
                       && found.offset == wanted.offset,
                   "step %d, process %u, address %u", step, (unsigned) p,
                   (unsigned) a);
      }
}

Test (maps, as_a_search)
{
  struct maps m = { 0 };

  maps_begin (&m);
  for (int i = 0; i < STEPS; i++)
    {
      uint64_t process = some (PROCESSES), other = some (PROCESSES);

      switch (some (200))
        {
        case 0:
          maps_forget (&m, process);
          lists[process].n = 0;
          break;
        case 1:
        case 2:
          maps_fork (&m, process, other);
          lists[other] = lists[process];
          break;
        default:
          map_some (&m, process);
          break;
        }
      if (i % 50 == 0)
        all_are_found (&m, i);
    }
  maps_end (&m);
}

/* Each child of a process of many regions maps one more, and so needs a copy.
   Those that have ended do not count.  */
Test (maps, many_copies)
{
  enum { REGIONS = 1 << 12, CHILDREN = 1 << 10, ENDED = CHILDREN / 2 };
  struct maps m = { 0 };
  struct location l;

  maps_begin (&m);
  for (uint64_t i = 1; i <= REGIONS; i++)
    maps_add (&m, 1, (struct region){ i << 20, (i << 20) + 1, 0, 0 });
  for (uint64_t i = 0; i < CHILDREN + ENDED + 1; i++)
    {
      maps_fork (&m, 1, i + 2);
      maps_add (&m, i + 2, (struct region){ 1, 2, 0, 0 });
      cr_assert (maps_find (&m, i + 2, 1, &l));
      cr_assert_eq (maps_find (&m, i + 2, 1 << 20, &l),
                    i < CHILDREN + ENDED);
      if (i < ENDED)
        maps_forget (&m, i + 2);
    }
  maps_end (&m);
}

/* As compilers at run time map their code: each region of a page beside the
   last, and now and then over another.  */
Test (maps, many_regions)
{
  struct maps m = { 0 };

  maps_begin (&m);
  for (uint64_t i = 0; i < 100000; i++)
    {
      uint64_t page = i % 4 == 3 ? some (i) : i;
      struct object object = { .path = "/object", .inode = i };
      uint32_t number = maps_object (&m, &object);
      struct location l;

      maps_add (&m, 1,
                (struct region){ page << 12, (page + 1) << 12, 0, number });
      cr_assert (maps_find (&m, 1, page << 12 | 5, &l) && l.object == number
                 && l.offset == 5);
    }
  maps_end (&m);
}

/* ranks.c.  */

Test (ranks, events)
{
  const uint64_t own[RANKS_OWN_COSTS] = { 5, 6, 7 };
  uint64_t costs[RANKS_COSTS];

  for (int bytes = 0; bytes < 2; bytes++)
    {
      const struct cgw_event *events = ranks_events (12, bytes);
      size_t n = ranks_n_costs (bytes);

      cr_assert (n == (bytes ? 5 : 3) && ranks_n_own (bytes) == n - 2);
      cr_assert_str_eq (events[n].formula, "12 Slow");
      for (size_t i = 0; i < n; i++)
        cr_assert_null (events[i].formula);
    }
  ranks_costs (own, true, false, costs);
  cr_assert (costs[0] == 5 && costs[1] == 5 && costs[2] == 0);
  ranks_costs (own, false, true, costs);
  cr_assert (costs[0] == 5 && costs[1] == 0 && costs[2] == 5);
  cr_assert (costs[3] == 6 && costs[4] == 7);
}
