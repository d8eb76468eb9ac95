/* unsampled.c - finds a program without the agent, and processes that outlive
   the sampled one, in /proc.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "unsampled.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "sample_shared.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A program without the agent.  */

static bool
has_note (const struct maps *maps, const struct program *program)
{
  for (uint32_t i = 0; i < maps->capacity; i++)
    {
      const struct process *p = &maps->processes[i];

      if (p->is_known && p->pid == program->pid
          && p->device == program->device && p->inode == program->inode)
        return true;
    }
  return false;
}

static bool find_below (struct program *found, const struct maps *maps,
                        uint64_t pid, int generations);

/* Whether a process, or one of its descendants, has no note.  A process may go
   away at any time: then it is none.  */
static bool
find (struct program *found, const struct maps *maps, uint64_t pid,
      int generations)
{
  char exe[64];
  struct stat st;

  snprintf (exe, sizeof exe, "/proc/%" PRIu64 "/exe", pid);
  if (stat (exe, &st) != 0)
    return false;
  *found = (struct program){ pid, st.st_dev, st.st_ino };
  return !has_note (maps, found)
         || (generations != 0
             && find_below (found, maps, pid, generations - 1));
}

/* Among the children of one thread; where the kernel does not tell them, there
   are none.  */
static bool
find_in_list (struct program *found, const struct maps *maps,
              const char *path, int generations)
{
  FILE *list = fopen (path, "re");
  bool is_found = false;
  uint64_t pid;

  while (list != NULL && !is_found && fscanf (list, "%" SCNu64, &pid) == 1)
    is_found = find (found, maps, pid, generations);
  if (list != NULL)
    fclose (list);
  return is_found;
}

static bool
find_below (struct program *found, const struct maps *maps, uint64_t pid,
            int generations)
{
  char path[512];
  bool is_found = false;
  struct dirent *task;
  DIR *tasks;

  snprintf (path, sizeof path, "/proc/%" PRIu64 "/task", pid);
  tasks = opendir (path);
  while (tasks != NULL && !is_found && (task = readdir (tasks)) != NULL)
    if (task->d_name[0] != '.')
      {
        snprintf (path, sizeof path, "/proc/%" PRIu64 "/task/%s/children",
                  pid, task->d_name);
        is_found = find_in_list (found, maps, path, generations);
      }
  if (tasks != NULL)
    closedir (tasks);
  return is_found;
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

/* One that just began may be about to load the agent, so it is looked at
   twice.  */
void
unsampled_look (struct unsampled *u, const struct maps *maps, pid_t pid)
{
  enum { MOST_GENERATIONS = 16 };
  struct program now;

  if (unsampled_path (u, maps) != NULL)
    return;
  free (u->path);
  u->path = NULL;
  if (!find (&now, maps, (uint64_t) pid, MOST_GENERATIONS))
    now.pid = 0;
  else if (now.pid == u->program.pid && now.device == u->program.device
           && now.inode == u->program.inode)
    u->path = program_of (now.pid);
  u->program = now;
}

const char *
unsampled_path (const struct unsampled *u, const struct maps *maps)
{
  return u->path != NULL && !has_note (maps, &u->program) ? u->path : NULL;
}

/* What outlives the program.  */

/* Whether the environment that a process began with leads to the memory.  */
static bool
knows_memory (uint64_t pid, const char *memory)
{
  static const char name[] = SAMPLE_ENV "=";
  char path[64], *line = NULL;
  bool found = false;
  size_t size = 0;
  FILE *in;

  snprintf (path, sizeof path, "/proc/%" PRIu64 "/environ", pid);
  in = fopen (path, "re");
  while (in != NULL && !found && getdelim (&line, &size, '\0', in) > 0)
    found = strncmp (line, name, sizeof name - 1) == 0
            && strcmp (line + sizeof name - 1, memory) == 0;
  free (line);
  if (in != NULL)
    fclose (in);
  return found;
}

void
unsampled_report_left (const char *memory)
{
  DIR *proc = opendir ("/proc");
  struct dirent *entry;
  uint64_t first = 0;
  unsigned n = 0;
  char *path, *text;

  while (proc != NULL && (entry = readdir (proc)) != NULL)
    {
      uint64_t pid = strtoull (entry->d_name, NULL, 10);

      if (pid != 0 && knows_memory (pid, memory) && n++ == 0)
        first = pid;
    }
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
