/* instead.c - prints the commands that sample what the agent cannot: it is
   loaded when a program starts, and has no counters but clocks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "instead.h"

#include "../base/memory.h"
#include "../base/shell.h"
#include "write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
print_record (const struct instead *wanted, const char *data)
{
  fputs ("  perf record --call-graph fp", stderr);
  if (wanted->events != NULL)
    {
      fputs (" -e", stderr);
      shell_print_word (stderr, wanted->events);
    }
  fprintf (stderr, " -F %" PRIu64, wanted->hertz);
  if (wanted->pid != 0)
    fprintf (stderr, " -p %" PRIu64, wanted->pid);
  fputs (" -o", stderr);
  shell_print_word (stderr, data);
  if (wanted->pid == 0)
    fputs (" --", stderr);
  for (char **word = wanted->program; wanted->pid == 0 && *word != NULL;
       word++)
    shell_print_word (stderr, *word);
  fputc ('\n', stderr);
}

void
instead_print (const struct instead *wanted)
{
  bool needs_pid = wanted->pid == 0 && strchr (wanted->out, '%') != NULL;
  char *out = needs_pid ? copy_text ("callgrind.out")
                        : write_name (wanted->out, wanted->pid);
  /* KCachegrind opens all files whose names begin with that of the profile.  */
  char *data = wanted->pid != 0 ? make_text ("perf.data.%" PRIu64, wanted->pid)
                                : copy_text ("perf.data");

  if (wanted->pid != 0)
    fputs ("cgw-sample samples only programs that it starts itself.  These "
           "commands sample a\nrunning process, until it ends or you press "
           "Ctrl-C, and convert the samples:\n",
           stderr);
  else
    fputs ("cgw-sample samples only processor time.  These commands sample "
           "other events and\nconvert the samples:\n",
           stderr);
  print_record (wanted, data);
  fputs ("  cgw-import", stderr);
  if (wanted->reader != NULL)
    fprintf (stderr, " --for %s", wanted->reader);
  fputs (" -o", stderr);
  shell_print_word (stderr, out);
  shell_print_word (stderr, data);
  fputc ('\n', stderr);
  if (!wanted->frame_pointers)
    fputs ("If callers are wrong or missing, the code was compiled without "
           "frame pointers: give\n--call-graph dwarf instead of fp.  That records "
           "several KiB per sample.\n",
           stderr);
  free (data);
  free (out);
}
