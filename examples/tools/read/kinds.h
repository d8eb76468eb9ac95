/* kinds.h - the kinds of inputs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef KINDS_H
#define KINDS_H 1

#include "samples.h"

#include <stdbool.h>
#include <stddef.h>

/* A kind of input.  */
struct import_kind
{
  const char *name;
  /* Whether an input begins like one of this kind: n bytes are given, fewer
     than IMPORT_PEEK only if the input is shorter.  */
  bool (*is_kind) (const unsigned char *bytes, size_t n);
  /* Reads a whole input.  False: it failed; a message was printed.  */
  bool (*read) (struct import *im, struct input *in);
};

/* More than a line may have, of which the first ones may be long.  */
enum { IMPORT_PEEK = 5 << 20 };

extern const struct import_kind import_callgrind;
extern const struct import_kind import_cpuprofile;
extern const struct import_kind import_firefox;
extern const struct import_kind import_folded;
extern const struct import_kind import_gperftools;
extern const struct import_kind import_perf_data; /* needs libdw */
extern const struct import_kind import_perf_script;
extern const struct import_kind import_pprof;
extern const struct import_kind import_speedscope;

/* The kind of a name, or of an input by its first bytes.  NULL: there is none;
   a message was printed about the input.  */
const struct import_kind *import_kind_named (const char *name);
const struct import_kind *import_kind_of (struct input *in);

#endif /* KINDS_H */
