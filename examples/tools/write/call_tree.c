/* call_tree.c - reads call trees that a program has written as a recording with
   stacks.

   The stack of a context is the way to it from the root.  A position of a frame
   is where all calls of the next context came from; if they came from several,
   it is unknown.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "call_tree.h"

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/tool.h"
#include "../format/cgin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A context.  */
struct node
{
  uint32_t handle; /* in the file's names */
  uint32_t caller; /* likewise; 0: none was seen */
  struct cgw_pos self; /* its function, and where that has its costs */
  struct cgw_pos at;   /* of its calls, in the caller's function */
  uint64_t costs[];
};

struct reading
{
  struct call_tree *t;
  struct cgw_names *contexts; /* the file's names */
  struct table nodes;         /* of the part */
  struct cgw_pos *frames;
  size_t n_frames;            /* that there is room for */
};

/* Positions, whose names are those of the recording.  */

/* A name without the text that tells its contexts apart.  */
static struct cgw_fn
function_of (struct reading *r, struct cgw_fn context)
{
  struct cgw_names *names = r->t->recording.names;
  struct cgw_file file;
  struct cgw_object object;
  const char *name = cgw_fn_name (r->contexts, context, &file, &object);
  const char *end = strrchr (name, '\'');

  return cgw_add_fn_n (
      names, name, end != NULL ? (size_t) (end - name) : strlen (name),
      cgw_add_file (names, cgw_file_name (r->contexts, file)),
      cgw_add_object (names, cgw_object_name (r->contexts, object)));
}

static struct node *
node_of (struct reading *r, struct cgw_fn context)
{
  uint32_t n = r->nodes.n;
  struct node *node = table_add (&r->nodes, &context.handle);

  if (n != r->nodes.n)
    node->self.fn = function_of (r, context);
  return node;
}

/* Takes what a position has besides its function.  */
static void
take_place (struct reading *r, struct cgw_pos *to, const struct cgw_pos *from)
{
  to->line = from->line;
  to->instr = from->instr;
  if (from->file.handle != 0)
    to->file = cgw_add_file (r->t->recording.names,
                             cgw_file_name (r->contexts, from->file));
}

static bool
is_same_place (const struct cgw_pos *a, const struct cgw_pos *b)
{
  return a->line == b->line && a->instr == b->instr
         && a->file.handle == b->file.handle;
}

/* Parts.  */

static bool
is_zero (const struct node *node, size_t n)
{
  return cgin_is_zero (node->costs, n);
}

/* The stack of a node.  Returns how many frames it has; 0: it has no end.  */
static size_t
make_stack (struct reading *r, const struct node *node)
{
  size_t n = 0;

  r->frames[n++] = node->self;
  for (; node != NULL && node->caller != 0; n++)
    {
      if (n == r->n_frames)
        return 0;
      r->frames[n] = node->at;
      node = table_find (&r->nodes, &node->caller);
    }
  return n;
}

/* Turns the part that was read into the stacks of its profile.  */
static bool
end_part (struct reading *r)
{
  const struct recording *to = &r->t->recording;
  struct cgw_profile *profile;
  bool ok = true;

  if (to->n_profiles == 0)
    return true;
  profile = r->t->profiles[to->n_profiles - 1].profile;
  r->n_frames = r->nodes.n;
  r->frames = resize (r->frames, r->n_frames, sizeof *r->frames);
  for (uint32_t i = 0; i < r->nodes.n && ok; i++)
    {
      const struct node *node = table_entry (&r->nodes, i);
      size_t n = is_zero (node, to->n_events) ? 0 : make_stack (r, node);

      if (n != 0
          && cgw_profile_stack (profile, r->frames, n, 1, node->costs,
                                to->n_events)
                 != CGW_OK)
        no_memory ();
      ok = n != 0 || is_zero (node, to->n_events);
    }
  table_free (&r->nodes);
  r->nodes = (struct table){ 0 };
  return ok;
}

static const char *
keep_text (struct call_tree *t, const char *text)
{
  t->texts = resize_for_one (t->texts, t->n_texts, sizeof *t->texts);
  return t->texts[t->n_texts++] = copy_text (text);
}

/* All parts of a file have the same events.  */
static void
take_events (struct call_tree *t, const struct cgw_part *part)
{
  for (size_t i = 0; i < part->n_events; i++)
    t->events[i]
        = (struct cgw_event){ .name = keep_text (t, part->events[i].name),
                              .long_name
                              = keep_text (t, part->events[i].long_name) };
  t->recording.events = t->events;
  t->recording.n_events = part->n_events;
  t->recording.positions = part->positions;
  t->recording.cmd = keep_text (t, part->cmd);
}

/* Each line once, whatever part it was in.  */
static void
take_desc (struct call_tree *t, const struct cgw_part *part)
{
  struct recording *r = &t->recording;

  for (size_t i = 0; i < part->n_desc; i++)
    {
      size_t k = 0;

      while (k < r->n_desc && strcmp (t->desc[k], part->desc[i]) != 0)
        k++;
      if (k < r->n_desc)
        continue;
      t->desc = resize_for_one (t->desc, r->n_desc, sizeof *t->desc);
      t->desc[r->n_desc++] = keep_text (t, part->desc[i]);
    }
  r->desc = t->desc;
}

static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct reading *r = context;
  struct recording *to = &r->t->recording;

  (void) creator;
  if (!end_part (r))
    return CGW_EINVAL;
  if (to->n_profiles == 0)
    take_events (r->t, part);
  take_desc (r->t, part);
  r->nodes = (struct table){ .key_size = sizeof (uint32_t),
                             .entry_size
                             = sizeof (struct node)
                               + to->n_events * sizeof (uint64_t) };
  r->t->profiles = resize_for_one (r->t->profiles, to->n_profiles,
                                   sizeof *r->t->profiles);
  r->t->profiles[to->n_profiles++] = (struct recorded){
    .pid = part->pid,
    .tid = part->thread,
    .profile = new_profile (to->names, to->n_events, to->positions)
  };
  to->profiles = r->t->profiles;
  return CGW_OK;
}

static enum cgw_status
add_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  struct reading *r = context;
  struct node *node = node_of (r, pos->fn);

  take_place (r, &node->self, pos);
  for (size_t i = 0; i < n; i++)
    node->costs[i] += cost[i];
  return CGW_OK;
}

static enum cgw_status
add_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  struct reading *r = context;
  struct cgw_pos at = { .fn = node_of (r, from->fn)->self.fn };
  struct node *node = node_of (r, to->fn);

  (void) count;
  (void) cost;
  (void) n;
  take_place (r, &at, from);
  if (node->caller != 0 && !is_same_place (&at, &node->at))
    at = (struct cgw_pos){ .fn = at.fn };
  node->caller = from->fn.handle;
  node->at = at;
  return CGW_OK;
}

static struct call_tree *
new_tree (void)
{
  struct call_tree *t = resize (NULL, 1, sizeof *t);

  *t = (struct call_tree){ .recording = { .names = new_names () } };
  return t;
}

struct call_tree *
call_tree_read (const char *path, const char *name)
{
  struct reading r = { .t = new_tree (), .contexts = new_names () };
  const struct cgin_sink sink = { .context = &r,
                                  .names = r.contexts,
                                  .begin_part = begin_part,
                                  .cost = add_cost,
                                  .call = add_call };
  struct cgin_error error;
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  bool ok = fd >= 0 || tool_complain (name, 0, strerror (errno));

  if (ok && !cgin_read (fd, &sink, &error))
    ok = tool_complain (name, error.line, error.text);
  if (ok && !end_part (&r))
    ok = tool_complain (name, 0, "the calls in it are no tree");
  if (fd >= 0)
    close (fd);
  table_free (&r.nodes);
  free (r.frames);
  cgw_names_free (r.contexts);
  if (ok)
    return r.t;
  call_tree_free (r.t);
  return NULL;
}

void
call_tree_free (struct call_tree *t)
{
  if (t == NULL)
    return;
  for (size_t i = 0; i < t->recording.n_profiles; i++)
    cgw_profile_free (t->profiles[i].profile);
  for (size_t i = 0; i < t->n_texts; i++)
    free (t->texts[i]);
  free (t->texts);
  free (t->desc);
  free (t->profiles);
  cgw_names_free (t->recording.names);
  free (t);
}
