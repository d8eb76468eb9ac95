/* cpuprofile.c - reads CPU profiles of V8, as node --cpu-prof and the
   developer tools of Chrome write them.

   Nodes are a tree of calls.  A sample is the number of the node of its leaf;
   it lasts until the next sample, by whose time it is known.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"
#include "json.h"

#ifdef HAVE_JANSSON

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node
{
  json_int_t id;
  const json_t *frame;
  struct node *caller;
  struct cgw_pos position;
  const json_t *ticks;   /* of its lines, or NULL */
  json_int_t all_ticks;
  uint64_t samples, seen; /* how many there are, and were so far */
  size_t line;           /* of the last one, in ticks */
  json_int_t passed;     /* the ticks of lines before it */
};

struct sample
{
  json_int_t time; /* in microseconds */
  size_t index;
  struct node *leaf;
};

/* Samples of one stack, added up.  */
struct sum
{
  struct
  {
    uint32_t leaf; /* a node */
    uint32_t line;
  } key;
  size_t first;    /* of the samples */
  uint64_t samples;
  uint64_t time;
};

struct cpuprofile
{
  struct import *im;
  struct input *in;
  json_t *all;
  struct node *nodes; /* sorted by id */
  size_t n_nodes;
  struct sample *samples; /* sorted by time */
  size_t n_samples;
  struct intern names; /* of functions, with their files */
  const json_t **first; /* with this name; NULL: there are several */
  struct cgw_pos *frames;
  uint32_t room;
};

/* Nodes.  */

static int
compare_nodes (const void *a, const void *b)
{
  const struct node *x = a, *y = b;

  return x->id < y->id ? -1 : x->id > y->id;
}

static struct node *
find_node (const struct cpuprofile *p, const json_t *id)
{
  struct node key = { .id = json_integer_value (id) };

  return json_is_integer (id) && p->n_nodes != 0
             ? bsearch (&key, p->nodes, p->n_nodes, sizeof key, compare_nodes)
             : NULL;
}

/* Makes callers of those that have children.  */
static bool
link_children (struct cpuprofile *p, const json_t *nodes)
{
  const json_t *node, *child;
  size_t i, k;

  json_array_foreach (nodes, i, node)
    {
      struct node *caller = find_node (p, json_object_get (node, "id"));

      json_array_foreach (json_object_get (node, "children"), k, child)
        {
          struct node *callee = find_node (p, child);

          if (callee == NULL)
            return json_refuse (p->in, "nodes", i,
                                "there is no node of a child's id");
          if (callee->caller != NULL)
            return json_refuse (p->in, "nodes", i,
                                "a child has two callers");
          callee->caller = caller;
        }
    }
  return true;
}

static bool
read_nodes (struct cpuprofile *p)
{
  const json_t *nodes = json_object_get (p->all, "nodes"), *node;
  size_t i;

  p->n_nodes = json_array_size (nodes);
  p->nodes = resize (NULL, p->n_nodes, sizeof *p->nodes);
  json_array_foreach (nodes, i, node)
    {
      const json_t *id = json_object_get (node, "id");

      p->nodes[i] = (struct node){
        .id = json_integer_value (id),
        .frame = json_object_get (node, "callFrame"),
        .ticks = json_object_get (node, "positionTicks")
      };
      if (!json_is_integer (id) || !json_is_object (p->nodes[i].frame))
        return json_refuse (p->in, "nodes", i,
                            "it needs an \"id\" and a \"callFrame\"");
    }
  qsort (p->nodes, p->n_nodes, sizeof *p->nodes, compare_nodes);
  for (i = 1; i < p->n_nodes; i++)
    if (p->nodes[i].id == p->nodes[i - 1].id)
      return json_refuse (p->in, "nodes", JSON_WHOLE, "two have the same id");
  return link_children (p, nodes);
}

/* Functions.  */

/* Numbers the names of functions with their files: "name\0url".  */
static uint32_t
number_of (struct cpuprofile *p, const json_t *frame)
{
  const char *name = json_text (frame, "functionName");
  const char *url = json_text (frame, "url");
  size_t n = strlen (name) + 1, length = strlen (url);
  char *key = resize (NULL, n + length, 1);
  uint32_t number;

  memcpy (key, name, n);
  memcpy (key + n, url, length);
  number = intern (&p->names, key, n + length);
  free (key);
  return number;
}

static bool
is_same_place (const json_t *a, const json_t *b)
{
  return json_whole (a, "lineNumber", -1) == json_whole (b, "lineNumber", -1)
         && json_whole (a, "columnNumber", -1)
                == json_whole (b, "columnNumber", -1);
}

/* Finds names that a file has several functions of.  */
static void
find_same_names (struct cpuprofile *p)
{
  for (size_t i = 0; i < p->n_nodes; i++)
    {
      uint32_t n = p->names.n, number = number_of (p, p->nodes[i].frame);

      if (number == n)
        {
          p->first = resize_for_one (p->first, n, sizeof *p->first);
          p->first[n] = p->nodes[i].frame;
        }
      else if (p->first[number] != NULL
               && !is_same_place (p->first[number], p->nodes[i].frame))
        p->first[number] = NULL;
    }
}

/* Functions without a name, and those that have the name of another one in the
   file, get line and column.  To be freed.  */
static char *
make_name (struct cpuprofile *p, const json_t *frame)
{
  const char *name = json_text (frame, "functionName");
  json_int_t line = json_whole (frame, "lineNumber", -1);

  if (line < 0 || (*name && p->first[number_of (p, frame)] != NULL))
    return copy_text (*name ? name : "(anonymous)");
  return make_text ("%s:%" PRIu64 ":%" PRIu64,
                    *name ? name : "(anonymous)", (uint64_t) line + 1,
                    (uint64_t) json_whole (frame, "columnNumber", -1) + 1);
}

/* The path of a file: URL, and other URLs as they are.  To be freed.  */
static char *
make_path (const char *url)
{
  static const char scheme[] = "file://";
  char *path, *to;
  unsigned byte;
  int n;

  if (strncmp (url, scheme, sizeof scheme - 1) != 0)
    return copy_text (url);
  path = to = copy_text (url + sizeof scheme - 1);
  for (const char *from = path; *from; from += n)
    {
      if (sscanf (from, "%%%2x%n", &byte, &n) == 1 && n == 3 && byte != 0)
        *to++ = (char) byte;
      else
        {
          *to++ = *from;
          n = 1;
        }
    }
  *to = '\0';
  return path;
}

static uint32_t
as_line (json_int_t line)
{
  return line > 0 && line <= UINT32_MAX ? (uint32_t) line : 0;
}

static void
place (struct cpuprofile *p, struct node *node)
{
  char *name = make_name (p, node->frame);
  char *file = make_path (json_text (node->frame, "url"));
  json_int_t line = json_whole (node->frame, "lineNumber", -1);
  struct import_frame frame = { .name = name, .file = file,
                                .line = as_line (line < 0 ? 0 : line + 1) };

  import_place (p->im, &frame, 1, &node->position);
  free (name);
  free (file);
}

static bool
place_nodes (struct cpuprofile *p)
{
  const json_t *tick;
  size_t k;

  find_same_names (p);
  for (size_t i = 0; i < p->n_nodes; i++)
    {
      place (p, &p->nodes[i]);
      json_array_foreach (p->nodes[i].ticks, k, tick)
        {
          json_int_t ticks = json_whole (tick, "ticks", -1);

          if (ticks < 0 || ticks > UINT32_MAX)
            return json_refuse (p->in, "positionTicks", k,
                                "\"ticks\" is no count");
          p->nodes[i].all_ticks += ticks;
        }
    }
  return true;
}

/* Samples.  */

static int
compare_samples (const void *a, const void *b)
{
  const struct sample *x = a, *y = b;

  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Reads a time in microseconds.  */
static bool
read_time (const json_t *value, double *time)
{
  *time = json_number_value (value);
  return json_is_number (value) && fabs (*time) < 4e15;
}

/* V8 has noted samples out of order; what matters is their time.  */
static bool
read_samples (struct cpuprofile *p)
{
  const json_t *samples = json_object_get (p->all, "samples"), *sample;
  const json_t *deltas = json_object_get (p->all, "timeDeltas");
  double time = 0, delta;
  size_t i;

  p->n_samples = json_array_size (samples);
  if (p->n_samples == 0 || p->n_samples != json_array_size (deltas))
    return json_refuse (p->in, "samples", JSON_WHOLE,
                        "there must be some, and as many \"timeDeltas\"");
  p->samples = resize (NULL, p->n_samples, sizeof *p->samples);
  json_array_foreach (samples, i, sample)
    {
      struct node *leaf = find_node (p, sample);

      if (leaf == NULL)
        return json_refuse (p->in, "samples", i,
                            "there is no node of this id");
      if (!read_time (json_array_get (deltas, i), &delta)
          || fabs (time += delta) > 4e15)
        return json_refuse (p->in, "timeDeltas", i,
                            "it is no time in microseconds");
      leaf->samples++;
      p->samples[i] = (struct sample){ (json_int_t) llround (time), i, leaf };
    }
  qsort (p->samples, p->n_samples, sizeof *p->samples, compare_samples);
  return true;
}

/* When the profile ended, counted as the samples' times are.  */
static json_int_t
end_of (const struct cpuprofile *p)
{
  json_int_t last = p->samples[p->n_samples - 1].time;
  double start, end;

  if (!read_time (json_object_get (p->all, "startTime"), &start)
      || !read_time (json_object_get (p->all, "endTime"), &end)
      || end - start < (double) last)
    return last;
  return (json_int_t) llround (end - start);
}

/* The line of a node's next sample.  V8 only says how many samples each line
   had: they are given to the node's samples one after the other.  */
static uint32_t
next_line (struct node *node)
{
  double tick = ((double) node->seen + 0.5) / (double) node->samples
                * (double) node->all_ticks;
  const json_t *line;

  node->seen++;
  for (; (line = json_array_get (node->ticks, node->line)) != NULL;
       node->line++)
    {
      json_int_t ticks = json_whole (line, "ticks", 0);

      if (tick < (double) (node->passed + ticks))
        return as_line (json_whole (line, "line", 0));
      node->passed += ticks;
    }
  return node->position.line;
}

static void
add_up (struct cpuprofile *p, struct table *sums)
{
  json_int_t end = end_of (p);

  for (size_t i = 0; i < p->n_samples; i++)
    {
      const struct sample *s = &p->samples[i];
      const struct sum key
          = { .key = { (uint32_t) (s->leaf - p->nodes), next_line (s->leaf) } };
      struct sum *sum;

      if (!import_wants_time (p->im, (uint64_t) (s->time - p->samples[0].time)
                                         * 1000))
        continue;
      sum = table_add (sums, &key.key);
      if (sum->samples++ == 0)
        sum->first = s->index;
      sum->time += (uint64_t) ((i + 1 < p->n_samples ? s[1].time : end)
                               - s->time);
    }
}

/* Finds out how many frames all stacks have.  False: there is no end of
   them.  */
static bool
measure (const struct cpuprofile *p, const struct table *sums)
{
  uint64_t all = 0;

  for (uint32_t i = 0; i < sums->n; i++)
    {
      const struct sum *sum = table_entry (sums, i);
      const struct node *node = &p->nodes[sum->key.leaf];

      for (size_t n = 0; node != NULL; node = node->caller, all++)
        if (n++ == p->n_nodes || n > IMPORT_FRAMES_MAX)
          return json_refuse (p->in, "samples", sum->first,
                              "its stack has no end, or too many frames");
      if (!import_frames_fit (p->in, all))
        return false;
    }
  return true;
}

/* Collects the frames of a stack; returns how many.  */
static size_t
find_frames (struct cpuprofile *p, const struct sum *sum)
{
  const struct node *node = &p->nodes[sum->key.leaf];
  uint32_t n = 0;

  for (; node != NULL; node = node->caller)
    {
      p->frames = resize_for (p->frames, n, &p->room, sizeof *p->frames);
      p->frames[n++] = node->position;
    }
  p->frames[0].line = sum->key.line;
  return n;
}

static bool
add_samples (struct cpuprofile *p)
{
  struct table sums = { .key_size = sizeof ((struct sum *) 0)->key,
                        .entry_size = sizeof (struct sum) };
  const struct import_thread nobody = { 0 };
  uint32_t thread = import_thread (p->im, &nobody);
  bool ok;

  add_up (p, &sums);
  ok = measure (p, &sums);
  for (uint32_t i = 0; i < sums.n && ok; i++)
    {
      const struct sum *sum = table_entry (&sums, i);
      const uint64_t cost[] = { sum->time, sum->samples };
      struct import_sample sample = { .thread = thread,
                                      .samples = sum->samples,
                                      .n = find_frames (p, sum),
                                      .cost = cost };

      sample.frames = p->frames;
      ok = import_sample (p->im, p->in, &sample);
    }
  table_free (&sums);
  return ok;
}

static bool
read_cpuprofile (struct import *im, struct input *in)
{
  static const struct cgw_event events[]
      = { { .name = "Time", .long_name = "Time in us" },
          { .name = "Samples", .long_name = "Samples" } };
  struct cpuprofile p = { .im = im, .in = in, .all = json_read (in) };
  bool ok = p.all != NULL && import_events (im, in, events, 2, CGW_LINE)
            && read_nodes (&p) && place_nodes (&p) && read_samples (&p)
            && add_samples (&p);

  json_decref (p.all);
  intern_free (&p.names);
  free (p.first);
  free (p.nodes);
  free (p.samples);
  free (p.frames);
  return ok;
}

#else

static bool
read_cpuprofile (struct import *im, struct input *in)
{
  (void) im;
  return json_is_missing (in);
}

#endif

static bool
is_cpuprofile (const unsigned char *bytes, size_t n)
{
  return json_has_key (bytes, n, '{', "callFrame");
}

const struct import_kind import_cpuprofile
    = { "cpuprofile", is_cpuprofile, read_cpuprofile };
