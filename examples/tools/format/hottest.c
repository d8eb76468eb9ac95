/* hottest.c - prints the functions of a profile that cost most.  It reads the
   file: so the sums are those that other readers show.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "hottest.h"

#include "../base/memory.h"
#include "../base/progress.h"
#include "../base/table.h"
#include "../base/shell.h"
#include "../base/text.h"
#include "../base/tool.h"
#include "cgin.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN = 5 };

/* By the handles that the names object gives.  */
struct text
{
  uint64_t handle;
  char *text;
};

struct function
{
  uint64_t handle;
  char *name; /* NULL: the file has not named it.  As in struct text */
  uint64_t file;
  uint64_t object;
  uint64_t cost;
};

struct hottest
{
  struct table functions;
  struct table files;
  struct table objects;
  char *event;
  uint64_t total;
  unsigned parts;
};

/* Reading.  */

static void
keep_text (struct table *table, const struct cgin_name *name)
{
  uint64_t handle = name->handle;
  struct text *t = table_add (table, &handle);

  if (t->text == NULL)
    t->text = copy_text (name->text);
}

static struct function *
function_of (struct hottest *h, uint64_t handle)
{
  return table_add (&h->functions, &handle);
}

static void
take_name (void *context, const struct cgin_name *name)
{
  struct hottest *h = context;
  struct function *f;

  if (name->kind == CGIN_OBJECT)
    keep_text (&h->objects, name);
  else if (name->kind == CGIN_FILE)
    keep_text (&h->files, name);
  else if ((f = function_of (h, name->handle))->name == NULL)
    {
      f->name = copy_text (name->text);
      f->file = name->file.handle;
      f->object = name->object.handle;
    }
}

static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct hottest *h = context;
  const struct cgw_event *event = &part->events[0];

  (void) creator;
  if (h->parts++ == 0)
    h->event = copy_text (event->long_name != NULL ? event->long_name
                                                   : event->name);
  return CGW_OK;
}

static enum cgw_status
add_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  struct hottest *h = context;

  if (n != 0)
    {
      function_of (h, pos->fn.handle)->cost += cost[0];
      h->total += cost[0];
    }
  return CGW_OK;
}

static bool
read_profile (struct hottest *h, const char *path)
{
  struct cgin_sink sink = { .context = h,
                            .names = new_names (),
                            .name = take_name,
                            .begin_part = begin_part,
                            .cost = add_cost };
  struct cgin_error error;
  struct stat st;
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool ok = fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode);

  if (ok && !cgin_read (fd, &sink, &error))
    ok = tool_complain (path, error.line, error.text);
  if (fd >= 0)
    close (fd);
  cgw_names_free (sink.names);
  return ok;
}

/* Printing.  */

/* With commas, as callgrind_annotate.  */
static void
print_number (uint64_t n)
{
  char digits[24], text[32];
  int length = snprintf (digits, sizeof digits, "%" PRIu64, n);
  char *to = text;

  for (int i = 0; i < length; i++)
    {
      if (i != 0 && (length - i) % 3 == 0)
        *to++ = ',';
      *to++ = digits[i];
    }
  *to = '\0';
  fprintf (stderr, "%18s", text);
}

static void
print_cost (const struct hottest *h, uint64_t cost)
{
  print_number (cost);
  fprintf (stderr, "  %5.1f %%  ", 100 * (double) cost / (double) h->total);
}

/* A file or an object, or NULL when it is unknown.  */
static const char *
known (const struct table *names, uint64_t handle)
{
  const struct text *t = table_find (names, &handle);

  return t != NULL && t->text[0] != '\0' && strcmp (t->text, "???") != 0
             ? t->text
             : NULL;
}

static void
print_function (const struct hottest *h, const struct function *f)
{
  const char *file = known (&h->files, f->file);

  if (file == NULL)
    file = known (&h->objects, f->object);
  print_cost (h, f->cost);
  printable_print (stderr, f->name != NULL ? f->name : "???");
  if (file != NULL)
    {
      fputs ("  (", stderr);
      printable_print (stderr, file);
      fputc (')', stderr);
    }
  fputc ('\n', stderr);
}

/* Of two with the same cost, the one whose name came first.  */
static int
compare (const void *a, const void *b)
{
  const struct function *f = *(const struct function *const *) a;
  const struct function *g = *(const struct function *const *) b;

  if (f->cost != g->cost)
    return f->cost < g->cost ? 1 : -1;
  return f < g ? -1 : 1;
}

static void
print_functions (const struct hottest *h)
{
  const struct function **all
      = resize (NULL, (size_t) h->functions.n + 1, sizeof *all);
  uint32_t n = 0;

  for (uint32_t i = 0; i < h->functions.n; i++)
    {
      const struct function *f = table_entry (&h->functions, i);

      if (f->cost != 0)
        all[n++] = f;
    }
  qsort (all, n, sizeof *all, compare);
  for (uint32_t i = 0; i < n && i < SHOWN; i++)
    print_function (h, all[i]);
  free (all);
  print_cost (h, h->total);
  fprintf (stderr, "all functions: %" PRIu32 "\n", n);
}

/* Whether to name this command for what was written for a reader, or any.  */
static bool
is_for (const struct reader *reader, int id)
{
  return reader == NULL || reader == &readers[id];
}

static void
print_command (const char *command, const char *path, unsigned *n)
{
  fprintf (stderr, "%s  %s", (*n)++ == 0 ? "Open it:" : "  or", command);
  shell_print_file (stderr, path);
}

/* callgrind_annotate misreads a file with several parts.  Others are opened in
   their own windows.  */
static void
print_commands (const struct hottest *h, const char *path,
                const struct reader *reader)
{
  unsigned n = 0;

  if (is_for (reader, READER_KC))
    print_command ("kcachegrind", path, &n);
  if (is_for (reader, READER_CA) && h->parts == 1)
    print_command ("callgrind_annotate", path, &n);
  if (reader != NULL && is_for (reader, READER_CGA))
    print_command ("cg_annotate", path, &n);
  if (n != 0)
    fputc ('\n', stderr);
}

static void
free_texts (struct table *t)
{
  for (uint32_t i = 0; i < t->n; i++)
    free (((struct text *) table_entry (t, i))->text);
  table_free (t);
}

/* A function's name is where a text is.  */
static void
free_all (struct hottest *h)
{
  free_texts (&h->functions);
  free_texts (&h->files);
  free_texts (&h->objects);
  free (h->event);
}

void
hottest_print (const char *path, unsigned n_files,
               const struct reader *reader)
{
  struct hottest h
      = { .functions = { .key_size = 8,
                         .entry_size = sizeof (struct function) },
          .files = { .key_size = 8, .entry_size = sizeof (struct text) },
          .objects = { .key_size = 8, .entry_size = sizeof (struct text) } };
  char *text;

  if (read_profile (&h, path) && h.total != 0)
    {
      progress_clear ();
      text = n_files > 1
                 ? make_text ("the profile of %u with the highest cost.  Self "
                              "costs, %s:",
                              n_files, h.event)
                 : make_text ("self costs, %s:", h.event);
      tool_say (path, 0, text);
      free (text);
      print_functions (&h);
      print_commands (&h, path, reader);
    }
  free_all (&h);
}
