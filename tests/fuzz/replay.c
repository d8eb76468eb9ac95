/* replay.c - run a fuzzer on its seeds, each in a process of its own.

   tests/fuzz/NAME tries all files of tests/fuzz/seeds/NAME in srcdir, and
   tests/fuzz/NAME FILE... these.  With --damage N before them, it tries each cut
   off, and with one byte changed, at every Nth byte.  Prints TAP: a seed is not ok
   if its process aborts or crashes, or if a sanitizer reports an error or a
   leak.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn static void
bail_out (const char *what)
{
  printf ("Bail out! %s: %s\n", what, strerror (errno));
  exit (1);
}

/* Try a block of that very size, so that AddressSanitizer notices who reads
   beyond it.  */
static void
try_bytes (const uint8_t *bytes, size_t size)
{
  uint8_t *whole = malloc (size + (size == 0));

  if (whole == NULL)
    fuzz_fail ("no memory");
  memcpy (whole, bytes, size);
  LLVMFuzzerTestOneInput (whole, size);
  free (whole);
}

/* How many bytes are between those that are damaged; 0 if none are.  */
static size_t step;

static void
damage (uint8_t *bytes, size_t size)
{
  static const uint8_t changes[] = { 0x01, 0x80, 0xff, 0x10, 0x24 };

  for (size_t i = 1; i < size; i += step)
    {
      try_bytes (bytes, i);
      for (size_t k = 0; k < sizeof changes; k++)
        {
          bytes[i] ^= changes[k];
          try_bytes (bytes, size);
          bytes[i] ^= changes[k];
        }
    }
}

/* Read a file, and try it.  */
static void
try_file (const char *path)
{
  uint8_t *data;
  size_t size = 0, room = 1 << 16;
  FILE *f = fopen (path, "rb");

  if (f == NULL || (data = malloc (room)) == NULL)
    fuzz_fail ("%s: %s", path, strerror (errno));
  for (size_t n; (n = fread (data + size, 1, room - size, f)) > 0;)
    if ((size += n) == room && (data = realloc (data, room *= 2)) == NULL)
      fuzz_fail ("%s: no memory", path);
  if (ferror (f))
    fuzz_fail ("%s: cannot be read", path);
  fclose (f);
  try_bytes (data, size);
  if (step != 0)
    damage (data, size);
  free (data);
}

/* Try a file in a process, whose exit looks for leaks.  */
static bool
passes (const char *path)
{
  int status;
  pid_t pid;

  fflush (NULL);
  if ((pid = fork ()) == -1)
    bail_out ("fork");
  if (pid == 0)
    {
      try_file (path);
      exit (0);
    }
  while (waitpid (pid, &status, 0) == -1)
    if (errno != EINTR)
      bail_out ("waitpid");
  if (WIFSIGNALED (status))
    printf ("# signal %d\n", WTERMSIG (status));
  else if (status != 0)
    printf ("# exit status %d\n", WEXITSTATUS (status));
  return status == 0;
}

static bool
report (int number, const char *path, const char *name)
{
  bool ok = passes (path);

  printf ("%s %d - %s\n", ok ? "ok" : "not ok", number, name);
  return ok;
}

static int
is_seed (const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

/* Try the seeds of a fuzzer.  Return how many failed.  */
static int
try_folder (const char *fuzzer)
{
  const char *srcdir = getenv ("srcdir");
  char folder[4096], path[8192];
  struct dirent **entries;
  int failed = 0, n;

  snprintf (folder, sizeof folder, "%s/tests/fuzz/seeds/%s",
            srcdir != NULL ? srcdir : ".", fuzzer);
  if ((n = scandir (folder, &entries, is_seed, alphasort)) == -1)
    bail_out (folder);
  if (n == 0)
    {
      printf ("Bail out! %s: has no seeds\n", folder);
      exit (1);
    }
  printf ("1..%d\n", n);
  for (int i = 0; i < n; i++)
    {
      snprintf (path, sizeof path, "%s/%s", folder, entries[i]->d_name);
      failed += !report (i + 1, path, entries[i]->d_name);
      free (entries[i]);
    }
  free (entries);
  return failed;
}

int
main (int argc, char **argv)
{
  const char *slash = strrchr (argv[0], '/');
  const char *name = slash != NULL ? slash + 1 : argv[0];
  int failed = 0;

  if (strncmp (name, "lt-", 3) == 0) /* libtool's name for it */
    name += 3;
  if (argc == 1)
    return try_folder (name) != 0;
  if (argc > 2 && strcmp (argv[1], "--damage") == 0)
    {
      step = (size_t) atoi (argv[2]);
      argc -= 2;
      argv += 2;
    }
  printf ("1..%d\n", argc - 1);
  for (int i = 1; i < argc; i++)
    failed += !report (i, argv[i], argv[i]);
  return failed != 0;
}
