/* support.c - what the tests of faults share.  See support.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "support.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* No call of the library may change errno from this.  */
#define MARKER 4242

/* Tries of a patient scenario: a fault that strikes once is survived.  */
#define TRIES 3

/* Sinks.  */

static void
take (struct sink *s, const void *bytes, size_t n)
{
  if (s->room - s->n < n)
    {
      s->room = 2 * s->room + n + 4096;
      s->bytes = realloc (s->bytes, s->room);
      cr_assert_not_null (s->bytes);
    }
  if (n > 0)
    memcpy (s->bytes + s->n, bytes, n);
  s->n += n;
}

/* Whether the fault strikes this write.  A fault at a byte lets the bytes
   before it through, as a disk does that gets full: then *n is less.  */
static bool
strikes (const struct sink *s, size_t *n)
{
  const struct fault *f = &s->fault;

  if (f->kind == FAULT_NONE)
    return false;
  if (f->last != 0 && s->calls >= f->last)
    return true;
  if (s->injected >= f->times)
    return false;
  if (f->at != 0)
    return s->calls >= f->at;
  if (s->n < f->at_byte && *n > f->at_byte - s->n)
    *n = f->at_byte - s->n;
  return s->n >= f->at_byte;
}

ssize_t
sink_write (void *context, const void *bytes, size_t n)
{
  struct sink *s = context;
  size_t taken = n;

  s->calls++;
  if (strikes (s, &taken))
    {
      s->injected++;
      switch (s->fault.kind)
        {
        case FAULT_SHORT_ONE:
          taken = 1;
          break;
        case FAULT_SHORT_HALF:
          taken = n > 1 ? n / 2 : 1;
          break;
        case FAULT_SHORT_BUT_ONE:
          taken = n > 1 ? n - 1 : 1;
          break;
        case FAULT_ZERO:
          return 0;
        case FAULT_TOO_MANY:
          return (ssize_t) n + 1;
        default:
          errno = s->fault.error;
          return -1;
        }
    }
  take (s, bytes, taken);
  return (ssize_t) taken;
}

void
sink_free (struct sink *s)
{
  free (s->bytes);
  *s = (struct sink){ 0 };
}

struct pipe_reader
{
  pthread_t thread;
  struct sink *sink;
  int fd;
  bool slow;
};

static void
pump (struct sink *s, int fd, bool slow)
{
  char bytes[1000];
  ssize_t n;

  while ((n = read (fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
    {
      if (n > 0)
        take (s, bytes, (size_t) n);
      if (slow)
        nanosleep (&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
}

void
sink_drain (struct sink *s, int fd)
{
  pump (s, fd, false);
}

static void *
pump_thread (void *argument)
{
  struct pipe_reader *r = argument;

  pump (r->sink, r->fd, r->slow);
  return NULL;
}

struct pipe_reader *
reader_start (struct sink *s, int fd, bool slow)
{
  struct pipe_reader *r = malloc (sizeof *r);

  cr_assert_not_null (r);
  *r = (struct pipe_reader){ .sink = s, .fd = fd, .slow = slow };
  cr_assert_eq (pthread_create (&r->thread, NULL, pump_thread, r), 0);
  return r;
}

void
reader_join (struct pipe_reader *r)
{
  cr_assert_eq (pthread_join (r->thread, NULL), 0);
  free (r);
}

void
sink_load (struct sink *s, const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  cr_assert_neq (fd, -1, "%s: %s", path, strerror (errno));
  s->n = 0;
  sink_drain (s, fd);
  close (fd);
}

/* The scenario.  */

#define OBJECTS 4
#define FILES 7
#define FUNCTIONS_MAX 400

struct handles
{
  struct cgw_object objects[OBJECTS];
  struct cgw_file files[FILES];
  struct cgw_fn fns[FUNCTIONS_MAX];
};

/* Where the scenario is: its random numbers come from here alone, so the
   calls are the same whatever the statuses of those before.  */
struct walk
{
  uint64_t random;
  unsigned fn;
  unsigned file; /* FILES: the function's own */
  uint32_t line;
  uint64_t instr;
};

static unsigned
pick (struct walk *k, unsigned n)
{
  k->random ^= k->random << 13;
  k->random ^= k->random >> 7;
  k->random ^= k->random << 17;
  return (unsigned) (k->random >> 33) % n;
}

static void
check_errno (struct delivered *d)
{
  d->errno_changed += errno != MARKER;
  errno = MARKER;
}

/* Whether a call that is not a record and returned this is to be made
   again.  */
static bool
again (const struct scenario *s, struct delivered *d, enum cgw_status status)
{
  check_errno (d);
  if (status != CGW_OK && s->patient && ++d->tries < TRIES)
    return true;
  d->tries = 0;
  return false;
}

/* Notes a status that is kept as an error: the first, or CGW_EIO.  */
static void
note_kept (struct delivered *d, enum cgw_status status)
{
  if (status != CGW_EAGAIN && status != CGW_EFINISHED && status != CGW_EFORK
      && (d->kept == CGW_OK || status == CGW_EIO))
    d->kept = status;
}

/* A function's name: some long, some that must be escaped or read as ids, one
   longer than a page.  */
static const char *
fn_name (const struct scenario *s, unsigned i, char *text, size_t size)
{
  static const char *const odd[]
      = { "(1) id", "two\nlines", "\xff\xfe", " blank ", "" };

  if (i < sizeof odd / sizeof *odd)
    return odd[i];
  if (i == 7 && s->long_name)
    {
      memset (text, 'n', 5000);
      text[5000] = '\0';
    }
  else if (i % 5 == 0)
    snprintf (text, size,
              "std::map<std::string, std::vector<number_%u> >"
              "::operator[] (std::string const&) [clone .part.%u]", i, i);
  else
    snprintf (text, size, "function_%u", i);
  return text;
}

static struct cgw_names *
names_of (const struct scenario *s)
{
  return s->names != NULL ? s->names : test_names ();
}

/* An added name's status.  */
static enum cgw_status
added (uint32_t handle)
{
  return handle != 0 ? CGW_OK : CGW_ENOMEM;
}

/* The first object and file are unknown.  */
static void
add_names (const struct scenario *s, struct handles *h, struct delivered *d)
{
  struct cgw_names *names = names_of (s);
  char text[6000];

  memset (h, 0, sizeof *h);
  for (unsigned i = 1; i < OBJECTS; i++)
    {
      snprintf (text, sizeof text, "/usr/lib/lib%u.so", i);
      do
        h->objects[i] = cgw_add_object (names, text);
      while (again (s, d, added (h->objects[i].handle)));
    }
  for (unsigned i = 1; i < FILES; i++)
    {
      snprintf (text, sizeof text, "/usr/src/dir %u/file_%u.c", i, i);
      do
        h->files[i] = cgw_add_file (names, text);
      while (again (s, d, added (h->files[i].handle)));
    }
  for (unsigned i = 0; i < s->functions; i++)
    do
      h->fns[i] = cgw_add_fn (names, fn_name (s, i, text, sizeof text),
                              h->files[i % FILES], h->objects[i % OBJECTS]);
    while (again (s, d, added (h->fns[i].handle)));
}

static void
begin_part (const struct scenario *s, struct cgw_writer *w, unsigned i,
            struct delivered *d)
{
  static const struct cgw_event events[]
      = { { "Ir", "Instructions read", NULL },
          { "Dr", NULL, NULL },
          { "Dw", "Data: written", NULL },
          { "Est", "Estimate", "Ir + 10 Dr" } };
  static const char *const desc[] = { "Trigger: test" };
  static const uint64_t summary[] = { 1000000, 1000000, 100000000 };
  struct cgw_part part = CGW_PART_INIT;
  enum cgw_status status;

  part.events = events;
  part.n_events = sizeof events / sizeof *events;
  part.positions = CGW_INSTR_LINE;
  if (i % 2 == 0)
    {
      part.pid = 4711;
      part.number = i + 1;
      part.thread = 1;
      part.cmd = "./program 'a b' \\ c";
      part.desc = desc;
      part.n_desc = 1;
    }
  if (i % 4 < 2)
    {
      part.summary = summary;
      part.n_summary = EVENTS;
    }
  do
    note_kept (d, status = cgw_begin_part (w, &part));
  while (again (s, d, status));
  d->failed_parts += status != CGW_OK;
}

static void
comment (const struct scenario *s, struct cgw_writer *w, struct delivered *d)
{
  enum cgw_status status;

  do
    note_kept (d, status = cgw_comment (w, "a comment\twith a tab"));
  while (again (s, d, status));
}

static void
flush (const struct scenario *s, struct cgw_writer *w, struct delivered *d)
{
  enum cgw_status status;

  do
    d->failed_flushes += (status = cgw_flush (w)) != CGW_OK;
  while (again (s, d, status));
}

/* Counts a record by what its call returned.  */
static void
count (struct delivered *d, enum cgw_status status, const uint64_t *cost,
       size_t n)
{
  bool failed = status == CGW_EIO || status == CGW_EAGAIN;

  check_errno (d);
  note_kept (d, status == CGW_EAGAIN ? CGW_ELOST : status);
  if (status != CGW_OK && !failed)
    {
      d->refused++;
      return;
    }
  d->records++;
  d->failed += failed;
  for (size_t i = 0; i < n; i++)
    d->cost[i] += cost[i];
}

/* The next position: near the last one, mostly.  */
static struct cgw_pos
next_pos (const struct scenario *s, const struct handles *h, struct walk *k)
{
  if (pick (k, 4) == 0)
    k->fn = pick (k, s->functions);
  if (pick (k, 5) == 0)
    k->file = pick (k, 3) == 0 ? pick (k, FILES) : FILES;
  k->line = pick (k, 20) == 0 ? pick (k, 3000) : k->line + pick (k, 5);
  k->instr = pick (k, 20) == 0 ? 0x400000 + pick (k, 1u << 22)
                               : k->instr + pick (k, 12);
  return (struct cgw_pos){
    .fn = h->fns[k->fn],
    .file = { k->file < FILES ? h->files[k->file].handle : 0 },
    .line = k->line,
    .instr = k->instr
  };
}

/* Where a function begins; a jump's must be in the same object.  */
static struct cgw_pos
target (const struct scenario *s, const struct handles *h, struct walk *k,
        bool same_object)
{
  unsigned fn = pick (k, s->functions);

  if (same_object)
    {
      fn = fn - fn % OBJECTS + k->fn % OBJECTS;
      if (fn >= s->functions || pick (k, 2) == 0)
        fn = k->fn;
    }
  return (struct cgw_pos){ .fn = h->fns[fn],
                           .line = 10 * fn,
                           .instr = 0x400000 + 64 * fn };
}

static void
record (const struct scenario *s, struct cgw_writer *w,
        const struct handles *h, struct walk *k, struct delivered *d)
{
  uint64_t cost[EVENTS] = { 1 + pick (k, 9), pick (k, 3), pick (k, 2000) };
  size_t n = pick (k, EVENTS + 1);
  unsigned kind = pick (k, 10);
  struct cgw_pos from = next_pos (s, h, k);
  struct cgw_pos to = target (s, h, k, kind > 7);
  unsigned times = 1 + pick (k, 30);

  errno = MARKER;
  if (kind < 6)
    count (d, cgw_cost (w, &from, cost, n), cost, n);
  else if (kind < 8)
    count (d, cgw_call (w, &from, &to, times, cost, n), NULL, 0);
  else if (kind < 9)
    count (d, cgw_jump (w, &from, &to, times), NULL, 0);
  else
    count (d, cgw_cond_jump (w, &from, &to, times, times + 1), NULL, 0);
}

void
scenario_run (const struct scenario *s, struct cgw_writer *w,
              struct delivered *d, _Atomic uint64_t *progress)
{
  struct handles h;
  struct walk k = { .random = 88172645463325252 ^ s->seed, .file = FILES };
  uint64_t before = progress != NULL ? *progress : 0;
  unsigned long done = 0;

  cr_assert_leq (s->functions, FUNCTIONS_MAX);
  memset (d, 0, sizeof *d);
  errno = MARKER;
  add_names (s, &h, d);
  for (unsigned part = 0; part < s->parts; part++)
    {
      begin_part (s, w, part, d);
      for (unsigned i = 1; i <= s->records; i++)
        {
          if (s->flush_often || (i % 97 == 0 && !s->no_flush))
            flush (s, w, d);
          if (i % 41 == 0 && !s->no_flush)
            comment (s, w, d);
          record (s, w, &h, &k, d);
          if (progress != NULL)
            *progress = before + d->records;
          if (++done == s->stop)
            return;
        }
    }
}

enum cgw_status
scenario_finish (struct cgw_writer *w, struct delivered *d)
{
  enum cgw_status status;

  errno = MARKER;
  status = cgw_finish (w);
  check_errno (d);
  return status;
}

void
scenario_complete (const struct scenario *s, struct cgw_writer *w)
{
  struct delivered d;

  scenario_run (s, w, &d, NULL);
  cr_assert_eq (d.failed + d.refused + d.failed_parts + d.errno_changed, 0);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  cr_assert_eq (d.records, (uint64_t) s->parts * s->records);
}

void
scenario_baseline (const struct scenario *s, unsigned writer_flags,
                   struct sink *out)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  out->n = 0;
  options.flags = writer_flags;
  options.write = sink_write;
  options.write_context = out;
  cr_assert_eq (cgw_open_fd (&w, names_of (s), -1, &options), CGW_OK);
  scenario_complete (s, w);
  cgw_free (w);
}

/* Looking at results.  */

struct profile *
must_read (const char *bytes, size_t n, unsigned flags, const char *context)
{
  char error[300] = "";
  struct profile *p = profile_read (bytes, n, flags, error, sizeof error);

  cr_assert_not_null (p, "%s: the reader refuses it: %s", context, error);
  return p;
}

/* More than the lines of any record, and of any header.  */
#define LINES_MAX 40

size_t
whole_length (const char *bytes, size_t n, unsigned flags)
{
  for (unsigned i = 0; i < LINES_MAX; i++)
    {
      struct profile *p;
      char error[300];

      while (n > 0 && bytes[n - 1] != '\n')
        n--;
      p = profile_read (bytes, n, flags | READER_UNFINISHED, error,
                        sizeof error);
      if (p != NULL)
        {
          profile_free (p);
          return n;
        }
      n -= n > 0;
    }
  cr_assert_fail ("torn by more than a record");
  return 0;
}

static bool
line_begins (const char *line, const char *end, const char *text)
{
  size_t n = strlen (text);
  return (size_t) (end - line) >= n && memcmp (line, text, n) == 0;
}

/* Those lines are between such a comment and the totals.  */
uint64_t
lost_lines (const char *bytes, size_t n)
{
  const char *end = bytes + n;
  bool reporting = false;
  uint64_t lines = 0;

  for (const char *line = bytes; line < end;)
    {
      const char *next = memchr (line, '\n', (size_t) (end - line));
      /* A record that is lost while a part ends may have its cost there, and be
         counted in the next one.  */
      if (line_begins (line, end, "# cgw: lost ")
          || (line_begins (line, end, "fn=")
              && memmem (line, (size_t) ((next != NULL ? next : end) - line),
                         "[lost]", 6)
                     != NULL))
        reporting = true;
      else if (line_begins (line, end, "totals:"))
        reporting = false;
      else if (reporting && *line >= '0' && *line <= '9')
        lines++;
      line = next != NULL ? next + 1 : end;
    }
  return lines;
}

/* How many records the comments say were lost.  */
static uint64_t
lost_by_comments (const struct profile *p)
{
  uint64_t lost = 0;

  for (size_t i = 0; i < p->n_parts; i++)
    for (size_t j = 0; j < p->parts[i].n_comments; j++)
      {
        unsigned long long n;
        if (sscanf (p->parts[i].comments[j], "cgw: lost %llu record", &n) == 1)
          lost += n;
      }
  return lost;
}

static void
check_file (const struct profile *p, const struct cgw_stats *s,
            const struct delivered *d, bool complete, uint64_t n_lost_lines,
            const char *context)
{
  uint64_t records = p->cost_lines + p->calls + p->jump_lines - n_lost_lines;

  cr_assert_eq (records, s->recorded, "%s: %llu records in the file, not %llu",
                context, (unsigned long long) records,
                (unsigned long long) s->recorded);
  if (complete)
    {
      cr_assert (p->n_parts > 0 && p->parts[p->n_parts - 1].has_totals,
                 "%s: no totals", context);
      cr_assert_eq (lost_by_comments (p), s->lost, "%s: comments", context);
    }
  for (size_t i = 0; i < EVENTS; i++)
    {
      uint64_t lost = profile_self (p, NULL, NULL, "[lost]", i);
      uint64_t total = p->n_parts > 0 ? profile_total (p, i).value : 0;
      /* Those of records that were discarded are still recorded.  */
      cr_assert (total - lost == s->recorded_costs[i]
                     || (s->discarded != 0
                         && total - lost < s->recorded_costs[i]),
                 "%s: event %zu: %llu in the file, not %llu", context, i,
                 (unsigned long long) (total - lost),
                 (unsigned long long) s->recorded_costs[i]);
      if (complete)
        cr_assert_eq (total, d->cost[i], "%s: event %zu", context, i);
      else
        cr_assert_leq (lost, s->lost_costs[i], "%s: event %zu", context, i);
    }
}

void
check_conserved (struct cgw_writer *w, const struct delivered *d,
                 const char *bytes, size_t n, bool complete, unsigned flags,
                 const char *context)
{
  uint64_t recorded[EVENTS], lost[EVENTS];
  struct cgw_stats s = CGW_STATS_INIT;
  struct profile *p;

  s.n_costs = EVENTS;
  s.recorded_costs = recorded;
  s.lost_costs = lost;
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_eq (s.recorded + s.lost, d->records,
                "%s: %llu recorded, %llu lost, %llu delivered", context,
                (unsigned long long) s.recorded, (unsigned long long) s.lost,
                (unsigned long long) d->records);
  cr_assert_eq (s.refused, d->refused, "%s: refused", context);
  for (size_t i = 0; i < EVENTS; i++)
    cr_assert_eq (recorded[i] + lost[i], d->cost[i], "%s: event %zu", context,
                  i);
  if (!complete)
    flags |= READER_UNFINISHED;
  p = must_read (bytes, n, flags, context);
  check_file (p, &s, d, complete, lost_lines (bytes, n), context);
  profile_free (p);
}

bool
begins_with (const struct sink *whole, const struct sink *part)
{
  return part->n <= whole->n
         && (part->n == 0 || memcmp (whole->bytes, part->bytes, part->n) == 0);
}

bool
same_sinks (const struct sink *a, const struct sink *b)
{
  return a->n == b->n && begins_with (a, b);
}

void
check_same (const char *bytes, size_t n, const struct sink *expected,
            const char *context)
{
  size_t same = 0;

  while (same < n && same < expected->n
         && bytes[same] == expected->bytes[same])
    same++;
  cr_assert (same == n && n == expected->n,
             "%s: %zu bytes instead of %zu, other from byte %zu on", context,
             n, expected->n, same);
}

/* Files.  */

void
check_same_file (const char *path, const struct sink *expected,
                 const char *context)
{
  struct sink got = { 0 };

  sink_load (&got, path);
  check_same (got.bytes, got.n, expected, context);
  sink_free (&got);
}

char *
make_directory (void)
{
  const char *parent = getenv ("TMPDIR");
  char path[4096];

  if (parent == NULL || parent[0] == '\0')
    parent = "/tmp";
  snprintf (path, sizeof path, "%s/cgw-test-XXXXXX", parent);
  cr_assert_not_null (mkdtemp (path), "%s: %s", path, strerror (errno));
  return strdup (path);
}

void
remove_directory (char *path)
{
  DIR *directory = opendir (path);
  struct dirent *entry;
  char name[4096];

  cr_assert_not_null (directory);
  while ((entry = readdir (directory)) != NULL)
    {
      snprintf (name, sizeof name, "%s/%s", path, entry->d_name);
      if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
          && unlink (name) == -1)
        rmdir (name);
    }
  closedir (directory);
  cr_assert_eq (rmdir (path), 0, "%s: %s", path, strerror (errno));
  free (path);
}

int
open_in (const char *directory, const char *name, char path[4096])
{
  int fd;

  snprintf (path, 4096, "%s/%s", directory, name);
  fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  cr_assert_neq (fd, -1, "%s: %s", path, strerror (errno));
  return fd;
}

bool
wants_all (void)
{
  return getenv ("CGW_FULL") != NULL || getenv ("CGW_STRESS") != NULL;
}

unsigned long
stress_number (unsigned long in_check, unsigned long in_stress)
{
  const char *text = getenv ("CGW_STRESS");
  double n = text != NULL ? atof (text) / 30 * (double) in_stress : 0;

  return n > (double) in_check ? (unsigned long) n : in_check;
}

/* Figures.  Criterion runs each test in a process whose standard output goes
   nowhere while it writes TAP to its own.  So tests append their figures to a
   file, and the first process prints that when it ends.  */

#define FIGURES "CGW_TEST_FIGURES"

static void
print_figures (void)
{
  const char *path = getenv (FIGURES);
  char line[200];
  FILE *file = path != NULL ? fopen (path, "r") : NULL;

  if (file == NULL)
    return;
  while (fgets (line, sizeof line, file) != NULL)
    fputs (line, stdout);
  fclose (file);
  unlink (path);
}

__attribute__ ((constructor)) static void
keep_figures (void)
{
  char path[] = "/tmp/cgw-figures-XXXXXX";
  int fd;

  if (getenv (FIGURES) != NULL || (fd = mkstemp (path)) == -1)
    return;
  close (fd);
  setenv (FIGURES, path, 1);
  atexit (print_figures);
}

void
print_figure (const char *name, unsigned long long n)
{
  const char *path = getenv (FIGURES);
  FILE *file = path != NULL ? fopen (path, "a") : NULL;

  cr_assert_not_null (file, "no file for figures");
  fprintf (file, "# figure %s %llu\n", name, n);
  fclose (file);
}

void
put_file (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

  cr_assert_neq (fd, -1);
  cr_assert_eq (write (fd, text, strlen (text)), (ssize_t) strlen (text));
  close (fd);
}

void
check_text_file (const char *path, const char *text)
{
  struct sink got = { 0 };

  sink_load (&got, path);
  cr_assert (got.n == strlen (text)
                 && (got.n == 0 || memcmp (got.bytes, text, got.n) == 0),
             "%s was changed", path);
  sink_free (&got);
}

unsigned
count_descriptors (void)
{
  DIR *d = opendir ("/proc/self/fd");
  unsigned n = 0;

  cr_assert_not_null (d);
  while (readdir (d) != NULL)
    n++;
  closedir (d);
  return n;
}
