/* kinds.c - the kinds of inputs, and those that are known, but not read.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* In the order in which they are tried: what any text might be is last.  */
static const struct import_kind *const kinds[] = {
  &import_callgrind,
  &import_gperftools,
#ifdef HAVE_LIBDW
  &import_perf_data,
#endif
  &import_pprof,
  &import_cpuprofile,
  &import_firefox,
  &import_speedscope,
  &import_perf_script,
  &import_folded,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const struct import_kind *
import_kind_named (const char *name)
{
  for (size_t i = 0; i < KINDS; i++)
    if (strcmp (kinds[i]->name, name) == 0)
      return kinds[i];
  return NULL;
}

/* What is not read, by its first bytes, or by the bracket and a key of JSON.
   Readers would take some for what they read.  */

static const char decompress[] = "it is compressed: decompress it first";
static const char pprof[]
    = "it is a profile in an old format of pprof: pprof -proto converts it";
static const char speedscope[]
    = "which is not read: speedscope opens it, and exports what is";

static const struct
{
  const char *bytes;
  size_t n;
  const char *reason;
} unread_bytes[] = {
#define BYTES(text) text, sizeof text - 1
  { BYTES ("\xfd\x37zXZ"), decompress },
  { BYTES ("\x28\xb5\x2f\xfd"), decompress },
  { BYTES ("\x04\x22\x4d\x18"), decompress },
  { BYTES ("BZh91AY&SY"), decompress },
  { BYTES ("PK\3\4"), decompress },
  { BYTES ("heap profile:"), pprof },
  { BYTES ("goroutine profile:"), pprof },
  { BYTES ("threadcreate profile:"), pprof },
  { BYTES ("--- contention:"), pprof },
  { BYTES ("--- mutex:"), pprof },
  { BYTES ("FLR\0"),
    "it is a recording of Java's Flight Recorder, which is not read: jfrconv "
    "of async-profiler makes collapsed stacks of it" },
  { BYTES ("\xfb)\3"),
    "it has statistics of Python's cProfile, which is not read: write_stats of "
    "cgw.py converts them" },
#ifndef HAVE_LIBDW
  { BYTES ("PERFILE2"), "it is perf.data, and this program was built without "
                        "libdw: import the text of perf script" },
#endif
  { BYTES ("\177ELF"), "it is a program or a library, and no profile" },
  { BYTES ("\xcf\xfa\xed\xfe"),
    "it is a program or a library, and no profile" },
#undef BYTES
};

static const struct
{
  char begin;
  const char *key;
  const char *what;
} unread_keys[] = {
  { '{', "selfSize", "a heap profile of V8" },
  { '{', "traceEvents", "a trace of Chrome" },
  { '[', "ph", "a trace of Chrome" },
};

/* Prints why an input that begins so is not read.  Returns whether it did.  */
static bool
complain_of_unread (const struct input *in, const unsigned char *bytes,
                    size_t n)
{
  for (size_t i = 0; i < sizeof unread_bytes / sizeof *unread_bytes; i++)
    if (n >= unread_bytes[i].n
        && memcmp (bytes, unread_bytes[i].bytes, unread_bytes[i].n) == 0)
      {
        tool_complain (in->name, 0, unread_bytes[i].reason);
        return true;
      }
  for (size_t i = 0; i < sizeof unread_keys / sizeof *unread_keys; i++)
    if (json_has_key (bytes, n, unread_keys[i].begin, unread_keys[i].key))
      {
        char *text = make_text ("it is %s, %s", unread_keys[i].what,
                                speedscope);

        tool_complain (in->name, 0, text);
        free (text);
        return true;
      }
  return false;
}

static void
complain_of_unknown (const struct input *in)
{
  char *text = copy_text ("it is of no known kind; known are");

  for (size_t i = 0; i < KINDS; i++)
    {
      char *more = make_text ("%s%s %s", text, i != 0 ? "," : "",
                              kinds[i]->name);

      free (text);
      text = more;
    }
  tool_complain (in->name, 0, text);
  free (text);
}

const struct import_kind *
import_kind_of (struct input *in)
{
  size_t n = input_need (in, IMPORT_PEEK);
  const unsigned char *bytes = input_bytes (in);

  if (complain_of_unread (in, bytes, n))
    return NULL;
  for (size_t i = 0; i < KINDS; i++)
    if (kinds[i]->is_kind (bytes, n))
      return kinds[i];
  if (!input_check (in))
    return NULL;
  if (n == 0)
    tool_complain (in->name, 0, "it is empty");
  else
    complain_of_unknown (in);
  return NULL;
}
