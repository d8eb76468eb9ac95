/* outfile.c - an output file that appears complete or not at all; and the
   files of an earlier run go.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "outfile.h"

#include "memory.h"
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int output = -1;
static char *final_name;
/* For the signal handler: the name to remove, or NULL.  Changed only while
   the signals are blocked.  */
static char *volatile temporary_name;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { SIGNALS = sizeof signals / sizeof *signals };

static void
on_signal (int number)
{
  if (temporary_name)
    unlink (temporary_name);
  /* The handler is gone (SA_RESETHAND): this ends the program when the
     handler returns.  */
  raise (number);
}

static void
block_signals (sigset_t *old)
{
  sigset_t set;

  sigemptyset (&set);
  for (int i = 0; i < SIGNALS; i++)
    sigaddset (&set, signals[i]);
  sigprocmask (SIG_BLOCK, &set, old);
}

/* Signals that were ignored when the program began, as under nohup, stay so.
   Reaching a file size limit becomes a write error like any other.  */
static void
catch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal,
                              .sa_flags = (int) SA_RESETHAND };
  struct sigaction old;

  sigfillset (&action.sa_mask);
  for (int i = 0; i < SIGNALS; i++)
    if (sigaction (signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction (signals[i], &action, NULL);
  signal (SIGXFSZ, SIG_IGN);
}

/* Gives a file the permissions of the one that it replaces, and its group,
   without which the permissions of the group would be those of others.  */
static bool
take_permissions (int fd, const struct stat *old)
{
  mode_t mode = old->st_mode & 0777;
  struct stat now;

  if (fstat (fd, &now) != 0)
    return false;
  if (now.st_gid != old->st_gid && fchown (fd, (uid_t) -1, old->st_gid) != 0)
    {
      mode_t shared = mode & mode >> 3 & S_IRWXO;

      mode = (mode & S_IRWXU) | shared << 3 | shared;
    }
  return (now.st_mode & 0777) == mode || fchmod (fd, mode) == 0;
}

/* The longest name of a file, and room in it for what create_beside adds.  */
enum { NAME_LONGEST = 255, ADDED_LONGEST = 40 };

/* How much of final_name the name of the other file has.  */
static int
length_of_stem (void)
{
  const char *slash = strrchr (final_name, '/');
  size_t folder = slash != NULL ? (size_t) (slash + 1 - final_name) : 0;
  size_t name = strlen (final_name + folder);

  if (name > NAME_LONGEST - ADDED_LONGEST)
    name = NAME_LONGEST - ADDED_LONGEST;
  return (int) (folder + name);
}

/* Creates a new file beside final_name, with the permissions of that one, or of
   the umask if there is none.  Two programs may do so at once, so its name has
   the process id, and a number for what a killed one left.  */
static int
create_beside (const struct stat *replaced)
{
  mode_t mode = replaced != NULL ? S_IRUSR | S_IWUSR : 0666;
  int stem = length_of_stem ();
  size_t size = (size_t) stem + ADDED_LONGEST + 1;
  char *name = malloc (size);
  sigset_t old;
  int fd = -1;

  if (!name)
    return -1;
  block_signals (&old);
  for (int i = 0; fd < 0 && i < 100; i++)
    {
      snprintf (name, size, "%.*s.%ld-%d.tmp", stem, final_name,
                (long) getpid (), i);
      fd = open (name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (fd < 0 && errno != EEXIST)
        break;
    }
  if (fd >= 0 && replaced != NULL && !take_permissions (fd, replaced))
    {
      int error = errno;
      close (fd);
      unlink (name);
      fd = -1;
      errno = error;
    }
  if (fd >= 0)
    temporary_name = name;
  sigprocmask (SIG_SETMASK, &old, NULL);
  if (fd < 0)
    {
      int error = errno;
      free (name);
      errno = error;
    }
  return fd;
}

static bool
is_stdout (const char *path)
{
  return !path || strcmp (path, "-") == 0;
}

const char *
outfile_name (const char *path)
{
  return is_stdout (path) ? "standard output" : path;
}

bool
outfile_complain (const char *path, struct cgw_writer *w)
{
  const char *reason;

  if (cgw_error (w, &reason) == CGW_EIO)
    reason = strerror (cgw_errno (w));
  return tool_complain (outfile_name (path), 0, reason);
}

/* Both return the descriptor, or -1 with errno set.  */

/* If it is closed, the library would say so in the words of its own calls.  */
static int
open_stdout (void)
{
  int flags = fcntl (STDOUT_FILENO, F_GETFL);

  if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
    return STDOUT_FILENO;
  errno = EBADF;
  return -1;
}

/* A device or a pipe cannot be replaced by a file.  What was put in its place
   meanwhile must not be written over.  */
static int
open_special (const char *path)
{
  int fd = open (path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  struct stat st;

  if (fd < 0 || (fstat (fd, &st) == 0 && !S_ISREG (st.st_mode)))
    return fd;
  close (fd);
  errno = EBUSY;
  return -1;
}

static int
open_path (const char *path)
{
  struct stat st;
  bool is_there = stat (path, &st) == 0;

  if (is_there)
    {
      if (!S_ISREG (st.st_mode))
        return open_special (path);
      /* A symbolic link must not be replaced: what it leads to is.  */
      final_name = realpath (path, NULL);
    }
  else if (errno == ENOENT && lstat (path, &st) != 0)
    final_name = strdup (path);
  return final_name ? create_beside (is_there ? &st : NULL) : -1;
}

int
outfile_open (const char *path)
{
  catch_signals ();
  no_memory_first (outfile_discard);
  output = is_stdout (path) ? open_stdout () : open_path (path);
  if (output < 0)
    {
      tool_complain (outfile_name (path), 0, strerror (errno));
      outfile_discard ();
    }
  return output;
}

struct cgw_writer *
outfile_writer (struct cgw_names *names, unsigned flags, const char *creator)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  options.flags = flags | CGW_WAIT;
  options.creator = creator;
  if (cgw_open_fd (&w, names, output, &options) != CGW_OK)
    no_memory ();
  return w;
}

/* Removes the other file, and leaves errno alone.  */
void
outfile_discard (void)
{
  int error = errno;
  sigset_t old;

  block_signals (&old);
  if (temporary_name)
    unlink (temporary_name);
  free (temporary_name);
  temporary_name = NULL;
  sigprocmask (SIG_SETMASK, &old, NULL);
  free (final_name);
  final_name = NULL;
  errno = error;
}

/* Gives it its name.  False: errno says why.  */
static bool
commit (void)
{
  sigset_t old;
  bool ok = close (output) == 0;

  if (ok && temporary_name)
    {
      block_signals (&old);
      ok = rename (temporary_name, final_name) == 0;
      if (ok)
        {
          free (temporary_name);
          temporary_name = NULL;
        }
      sigprocmask (SIG_SETMASK, &old, NULL);
    }
  return ok;
}

bool
outfile_close (const char *path, bool is_complete)
{
  bool ok = is_complete && commit ();

  if (is_complete && !ok)
    tool_complain (outfile_name (path), 0, strerror (errno));
  outfile_discard ();
  return ok;
}

bool
outfile_finish (const char *path, struct cgw_writer *w)
{
  bool ok = cgw_finish (w) == CGW_OK || outfile_complain (path, w);

  cgw_free (w);
  return outfile_close (path, ok);
}

/* Of the stream: its first error, or 0.  */
static int stream_error;

/* Writes all, as the library does with CGW_WAIT.  (For fopencookie.)  */
static ssize_t
write_all (void *cookie, const char *bytes, size_t n)
{
  size_t done = 0;

  (void) cookie;
  while (done < n && stream_error == 0)
    {
      ssize_t result = write (output, bytes + done, n - done);
      struct pollfd ready = { .fd = output, .events = POLLOUT };

      if (result >= 0)
        done += (size_t) result;
      else if (errno == EAGAIN)
        poll (&ready, 1, -1);
      else if (errno != EINTR)
        stream_error = errno;
    }
  return done == n ? (ssize_t) n : 0;
}

FILE *
outfile_stream (void)
{
  enum { ROOM = 1 << 16 };
  FILE *stream = fopencookie (NULL, "w",
                              (cookie_io_functions_t){ .write = write_all });

  stream_error = 0;
  if (stream == NULL || setvbuf (stream, NULL, _IOFBF, ROOM) != 0)
    no_memory ();
  return stream;
}

bool
outfile_finish_stream (const char *path, FILE *stream)
{
  bool ok = fclose (stream) == 0 && stream_error == 0;

  if (!ok)
    tool_complain (outfile_name (path), 0,
                   strerror (stream_error != 0 ? stream_error : errno));
  return outfile_close (path, ok);
}

/* What an earlier run left.  */

enum
{
  HEADER_LINES = 10,    /* of which one is the mark */
  HEADER_MOST = 8 << 20 /* bytes; a command line has no more */
};

/* Whoever may write to the folder chooses what the file is.  */
static FILE *
open_regular (const char *path)
{
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  FILE *in = NULL;
  struct stat st;

  if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    in = fdopen (fd, "r");
  if (fd >= 0 && in == NULL)
    close (fd);
  return in;
}

static bool
has_mark (const char *path, const char *mark)
{
  FILE *in = open_regular (path);
  size_t column = 0, same = 0;
  int c, lines = 0;

  if (in == NULL)
    return false;
  for (int i = 0; i < HEADER_MOST && lines < HEADER_LINES
                  && mark[same] != '\0' && (c = getc (in)) != EOF; i++)
    if (c == '\n')
      {
        lines++;
        column = same = 0;
      }
    else if (column++ == same && c == mark[same])
      same++;
  fclose (in);
  return mark[same] == '\0';
}

/* What is between `before` and the end of a name.  */
static bool
is_earlier (const char *text, const char *behind, uint64_t n_kept)
{
  char *end;
  uint64_t number = strtoull (text, &end, 10);
  int digits = (int) (end - text);

  if (*end == '-' && isdigit ((unsigned char) end[1]))
    strtoull (end + 1, &end, 10);
  return strcmp (end, behind) == 0
         && (number >= n_kept
             || digits != snprintf (NULL, 0, "%" PRIu64, n_kept - 1));
}

void
outfile_remove_earlier (const char *before, const char *behind, uint64_t n_kept,
                const char *mark)
{
  char *pattern = resize (NULL, 2 * strlen (before) + 8, 1);
  char *to = pattern;
  glob_t found;

  for (const char *from = before; *from != '\0'; *to++ = *from++)
    *to++ = '\\';
  strcpy (to, "[0-9]*");
  if (glob (pattern, GLOB_NOSORT, NULL, &found) == 0)
    {
      for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_earlier (found.gl_pathv[i] + strlen (before), behind, n_kept)
            && has_mark (found.gl_pathv[i], mark))
          unlink (found.gl_pathv[i]);
      globfree (&found);
    }
  free (pattern);
}
