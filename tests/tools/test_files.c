/* test_files.c - inputs that are read again, whole files, and outputs that
   appear complete or not at all.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/infile.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/tool.h"
#include "capture.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct tool tool
    = { .name = "test", .usage = "", .help = "", .letters = "" };

static void
begin (void)
{
  enter_folder ();
  tool_begin (&tool);
}

static int
files_here (void)
{
  DIR *folder = opendir (".");
  const struct dirent *entry;
  int n = 0;

  cr_assert_not_null (folder);
  while ((entry = readdir (folder)) != NULL)
    n += entry->d_name[0] != '.';
  closedir (folder);
  return n;
}

/* A pipe with a text in it, as a path.  */
static char *
pipe_of (const char *text)
{
  int fds[2];

  cr_assert_eq (pipe (fds), 0);
  cr_assert_eq (write (fds[1], text, strlen (text)), (ssize_t) strlen (text));
  close (fds[1]);
  return make_text ("/dev/fd/%d", fds[0]);
}

/* earlier.c.  */

#define MARK "desc: mark"

/* Everybody may put something into some folders.  */
Test (earlier, only_what_a_tool_left, .init = begin, .fini = leave_folder)
{
  put_file ("out.1", "# callgrind format\nversion: 1\n" MARK "\n");
  put_file ("out.2-1", MARK ": more\n");
  put_file ("out.3", "version: 1\nx" MARK "\n");
  put_file ("out.4", "1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n" MARK "\n");
  put_file ("out.5x", MARK "\n");
  put_file ("out.6", "desc: mar");
  put_file ("target", MARK "\n");
  cr_assert_eq (symlink ("target", "out.7"), 0);
  cr_assert_eq (mkfifo ("out.8", 0600), 0);
  cr_assert_eq (mkdir ("out.9", 0700), 0);
  outfile_remove_earlier ("out.", "", 0, MARK);
  cr_assert_eq (access ("out.1", F_OK), -1);
  cr_assert_eq (access ("out.2-1", F_OK), -1);
  cr_assert_eq (files_here (), 8);
}

/* A line without an end must not be read into memory.  */
Test (earlier, a_long_line, .init = begin, .fini = leave_folder)
{
  put_file ("out.1", "x");
  signal (SIGXFSZ, SIG_IGN);
  if (truncate ("out.1", (off_t) 1 << 36) != 0)
    cr_skip_test ("files here are smaller than 64 GiB");
  outfile_remove_earlier ("out.", "", 0, MARK);
  cr_assert_eq (access ("out.1", F_OK), 0);
}

/* source.c.  What it says of a missing file and of a folder, refusals.cases has
   of cgw-merge.  */

/* Reads all three times.  */
static void
read_again (char *path, const char *text)
{
  struct source in = { .path = path, .name = "input" };
  char bytes[100];

  for (int i = 0; i < 3; i++)
    {
      int fd = source_open (&in);

      cr_assert_geq (fd, 0);
      /* The first time not to the end.  */
      cr_assert_eq (read (fd, bytes, i == 0 ? 2 : sizeof bytes),
                    i == 0 ? 2 : (ssize_t) strlen (text));
      cr_assert_eq (memcmp (bytes, text, i == 0 ? 2 : strlen (text)), 0);
      source_close (&in, fd);
    }
  source_free (&in);
}

Test (source, a_file, .init = begin, .fini = leave_folder)
{
  put_file ("in", "some text");
  read_again ((char[]){ "in" }, "some text");
}

Test (source, a_pipe, .init = begin, .fini = leave_folder)
{
  char *path = pipe_of ("some text");

  read_again (path, "some text");
  free (path);
}

/* file.c.  */

static void
read_whole (size_t n)
{
  char *text = malloc (n + 1), *whole;
  FILE *file = tmpfile ();
  size_t length;

  cr_assert (text != NULL && file != NULL);
  for (size_t i = 0; i < n; i++)
    text[i] = (char) (i * 31 % 251);
  cr_assert_eq (fwrite (text, 1, n, file), n);
  rewind (file);
  whole = file_read (fileno (file), n, &length);
  cr_assert_eq (length, n);
  cr_assert_eq (memcmp (whole, text, n), 0);
  cr_assert_eq (whole[n], '\0');
  fclose (file);
  free (whole);
  free (text);
}

Test (file, sizes)
{
  const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 131072, 1000000 };

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    read_whole (sizes[i]);
}

Test (file, what_cannot_be_read_is_empty)
{
  size_t length = 7;
  char *whole = file_read (-1, 0, &length);

  cr_assert_eq (length, 0);
  cr_assert_str_eq (whole, "");
  free (whole);
}

/* The size of a pipe is 0.  */
Test (file, too_long)
{
  char bytes[1000] = "";
  size_t length;
  int ends[2];

  for (size_t most = 998; most <= 1000; most++)
    {
      char *whole;

      cr_assert_eq (pipe (ends), 0);
      cr_assert_eq (write (ends[1], bytes, 999), 999);
      close (ends[1]);
      whole = file_read (ends[0], most, &length);
      cr_assert (most < 999 ? whole == NULL : length == 999);
      free (whole);
      close (ends[0]);
    }
}

/* outfile.c.  */

static void
print (int fd, const char *text)
{
  cr_assert_eq (write (fd, text, strlen (text)), (ssize_t) strlen (text));
}

Test (outfile, it_appears_when_it_is_complete, .init = begin,
      .fini = leave_folder)
{
  put_file ("out", "old");
  print (outfile_open ("out"), "new");
  cr_assert_str_eq (get_file ("out"), "old");
  cr_assert_eq (files_here (), 2);
  cr_assert (outfile_close ("out", true));
  cr_assert_str_eq (get_file ("out"), "new");
  cr_assert_eq (files_here (), 1);
}

/* The other name is not longer.  */
Test (outfile, the_longest_name, .init = begin, .fini = leave_folder)
{
  char name[256] = "";

  memset (name, 'x', sizeof name - 1);
  for (int i = 0; i < 2; i++) /* a new file, and one that is there */
    {
      print (outfile_open (name), "new");
      cr_assert_eq (files_here (), 1 + i);
      cr_assert (outfile_close (name, true));
      cr_assert_str_eq (get_file (name), "new");
      cr_assert_eq (files_here (), 1);
    }
}

Test (outfile, or_not_at_all, .init = begin, .fini = leave_folder)
{
  put_file ("out", "old");
  print (outfile_open ("out"), "new");
  cr_assert_not (outfile_close ("out", false));
  cr_assert_str_eq (get_file ("out"), "old");
  cr_assert_eq (files_here (), 1);
}

static mode_t
mode_of (const char *name)
{
  struct stat st;

  cr_assert_eq (stat (name, &st), 0);
  return st.st_mode & 07777;
}

/* Nobody may read the new file who could not read the old one, not even before
   it is complete.  */
Test (outfile, permissions_stay, .init = begin, .fini = leave_folder)
{
  static const mode_t modes[] = { 0600, 0640, 0666, 0200, 0755 };

  umask (022);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    {
      put_file ("out", "old");
      cr_assert_eq (chmod ("out", modes[i]), 0);
      int fd = outfile_open ("out");
      struct stat st;
      cr_assert_eq (fstat (fd, &st), 0);
      cr_assert_eq (st.st_mode & 07777, modes[i]);
      cr_assert (outfile_close ("out", true));
      cr_assert_eq (mode_of ("out"), modes[i]);
      cr_assert_eq (unlink ("out"), 0);
    }
  /* No program runs as somebody else because of a profile.  */
  put_file ("out", "old");
  cr_assert_eq (chmod ("out", 04700), 0);
  outfile_open ("out");
  cr_assert (outfile_close ("out", true));
  cr_assert_eq (mode_of ("out"), 0700);
  cr_assert_eq (unlink ("out"), 0);
  outfile_open ("out");
  cr_assert (outfile_close ("out", true));
  cr_assert_eq (mode_of ("out"), 0644);
}

static bool
become (uid_t user, gid_t group)
{
  return setgroups (0, NULL) == 0 && setgid (group) == 0 && setuid (user) == 0;
}

/* Of a group that the user cannot give to the new file, what the group and
   all others may, both may.  */
static void
replace_as_another (void *unused)
{
  (void) unused;
  umask (022);
  if (!become (12345, 12345))
    exit (4);
  exit (outfile_open ("out") >= 0 && outfile_close ("out", true) ? 0 : 3);
}

Test (outfile, permissions_of_a_foreign_group, .init = begin,
      .fini = leave_folder)
{
  static const struct
  {
    mode_t before, after;
  } modes[] = { { 0640, 0600 }, { 0660, 0600 }, { 0664, 0644 },
                { 0604, 0600 }, { 0666, 0666 } };

  if (geteuid () != 0)
    cr_skip_test ("only root can give a file to any group");
  cr_assert_eq (chmod (".", 0777), 0);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    {
      put_file ("out", "old");
      cr_assert_eq (chown ("out", 12345, 54321), 0);
      cr_assert_eq (chmod ("out", modes[i].before), 0);
      const struct captured *c = capture (replace_as_another, NULL);
      cr_assert_eq (c->status, 0, "%d: %s", c->status, c->err);
      cr_assert_eq (mode_of ("out"), modes[i].after);
      cr_assert_eq (unlink ("out"), 0);
    }
  /* Root gives the new file to the old one's group.  */
  put_file ("out", "old");
  cr_assert_eq (chown ("out", 0, 54321), 0);
  cr_assert_eq (chmod ("out", 0640), 0);
  outfile_open ("out");
  cr_assert (outfile_close ("out", true));
  struct stat st;
  cr_assert_eq (stat ("out", &st), 0);
  cr_assert_eq (st.st_gid, 54321);
  cr_assert_eq (mode_of ("out"), 0640);
}

/* What a link leads to is replaced, and not the link.  */
Test (outfile, through_a_link, .init = begin, .fini = leave_folder)
{
  struct stat st;

  put_file ("file", "old");
  cr_assert_eq (symlink ("file", "link"), 0);
  print (outfile_open ("link"), "new");
  cr_assert (outfile_close ("link", true));
  cr_assert_str_eq (get_file ("file"), "new");
  cr_assert_eq (lstat ("link", &st), 0);
  cr_assert (S_ISLNK (st.st_mode));
}

Test (outfile, a_pipe_is_written_directly, .init = begin,
      .fini = leave_folder)
{
  struct stat st;

  cr_assert_eq (mkfifo ("fifo", 0600), 0);
  int reader = open ("fifo", O_RDONLY | O_NONBLOCK);
  char bytes[10] = "";
  print (outfile_open ("fifo"), "new");
  cr_assert_eq (files_here (), 1);
  cr_assert (outfile_close ("fifo", true));
  cr_assert_eq (read (reader, bytes, sizeof bytes), 3);
  cr_assert_str_eq (bytes, "new");
  cr_assert_eq (stat ("fifo", &st), 0);
  cr_assert (S_ISFIFO (st.st_mode));
}

/* What begins an output and ends the program before it is complete.  */
static void
end_by_signal (void *number)
{
  outfile_open ("out");
  raise (*(int *) number);
}

static void
end_without_memory (void *unused)
{
  (void) unused;
  outfile_open ("out");
  no_memory ();
}

Test (outfile, an_end_before_it_is_complete, .init = begin,
      .fini = leave_folder)
{
  int signals[] = { SIGINT, SIGTERM, SIGHUP };

  put_file ("out", "old");
  for (int i = 0; i < 3; i++)
    {
      signal (signals[i], SIG_DFL);
      cr_assert_eq (capture (end_by_signal, &signals[i])->status,
                    128 + signals[i]);
      cr_assert_eq (files_here (), 1);
    }
  cr_assert_eq (capture (end_without_memory, NULL)->status, TOOL_FAILED);
  cr_assert_eq (files_here (), 1);
  cr_assert_str_eq (get_file ("out"), "old");
}

static void
open_output (void *path)
{
  exit (outfile_open (path) < 0 ? 3 : 0);
}

Test (outfile, errors, .init = begin, .fini = leave_folder)
{
  const struct captured *c = capture (open_output, (char[]){ "no/out" });

  cr_assert_eq (c->status, 3);
  cr_assert_str_eq (c->err, "test: no/out: No such file or directory\n");
  cr_assert_eq (symlink ("nowhere", "link"), 0);
  c = capture (open_output, (char[]){ "link" });
  cr_assert_eq (c->status, 3);
  cr_assert_str_eq (c->err, "test: link: No such file or directory\n");
  cr_assert_str_eq (outfile_name ("-"), "standard output");
  cr_assert_str_eq (outfile_name (NULL), "standard output");
  cr_assert_str_eq (outfile_name ("x"), "x");
}
