/* gate.c - what the tests of calls that meet inside one writer share.  See
   gate.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/common/coverage.h"
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

const uint64_t gate_costs[LEDGER_EVENTS] = { 3, 1000005, 7 };

unsigned char gate_dirt = 0xa5;

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

/* Blocks begin with their size; what is new in them is dirty.  */
#define HEAD 16

static void *
resize (unsigned char *old, size_t n)
{
  unsigned char *p = malloc (HEAD + n);
  size_t kept = 0;

  if (p == NULL)
    return NULL;
  memset (p + HEAD, gate_dirt, n);
  if (old != NULL)
    {
      memcpy (&kept, old - HEAD, sizeof kept);
      memcpy (p + HEAD, old, kept < n ? kept : n);
      free (old - HEAD);
    }
  memcpy (p, &n, sizeof n);
  return p + HEAD;
}

static void *
allocate (void *context, void *p, size_t n)
{
  struct gate *g = context;
  void *result = NULL;

  if (n > 0 && g->in_allocate != NULL)
    g->in_allocate (g);
  step_pause ();
  if (n > 0)
    result = resize (p, n);
  else
    free ((unsigned char *) p - HEAD);
  step_resume ();
  if (n > 0 && g->after_allocate != NULL)
    g->after_allocate (g);
  return result;
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
  cr_assert_eq (cgw_new (&g->w, g->names, fd, &o), CGW_OK);
  file = cgw_add_file (g->names, "gate.c");
  object = cgw_add_object (g->names, "gate");
  g->fn = cgw_add_fn (g->names, "fn", file, object);
  g->other = cgw_add_fn (g->names, "other", file, object);
  g->foreign = cgw_add_fn (g->names, "foreign", file,
                           cgw_add_object (g->names, "elsewhere"));
}

enum cgw_status
gate_begin (struct gate *g, size_t n_events)
{
  static const struct cgw_event events[LEDGER_EVENTS]
      = { { "A", 0, 0 }, { "B", 0, 0 }, { "C", 0, 0 } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = n_events;
  g->n_events = n_events;
  return cgw_begin_part (g->w, &part);
}

enum cgw_status
gate_record (struct gate *g, enum gate_kind kind)
{
  struct cgw_pos from = { .fn = g->fn, .line = 11 };
  struct cgw_pos to = { .fn = g->other, .line = 22 };

  switch (kind)
    {
    case GATE_COST:
      return ledger_cost (&g->ledger, g->w, &from, gate_costs, g->n_events);
    case GATE_NO_COST:
      return ledger_cost (&g->ledger, g->w, &from, NULL, 0);
    case GATE_CALL:
      return ledger_call (&g->ledger, g->w, &from, &to, 4, gate_costs,
                          g->n_events);
    case GATE_JUMP:
      return ledger_jump (&g->ledger, g->w, &from, &to, 5);
    default:
      return ledger_cond_jump (&g->ledger, g->w, &from, &to, 5, 6);
    }
}

void
gate_record_all (struct gate *g, enum cgw_status seen[GATE_KINDS])
{
  size_t n_events = g->n_events;

  g->n_events = n_events != 0 ? n_events : 1;
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    seen[kind] = gate_record (g, kind);
  g->n_events = n_events;
}

void
gate_records (struct gate *g)
{
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    gate_record (g, kind);
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
gate_check (struct gate *g, unsigned reader_flags, const char *what)
{
  ledger_balance_file (&g->ledger, g->w, g->bytes, g->n, reader_flags, what);
  gate_free (g);
}

void
gate_finish (struct gate *g, enum cgw_status status, unsigned reader_flags,
             const char *what)
{
  enum cgw_status got = cgw_finish (g->w);

  cr_assert_eq (got, status, "%s: cgw_finish: %s", what, cgw_strerror (got));
  ledger_balance_file (&g->ledger, g->w, g->bytes, g->n, reader_flags, what);
}

void
gate_end (struct gate *g, enum cgw_status status, const char *what)
{
  gate_finish (g, status, READER_STRICT, what);
  gate_free (g);
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
gate_file (void)
{
  char path[] = "/tmp/cgw-gate-XXXXXX";
  int fd = mkstemp (path);

  cr_assert_neq (fd, -1);
  unlink (path);
  return fd;
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
  static unsigned n;

  if (gate_in_wait == NULL)
    errno = clock_nanosleep (CLOCK_MONOTONIC, 0, wanted, left);
  else
    {
      gate_in_wait ();
      sched_yield ();
      if (left != NULL)
        *left = *wanted;
      errno = n++ % 2 == 0 ? EINTR : 0;
    }
  return errno == 0 ? 0 : -1;
}

const char *
gate_what (const char *name, unsigned long at)
{
  static char what[200];

  snprintf (what, sizeof what, "%s, %lu", name, at);
  return what;
}
