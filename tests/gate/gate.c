/* gate.c - what the tests of calls that meet inside one writer share.  See
   gate.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "gate.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static ssize_t
take (void *context, const void *bytes, size_t n)
{
  struct gate *g = context;

  if (g->in_write != NULL)
    g->in_write (g);
  if (g->fail != 0 || n > sizeof g->bytes - g->n)
    {
      errno = g->fail != 0 ? g->fail : ENOSPC;
      return -1;
    }
  memcpy (g->bytes + g->n, bytes, n);
  g->n += n;
  return (ssize_t) n;
}

static void *
allocate (void *context, void *p, size_t n)
{
  struct gate *g = context;

  if (n > 0 && g->in_allocate != NULL)
    g->in_allocate (g);
  return step_allocate (&g->heap, p, n);
}

void
gate_open (struct gate *g, const struct cgw_options *options, int fd)
{
  struct cgw_names_options of_names = CGW_NAMES_OPTIONS_INIT;
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_file file;
  struct cgw_object object;

  if (options != NULL)
    o = *options;
  memset (g, 0, sizeof *g);
  if (fd == -1)
    {
      o.write = take;
      o.write_context = g;
    }
  of_names.allocate = allocate;
  of_names.allocate_context = g;
  cr_assert_eq (cgw_names_new (&g->names, &of_names), CGW_OK);
  cr_assert_eq (cgw_open_fd (&g->w, g->names, fd, &o), CGW_OK);
  file = cgw_add_file (g->names, "gate.c");
  object = cgw_add_object (g->names, "gate");
  g->fn = cgw_add_fn (g->names, "fn", file, object);
  g->other = cgw_add_fn (g->names, "other", file, object);
}

enum cgw_status
gate_begin (struct gate *g, size_t n_events)
{
  static const struct cgw_event events[LEDGER_EVENTS]
      = { { "A", 0, 0 }, { "B", 0, 0 }, { "C", 0, 0 } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = n_events;
  g->ledger.n_events = n_events;
  return cgw_begin_part (g->w, &part);
}

enum cgw_status
gate_record (struct gate *g, enum kind kind)
{
  struct cgw_pos from = { .fn = g->fn, .line = 11 };
  struct cgw_pos to = { .fn = g->other, .line = 22 };

  return ledger_record (&g->ledger, g->w, kind, &from, &to);
}

void
gate_records (struct gate *g, enum cgw_status status)
{
  for (enum kind kind = 0; kind < KINDS; kind++)
    {
      enum cgw_status got = gate_record (g, kind);
      EXPECT (got == status, "record of kind %d: %s", (int) kind,
              cgw_strerror (got));
    }
}

void
gate_free (struct gate *g)
{
  cgw_free (g->w);
  g->w = NULL;
  cgw_names_free (g->names);
  g->names = NULL;
}

void
gate_check (struct gate *g, unsigned reader_flags)
{
  struct counts c;

  cr_assert_eq (counts_get (&c, g->w), CGW_OK);
  ledger_check (&g->ledger, &c);
  EXPECT (c.s.refused == ledger_refused (&g->ledger), "%llu refused",
          (unsigned long long) c.s.refused);
  profile_free (ledger_check_file (&c, g->bytes, g->n, reader_flags));
  gate_free (g);
}

void
gate_end (struct gate *g, enum cgw_status status)
{
  enum cgw_status got = cgw_finish (g->w);

  EXPECT (got == status, "cgw_finish: %s", cgw_strerror (got));
  gate_check (g, READER_STRICT);
}

void
gate_load (struct gate *g, int fd)
{
  ssize_t n;

  g->n = 0;
  while ((n = pread (fd, g->bytes + g->n, sizeof g->bytes - g->n,
                     (off_t) g->n)) > 0)
    g->n += (size_t) n;
  cr_assert_eq (n, 0, "%s", strerror (errno));
}

int
gate_wait (pid_t child)
{
  int status;

  while (waitpid (child, &status, 0) == -1)
    if (errno != EINTR)
      return 2000;
  return WIFEXITED (status) ? WEXITSTATUS (status) : 1000 + WTERMSIG (status);
}

int
gate_child (int (*body) (void *), void *context)
{
  pid_t child = fork ();

  if (child == 0)
    {
      alarm (GATE_CHILD_SECONDS);
      leave (body (context));
    }
  return child != -1 ? gate_wait (child) : 2001;
}

/* A call that another thread has made, and waiting for it.  */

static pthread_t holder;
static sem_t entered, released;
void (*gate_in_wait) (void);

static void
await (sem_t *s)
{
  while (sem_wait (s) == -1)
    continue;
}

void
gate_hold (void *(*live) (void *), void *argument)
{
  cr_assert_eq (sem_init (&entered, 0, 0), 0);
  cr_assert_eq (sem_init (&released, 0, 0), 0);
  cr_assert_eq (pthread_create (&holder, NULL, live, argument), 0);
  await (&entered);
}

void
gate_stay (struct gate *g)
{
  g->in_write = g->in_allocate = NULL;
  sem_post (&entered);
  await (&released);
}

void
gate_release (void)
{
  sem_post (&released);
}

void
gate_let_go (void)
{
  gate_release ();
  pthread_join (holder, NULL);
}

/* In place of that of libc.  */
int
nanosleep (const struct timespec *wanted, struct timespec *left)
{
  if (gate_in_wait == NULL)
    errno = clock_nanosleep (CLOCK_MONOTONIC, 0, wanted, left);
  else
    {
      gate_in_wait ();
      sched_yield ();
      errno = EINTR;
    }
  return errno == 0 ? 0 : -1;
}
