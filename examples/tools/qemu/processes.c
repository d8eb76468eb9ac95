/* processes.c - what became of the processes that the program forked and that
   have no profile.

   QEMU writes a profile when a process ends by itself, and says when one
   executes another program.  What has done neither runs, or a signal ended
   it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "processes.h"

#include "../base/memory.h"
#include "../base/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 };

/* Processes, of which the first are named.  */
struct group
{
  uint32_t n;
  uint32_t n_named;
  uint32_t named[NAMED];
};

static void
add (struct group *g, uint32_t process)
{
  if (g->n_named < NAMED)
    g->named[g->n_named++] = process;
  g->n++;
}

/* A process runs under this QEMU as long as its command names the memory.  The
   id may be that of another process by now.  */
static bool
is_running (uint32_t process, const char *memory)
{
  char *path = make_text ("/proc/%lu/cmdline", (unsigned long) process);
  FILE *in = fopen (path, "re");
  char *word = NULL;
  size_t size = 0;
  bool is_found = false;

  while (in != NULL && !is_found && getdelim (&word, &size, '\0', in) > 0)
    is_found = strstr (word, memory) != NULL;
  free (word);
  if (in != NULL)
    fclose (in);
  free (path);
  return is_found;
}

static bool
is_missing (const struct qemu_shared *shared, uint32_t process)
{
  return (shared->missing[process / 32] >> process % 32 & 1) != 0;
}

/* What does not run any more has no profile if it has none now.  */
static void
sort (const struct qemu_shared *shared, const char *memory,
      struct group *running, struct group *ended)
{
  for (uint32_t process = 0; process < QEMU_PROCESSES; process++)
    if (shared->missing[process / 32] == 0)
      process |= 31;
    else if (is_missing (shared, process))
      {
        bool runs = is_running (process, memory);

        if (is_missing (shared, process))
          add (runs ? running : ended, process);
      }
}

/* Their ids, to be freed, if any is known.  */
static char *
list (const struct group *g)
{
  uint32_t n_more = g->n - g->n_named;
  char *text = copy_text (""), *more;

  for (uint32_t i = 0; i < g->n_named; i++, free (more))
    {
      more = text;
      text = make_text ("%s%s%" PRIu32, more, i == 0 ? ": " : ", ",
                        g->named[i]);
    }
  if (n_more == 0 || g->n_named == 0)
    return text;
  more = text;
  text = make_text ("%s and %" PRIu32 " more", more, n_more);
  free (more);
  return text;
}

static void
say (const char *out, const char *before, uint32_t n, const char *behind,
     const char *ids, const char *advice)
{
  char *text
      = make_text ("no profile %s%" PRIu32 " process%s%s%s%s", before, n,
                   n == 1 ? "" : "es", behind, ids, advice);

  if (n != 0)
    tool_say (out, 0, text);
  free (text);
}

void
processes_say (const struct qemu_shared *shared, const char *memory,
               const char *out, const char *advice, bool may_come,
               bool is_quiet)
{
  struct group running = { .n = 0 }, ended = { .n = shared->n_replaced };
  char *running_ids, *ended_ids;

  sort (shared, memory, &running, &ended);
  running_ids = list (&running);
  ended_ids = list (&ended);
  say (out, "of ", ended.n, " that a signal ended", ended_ids, advice);
  if (!is_quiet)
    {
      say (out, may_come ? "yet of " : "of ", running.n, ", still running",
           running_ids, "");
      say (out, "of the programs that ", shared->n_executed, " executed", "",
           "");
    }
  free (running_ids);
  free (ended_ids);
}
