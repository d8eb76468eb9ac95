/* test_paths.c - each call that opens a file for writing, with each kind of path
   and what somebody else can have prepared there: what it returns, and what
   changes.  With CGW_PATH_STRICT nothing but a file of the caller's own does.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static char *directory; /* where the path is */
static char *beside;    /* where a link may lead */
static char path[8192];
static char target[4096]; /* a file beside */
static int held;          /* what a case leaves open, or -1 */

/* Take the place of libc's: they count the writes, and those to files that an
   executed program would have open.  */
static unsigned inherited, written;

static void
count (int fd)
{
  int flags = fcntl (fd, F_GETFD);

  inherited += flags != -1 && (flags & FD_CLOEXEC) == 0;
  written++;
}

ssize_t
writev (int fd, const struct iovec *iov, int n)
{
  count (fd);
  return syscall (SYS_writev, fd, iov, n);
}

/* Without MADV_WIPEONFORK.  */
ssize_t
write (int fd, const void *bytes, size_t n)
{
  count (fd);
  return syscall (SYS_write, fd, bytes, n);
}

/* Calls.  Each opens the path, writes a small profile and closes.  */

struct outcome
{
  enum cgw_status status;
  char sentence[400]; /* which has the name of the errno */
  int error;          /* or -1: the call has no such */
};

static struct cgw_part
make_part (void)
{
  static const struct cgw_event event = { .name = "Ir" };
  struct cgw_part part = CGW_PART_INIT;

  part.events = &event;
  part.n_events = 1;
  return part;
}

static struct cgw_pos
make_pos (void)
{
  struct cgw_pos pos = { .line = 1 };

  pos.fn = cgw_add_fn (test_names (), "f", (struct cgw_file){ 0 },
                       (struct cgw_object){ 0 });
  return pos;
}

static struct outcome
write_and_free (struct cgw_writer *w, enum cgw_status status)
{
  struct cgw_part part = make_part ();
  struct cgw_pos pos = make_pos ();
  struct outcome o = { .status = status };

  if (status == CGW_OK)
    {
      cgw_begin_part (w, &part);
      cgw_cost (w, &pos, (uint64_t[]){ 1 }, 1);
      o.status = cgw_finish (w);
    }
  o.error = cgw_errno (w);
  snprintf (o.sentence, sizeof o.sentence, "%s", cgw_explain (w));
  cgw_free (w);
  return o;
}

static struct outcome
create (unsigned flags)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;
  enum cgw_status status;

  options.flags = flags;
  status = cgw_open (&w, test_names (), path, &options);
  return write_and_free (w, status);
}

static struct outcome
replace (unsigned flags)
{
  return create (flags | CGW_REPLACE);
}

static struct outcome
save (unsigned flags)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_part part = make_part ();
  struct cgw_pos pos = make_pos ();
  struct outcome o = { .error = -1 };
  struct cgw_profile *p;

  cr_assert_eq (cgw_profile_new (&p, test_names (), 1, 0), CGW_OK);
  cr_assert_eq (cgw_profile_cost (p, &pos, (uint64_t[]){ 1 }, 1), CGW_OK);
  options.flags = flags;
  o.status = cgw_profile_save (p, path, &part, &options);
  snprintf (o.sentence, sizeof o.sentence, "%s", cgw_profile_explain (p));
  cgw_profile_free (p);
  return o;
}

static const struct
{
  const char *name;
  struct outcome (*run) (unsigned flags);
} calls[] = {
  { "cgw_open", create },
  { "cgw_open with CGW_REPLACE", replace },
  { "cgw_profile_save", save },
};

enum { CALLS = sizeof calls / sizeof *calls };

/* What cgw.h promises, by tests/api/promised.awk: whatever opens a path may
   refuse the file.  */
Test (paths, each_call_has_a_row)
{
  static const struct { const char *call, *status; } promised[] = {
#define FUNCTION(call)
#define POINTER(call, i)
#define STATUS(call, status) { #call, #status },
#include "promised.h"
  };
  unsigned n = 0;

  for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
    if (strcmp (promised[i].status, "EFILE") == 0)
      {
        bool found = false;

        for (int k = 0; k < CALLS; k++)
          found |= strcmp (calls[k].name, promised[i].call) == 0;
        cr_expect (found, "%s: no row", promised[i].call);
        n++;
      }
  cr_assert_eq (n, 2);
}

/* Paths.  Each function makes what is there; it may choose another path, as may
   its row.  */

static const char *
in_directory (const char *name)
{
  static char result[8192];

  snprintf (result, sizeof result, "%.4000s/%.4000s", directory, name);
  return result;
}

static void
choose (const char *name)
{
  strcpy (path, in_directory (name));
}

static void
make_nothing (void)
{
}

static void
make_own (void)
{
  put_file (path, "old");
}

static void
make_link (void)
{
  cr_assert_eq (symlink (target, path), 0);
}

static void
make_dangling_link (void)
{
  cr_assert_eq (unlink (target), 0);
  make_link ();
}

static void
make_loop (void)
{
  cr_assert_eq (symlink ("profile", path), 0);
}

static void
make_link_to_directory (void)
{
  cr_assert_eq (symlink (beside, path), 0);
}

static void
make_hard_link (void)
{
  cr_assert_eq (link (target, path), 0);
}

static void
make_fifo (void)
{
  cr_assert_eq (mkfifo (path, 0600), 0);
}

static void
make_fifo_with_reader (void)
{
  make_fifo ();
  held = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  cr_assert_neq (held, -1);
}

static void
make_socket (void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int here = open (".", O_RDONLY | O_CLOEXEC);

  held = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  cr_assert_neq (held, -1);
  cr_assert_eq (chdir (directory), 0); /* a path may be too long */
  strcpy (address.sun_path, "profile");
  cr_assert_eq (bind (held, (struct sockaddr *) &address, sizeof address), 0);
  cr_assert_eq (fchdir (here), 0);
  close (here);
}

static void
make_directory_there (void)
{
  cr_assert_eq (mkdir (path, 0700), 0);
}

static void
make_foreign (void)
{
  make_own ();
  cr_assert_eq (chown (path, 12345, (gid_t) -1), 0);
}

/* Whose it is comes first: its owner may add links at any time.  */
static void
make_foreign_hard_link (void)
{
  make_hard_link ();
  cr_assert_eq (chown (path, 12345, (gid_t) -1), 0);
}

static void
make_sticky (void)
{
  cr_assert_eq (chmod (directory, 01777), 0);
}

/* By another user, and by the owner of the folder.  */
static void
make_planted_link (void)
{
  make_link ();
  cr_assert_eq (lchown (path, 12345, (gid_t) -1), 0);
  make_sticky ();
}

static void
make_link_of_the_folders_owner (void)
{
  make_planted_link ();
  cr_assert_eq (chown (directory, 12345, (gid_t) -1), 0);
}

static void
make_own_in_sticky (void)
{
  make_own ();
  make_sticky ();
}

static void
make_foreign_in_sticky (void)
{
  make_foreign ();
  make_sticky ();
}

static void
choose_own_descriptor (void)
{
  held = open (target, O_RDWR | O_CLOEXEC);
  cr_assert_neq (held, -1);
  snprintf (path, sizeof path, "/proc/self/fd/%d", held);
}

static void
choose_length (size_t n)
{
  char name[300] = "";

  choose (memset (name, 'x', n));
}

static void
choose_longest (void)
{
  choose_length (255);
}

static void
choose_too_long (void)
{
  choose_length (256);
}

static void
choose_beyond_path_max (void)
{
  while (strlen (path) < 5000)
    strcat (path, "/../profile");
}

/* The temporary name that CGW_REPLACE tries first.  */
static const char *
temporary (void)
{
  char name[100];

  snprintf (name, sizeof name, ".profile.%ld.tmp", (long) getpid ());
  return in_directory (name);
}

static void
make_temporary_file (void)
{
  put_file (temporary (), "prepared");
}

static void
make_temporary_link (void)
{
  cr_assert_eq (symlink (target, temporary ()), 0);
}

/* What a call does.  */
enum effect
{
  NONE,      /* it fails */
  AT_PATH,   /* the path is a profile */
  AT_TARGET, /* the file beside is one, by a link */
  TAKEN,     /* a device or a pipe takes it */
  UNKNOWN    /* not tried: it would wait, or depends on the kernel */
};

struct expected
{
  enum effect effect;
  enum cgw_status status;
  int error;
  const char *error_name;
};

#define SOME (-1) /* an error that depends on the system */
#define ERROR(status, number) { NONE, CGW_##status, number, "(" #number ")" }
#define FAILS(status) { NONE, CGW_##status, SOME, "" }
#define DOES(effect) { effect, CGW_OK, 0, "" }
#define MADE DOES (AT_PATH)

/* Where the call is told to write: at what was made, or at another path, which
   may be one in the folder.  */
#define HERE NULL, false
#define AT(path) path, false
#define ROOT NULL, true

static const struct row
{
  const char *name;
  void (*make) (void);
  struct expected strict;
  struct expected usual;
  const char *at;
  bool root_alone;
} rows[] = {
  { "nothing", make_nothing, MADE, MADE, HERE },
  { "own file", make_own, MADE, MADE, HERE },
  { "link", make_link, ERROR (EFILE, ELOOP), DOES (AT_TARGET), HERE },
  { "dangling link", make_dangling_link, ERROR (EFILE, ELOOP),
    DOES (AT_TARGET), HERE },
  { "loop", make_loop, ERROR (EFILE, ELOOP), ERROR (EIO, ELOOP), HERE },
  { "link to a directory", make_link_to_directory, ERROR (EFILE, ELOOP),
    ERROR (EIO, EISDIR), HERE },
  { "link among the folders", make_link_to_directory, MADE, MADE,
    AT ("profile/new") },
  { "loop among the folders", make_loop, ERROR (EFILE, ELOOP),
    ERROR (EFILE, ELOOP), AT ("profile/new") },
  { "file among the folders", make_own, ERROR (EIO, ENOTDIR),
    ERROR (EIO, ENOTDIR), AT ("profile/new") },
  /* EACCES where the kernel protects it, too.  */
  { "planted link", make_planted_link, FAILS (EFILE), FAILS (EFILE), ROOT },
  { "link of the folder's owner", make_link_of_the_folders_owner,
    FAILS (EFILE), DOES (AT_TARGET), ROOT },
  { "hard link", make_hard_link, ERROR (EFILE, EMLINK), DOES (AT_TARGET),
    HERE },
  { "FIFO", make_fifo, ERROR (EFILE, ENXIO), DOES (UNKNOWN), HERE },
  { "FIFO with a reader", make_fifo_with_reader, ERROR (EFILE, EINVAL),
    DOES (TAKEN), HERE },
  { "socket", make_socket, ERROR (EFILE, ENXIO), ERROR (EIO, ENXIO), HERE },
  { "directory", make_directory_there, ERROR (EIO, EISDIR),
    ERROR (EIO, EISDIR), HERE },
  { "folder of the path", make_nothing, ERROR (EIO, EISDIR),
    ERROR (EIO, EISDIR), AT (".") },
  { "/dev/null", make_nothing, ERROR (EFILE, EINVAL), DOES (TAKEN),
    AT ("/dev/null") },
  { "/dev/full", make_nothing, ERROR (EFILE, EINVAL), ERROR (EIO, ENOSPC),
    AT ("/dev/full") },
  { "foreign file", make_foreign, ERROR (EFILE, EPERM), MADE, ROOT },
  { "hard link to a foreign file", make_foreign_hard_link,
    ERROR (EFILE, EPERM), DOES (AT_TARGET), ROOT },
  { "sticky folder", make_sticky, MADE, MADE, HERE },
  { "own file in a sticky folder", make_own_in_sticky, MADE, MADE, HERE },
  /* The kernel may protect it, too.  */
  { "foreign file in a sticky folder", make_foreign_in_sticky, FAILS (EFILE),
    DOES (UNKNOWN), ROOT },
  { "own descriptor", choose_own_descriptor, ERROR (EFILE, ELOOP),
    DOES (AT_TARGET), HERE },
  { "/proc/self/mem", make_nothing, FAILS (EIO), FAILS (EIO),
    AT ("/proc/self/mem") },
  { "/proc/version", make_nothing, FAILS (EIO), FAILS (EIO),
    AT ("/proc/version") },
  { "255 bytes", choose_longest, MADE, MADE, HERE },
  { "256 bytes", choose_too_long, ERROR (EIO, ENAMETOOLONG),
    ERROR (EIO, ENAMETOOLONG), HERE },
  { "beyond PATH_MAX", choose_beyond_path_max, ERROR (EIO, ENAMETOOLONG),
    ERROR (EIO, ENAMETOOLONG), HERE },
  { "empty", make_nothing, ERROR (EIO, ENOENT), ERROR (EIO, ENOENT), AT ("") },
  { "a percent sign", make_nothing, MADE, MADE, AT ("100 %p") },
  { "slash at the end", make_nothing, ERROR (EIO, EISDIR),
    ERROR (EIO, EISDIR), AT ("profile/") },
  /* EISDIR where it might be made, else ENOTDIR.  */
  { "slash behind a file", make_own, FAILS (EIO), FAILS (EIO), AT ("profile/") },
  { "missing folder", make_nothing, ERROR (EIO, ENOENT), ERROR (EIO, ENOENT),
    AT ("missing/profile") },
  { "temporary file", make_temporary_file, MADE, MADE, HERE },
  { "temporary link", make_temporary_link, MADE, MADE, HERE },
};

/* What is in the folders.  */

/* Adds a line about a file: what it is, and what a regular one has.  */
static void
describe (FILE *out, const char *name)
{
  struct stat st;

  cr_assert_eq (lstat (name, &st), 0, "%s: %s", name, strerror (errno));
  fprintf (out, "%s: inode %llu, mode %o, owner %lu", name,
           (unsigned long long) st.st_ino, (unsigned) st.st_mode,
           (unsigned long) st.st_uid);
  if (S_ISREG (st.st_mode))
    {
      struct sink s = { .n = 0 };

      sink_load (&s, name);
      fprintf (out, ", %zu bytes: ", s.n);
      fwrite (s.bytes, 1, s.n, out);
      sink_free (&s);
    }
  fputc ('\n', out);
}

/* All files of a folder but the one at that path, which may have another name,
   too.  */
static void
describe_folder (FILE *out, const char *folder, const char *except)
{
  const char *slash = strrchr (except, '/');
  struct dirent **entries;
  struct stat st = { .st_ino = 0 };
  int n = scandir (folder, &entries, NULL, alphasort);

  cr_assert_geq (n, 2);
  lstat (except, &st);
  for (int i = 0; i < n; i++)
    {
      const char *name = entries[i]->d_name;
      char whole[8192];

      snprintf (whole, sizeof whole, "%.4000s/%s", folder, name);
      if (strcmp (name, "..") != 0
          && entries[i]->d_ino != st.st_ino
          && (slash == NULL || strcmp (name, slash + 1) != 0))
        describe (out, whole);
      free (entries[i]);
    }
  free (entries);
}

static char *
describe_all (const char *except)
{
  size_t n;
  char *text;
  FILE *out = open_memstream (&text, &n);

  cr_assert_not_null (out);
  describe_folder (out, directory, except);
  describe_folder (out, beside, except);
  fclose (out);
  return text;
}

static void
check_made (const char *context, const char *at, const struct stat *before,
            bool same)
{
  struct sink s = { .n = 0 };
  struct stat st;

  cr_assert_eq (lstat (at, &st), 0, "%s: no file", context);
  cr_assert_eq (st.st_mode, before->st_mode, "%s: mode %o", context,
                (unsigned) st.st_mode);
  cr_assert (!same || before->st_ino == 0 || st.st_ino == before->st_ino,
             "%s: another file", context);
  sink_load (&s, at);
  profile_free (must_read (s.bytes, s.n, 0, context));
  sink_free (&s);
}

static void
check_outcome (const struct expected *e, const struct outcome *o,
               const char *context)
{
  if (e->error == SOME)
    {
      cr_assert_neq (o->status, CGW_OK, "%s", context);
      return;
    }
  cr_assert_eq (o->status, e->status, "%s: %s", context, o->sentence);
  if (o->error != -1)
    cr_assert_eq (o->error, e->error, "%s: %s", context, strerror (o->error));
  cr_assert_not_null (strstr (o->sentence, e->error_name), "%s: %s", context,
                      o->sentence);
}

static void
begin_case (void)
{
  directory = make_directory ();
  beside = make_directory ();
  snprintf (target, sizeof target, "%.4000s/target", beside);
  put_file (target, "precious");
  choose ("profile");
  held = -1;
}

static void
end_case (void)
{
  remove_directory (directory);
  remove_directory (beside);
}

static void
check_case (const struct row *row, int call, bool is_strict)
{
  const struct expected *e = is_strict ? &row->strict : &row->usual;
  char context[200], *before, *after, byte;
  const char *at;
  struct outcome o;
  struct stat st = { .st_mode = S_IFREG | (is_strict ? 0600 : 0644) };

  snprintf (context, sizeof context, "%s, %s, %s", calls[call].name, row->name,
            is_strict ? "strict" : "usual");
  begin_case ();
  row->make ();
  if (row->at != NULL)
    strcpy (path, row->at[0] == '/' || row->at[0] == '\0'
                      ? row->at
                      : in_directory (row->at));
  at = e->effect == AT_TARGET ? target : e->effect == AT_PATH ? path : "";
  lstat (at, &st);
  before = describe_all (at);
  inherited = written = 0;
  errno = 4711;
  o = calls[call].run (is_strict ? CGW_PATH_STRICT : 0);
  cr_assert_eq (errno, 4711, "%s: errno was changed", context);
  cr_assert_eq (umask (022), 022, "%s: the umask was changed", context);
  check_outcome (e, &o, context);
  after = describe_all (at);
  cr_assert_str_eq (after, before, "%s", context);
  if (at[0] != '\0')
    {
      check_made (context, at, &st,
                  calls[call].run == create || e->effect == AT_TARGET);
      cr_assert_neq (written, 0, "%s", context);
    }
  cr_assert_eq (inherited, 0, "%s: an executed program has the descriptor",
                context);
  if (row->make == make_fifo_with_reader)
    cr_assert_eq (read (held, &byte, 1), e->effect == TAKEN, "%s", context);
  if (held != -1)
    close (held);
  free (before);
  free (after);
  end_case ();
}

CLOSING_TEST (paths, each_kind)
{
  umask (022);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int call = 0; call < CALLS; call++)
      if (!rows[i].root_alone || geteuid () == 0)
        {
          check_case (&rows[i], call, true);
          if (rows[i].usual.effect != UNKNOWN)
            check_case (&rows[i], call, false);
        }
}

/* A path that somebody changes all the time.  */

#define MOST_SWAPS 100000

static atomic_bool stop;
static atomic_ulong swaps;

/* Puts a file of the caller's own at the path, a link or a FIFO, by turns.
   False: it failed.  */
static bool
swap (const char *next)
{
  int fd;

  switch (swaps++ % 3)
    {
    case 0:
      fd = open (next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (fd != -1)
        close (fd);
      break;
    case 1:
      if (symlink (target, next) != 0)
        return false;
      break;
    default:
      if (mkfifo (next, 0600) != 0)
        return false;
    }
  return rename (next, path) == 0;
}

static void *
swap_until_stopped (void *next)
{
  while (!stop)
    if (!swap (next))
      {
        stop = true;
        return NULL;
      }
  return next;
}

CLOSING_TEST (paths, swapped_at_any_time)
{
  unsigned long rounds = stress_number (300, 10000), n_made = 0, n_links = 0;
  char next[4096], *before, *after;
  pthread_t swapper;
  void *result;

  begin_case ();
  snprintf (next, sizeof next, "%.4000s/profile.next", directory);
  make_own ();
  before = describe_all (path);
  inherited = 0;
  cr_assert_eq (pthread_create (&swapper, NULL, swap_until_stopped, next), 0);
  /* A busy machine may run only one of both threads for a while, but not for so
     long.  */
  for (unsigned long i = 0;
       !stop && (i < rounds
                 || ((n_links < rounds / 10 || n_made == 0)
                     && (i < MOST_SWAPS || swaps < MOST_SWAPS)));
       i++)
    {
      struct outcome o = calls[i % CALLS].run (CGW_PATH_STRICT);

      check_text_file (target, "precious");
      n_made += o.status == CGW_OK;
      n_links += strstr (o.sentence, "(ELOOP)") != NULL;
    }
  stop = true;
  cr_assert_eq (pthread_join (swapper, &result), 0);
  cr_assert_not_null (result, "the swapping failed");
  after = describe_all (path);
  cr_assert_str_eq (after, before);
  cr_assert_eq (inherited, 0);
  cr_assert_gt (n_made, 0);
  cr_assert_geq (n_links, rounds / 10);
  print_figure ("swapped_paths", swaps);
  print_figure ("swapped_links_refused", n_links);
  free (before);
  free (after);
  end_case ();
}
