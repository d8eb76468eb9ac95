/* tree.c - converts the nodes of a call tree, such as your profiler prints.
     cc tree.c -o tree $(pkg-config --cflags --libs cgw)
     printf '%s\n' 'app!main.c:main 1 10' 'app!main.c:main;app!a.c:work 3 90' \
       | ./tree ms
     callgrind_annotate --tree=both --inclusive=yes callgrind.out.tree
   Arguments name the events.  A line has a path of OBJECT!FILE:FUNCTION, how
   often the last one was called there, and what it cost itself.
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100 };
static struct cgw_names *names;

/* The names are parts of the line: no copy, and no NUL.  */
static struct cgw_pos
position (const char *text)
{
  const char *file = strchr (text, '!');
  const char *fn = file ? strchr (file, ':') : NULL;
  struct cgw_pos pos = { .line = 0 };
  if (fn)
    pos.fn = cgw_add_fn_n (
      names, fn + 1, strcspn (fn + 1, "; "),
      cgw_add_file_n (names, file + 1, (size_t) (fn - file - 1)),
      cgw_add_object_n (names, text, (size_t) (file - text)));
  return pos;
}

static void
add (struct cgw_profile *profile, const char *line, size_t n_events)
{
  struct cgw_pos frames[DEPTH]; /* the path, the leaf first */
  uint64_t count, costs[CGW_EVENTS_MAX];
  size_t first = DEPTH;
  char *rest;
  do
    {
      frames[--first] = position (line);
      line += strcspn (line, "; ");
    }
  while (first > 0 && *line == ';' && *++line);
  count = strtoull (line, &rest, 10);
  for (size_t i = 0; i < n_events; i++)
    costs[i] = strtoull (rest, &rest, 10);
  cgw_profile_node (profile, &frames[first], DEPTH - first, count, costs,
                    n_events);
}

int
main (int argc, char **argv)
{
  struct cgw_event events[CGW_EVENTS_MAX] = { { .name = NULL } };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_profile *profile;
  char line[1000];
  part.events = events;
  part.n_events = (size_t) argc - 1;
  cgw_names_new (&names, NULL);
  if (cgw_profile_new (&profile, names, part.n_events, CGW_LINE) != CGW_OK)
    {
      fprintf (stderr, "tree: %s\n", cgw_names_explain (names));
      return 1;
    }
  for (size_t i = 0; i < part.n_events; i++)
    events[i].name = argv[i + 1];
  cgw_profile_set_root (profile, position ("!:(root)").fn); /* calls main */
  while (fgets (line, sizeof line, stdin))
    add (profile, line, part.n_events);
  enum cgw_status status
    = cgw_profile_save (profile, "callgrind.out.tree", &part, NULL);
  if (status != CGW_OK)
    fprintf (stderr, "tree: %s\n", cgw_profile_explain (profile));
  cgw_profile_free (profile);
  cgw_names_free (names);
  return status != CGW_OK;
}
