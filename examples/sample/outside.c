/* outside.c - finds programs without the agent, in /proc, among the descendants
   of the sampled program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "outside.h"

#include "memory.h"
#include "preload.h"
#include "tool.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More are not looked at: it must stay cheap.  */
enum { MOST_SEEN = 256 };

/* Looking.  */

static struct seen *
find (struct outside *o, uint64_t pid, const struct stat *st)
{
  for (uint32_t i = 0; i < o->n; i++)
    if (o->seen[i].pid == pid && o->seen[i].device == st->st_dev
        && o->seen[i].inode == st->st_ino)
      return &o->seen[i];
  return NULL;
}

/* The program may go away at any time: then it is not seen.  */
static void
see (struct outside *o, uint64_t pid)
{
  char exe[64];
  char path[4096];
  struct seen *seen;
  struct stat st;
  ssize_t n;

  snprintf (exe, sizeof exe, "/proc/%" PRIu64 "/exe", pid);
  if (stat (exe, &st) != 0 || (n = readlink (exe, path, sizeof path - 1)) < 0)
    return;
  path[n] = '\0';
  seen = find (o, pid, &st);
  if (seen == NULL && o->n < MOST_SEEN)
    {
      o->seen = resize_for (o->seen, o->n, &o->capacity, sizeof *o->seen);
      seen = &o->seen[o->n++];
      *seen = (struct seen){ pid, st.st_dev, st.st_ino, strdup (path), 0 };
    }
  if (seen != NULL)
    seen->looks++;
}

static void look_at_children (struct outside *o, uint64_t pid, int depth);

/* The children of one thread; where the kernel does not tell them, none.  */
static void
look_at_list (struct outside *o, const char *path, int depth)
{
  FILE *list = fopen (path, "re");
  uint64_t pid;

  if (list == NULL)
    return;
  while (fscanf (list, "%" SCNu64, &pid) == 1)
    {
      see (o, pid);
      look_at_children (o, pid, depth - 1);
    }
  fclose (list);
}

static void
look_at_children (struct outside *o, uint64_t pid, int depth)
{
  char path[512];
  struct dirent *task;
  DIR *tasks;

  snprintf (path, sizeof path, "/proc/%" PRIu64 "/task", pid);
  if (depth == 0 || o->n == MOST_SEEN || (tasks = opendir (path)) == NULL)
    return;
  while ((task = readdir (tasks)) != NULL)
    if (task->d_name[0] != '.')
      {
        snprintf (path, sizeof path, "/proc/%" PRIu64 "/task/%s/children",
                  pid, task->d_name);
        look_at_list (o, path, depth);
      }
  closedir (tasks);
}

void
outside_look (struct outside *o, pid_t first)
{
  enum { MOST_GENERATIONS = 16 };

  look_at_children (o, (uint64_t) first, MOST_GENERATIONS);
}

/* Reporting.  */

static bool
has_agent (const struct seen *seen, struct maps *maps)
{
  for (uint32_t i = 0; i < maps->capacity; i++)
    {
      const struct process *p = &maps->processes[i];

      if (p->is_known && p->pid == seen->pid && p->device == seen->device
          && p->inode == seen->inode)
        return true;
    }
  return false;
}

/* One look may have come before the agent did.  */
static bool
is_outside (const struct seen *seen, struct maps *maps)
{
  return seen->looks > 1 && seen->path != NULL && !has_agent (seen, maps);
}

static bool
was_named (const struct outside *o, uint32_t i, struct maps *maps)
{
  for (uint32_t k = 0; k < i; k++)
    if (is_outside (&o->seen[k], maps)
        && strcmp (o->seen[k].path, o->seen[i].path) == 0)
      return true;
  return false;
}

void
outside_report (const struct outside *o, struct maps *maps)
{
  for (uint32_t i = 0; i < o->n; i++)
    {
      const char *path = o->seen[i].path;
      const char *reason;
      char *culprit;
      char text[256];

      if (!is_outside (&o->seen[i], maps) || was_named (o, i, maps))
        continue;
      reason = preload_check (path, &culprit);
      free (culprit);
      if (reason == NULL)
        reason = "the environment was cleared";
      snprintf (text, sizeof text, "was started and is in no profile: %s",
                reason);
      tool_warn (path, 0, text);
    }
}
