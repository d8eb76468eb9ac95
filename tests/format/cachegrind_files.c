/* cachegrind_files.c - writes files with CGW_CACHEGRIND, for the readers, and
   what their sums must be: see cachegrind.sh.

   cachegrind_files DIR makes in DIR:
     records     from records in a scattered order, with calls and jumps
     profile     the same costs by a cgw_profile
     callgrind   the same records without the flag
     addresses   the same costs in a part with CGW_INSTR alone, and with
                 neither desc nor cmd
     lost        the same, but the descriptor failed for some of the records
     unfinished  the same, without an end
     long        a cmd and names that are too long
     truth       "FILE<tab>FUNCTION<tab>LINE<tab>COSTS" for each line that has
                 costs, and "total COSTS"

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_EVENTS = 3, N_FILES = 6, N_FNS = 8, N_LINES = 40, RECORDS = 3000 };

/* NULL is unknown.  An inlined file and a function's own may be any.  */
static const char *const files[N_FILES]
    = { "main.c", "a b/c d.c", NULL, "inline.h", "h\303\244.c", "c.c" };
static const struct
{
  const char *name;
  int file;
} fns[N_FNS] = { { "main", 0 },         { "(1)x", 0 },
                 { "f(int, char)", 1 }, { NULL, 2 },
                 { NULL, 5 },           { "g \316\261", 4 },
                 { "operator()", 1 },   { "rare", 5 } };
static const struct cgw_event events[N_EVENTS + 1]
    = { { "Ir", "Instructions", NULL },
        { "Dr", NULL, NULL },
        { "w:u-\316\274s", NULL, NULL },
        { "Sum", NULL, "Ir + Dr" } };

static uint64_t truth[N_FILES][N_FNS][N_LINES][N_EVENTS];
static uint64_t total[N_EVENTS];
static bool seen[N_FILES][N_FNS][N_LINES];

static const char *directory;

static void
die (const char *what)
{
  fprintf (stderr, "cachegrind_files: %s: %s\n", what, strerror (errno));
  exit (1);
}

static void
must (enum cgw_status status, const char *what)
{
  if (status == CGW_OK)
    return;
  fprintf (stderr, "cachegrind_files: %s: %s\n", what, cgw_strerror (status));
  exit (1);
}

static const char *
path_of (const char *name)
{
  static char path[4096];

  snprintf (path, sizeof path, "%s/%s", directory, name);
  return path;
}

/* The same numbers each time.  */
static uint64_t random_state;

static unsigned
draw (unsigned n)
{
  random_state = random_state * UINT64_C (6364136223846793005) + 1442695;
  return (unsigned) (random_state >> 33) % n;
}

/* What is recorded, and where it adds up.  */
struct record
{
  int fn;
  int file; /* -1: the function's own */
  unsigned line;
  uint64_t cost[N_EVENTS];
};

static struct record
draw_record (void)
{
  struct record r = { .fn = (int) draw (N_FNS), .file = -1,
                      .line = draw (N_LINES) };

  if (draw (4) == 0)
    r.file = (int) draw (N_FILES);
  r.cost[0] = draw (100);
  if (draw (2) == 0)
    r.cost[1] = draw (2000000);
  if (draw (50) == 0)
    r.cost[2] = (uint64_t) draw (1 << 20) << 20;
  return r;
}

static void
add_truth (const struct record *r)
{
  int file = r->file >= 0 ? r->file : fns[r->fn].file;

  seen[file][r->fn][r->line] = true;
  for (int i = 0; i < N_EVENTS; i++)
    {
      truth[file][r->fn][r->line][i] += r->cost[i];
      total[i] += r->cost[i];
    }
}

static const char *
or_unknown (const char *name)
{
  return name != NULL ? name : "\?\?\?";
}

static void
write_truth (void)
{
  FILE *f = fopen (path_of ("truth"), "w");

  if (f == NULL)
    die ("truth");
  for (int file = 0; file < N_FILES; file++)
    for (int fn = 0; fn < N_FNS; fn++)
      for (unsigned line = 0; line < N_LINES; line++)
        {
          const uint64_t *c = truth[file][fn][line];
          if (seen[file][fn][line])
            fprintf (f, "%s\t%s\t%u\t%llu %llu %llu\n",
                     or_unknown (files[file]), or_unknown (fns[fn].name), line,
                     (unsigned long long) c[0], (unsigned long long) c[1],
                     (unsigned long long) c[2]);
        }
  fprintf (f, "total %llu %llu %llu\n", (unsigned long long) total[0],
           (unsigned long long) total[1], (unsigned long long) total[2]);
  if (fclose (f) != 0)
    die ("truth");
}

/* Writers.  */

static struct cgw_names *names;
static struct cgw_file file_handles[N_FILES];
static struct cgw_fn fn_handles[N_FNS];

static void
add_names (void)
{
  struct cgw_object object = cgw_add_object (names, "program");

  for (int i = 0; i < N_FILES; i++)
    file_handles[i] = cgw_add_file (names, files[i]);
  for (int i = 0; i < N_FNS; i++)
    fn_handles[i] = cgw_add_fn (names, fns[i].name,
                                file_handles[fns[i].file], object);
}

static struct cgw_part
part_of (unsigned positions)
{
  static const char *const desc[] = { "I1 cache: 32768 B" };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = N_EVENTS + 1;
  part.positions = positions;
  part.pid = 123;
  if (positions == CGW_INSTR)
    return part;
  part.cmd = "./prog \"x\ny\"";
  part.desc = desc;
  part.n_desc = 1;
  return part;
}

static struct cgw_writer *
create (const char *name, unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  o.flags = flags;
  must (cgw_open (&w, names, path_of (name), &o), name);
  return w;
}

/* Calls and jumps beside the costs.  */
static void
record_edges (struct cgw_writer *w, const struct cgw_pos *from)
{
  struct cgw_pos to = { .fn = fn_handles[draw (N_FNS)], .line = 1 };

  must (cgw_call (w, from, &to, 2, (uint64_t[]){ 7, 8, 9 }, 3), "cgw_call");
  must (cgw_jump (w, from, &to, 3), "cgw_jump");
  must (cgw_cond_jump (w, from, &to, 3, 4), "cgw_cond_jump");
}

static void
record_all (struct cgw_writer *w, bool edges)
{
  random_state = 1;
  for (int i = 0; i < RECORDS; i++)
    {
      struct record r = draw_record ();
      struct cgw_pos pos = { .fn = fn_handles[r.fn], .line = r.line,
                             .instr = 0x1000u + r.line };
      if (r.file >= 0)
        pos.file = file_handles[r.file];
      cgw_cost (w, &pos, r.cost, N_EVENTS);
      if (edges && i % 3 == 0)
        {
          uint64_t kept = random_state;
          record_edges (w, &pos);
          random_state = kept;
        }
      if (i % 100 == 0)
        must (cgw_comment (w, "a comment"), "cgw_comment");
    }
}

static void
write_records (const char *name, unsigned flags, unsigned positions)
{
  struct cgw_writer *w = create (name, flags);
  struct cgw_part part = part_of (positions);

  must (cgw_begin_part (w, &part), name);
  record_all (w, true);
  must (cgw_finish (w), name);
  cgw_free (w);
}

static void
write_unfinished (void)
{
  struct cgw_writer *w = create ("unfinished", CGW_CACHEGRIND);
  struct cgw_part part = part_of (CGW_LINE);

  must (cgw_begin_part (w, &part), "unfinished");
  record_all (w, false);
  must (cgw_flush (w), "unfinished");
  cgw_free (w);
}

static void
write_profile (void)
{
  struct cgw_writer *w = create ("profile", CGW_CACHEGRIND);
  struct cgw_part part = part_of (CGW_LINE);
  struct cgw_profile *p;

  must (cgw_profile_new (&p, names, N_EVENTS, CGW_LINE), "profile");
  random_state = 1;
  for (int i = 0; i < RECORDS; i++)
    {
      struct record r = draw_record ();
      struct cgw_pos stack[2] = { { .fn = fn_handles[r.fn], .line = r.line },
                                  { .fn = fn_handles[0], .line = 1 } };
      add_truth (&r);
      if (r.file >= 0)
        stack[0].file = file_handles[r.file];
      must (cgw_profile_stack (p, stack, 2, 1, r.cost, N_EVENTS), "profile");
    }
  must (cgw_profile_write (p, w, &part), "profile");
  cgw_profile_free (p);
  must (cgw_finish (w), "profile");
  cgw_free (w);
}

/* A descriptor that fails for a time.  */
struct disk
{
  int fd;
  int writes;
};

static ssize_t
write_to_disk (void *context, const void *bytes, size_t n)
{
  struct disk *d = context;

  d->writes++;
  if (d->writes > 1 && d->writes < 4)
    {
      errno = ENOSPC;
      return -1;
    }
  return write (d->fd, bytes, n);
}

static void
write_lost (void)
{
  struct disk disk = { open (path_of ("lost"), O_CREAT | O_TRUNC | O_WRONLY,
                             0600), 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = part_of (CGW_LINE);
  struct cgw_stats s = CGW_STATS_INIT;
  struct cgw_writer *w;

  o.flags = CGW_CACHEGRIND;
  o.buffer_size = 2000;
  o.write = write_to_disk;
  o.write_context = &disk;
  must (cgw_open_fd (&w, names, -1, &o), "lost");
  must (cgw_begin_part (w, &part), "lost");
  random_state = 1;
  for (int i = 0; i < RECORDS; i++)
    {
      struct record r = draw_record ();
      struct cgw_pos pos = { .fn = fn_handles[r.fn], .line = r.line };
      cgw_cost (w, &pos, r.cost, N_EVENTS);
      if (i % 500 == 0)
        cgw_flush (w);
    }
  cgw_get_stats (w, &s);
  if (cgw_finish (w) != CGW_EIO || s.lost == 0 || s.recorded == 0
      || disk.fd == -1)
    die ("nothing was lost");
  cgw_free (w);
  close (disk.fd);
}

/* Names of the longest kind, and a header that must be cut.  */
static void
write_long (void)
{
  enum { LONG = 70000 };
  struct cgw_writer *w = create ("long", CGW_CACHEGRIND);
  struct cgw_part part = part_of (CGW_LINE);
  char *text = malloc (LONG + 1);
  const char *desc[100];
  struct cgw_pos pos = { .line = 1 };

  if (text == NULL)
    die ("long");
  memset (text, 'x', LONG);
  text[LONG] = '\0';
  for (int i = 0; i < 100; i++)
    desc[i] = i < 3 ? "key: value" : text;
  part.cmd = text;
  part.desc = desc;
  part.n_desc = 100;
  must (cgw_begin_part (w, &part), "long");
  pos.fn = fn_handles[0];
  must (cgw_cost (w, &pos, (uint64_t[]){ 1 }, 1), "long");
  pos.fn = cgw_add_fn (names, text, cgw_add_file (names, text),
                       (struct cgw_object){ 0 });
  must (cgw_cost (w, &pos, (uint64_t[]){ 1, 2 }, 2), "long");
  must (cgw_finish (w), "long");
  cgw_free (w);
  free (text);
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    return 2;
  directory = argv[1];
  must (cgw_names_new (&names, NULL), "names");
  add_names ();
  write_profile ();
  write_truth ();
  write_records ("records", CGW_CACHEGRIND, CGW_INSTR_LINE);
  write_records ("callgrind", 0, CGW_LINE);
  write_records ("addresses", CGW_CACHEGRIND, CGW_INSTR);
  write_unfinished ();
  write_lost ();
  write_long ();
  cgw_names_free (names);
  return 0;
}
