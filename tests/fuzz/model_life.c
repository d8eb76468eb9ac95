/* model_life.c - make and free a writer.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LIMIT 65536

/* Open what a writer on a descriptor writes to.  */
static int
open_target (const struct model_writer *m, enum model_target target,
             enum model_wrong wrong)
{
  char path[200];

  if (target == MODEL_HOOK || wrong == MODEL_BAD_FD)
    return -1;
  if (target == MODEL_FULL && wrong != MODEL_READ_ONLY_FD)
    return open ("/dev/full", O_WRONLY | O_CLOEXEC);
  snprintf (path, sizeof path, "%s/%u.fd", m->directory, m->number);
  return open (path,
               (wrong == MODEL_READ_ONLY_FD ? O_RDONLY : O_RDWR | O_TRUNC)
                   | O_CREAT | O_CLOEXEC,
               0600);
}

static void
close_fd (struct model_writer *m)
{
  if (m->fd != -1)
    close (m->fd);
  m->fd = -1;
}

/* Set the path of the file.  In the library's argument "%" is "%%".  */
static void
set_path (struct model_writer *m)
{
  snprintf (m->path, sizeof m->path, "%s/%u.%%", m->directory, m->number);
  snprintf (m->given, sizeof m->given, "%s/%u.%%%%", m->directory, m->number);
}

/* The path as the call gets it, and what comes of one that is wrong.  */
static const char *
wrong_path (const struct model_writer *m, enum model_wrong wrong,
            char path[250], enum cgw_status *status, int *error)
{
  const char *format = wrong == MODEL_NO_DIRECTORY   ? "%s/none/x"
                       : wrong == MODEL_IS_DIRECTORY ? "%s"
                                                     : "%s/%%x";

  *error = wrong == MODEL_NO_DIRECTORY   ? ENOENT
           : wrong == MODEL_IS_DIRECTORY ? EISDIR
                                         : 0;
  *status = wrong == MODEL_NO_DIRECTORY   ? CGW_EIO
            : wrong == MODEL_IS_DIRECTORY ? CGW_EIO
                                          : CGW_EINVAL;
  if (wrong == MODEL_NO_PATH)
    return NULL;
  snprintf (path, 250, format, m->directory);
  return path;
}

static bool
is_about_path (enum model_wrong wrong)
{
  return wrong >= MODEL_NO_PATH;
}

/* The writer is about to be made, and m may have been another's.  */
static void
start_file (struct model_writer *m)
{
  m->state = MODEL_NO_PART;
  m->begun = m->failing = m->torn = m->full = false;
  m->error_number = 0;
  m->first = CGW_OK;
  m->n_parts = m->n_entries = 0;
  m->refused = m->lost = 0;
  memset (m->lost_cost, 0, sizeof m->lost_cost);
  m->written = m->buffered = 0;
  m->sink.n = m->sink.before = 0;
}

static void
drop_old (struct model_writer *m)
{
  free (m->old.bytes);
  m->old = (struct model_bytes){ NULL, 0 };
}

static void
keep_old (struct model_writer *m)
{
  drop_old (m);
  if (m->flags & CGW_REPLACE)
    m->old = model_read_path (m->path);
}

static enum cgw_status
make (struct model_writer *m, const struct cgw_options *o,
      enum model_wrong wrong, int *error)
{
  enum cgw_status wanted = wrong == MODEL_RIGHT ? CGW_OK : CGW_EINVAL;
  const char *path = m->given;
  char text[250];
  enum cgw_status status;

  *error = 0;
  if (is_about_path (wrong))
    path = wrong_path (m, wrong, text, &wanted, error);
  model_before (m);
  status = m->target == MODEL_PATH || wrong == MODEL_HOOK_AND_PATH
               ? cgw_open (&m->w, m->names->names, path, o)
               : cgw_open_fd (&m->w, m->names->names, m->fd, o);
  if (model_no_memory (m))
    wanted = CGW_ENOMEM;
  if (status != wanted || (m->w == NULL) != (status == CGW_ENOMEM))
    fuzz_fail ("a writer is made: %d, not %d", status, wanted);
  return status;
}

/* Let the mistakes be those that the call can make.  */
static enum model_wrong
suitable (enum model_target target, unsigned flags, enum model_wrong wrong)
{
  bool has_fd = target == MODEL_FD || target == MODEL_FULL;

  if ((wrong == MODEL_REPLACES_FD && target == MODEL_PATH)
      || ((wrong == MODEL_BAD_FD || wrong == MODEL_READ_ONLY_FD) && !has_fd)
      || (wrong == MODEL_HOOK_AND_PATH && target != MODEL_HOOK)
      || (is_about_path (wrong) && target != MODEL_PATH))
    wrong = MODEL_RIGHT;
  return wrong == MODEL_RIGHT && target != MODEL_PATH
                 && (flags & CGW_REPLACE)
             ? MODEL_REPLACES_FD
             : wrong;
}

static void
set_options (struct cgw_options *o, struct model_writer *m,
             enum model_wrong wrong)
{
  if (wrong == MODEL_NO_SIZE)
    o->size = 0;
  if (wrong == MODEL_UNKNOWN_FLAG)
    o->flags |= 1u << 31;
  if (wrong == MODEL_MANY_SLOTS)
    o->queue_slots = (1u << 24) + 1;
  if (wrong == MODEL_REPLACES_FD)
    o->flags |= CGW_REPLACE;
  if (m->target == MODEL_PATH)
    o->flags |= CGW_PATH_EXPAND;
  if (m->target == MODEL_HOOK)
    {
      o->write = model_sink_write;
      o->write_context = &m->sink;
    }
}

/* A writer that was refused for its options has the defaults.  */
static void
forget_options (struct model_writer *m, enum model_wrong wrong)
{
  if (wrong == MODEL_NO_SIZE || wrong == MODEL_UNKNOWN_FLAG
      || wrong == MODEL_MANY_SLOTS)
    {
      m->flags = 0;
      m->limit = DEFAULT_LIMIT;
      if (m->target == MODEL_HOOK)
        m->target = MODEL_FD;
    }
}

void
model_new (struct model_writer *m, struct model_names *names, unsigned flags,
           size_t buffer_size, enum model_target target,
           enum model_wrong wrong)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  enum cgw_status status;
  int error;

  wrong = suitable (target, flags, wrong);
  m->names = names;
  m->target = target;
  m->fd = -1;
  if (target != MODEL_PATH)
    m->fd = open_target (m, target, wrong);
  o.queue_slots = 4;
  o.flags = flags;
  o.buffer_size = buffer_size;
  set_options (&o, m, wrong);
  m->flags = o.flags;
  m->limit = buffer_size != 0 ? buffer_size : DEFAULT_LIMIT;
  set_path (m);
  keep_old (m);
  start_file (m);
  status = make (m, &o, wrong, &error);
  forget_options (m, wrong);
  if (wrong != MODEL_RIGHT)
    {
      m->state = MODEL_NO_FILE;
      m->first = status;
      m->error_number = error;
    }
  model_after (m, "making a writer");
  if (m->w == NULL)
    {
      close_fd (m);
      drop_old (m);
    }
}

/* With CGW_REPLACE, the old file stays unless the new one is complete.  */
static void
check_old (const struct model_writer *m)
{
  struct model_bytes now;

  if (!(m->flags & CGW_REPLACE) || m->target != MODEL_PATH
      || m->state == MODEL_ENDED)
    return;
  now = model_read_path (m->path);
  model_check_same ("an old file is not replaced", &now, &m->old);
  free (now.bytes);
}

/* The present file is given up, unless it has ended.  */
static void
give_up (const struct model_writer *m)
{
  if (m->begun && m->state != MODEL_ENDED)
    model_check_file (m);
}

void
model_free (struct model_writer *m)
{
  give_up (m);
  model_before (m);
  cgw_free (m->w);
  m->w = NULL;
  model_after (m, "cgw_free");
  check_old (m);
  close_fd (m);
  drop_old (m);
}
