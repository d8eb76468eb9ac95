/* test_kill.c - writers killed by SIGKILL before and after each system call,
   and in each write where a page ends: what was flushed is in the file, all of
   it is whole, and a file that another replaces is the old one or the new one.

   Linux copies page by page, so a process killed inside write(2) leaves a file
   that ends at a page's end, which is why no record straddles one.  The control
   shows that this test sees torn files: without the padding there are some.

   With CGW_STRESS in the environment the kills are repeated with other records.
   A few files stay in the directory CGW_KILLED_FILES, for other readers: see
   killed.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"
#include "calls.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *directory;
static char path[4096];
static struct sink got; /* the file */
static bool is_absent;

/* What the writer says of itself, in memory shared with it.  */
static struct
{
  bool begun;                /* the file's first part */
  _Atomic uint64_t records;  /* handed over so far */
  uint64_t flushed;          /* so many of them are in the file */
  uint64_t handler_records;  /* handed over by handlers, too */
  uint64_t handler_recorded; /* and taken */
  unsigned saved;            /* files that are complete */
} *told;

/* How a child writes, and what must be true of the file that it leaves.  */
struct row
{
  const char *name;
  void (*write) (const struct row *row);
  void (*check) (const struct row *row, const char *context);
  enum cgw_status (*end) (struct cgw_writer *w);
  size_t buffer_size;
  unsigned records; /* of each part */
  unsigned flags;
  bool is_new;      /* there is no file before it */
  bool interrupted; /* a handler records at each moment */
  uint64_t seed;
};

static void
set_up (void)
{
  directory = make_directory ();
  snprintf (path, sizeof path, "%.4000s/profile", directory);
  told = mmap (NULL, sizeof *told, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq ((void *) told, MAP_FAILED);
}

static void
tear_down (void)
{
  sink_free (&got);
  remove_directory (directory);
  munmap (told, sizeof *told);
}

TestSuite (kill, .init = set_up, .fini = tear_down, .timeout = 3600);

/* The child.  */

static struct cgw_writer *interrupted; /* or NULL */
static unsigned long moments_left;     /* until the kill */

static void
must (bool right)
{
  if (!right)
    _exit (1);
}

static void
record_in_handler (void)
{
  struct cgw_writer *w = interrupted;
  struct cgw_pos pos = { .line = 7 };

  interrupted = NULL;
  if (w != NULL)
    {
      told->handler_records++;
      told->handler_recorded
          += cgw_cost (w, &pos, &(uint64_t){ 1 }, 1) == CGW_OK;
    }
  interrupted = w;
}

static void
moment (void)
{
  record_in_handler ();
  if (--moments_left == 0)
    syscall (SYS_kill, getpid (), SIGKILL);
}

static void
at_call (enum call call)
{
  (void) call;
  moment ();
}

static struct cgw_writer *
create (const struct row *row)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  options.buffer_size = row->buffer_size;
  options.flags = row->flags;
  must (cgw_open (&w, test_names (), path, &options) == CGW_OK);
  return w;
}

static void
run (const struct scenario *s, struct cgw_writer *w)
{
  struct delivered d;

  scenario_run (s, w, &d, &told->records);
  must (d.failed + d.refused + d.failed_parts + d.errno_changed == 0);
}

/* A part without records, then parts of some pages, each flushed.  */
static void
write_parts (const struct row *row)
{
  struct scenario s = { .parts = 1, .functions = 40, .seed = row->seed };
  struct cgw_writer *w = create (row);

  for (unsigned part = 0; part < 4; part++)
    {
      uint64_t before;

      run (&s, w);
      told->begun = true;
      moment ();
      before = told->records + told->handler_recorded;
      must (cgw_flush (w) == CGW_OK);
      told->flushed = before;
      s.records = row->records;
      s.no_flush = !s.no_flush;
      s.seed++;
      interrupted = row->interrupted ? w : NULL;
    }
  must (row->end (w) == CGW_OK);
  cgw_free (w);
}

/* Two files, the second in place of the first.  */
static void
write_files (const struct row *row)
{
  const struct scenario s
      = { .parts = 2, .functions = 40, .records = row->records };

  for (; told->saved < 2; told->saved++)
    {
      struct cgw_writer *w = create (row);

      run (&s, w);
      must (row->end (w) == CGW_OK);
      cgw_free (w);
    }
}

/* A profile with a cost of 1 more each time that it is saved.  */
static void
save_profiles (const struct row *row)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_pos pos = { .line = 1 };
  struct cgw_profile *p;

  (void) row;
  part.events = &ir;
  part.n_events = 1;
  must (cgw_profile_new (&p, test_names (), 1, 0) == CGW_OK);
  for (; told->saved < 3; told->saved++)
    {
      must (cgw_profile_cost (p, &pos, &(uint64_t){ 1 }, 1) == CGW_OK);
      must (cgw_profile_save (p, path, &part, NULL) == CGW_OK);
    }
  cgw_profile_free (p);
}

/* What is left.  */

static void
prepare (const struct row *row)
{
  unlink (path);
  if (!row->is_new)
    put_file (path, "old");
}

/* Nothing has changed since then.  */
static bool
is_as_prepared (const struct row *row)
{
  return row->is_new ? is_absent
                     : got.n == 3 && memcmp (got.bytes, "old", 3) == 0;
}

static void
load (void)
{
  is_absent = access (path, F_OK) == -1;
  got.n = 0;
  if (!is_absent)
    sink_load (&got, path);
}

/* The records in a file, or -1 when it is torn.  */
static long long
records_in_file (unsigned flags, char *error, size_t size)
{
  struct profile *p = profile_read (got.bytes, got.n,
                                    flags | READER_UNFINISHED, error, size);
  long long n;

  if (p == NULL)
    return -1;
  n = (long long) (p->cost_lines + p->calls + p->jump_lines);
  profile_free (p);
  return n;
}

/* No record is shorter: "* *\n", a jump's last line, is not one yet.  */
#define SHORTEST_RECORD 4

/* What was flushed is there, and nothing that was not handed over, or was just
   being so; at most the buffer is missing.  Until a part has begun, the file
   may be the one before it, or empty.  */
static void
check_parts (const struct row *row, const char *context)
{
  uint64_t n, handed_over = told->records + told->handler_records;
  char error[300] = "empty";
  long long records;

  if (!told->begun && (is_as_prepared (row) || got.n == 0))
    return;
  records = got.n > 0 ? records_in_file (0, error, sizeof error) : -1;
  cr_assert_geq (records, 0, "%s: torn: %s", context, error);
  n = (uint64_t) records;
  cr_assert (n >= told->flushed && n <= handed_over + 1,
             "%s: %llu records of %llu, %llu flushed", context,
             (unsigned long long) n, (unsigned long long) handed_over,
             (unsigned long long) told->flushed);
  cr_assert (row->interrupted
                 || told->records
                        <= n + row->buffer_size / SHORTEST_RECORD + 2,
             "%s: %llu records of %llu", context, (unsigned long long) n,
             (unsigned long long) told->records);
}

/* Until a file is complete, the one before it is there.  */
static void
check_files (const struct row *row, const char *context)
{
  struct profile *p;

  if (told->saved == 0 && is_as_prepared (row))
    return;
  p = must_read (got.bytes, got.n,
                 row->end == cgw_salvage ? READER_UNFINISHED : 0, context);
  cr_assert_eq (p->cost_lines + p->calls + p->jump_lines, 2 * row->records,
                "%s", context);
  profile_free (p);
}

/* The file is what was saved last, or one newer.  */
static void
check_saved (const struct row *row, const char *context)
{
  struct profile *p;
  uint64_t total;

  if (told->saved == 0 && is_as_prepared (row))
    return;
  p = must_read (got.bytes, got.n, 0, context);
  total = profile_total (p, 0).value;
  cr_assert (total == told->saved || total == told->saved + 1,
             "%s: %u saved, a total of %llu", context, told->saved,
             (unsigned long long) total);
  profile_free (p);
}

/* Starts a child and kills it at its n-th moment; false: it has fewer.  */
static bool
kill_at (const struct row *row, unsigned long n, const char *context)
{
  int status;
  pid_t pid;

  memset (told, 0, sizeof *told);
  pid = fork ();
  cr_assert_neq (pid, -1);
  if (pid == 0)
    {
      moments_left = n;
      before_call = after_call = at_call;
      after_page = moment;
      row->write (row);
      _exit (0);
    }
  cr_assert_eq (waitpid (pid, &status, 0), pid);
  if (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL)
    return true;
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0,
             "%s: the writer ended with status %x", context,
             (unsigned) status);
  return false;
}

/* For other readers: of each row a file without records, and one in 30.  */
static void
keep_file (const struct row *row, unsigned long n)
{
  const char *kept = getenv ("CGW_KILLED_FILES");
  bool is_bare = told->records == 0;
  char to[4096];

  if (kept == NULL || row->check != check_parts || is_as_prepared (row)
      || got.n == 0 || !(is_bare || n % 30 == 0))
    return;
  snprintf (to, sizeof to, "%.4000s/killed.%.40s.%lu", kept, row->name,
            is_bare ? 0 : n);
  cr_assert_eq (rename (path, to), 0);
}

/* Kills a child at each moment.  Returns how many there are.  */
static unsigned long
kill_everywhere (const struct row *row)
{
  unsigned long n = 1;
  bool killed;

  do
    {
      char context[100];

      snprintf (context, sizeof context, "%s, seed %llu, kill %lu", row->name,
                (unsigned long long) row->seed, n);
      prepare (row);
      killed = kill_at (row, n, context);
      load ();
      row->check (row, context);
      if (killed)
        keep_file (row, n++);
    }
  while (killed);
  return n - 1;
}

/* Without the padding.  */

static unsigned torn;

static void
count_torn (const struct row *row, const char *context)
{
  char error[300];

  (void) row;
  (void) context;
  torn += told->begun
          && records_in_file (READER_NO_PAD, error, sizeof error) < 0;
}

Test (kill, control)
{
  static const struct row row
      = { .name = "control", .write = write_parts, .check = count_torn,
          .end = cgw_finish, .buffer_size = 65536,
          .records = 400, .flags = CGW_NO_PAD };

  kill_everywhere (&row);
  cr_assert_gt (torn, 0);
}

#define PARTS write_parts, check_parts
#define FILES write_files, check_files

static const struct row rows[] = {
  { "byte", PARTS, cgw_finish, 1, 20, 0, true, false, 0 },
  { "page", PARTS, cgw_salvage, 512, 150, 0, false, false, 0 },
  { "pages", PARTS, cgw_finish, 65536, 400, CGW_WAIT, false, true, 0 },
  { "threads", PARTS, cgw_finish, 8192, 400, CGW_THREADS, true, true, 0 },
  { "waiting", PARTS, cgw_finish, 512, 150, CGW_THREADS | CGW_WAIT, false, true,
    0 },
  { "replace", FILES, cgw_finish, 2000, 150, CGW_REPLACE, false, false, 0 },
  { "salvage", FILES, cgw_salvage, 2000, 150, CGW_REPLACE, true, false, 0 },
  { "save", save_profiles, check_saved, NULL, 0, 0, 0, false, false, 0 },
};

Test (kill, at_each_moment)
{
  unsigned long seeds = stress_number (1, 20), kills = 0;

  for (uint64_t seed = 0; seed < seeds; seed++)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      {
        struct row row = rows[i];
        unsigned long n;

        row.seed = 1000 * seed;
        n = kill_everywhere (&row);
        cr_assert_gt (n, 20, "%s", row.name);
        kills += n;
      }
  print_figure ("kills", kills);
}
