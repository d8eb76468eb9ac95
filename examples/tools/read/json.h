/* json.h - inputs in JSON, by libjansson.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef JSON_H
#define JSON_H 1

#include "input.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether an input begins with this bracket, and a key is among its first
   bytes, at any depth.  */
bool json_has_key (const unsigned char *bytes, size_t n, char bracket,
                   const char *key);

#ifdef HAVE_JANSSON

#include <jansson.h>

/* Reads a whole input.  NULL: it is not JSON; a message was printed.  */
json_t *json_read (struct input *in);

/* Prints what is wrong with an element of an array in the input, or with the
   array if the index is JSON_WHOLE.  Returns false.  */
#define JSON_WHOLE SIZE_MAX
bool json_refuse (const struct input *in, const char *array, size_t index,
                  const char *reason);

/* The text of a key, or "" if there is none.  */
const char *json_text (const json_t *object, const char *key);

/* The whole number of a key; `other` if there is none.  */
json_int_t json_whole (const json_t *object, const char *key,
                       json_int_t other);

#else

/* Prints that the input cannot be read.  Returns false.  */
bool json_is_missing (const struct input *in);

#endif

#endif /* JSON_H */
