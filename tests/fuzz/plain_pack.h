/* plain_pack.h - read a packed profile the plain way: a record at a time, with
   the names in arrays, as the comment of lib/profile/packed.h describes it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PLAIN_PACK_H
#define PLAIN_PACK_H 1

#include "cgw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_EVENTS 2

/* What profile and bytes must have in common.  */
struct plain_shape
{
  size_t n_events; /* 1 to PLAIN_EVENTS */
  unsigned positions;
  bool is_signed[PLAIN_EVENTS];
};

struct plain_name
{
  const uint8_t *text;
  size_t n;
  size_t file; /* of a function: references */
  size_t object;
};

enum plain_kind { PLAIN_OBJECT, PLAIN_FILE, PLAIN_FN, PLAIN_KINDS };

#define PLAIN_NONE SIZE_MAX

struct plain_record
{
  size_t fn;     /* references */
  size_t source; /* or PLAIN_NONE */
  uint64_t instr;
  uint32_t line;
  size_t callee; /* or PLAIN_NONE: self costs */
  uint64_t count;
  uint64_t to_instr;
  uint32_t to_line;
  uint64_t costs[PLAIN_EVENTS];
};

struct plain_pack
{
  struct plain_name *names[PLAIN_KINDS];
  size_t n_names[PLAIN_KINDS];
  struct plain_record *records;
  size_t n_records;
  enum cgw_status error; /* of the profile that was packed */
};

/* The checksum of packed bytes.  */
uint32_t plain_checksum (const uint8_t *bytes, size_t n);

/* Reads bytes.  CGW_OK: they are a packed profile of that shape.  CGW_EINVAL:
   of another one.  CGW_EPACK: they are none.  Free it in any case.  */
enum cgw_status plain_read (struct plain_pack *pack,
                            const struct plain_shape *shape,
                            const uint8_t *bytes, size_t n);
void plain_free (struct plain_pack *pack);

#endif /* PLAIN_PACK_H */
