/* test_step_world.c - the world of a run: a writer, where its bytes go, the
   memory that it gets, and what it must not touch.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE 1 /* memfd_create */

#include "test_step.h"

#include "support.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct world t;

struct heap heap;

/* Files.  */

static char hook_bytes[FILE_MAX];
static char owned_path[4096];
static int files[FILES + 1]; /* the last: to look at the file of cgw_open */

void
world_open_files (void)
{
  static const char *const names[] = { "first", "child's" };

  for (enum file i = 0; i < FILES; i++)
    files[i] = memfd_create (names[i], MFD_CLOEXEC);
  snprintf (owned_path, sizeof owned_path, "%s/owned", run_directory);
  files[FILES] = open (owned_path, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
}

const char *
world_path (void)
{
  return owned_path;
}

int
file_descriptor (enum file file)
{
  return files[file];
}

/* Look at the file that is at the path now.  */
static void
look_again (enum file file)
{
  int fd;

  if (file != FILES || !(t.scene->traits & REPLACES))
    return;
  fd = open (owned_path, O_RDONLY | O_CLOEXEC);
  dup2 (fd, files[FILES]);
  close (fd);
}

void
check_replaced (bool may_be_left)
{
  DIR *d = opendir (run_directory);
  const struct dirent *e;
  char ours[50];
  size_t n = (size_t) snprintf (ours, sizeof ours, ".owned.%ld",
                                (long) getpid ());

  while (d != NULL && (e = readdir (d)) != NULL)
    if (strncmp (e->d_name, ours, n) == 0)
      {
        EXPECT (may_be_left, "%s is left", e->d_name);
        unlinkat (dirfd (d), e->d_name, 0);
      }
  if (d != NULL)
    closedir (d);
}

off_t
file_size (enum file file)
{
  struct stat st = { 0 };

  look_again (file);
  fstat (files[file], &st);
  return st.st_size;
}

size_t
read_file (enum file file, char *bytes, size_t room)
{
  ssize_t n;

  look_again (file);
  n = pread (files[file], bytes, room, 0);
  return n > 0 ? (size_t) n : 0;
}

static ssize_t
take (void *context, const void *bytes, size_t n)
{
  bool stepping;

  (void) context;
  t.hook_calls++;
  stepping = trap_pause ();
  if (n > FILE_MAX - t.n_bytes)
    n = FILE_MAX - t.n_bytes;
  memcpy (hook_bytes + t.n_bytes, bytes, n);
  t.n_bytes += n;
  if (t.defers)
    {
      t.defers = false;
      submit_all (LEVEL_1);
    }
  trap_resume (stepping);
  return (ssize_t) n;
}

void
world_fill_disk (bool full)
{
  struct rlimit l = { .rlim_max = RLIM_INFINITY };

  signal (SIGXFSZ, SIG_IGN);
  EXPECT (getrlimit (RLIMIT_FSIZE, &l) == 0, "no limit of files");
  l.rlim_cur = full ? FULL_SIZE : l.rlim_max;
  EXPECT (setrlimit (RLIMIT_FSIZE, &l) == 0, "the limit of files stays");
}

int
next_descriptor (void)
{
  int fd = dup (files[FIRST]);

  close (fd);
  return fd;
}

/* A descriptor that the writer closed may be anybody's the next moment.  */
void
place_decoy (void)
{
  int fd;

  if (t.owned_fd == -1 || t.decoy || fcntl (t.owned_fd, F_GETFD) != -1)
    return;
  fd = memfd_create ("decoy", MFD_CLOEXEC);
  if (fd != t.owned_fd)
    {
      dup2 (fd, t.owned_fd);
      close (fd);
    }
  t.decoy = true;
}

void
check_decoy (void)
{
  struct stat st;

  if (!t.decoy)
    return;
  if (fstat (t.owned_fd, &st) == -1)
    fail (__FILE__, __LINE__, "a descriptor of others was closed");
  else
    EXPECT (st.st_size == 0 && lseek (t.owned_fd, 0, SEEK_CUR) == 0,
            "%lld bytes to a descriptor of others", (long long) st.st_size);
}

/* Writers.  */

static const struct cgw_event events[] = { { "A", 0, 0 }, { "B", 0, 0 } };

struct cgw_options
world_options (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  /* In a handler nothing waits for what it interrupted.  */
  o.flags = !t.threads            ? 0
            : t.action[1] != NULL ? CGW_THREADS | CGW_WAIT
                                  : CGW_THREADS;
  o.flags |= t.scene->traits & CACHEGRIND ? CGW_CACHEGRIND : 0;
  if (t.scene->traits & REPLACES && t.scene->traits & OWNED)
    o.flags |= CGW_REPLACE;
  o.buffer_size = t.scene->traits & SMALL_BUFFER ? 1 : 8192;
  o.queue_slots = t.scene->traits & SMALL_RING ? 2 : 64;
  if (t.scene->traits & HOOK)
    o.write = take;
  return o;
}

struct cgw_part
world_part (void)
{
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = N_EVENTS;
  part.cmd = "program";
  return part;
}

void
world_add_functions (struct cgw_names *to)
{
  static const char *const names[]
      = { "main", "other", "fresh", "level_1", "level_2", "after" };

  t.part = world_part ();
  t.ledger.n_events = N_EVENTS;
  t.inlined = cgw_add_file (to, "inlined.h");
  for (int i = 0; i < FNS; i++)
    {
      char file[] = "0.c";
      file[0] = (char) ('0' + i);
      t.fn[i] = cgw_add_fn (to, names[i], cgw_add_file (to, file),
                            cgw_add_object (to, "object"));
    }
  for (unsigned i = 0; i < POSITIONS; i++)
    t.at[i] = (struct cgw_pos){ t.fn[i % FNS], { 0 }, 10 + i, 0 };
}

static void
open_writer (void)
{
  struct cgw_options o = world_options ();
  struct cgw_part part = world_part ();
  enum cgw_status status;

  if (t.scene->traits & OWNED)
    {
      t.owned_fd = next_descriptor ();
      status = cgw_open (&t.w, t.names, owned_path, &o);
    }
  else
    status = cgw_open_fd (&t.w, t.names, t.fd, &o);
  EXPECT (status == CGW_OK, "%s", cgw_strerror (status));
  if (t.scene->traits & OPENS)
    return;
  status = cgw_begin_part (t.w, &part);
  EXPECT (status == CGW_OK, "%s", cgw_strerror (status));
  t.begun = true;
}

struct cgw_names *
world_names (void)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  struct cgw_names *names;
  enum cgw_status status;

  o.allocate = step_allocate;
  o.allocate_context = &heap;
  status = cgw_names_new (&names, &o);
  EXPECT (status == CGW_OK, "%s", cgw_strerror (status));
  return names;
}

void
world_open (const struct scene *s)
{
  t.scene = s;
  t.owned_fd = -1;
  t.seen = s->traits & FULL_DISK ? BIT (CGW_EIO) : 0;
  t.file = s->traits & OWNED ? FILES : FIRST;
  t.fd = s->traits & (HOOK | OWNED) ? -1 : files[FIRST];
  for (enum file i = 0; i < FILES; i++)
    if (ftruncate (files[i], 0) == -1 || lseek (files[i], 0, SEEK_SET) != 0)
      fail (__FILE__, __LINE__, "cannot empty a file");
  if (truncate (owned_path, 0) == -1)
    fail (__FILE__, __LINE__, "cannot empty the file of cgw_open");
  t.names = world_names ();
  world_add_functions (t.names);
  if (!(s->traits & NO_WRITER))
    open_writer ();
}

void
world_close (void)
{
  if (t.decoy)
    close (t.owned_fd);
  if (t.scene->traits & FULL_DISK)
    world_fill_disk (false);
  cgw_names_free (t.names);
  memset (&t, 0, sizeof t);
}

/* What the file says.  */

/* The first event's cost of all lines of a file in cachegrind's format, which
   are whole.  */
static void
check_cachegrind (const char *bytes, size_t n, const struct counts *c)
{
  uint64_t sum = 0, counted;

  for (const char *line = bytes, *end = bytes + n; line < end;)
    {
      const char *next = memchr (line, '\n', (size_t) (end - line));
      EXPECT (next != NULL, "a torn line");
      if (next == NULL)
        return;
      if (*line >= '0' && *line <= '9')
        sum += strtoull (strchr (line, ' '), NULL, 10);
      line = next + 1;
    }
  if (c == NULL)
    return;
  counted = c->recorded[0] + (t.salvaged ? 0 : c->lost[0]);
  EXPECT (sum == counted || (c->s.discarded != 0 && sum < counted),
          "costs of %llu in the file, not %llu", (unsigned long long) sum,
          (unsigned long long) counted);
}

void
check_file (enum file file, unsigned reader_flags, const struct counts *c)
{
  static char memory[FILE_MAX];
  /* In place of any descriptor, but not of a file that a call opens.  */
  bool hook = t.scene->traits & HOOK && file != FILES;
  char *bytes = hook ? hook_bytes : memory;
  size_t n = hook ? t.n_bytes : read_file (file, memory, sizeof memory);

  if (t.scene->traits & CACHEGRIND)
    check_cachegrind (bytes, n, c);
  else
    profile_free (ledger_check_file (c, bytes, n, reader_flags));
}
