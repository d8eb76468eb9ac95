/* hottest.c - prints the functions of a profile that cost most.

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

struct function
{
  uint32_t handle;
  uint64_t cost;
};

struct hottest
{
  struct cgw_names *names;
  struct table functions;
  char *event;
  uint64_t total;
  unsigned parts;
  const char *command; /* that opens the file; NULL: a callgrind profile */
};

/* Reading.  */

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
  struct function *f;

  if (n != 0)
    {
      f = table_add (&h->functions, &pos->fn.handle);
      f->cost += cost[0];
      h->total += cost[0];
    }
  return CGW_OK;
}

static bool
read_profile (struct hottest *h, const char *path)
{
  struct cgin_sink sink = { .context = h,
                            .names = h->names,
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
  return ok;
}

/* Printing.  */

static void
print_cost (const struct hottest *h, uint64_t cost)
{
  char text[NUMBER_TEXT];

  fprintf (stderr, "%18s  %5.1f %%  ", number_text (text, "", cost),
           100 * (double) cost / (double) h->total);
}

static bool
is_known (const char *text)
{
  return text[0] != '\0' && strcmp (text, "???") != 0;
}

static void
print_function (const struct hottest *h, const struct function *f)
{
  struct cgw_file file;
  struct cgw_object object;
  const char *name
      = cgw_fn_name (h->names, (struct cgw_fn){ f->handle }, &file, &object);
  const char *from = cgw_file_name (h->names, file);

  if (!is_known (from))
    from = cgw_object_name (h->names, object);
  print_cost (h, f->cost);
  printable_print (stderr, name);
  if (is_known (from))
    {
      fputs ("  (", stderr);
      printable_print (stderr, from);
      fputc (')', stderr);
    }
  fputc ('\n', stderr);
}

/* Of two with the same cost, the one whose name came first.  */
static int
compare (const void *a, const void *b)
{
  const struct function *f = a;
  const struct function *g = b;

  if (f->cost != g->cost)
    return f->cost < g->cost ? 1 : -1;
  return f->handle < g->handle ? -1 : 1;
}

static void
print_functions (const struct hottest *h)
{
  struct function *all = (void *) h->functions.entries;
  uint32_t n = 0;

  qsort (all, h->functions.n, sizeof *all, compare);
  while (n < h->functions.n && all[n].cost != 0)
    n++;
  for (uint32_t i = 0; i < n && i < SHOWN; i++)
    print_function (h, &all[i]);
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

  if (h->command != NULL)
    {
      print_command (h->command, path, &n);
      fputc ('\n', stderr);
      return;
    }
  if (is_for (reader, READER_KC))
    print_command ("kcachegrind", path, &n);
  if (is_for (reader, READER_CA) && h->parts == 1)
    print_command ("callgrind_annotate", path, &n);
  if (reader != NULL && is_for (reader, READER_CGA))
    print_command ("cg_annotate", path, &n);
  if (n != 0)
    fputc ('\n', stderr);
}

static struct hottest
begin (struct cgw_names *names)
{
  return (struct hottest){ .names = names,
                           .functions
                           = { .key_size = sizeof (uint32_t),
                               .entry_size = sizeof (struct function) } };
}

static void
print (const struct hottest *h, const char *path, unsigned n_files,
       const struct reader *reader)
{
  char *text;

  if (h->total == 0)
    return;
  progress_clear ();
  text = n_files > 1
             ? make_text ("the profile of %u with the highest cost.  Self "
                          "costs, %s:",
                          n_files, h->event)
             : make_text ("self costs, %s:", h->event);
  tool_say (path, 0, text);
  free (text);
  print_functions (h);
  print_commands (h, path, reader);
}

static void
end (struct hottest *h)
{
  free (h->event);
  table_free (&h->functions);
}

void
hottest_print (const char *path, unsigned n_files,
               const struct reader *reader)
{
  struct hottest h = begin (new_names ());

  if (read_profile (&h, path))
    print (&h, path, n_files, reader);
  end (&h);
  cgw_names_free (h.names);
}

void
hottest_print_sums (struct cgw_profile *profile, struct cgw_names *names,
                    const char *event, const char *path, unsigned n_files,
                    const struct reader *reader, const char *command)
{
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  struct hottest h = begin (names);
  struct stat st;

  h.event = copy_text (event);
  h.parts = 1;
  h.command = command;
  visitor.context = &h;
  visitor.cost = add_cost;
  if (stat (path, &st) == 0 && S_ISREG (st.st_mode)
      && cgw_profile_visit (profile, &visitor) == CGW_OK)
    print (&h, path, n_files, reader);
  end (&h);
}
