/* sources.c - finds and reads source files.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "sources.h"

#include "../base/infile.h"
#include "../base/memory.h"
#include "../base/tool.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct source_file
{
  char *path;
  char *text;
  size_t *starts; /* of the lines, and the end */
  uint32_t n_lines;
  bool is_warned;
};

static void
find_lines (struct source_file *file, size_t length)
{
  uint32_t capacity = 0;
  size_t at = 0;

  for (;;)
    {
      const char *newline;

      file->starts = resize_for (file->starts, file->n_lines, &capacity,
                                 sizeof *file->starts);
      file->starts[file->n_lines] = at;
      if (at == length)
        return;
      file->n_lines++;
      newline = memchr (file->text + at, '\n', length - at);
      at = newline != NULL ? (size_t) (newline - file->text) + 1 : length;
    }
}

/* Opening does not wait, as it would for a pipe.  False: it cannot be read.  */
static bool
read_source (struct sources *s, struct source_file *file, char *path)
{
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat st;
  size_t length;
  bool ok = fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode)
            && (file->text = file_read (fd, FILE_MOST - s->n_bytes, &length))
                   != NULL;

  if (ok)
    {
      s->n_bytes += length;
      file->path = path;
      find_lines (file, length);
    }
  else
    free (path);
  if (fd >= 0)
    close (fd);
  return ok;
}

/* By its path; then in the folders, by the last component of it.  */
static void
find_source (struct sources *s, struct source_file *file, const char *name)
{
  const char *slash = strrchr (name, '/');
  const char *base = slash != NULL ? slash + 1 : name;

  if (read_source (s, file, copy_text (name)))
    return;
  for (size_t i = 0; i < s->n_folders; i++)
    if (read_source (s, file, make_text ("%s/%s", s->folders[i], base)))
      return;
}

struct source_file *
sources_find (struct sources *s, const char *name)
{
  uint32_t n = s->names.n, i = intern (&s->names, name, strlen (name));

  if (i == n) /* it is new */
    {
      s->files = resize_for_one (s->files, n, sizeof *s->files);
      s->files[i] = (struct source_file){ .path = NULL };
      if (strcmp (name, "???") != 0)
        find_source (s, &s->files[i], name);
    }
  return s->files[i].text != NULL ? &s->files[i] : NULL;
}

uint32_t
source_n_lines (const struct source_file *file)
{
  return file->n_lines;
}

static void
warn (struct source_file *file, uint32_t line)
{
  char *text = make_text ("it has %u lines, but the profile has costs at line "
                          "%u: is it another version?",
                          file->n_lines, line);

  tool_warn (file->path, 0, text);
  free (text);
  file->is_warned = true;
}

const char *
source_line (struct source_file *file, uint32_t line, size_t *length)
{
  const char *text;

  if (line == 0)
    return NULL;
  if (line > file->n_lines)
    {
      if (!file->is_warned)
        warn (file, line);
      return NULL;
    }
  text = file->text + file->starts[line - 1];
  *length = file->starts[line] - file->starts[line - 1];
  while (*length != 0
         && (text[*length - 1] == '\n' || text[*length - 1] == '\r'))
    --*length;
  return text;
}

void
sources_free (struct sources *s)
{
  for (uint32_t i = 0; i < s->names.n; i++)
    {
      free (s->files[i].path);
      free (s->files[i].text);
      free (s->files[i].starts);
    }
  free (s->files);
  intern_free (&s->names);
}
