/* export.c - writes a recording in one of several formats.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "export.h"

#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/tool.h"
#include "../format/reader_tool.h"
#include "each_stack.h"
#include "formats.h"
#include "to_callgrind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct export_format
{
  const char *name;
  const char *suffix;
  const char *command; /* NULL: readers.def has them */
  /* NULL: a callgrind profile, which is no stream of stacks.  */
  void (*write) (const struct recording *r, const char *out, FILE *to);
};

static const struct export_format formats[]
    = { { "callgrind", "", NULL, NULL },
        { "folded", ".folded", "flamegraph.pl", write_folded },
        { "pprof", ".pb.gz", "go tool pprof -http=:", write_pprof },
        { "speedscope", ".speedscope.json", "speedscope",
          write_speedscope } };

const struct export_format *
export_option (const char *name)
{
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp (formats[i].name, name) == 0)
      return &formats[i];
  tool_usage_error ("no such format: ", name);
}

const char *
export_suffix (const struct export_format *format)
{
  return format != NULL ? format->suffix : "";
}

const char *
export_command (const struct export_format *format)
{
  return format != NULL ? format->command : NULL;
}

bool
export_has_threads (const struct export_format *format)
{
  return format != NULL && format->write == write_pprof;
}

static bool
is_callgrind (const struct export_options *options)
{
  return options->format == NULL || options->format->write == NULL;
}

void
export_check (const struct export_options *options)
{
  if (options->by_profile
      && (options->out == NULL || strcmp (options->out, "-") == 0))
    tool_usage_error ("--threads=files needs -o", "");
  if (options->reader != NULL && !is_callgrind (options))
    tool_usage_error ("--for is for callgrind profiles, not ",
                      options->format->name);
  if (options->is_estimated && is_callgrind (options))
    tool_usage_error ("a callgrind profile needs no --estimate", "");
}

bool
export_open (const struct export_options *options)
{
  return options->by_profile || outfile_open (options->out) >= 0;
}

void
export_discard (const struct export_options *options)
{
  if (!options->by_profile)
    outfile_discard ();
}

bool
export_write_one (const struct export_options *options,
                  const struct recording *r, const char *path,
                  unsigned *limits)
{
  FILE *to;

  if (is_callgrind (options))
    return write_callgrind (r, r->profiles, r->n_profiles, options->reader,
                            path, limits);
  to = outfile_stream ();
  options->format->write (r, outfile_name (path), to);
  return outfile_finish_stream (path, to);
}

/* Threads without ids differ in a number alone.  */
static bool
write_each (const struct export_options *options, const struct recording *r,
            unsigned *limits)
{
  struct recording one = *r;
  size_t same = 1;
  bool ok = true;

  one.n_profiles = 1;
  for (size_t i = 0; i < r->n_profiles && ok; i++)
    {
      const struct recorded *thread = &r->profiles[i];
      char number[24] = "", *path;

      same = i != 0 && thread[-1].pid == thread->pid
                     && thread[-1].tid == thread->tid
                 ? same + 1
                 : 1;
      if (same != 1)
        snprintf (number, sizeof number, "-%zu", same);
      path = make_text ("%s.%" PRIu64 "-%" PRIu64 "%s", options->out,
                        thread->pid, thread->tid, number);
      one.profiles = thread;
      ok = outfile_open (path) >= 0
           && export_write_one (options, &one, path, limits);
      free (path);
    }
  return ok;
}

bool
export_write (const struct export_options *options,
              const struct recording *r, const char *input)
{
  struct recording all = *r;
  unsigned limits = r->limits;
  bool ok;

  all.is_estimated = !is_callgrind (options) && !stacks_are_whole (r);
  if (all.is_estimated && !options->is_estimated)
    {
      export_discard (options);
      return tool_complain (input, 0,
                            "it has costs and calls, but no stacks: "
                            "--estimate makes some of them");
    }
  ok = options->by_profile ? write_each (options, &all, &limits)
                           : export_write_one (options, &all, options->out,
                                            &limits);
  if (ok && options->reader != NULL)
    reader_say (options->reader, limits, outfile_name (options->out));
  return ok;
}
