/* maps_agree.c - compares what common/maps.c finds mapped with a list of all
   that was mapped, searched from its end.

   maps_agree: small address spaces, with all kinds of overlaps, forks and execs.
   maps_agree N: prints what N regions cost, each beside or over others: lookups
   that found the right one.

   SPDX-License-Identifier: MIT  */

#include "maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns whether all addresses of all processes are found.  */
static bool
agree (struct maps *m)
{
  for (uint64_t p = 0; p < PROCESSES; p++)
    for (uint64_t a = 0; a < 2 * ADDRESSES; a++)
      {
        struct location wanted = search (&lists[p], a), found;

        if (maps_find (m, p, a, &found) != (wanted.object != 0)
            || found.object != wanted.object
            || found.offset != wanted.offset)
          {
            printf ("process %" PRIu64 ", address %" PRIu64 ": %" PRIu64
                    "+%" PRIu64 ", not %" PRIu64 "+%" PRIu64 "\n",
                    p, a, found.object, found.offset, wanted.object,
                    wanted.offset);
            return false;
          }
      }
  return true;
}

static bool
compare (void)
{
  struct maps m = { 0 };
  bool ok = true;

  maps_begin (&m);
  for (int i = 0; i < STEPS && ok; i++)
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
        ok = agree (&m);
    }
  maps_end (&m);
  return ok;
}

/* As compilers at run time map their code: each region of a page beside the last,
   and now and then over another.  */
static bool
map_many (uint64_t n)
{
  struct maps m = { 0 };
  uint64_t right = 0;

  maps_begin (&m);
  for (uint64_t i = 0; i < n; i++)
    {
      uint64_t page = i % 4 == 3 ? some (i) : i;
      struct object object = { .path = "/object", .inode = i };
      uint32_t number = maps_object (&m, &object);
      struct location l;

      maps_add (&m, 1,
                (struct region){ page << 12, (page + 1) << 12, 0, number });
      right += maps_find (&m, 1, page << 12 | 5, &l) && l.object == number
               && l.offset == 5;
    }
  maps_end (&m);
  printf ("%" PRIu64 " of %" PRIu64 " found\n", right, n);
  return right == n;
}

int
main (int argc, char **argv)
{
  bool ok = argc > 1 ? map_many (strtoull (argv[1], NULL, 10)) : compare ();

  return ok ? 0 : 1;
}
