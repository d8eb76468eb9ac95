/* tree_folder.c - a folder where a program writes call trees, and what becomes
   of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tree_folder.h"

#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/tool.h"
#include "../format/hottest.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT "out"

static char *folder; /* or NULL */
static char *out;

/* The name of a file there, to be freed.  */
static char *
path_of (const char *name)
{
  return make_text ("%s/%s", folder, name);
}

static void
remove_folder (void)
{
  DIR *entries = folder != NULL ? opendir (folder) : NULL;
  const struct dirent *entry;

  while (entries != NULL && (entry = readdir (entries)) != NULL)
    {
      char *path = path_of (entry->d_name);

      unlink (path); /* "." and ".." stay */
      free (path);
    }
  if (entries != NULL)
    closedir (entries);
  if (folder != NULL)
    rmdir (folder);
  free (folder);
  free (out);
  folder = out = NULL;
}

const char *
tree_folder_make (void)
{
  const char *temporary = getenv ("TMPDIR");

  if (temporary == NULL || temporary[0] != '/')
    temporary = "/tmp";
  folder = make_text ("%s/cgw-XXXXXX", temporary);
  if (mkdtemp (folder) == NULL)
    {
      tool_complain (temporary, 0, strerror (errno));
      free (folder);
      folder = NULL;
      return NULL;
    }
  atexit (remove_folder);
  return out = path_of (OUT);
}

/* The files.  */

/* Takes a number behind a character, if it is there.  */
static uint32_t
take_number (const char **text, char c)
{
  char *end;
  uint32_t number;

  if (**text != c || !isdigit ((unsigned char) (*text)[1]))
    return 0;
  number = (uint32_t) strtoul (*text + 1, &end, 10);
  *text = end;
  return number;
}

/* Whether a file is a call tree, and not one that was not finished.  */
static bool
is_tree (const char *name, struct tree_file *file)
{
  if (strncmp (name, OUT, strlen (OUT)) != 0)
    return false;
  name += strlen (OUT);
  file->process = take_number (&name, '.');
  file->thread = take_number (&name, '-');
  return *name == '\0';
}

static int
compare (const void *a, const void *b)
{
  const struct tree_file *f = a;
  const struct tree_file *g = b;

  if (f->process != g->process)
    return f->process < g->process ? -1 : 1;
  return f->thread < g->thread ? -1 : f->thread > g->thread;
}

/* Lists the files in order.  Returns how many there are.  */
static size_t
list (struct tree_file **files)
{
  DIR *entries = opendir (folder);
  const struct dirent *entry;
  struct tree_file file;
  size_t n = 0;

  *files = NULL;
  while (entries != NULL && (entry = readdir (entries)) != NULL)
    if (is_tree (entry->d_name, &file))
      {
        *files = resize_for_one (*files, n, sizeof **files);
        (*files)[n++] = file;
      }
  if (entries != NULL)
    closedir (entries);
  if (n != 0)
    qsort (*files, n, sizeof **files, compare);
  return n;
}

static char *
path_of_file (struct tree_file file)
{
  char process[16] = "", thread[16] = "";

  if (file.process != 0)
    snprintf (process, sizeof process, ".%lu", (unsigned long) file.process);
  if (file.thread != 0)
    snprintf (thread, sizeof thread, "-%lu", (unsigned long) file.thread);
  return make_text ("%s%s%s", out, process, thread);
}

/* Export.  */

static bool
write_tree (const struct tree_folder *f, const struct call_tree *t,
            const char *name)
{
  const struct export_options to = { .format = f->format };
  unsigned limits = 0;

  return outfile_open (name) >= 0
         && export_write_one (&to, &t->recording, name, &limits);
}

static bool
export_file (struct tree_folder *f, struct tree_file file)
{
  char *path = path_of_file (file);
  char *name = f->name (f->context, file);
  struct call_tree *tree = call_tree_read (path, name);
  bool ok = tree != NULL && write_tree (f, tree, name);

  f->n_files += ok;
  if (ok && compare (&file, &f->hottest) == 0)
    f->kept = tree;
  else
    call_tree_free (tree);
  free (name);
  free (path);
  return ok;
}

bool
tree_folder_export (struct tree_folder *f)
{
  struct tree_file *files;
  size_t n = list (&files);
  bool ok = true;

  for (size_t i = 0; i < n; i++)
    ok &= export_file (f, files[i]);
  free (files);
  return ok;
}

void
tree_folder_hottest (const struct tree_folder *f)
{
  const struct recording *r;
  const struct cgw_event *event;
  struct cgw_profile *all;
  char *name;

  if (f->kept == NULL)
    return;
  r = &f->kept->recording;
  event = r->events;
  name = f->name (f->context, f->hottest);
  all = new_profile (r->names, r->n_events, r->positions);
  for (size_t i = 0; i < r->n_profiles; i++)
    if (cgw_profile_merge (all, r->profiles[i].profile) != CGW_OK)
      no_memory ();
  hottest_print_sums (all, r->names,
                      event->long_name != NULL ? event->long_name
                                               : event->name,
                      name, f->n_files, NULL, export_command (f->format));
  cgw_profile_free (all);
  free (name);
}

void
tree_folder_end (struct tree_folder *f)
{
  call_tree_free (f->kept);
  f->kept = NULL;
  remove_folder ();
}
