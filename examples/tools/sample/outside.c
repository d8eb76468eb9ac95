/* outside.c - finds programs without the agent, and programs that outlive the
   sampled one, in /proc.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "outside.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "../run/preload.h"
#include "sample_shared.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More are not looked at: it must stay cheap.  */
enum { MOST_SEEN = 256 };

/* Looking.  */

static FILE *
open_proc (uint64_t pid, const char *name)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%" PRIu64 "/%s", pid, name);
  return fopen (path, "re");
}

/* See struct process; 0: unknown.  */
static uint64_t
image_of (uint64_t pid)
{
  FILE *in = open_proc (pid, "auxv");
  uint64_t image = 0;
  Elf64_auxv_t a;

  while (in != NULL && fread (&a, sizeof a, 1, in) == 1 && a.a_type != AT_NULL)
    if (a.a_type == AT_RANDOM)
      image = a.a_un.a_val;
  if (in != NULL)
    fclose (in);
  return image;
}

/* Whether the environment that a process began with leads to the memory.  */
static bool
knows_memory (uint64_t pid, const char *memory)
{
  static const char name[] = SAMPLE_ENV "=";
  FILE *in = open_proc (pid, "environ");
  bool found = false;
  size_t size = 0;
  char *line = NULL;

  while (in != NULL && !found && getdelim (&line, &size, '\0', in) > 0)
    found = strncmp (line, name, sizeof name - 1) == 0
            && strcmp (line + sizeof name - 1, memory) == 0;
  free (line);
  if (in != NULL)
    fclose (in);
  return found;
}

static bool
is_other_user (uint64_t pid)
{
  char path[64];
  struct stat st;

  snprintf (path, sizeof path, "/proc/%" PRIu64, pid);
  return stat (path, &st) == 0 && st.st_uid != geteuid ();
}

static struct seen *
find (struct outside *o, uint64_t pid, const struct stat *st, uint64_t image)
{
  for (uint32_t i = 0; i < o->n; i++)
    if (o->seen[i].pid == pid && o->seen[i].device == st->st_dev
        && o->seen[i].inode == st->st_ino && o->seen[i].image == image)
      return &o->seen[i];
  return NULL;
}

/* The path of a process's program, to be freed; or NULL.  */
static char *
program_of (uint64_t pid)
{
  char exe[64], path[4096];
  ssize_t n;

  snprintf (exe, sizeof exe, "/proc/%" PRIu64 "/exe", pid);
  n = readlink (exe, path, sizeof path);
  return n >= 0 ? strndup (path, (size_t) n) : NULL;
}

/* The program may go away at any time: then it is not seen.  */
void
outside_look (struct outside *o, pid_t process)
{
  uint64_t pid = (uint64_t) process, image;
  char exe[64];
  struct seen *seen;
  struct stat st;

  snprintf (exe, sizeof exe, "/proc/%" PRIu64 "/exe", pid);
  if (stat (exe, &st) != 0)
    return;
  image = image_of (pid);
  seen = find (o, pid, &st, image);
  if (seen == NULL && o->n < MOST_SEEN)
    {
      o->seen = resize_for (o->seen, o->n, &o->capacity, sizeof *o->seen);
      seen = &o->seen[o->n++];
      *seen = (struct seen){ .pid = pid,
                             .device = st.st_dev,
                             .inode = st.st_ino,
                             .image = image,
                             .path = program_of (pid),
                             .has_agent = knows_memory (pid, o->memory),
                             .is_other_user = is_other_user (pid) };
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
      outside_look (o, (pid_t) pid);
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
outside_look_below (struct outside *o, pid_t first)
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
          && p->inode == seen->inode
          && (p->image == seen->image || seen->image == 0))
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

/* Why it has no agent.  */
static const char *
reason_of (const struct seen *seen)
{
  char *culprit;
  const char *reason = preload_check (seen->path, &culprit);

  free (culprit);
  if (reason != NULL)
    return reason;
  if (!seen->has_agent)
    return "the environment was cleared";
  return seen->is_other_user
             ? "it runs as another user, who cannot open the agent or its memory"
             : "the agent could not be loaded";
}

void
outside_report (const struct outside *o, struct maps *maps)
{
  for (uint32_t i = 0; i < o->n; i++)
    {
      const char *path = o->seen[i].path;
      char text[256];

      if (!is_outside (&o->seen[i], maps) || was_named (o, i, maps))
        continue;
      snprintf (text, sizeof text, "was started and is in no profile: %s",
                reason_of (&o->seen[i]));
      tool_warn (path, 0, text);
    }
}

/* Takes one more process that still runs: the first is named.  */
static void
count_left (const struct outside *o, uint64_t pid, uint64_t *first,
            unsigned *n)
{
  if (!knows_memory (pid, o->memory))
    return;
  if ((*n)++ == 0)
    *first = pid;
}

void
outside_report_left (const struct outside *o)
{
  DIR *proc = opendir ("/proc");
  struct dirent *entry;
  uint64_t first = 0;
  unsigned n = 0;
  char *path, *text;

  while (proc != NULL && (entry = readdir (proc)) != NULL)
    if (isdigit ((unsigned char) entry->d_name[0]))
      count_left (o, strtoull (entry->d_name, NULL, 10), &first, &n);
  if (proc != NULL)
    closedir (proc);
  if (n == 0)
    return;
  path = program_of (first);
  text = make_text ("process %" PRIu64 "%s outlives the program, and is "
                    "sampled no more: a server must stay in the foreground",
                    first, n > 1 ? ", as others," : "");
  tool_warn (path != NULL ? path : "?", 0, text);
  free (path);
  free (text);
}
