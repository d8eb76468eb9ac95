/* model_names.h - names objects of the fuzzer fuzz_calls, and their model.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H 1

#include "cgw.h"
#include "heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_NAMES_MAX 64 /* names of an object */

enum model_kind_of_name { MODEL_OBJECT, MODEL_FILE, MODEL_FN };

/* Texts of names: as they are given, and as they are written.  */
struct model_text
{
  const char *given;
  size_t n;
  const char *written;
  bool changes;
};

#define MODEL_TEXTS 16

extern struct model_text model_texts[MODEL_TEXTS];

struct model_name
{
  struct model_names *owner;
  enum model_kind_of_name kind;
  const struct model_text *text;
  const struct model_name *file;   /* of a function */
  const struct model_name *object;
  uint32_t handle;
};

struct model_names
{
  struct cgw_names *names; /* NULL: there is none */
  bool freed;              /* by the user; writers may still use it */
  struct heap heap;
  enum cgw_status first;   /* error */
  uint64_t changed;
  /* The first three are the unknown object, file and function.  */
  struct model_name name[MODEL_NAMES_MAX];
  size_t n;
};

void model_names_new (struct model_names *names);

/* Add a name; `file` and `object` are for functions.  Any may belong to another
   names object.  */
void model_names_add (struct model_names *names, enum model_kind_of_name kind,
                      const struct model_text *text, bool by_length,
                      const struct model_name *file,
                      const struct model_name *object);

/* The name of that kind with that number, modulo their number.  */
const struct model_name *model_names_pick (const struct model_names *names,
                                           enum model_kind_of_name kind,
                                           unsigned n);

/* Compare the object's error with the model's.  */
void model_names_check (const struct model_names *names);

void model_names_free (struct model_names *names);

#endif
