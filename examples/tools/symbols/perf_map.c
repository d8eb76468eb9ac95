/* perf_map.c - names of code that a process generated at run time.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_map.h"

#include "../base/infile.h"
#include "../base/tool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Whether a file was written since a process began.  Times may differ by
   rounding.  */
static bool
is_since (const struct stat *st, uint64_t start_time)
{
  struct timespec now = { 0 }, since_boot = { 0 };
  uint64_t ticks = (uint64_t) sysconf (_SC_CLK_TCK);

  clock_gettime (CLOCK_REALTIME, &now);
  clock_gettime (CLOCK_BOOTTIME, &since_boot);
  return st->st_mtime + 2 >= now.tv_sec - since_boot.tv_sec
                                 + (time_t) (start_time / ticks);
}

/* Whether a file that bears a process's id is of that process: ids come again,
   and everybody can write to /tmp.  */
static bool
is_of_process (const struct stat *st, uint64_t start_time)
{
  return S_ISREG (st->st_mode)
         && (st->st_uid == geteuid () || st->st_uid == 0)
         && (start_time == 0 || is_since (st, start_time));
}

/* NULL: it is not there, or of another process.  */
static char *
read_file (const char *path, uint64_t start_time)
{
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  char *text = NULL;
  struct stat st;
  size_t length;

  if (fd < 0)
    return NULL;
  if (fstat (fd, &st) == 0 && is_of_process (&st, start_time)
      && (text = file_read (fd, FILE_MOST, &length)) == NULL)
    tool_warn (path, 0, "is longer than 512 MiB: its functions have no names");
  close (fd);
  return text;
}

/* "START SIZE NAME", both in hexadecimal.  */
static bool
parse_line (const char *line, struct range *range)
{
  char *p;

  range->start = strtoull (line, &p, 16);
  if (p == line || *p != ' ')
    return false;
  line = p;
  range->end = range->start + strtoull (line, &p, 16);
  if (p == line || *p != ' ')
    return false;
  range->what = p + strspn (p, " ");
  return range->end > range->start;
}

/* Of lines that overlap, the last one holds, for memory is used again.  The
   last line may be incomplete.  */
void
perf_map_read (struct perf_map *map, const char *path, uint64_t start_time)
{
  struct range range = { .level = RANGES_LABEL };
  char *line, *end;

  map->text = read_file (path, start_time);
  if (map->text == NULL)
    return;
  for (line = map->text; (end = strchr (line, '\n')) != NULL; line = end + 1)
    {
      *end = '\0';
      range.level++;
      if (parse_line (line, &range) && !ranges_add (&map->ranges, range))
        break;
    }
  ranges_sort (&map->ranges);
}

const char *
perf_map_name (const struct perf_map *map, uint64_t address)
{
  const struct range *range = ranges_find (&map->ranges, address);

  return range != NULL ? range->what : NULL;
}

void
perf_map_free (struct perf_map *map)
{
  ranges_free (&map->ranges);
  free (map->text);
}
