/* import_damage.c - damages profiles in many ways, and has cgw-import's
   readers read them: they must refuse them with a message, or import them, and
   not crash.

   import_damage [--step N] FILE... cuts each file off at each byte, and
   changes each byte in several ways; or at every Nth byte only.  A kind must
   still be recognized, or none.  Linked with -fsanitize=fuzzer, it is a target
   for libFuzzer.

   SPDX-License-Identifier: MIT  */

#include "import.h"
#include "memory.h"
#include "outfile.h"
#include "sums.h"
#include "tool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct option no_options[] = { TOOL_OPTIONS };
static const struct tool damage_tool
    = { .name = "cgw-import", .usage = "", .help = "", .letters = "",
        .options = no_options };

static int input = -1;    /* a file in memory */
static char input_path[64];

static void
begin (void)
{
  if (input >= 0)
    return;
  tool_begin (&damage_tool);
  input = memfd_create ("damaged", MFD_CLOEXEC);
  snprintf (input_path, sizeof input_path, "/proc/self/fd/%d", input);
}

static void
fill (const unsigned char *bytes, size_t n)
{
  if (ftruncate (input, 0) != 0 || pwrite (input, bytes, n, 0) != (ssize_t) n)
    abort ();
}

/* Imports what is in the input.  Returns the kind's name if it was imported,
   else NULL.  */
static const char *
import_it (const struct import_options *options)
{
  const struct import_kind *kind = options->kind;
  struct input in;
  struct import im;
  bool ok;

  if (!input_open (&in, input_path))
    abort ();
  sums_begin (&im, options);
  if (kind == NULL)
    kind = import_kind_of (&in);
  ok = kind != NULL && kind->read (&im, &in)
       && sums_has_any (&im, input_path) && outfile_open (options->out) >= 0
       && sums_write (&im);
  input_close (&in);
  sums_end (&im);
  return ok ? kind->name : NULL;
}

static const char *
import_bytes (const unsigned char *bytes, size_t n, bool inline_functions)
{
  struct import_options options = { .out = "/dev/null", .to = UINT64_MAX,
                                    .inline_functions = inline_functions };

  begin ();
  fill (bytes, n);
  return import_it (&options);
}

int LLVMFuzzerTestOneInput (const unsigned char *bytes, size_t n);

int
LLVMFuzzerTestOneInput (const unsigned char *bytes, size_t n)
{
  if (n != 0)
    import_bytes (bytes, n, n % 2 != 0);
  return 0;
}

#ifndef FUZZER

static unsigned tried, imported;

/* Tries some bytes; what is not imported must have a message.  */
static void
try_bytes (const unsigned char *bytes, size_t n)
{
  off_t before = lseek (STDERR_FILENO, 0, SEEK_CUR);
  bool ok = import_bytes (bytes, n, tried % 2 != 0);

  tried++;
  imported += ok;
  fflush (stderr);
  if (!ok && lseek (STDERR_FILENO, 0, SEEK_CUR) == before)
    {
      printf ("no message for %zu bytes\n", n);
      exit (EXIT_FAILURE);
    }
}

static void
damage (unsigned char *bytes, size_t n, size_t step)
{
  static const unsigned char changes[] = { 0x01, 0x80, 0xff, 0x10, 0x24 };

  for (size_t i = 1; i < n; i += step)
    {
      /* A copy, so that a sanitizer sees what is read behind it.  */
      try_bytes (bytes, i);
      for (size_t k = 0; k < sizeof changes; k++)
        {
          bytes[i] ^= changes[k];
          try_bytes (bytes, n);
          bytes[i] ^= changes[k];
        }
    }
}

static void
damage_file (const char *path, size_t step)
{
  static unsigned char bytes[1 << 20];
  FILE *file = fopen (path, "rb");
  size_t n = file != NULL ? fread (bytes, 1, sizeof bytes, file) : 0;
  const char *kind;

  if (n == 0 || fclose (file) != 0)
    {
      perror (path);
      exit (EXIT_FAILURE);
    }
  kind = import_bytes (bytes, n, true);
  if (kind == NULL)
    {
      printf ("%s: it is not imported\n", path);
      exit (EXIT_FAILURE);
    }
  tried = imported = 0;
  damage (bytes, n, step);
  printf ("%s: %s: %u of %u damaged files imported\n", path, kind, imported,
          tried);
}

/* Messages go to a file, for their number is counted.  */
int
main (int argc, char **argv)
{
  size_t step = 1;
  int i = 1;

  if (argc > 2 && strcmp (argv[1], "--step") == 0)
    {
      step = (size_t) atoi (argv[2]);
      i = 3;
    }
  for (; i < argc; i++)
    damage_file (argv[i], step);
  return EXIT_SUCCESS;
}

#endif
