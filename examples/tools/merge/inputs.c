/* inputs.c - the files to be merged.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "inputs.h"

#include "../base/infile.h"
#include "../base/memory.h"
#include "../base/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_stdin (const char *path)
{
  return strcmp (path, "-") == 0;
}

/* The list.  */

void
inputs_add (struct inputs *in, const char *path)
{
  char *kept = copy_text (path);

  in->list = resize_for_one (in->list, in->n, sizeof *in->list);
  in->list[in->n++]
      = (struct source){ .path = kept, .name = tool_input_name (kept) };
}

static bool
add_lines (struct inputs *in, const char *name, int fd)
{
  struct lines lines = { .fd = fd };
  enum lines_status status;
  char *path;
  size_t length;

  while ((status = lines_next (&lines, &path, &length)) == LINES_OK)
    if (length > 0)
      inputs_add (in, path);
  if (status == LINES_ERRNO)
    tool_complain (name, 0, strerror (errno));
  else if (status != LINES_END)
    tool_complain (name, lines.number, "not the name of a file");
  lines_free (&lines);
  return status == LINES_END;
}

bool
inputs_add_from (struct inputs *in, const char *file)
{
  int fd = tool_open_input (file);
  bool ok;

  if (fd < 0)
    return false;
  ok = add_lines (in, tool_input_name (file), fd);
  if (fd != STDIN_FILENO)
    close (fd);
  return ok;
}

size_t
inputs_count_stdin (const struct inputs *in)
{
  size_t n = 0;

  for (size_t i = 0; i < in->n; i++)
    n += is_stdin (in->list[i].path);
  return n;
}

void
inputs_free (struct inputs *in)
{
  for (size_t i = 0; i < in->n; i++)
    {
      source_free (&in->list[i]);
      free (in->list[i].path);
    }
  free (in->list);
}

/* Sizes.  */

uint64_t
inputs_size (const struct inputs *in)
{
  uint64_t size = 0;
  struct stat st;

  for (size_t i = 0; i < in->n; i++)
    if ((in->list[i].copy != NULL ? fstat (fileno (in->list[i].copy), &st)
                                  : stat (in->list[i].path, &st))
        == 0)
      size += (uint64_t) st.st_size;
  return size;
}

/* KCachegrind.  */

/* The folder of a path.  False: there is none.  */
static bool
folder_of (const char *path, struct stat *st)
{
  const char *slash = strrchr (path, '/');
  size_t n = slash != NULL ? (size_t) (slash - path) + 1 : 0;
  char *folder = resize (NULL, n + 2, 1);
  bool found;

  memcpy (folder, path, n);
  strcpy (folder + n, ".");
  found = stat (folder, st) == 0;
  free (folder);
  return found;
}

static const char *
last_part (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash != NULL ? slash + 1 : path;
}

/* Whether a and b are in one folder, and b's name is that of a and more.  */
static bool
is_opened_with (const char *a, const char *b)
{
  struct stat folder_a, folder_b;
  const char *name = last_part (a);
  size_t n = strlen (name);

  return strncmp (name, last_part (b), n) == 0 && last_part (b)[n] != '\0'
         && folder_of (a, &folder_a) && folder_of (b, &folder_b)
         && folder_a.st_dev == folder_b.st_dev
         && folder_a.st_ino == folder_b.st_ino;
}

static void
warn_of (const char *opened, const char *too)
{
  static const char text[] = "KCachegrind, given this file, also opens ";
  char *all = resize (NULL, sizeof text + strlen (too), 1);

  strcpy (all, text);
  strcat (all, too);
  tool_warn (opened, 0, all);
  free (all);
}

/* One warning is enough: the others have the same reason.  */
void
inputs_check_names (const struct inputs *in, const char *out)
{
  if (is_stdin (out))
    return;
  for (size_t i = 0; i < in->n; i++)
    if (is_stdin (in->list[i].path))
      continue;
    else if (is_opened_with (out, in->list[i].path))
      {
        warn_of (out, in->list[i].path);
        return;
      }
    else if (is_opened_with (in->list[i].path, out))
      {
        warn_of (in->list[i].path, out);
        return;
      }
}
