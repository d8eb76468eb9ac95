/* written.h - a writer into memory, and what the strict reader says of the
   bytes.  The tests of what lands in the file all go through it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef WRITTEN_H
#define WRITTEN_H 1

#include "cgw.h"
#include "reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file in memory, its writer, and the writer's names.  */
struct written
{
  struct cgw_names *names;
  bool own_names; /* made by written_open */
  struct cgw_writer *w;
  char *bytes; /* ends in a NUL that is not counted */
  size_t n;
  size_t room;
  unsigned flags;          /* the writer's */
  unsigned reader_flags;   /* beside those that follow from flags */
  int fail;                /* errno of every write; 0: writes succeed */
  struct profile *profile; /* what was read, after written_end */
  const char *name;        /* of the case, for messages; or NULL */
};

/* Makes names, and a writer; o may be NULL, and its write hook is replaced. */
struct cgw_writer *written_open (struct written *f,
                                 const struct cgw_options *o);

/* Makes a writer of these names, which stay the caller's.  */
struct cgw_writer *written_open_with (struct written *f,
                                      struct cgw_names *names,
                                      const struct cgw_options *o);

/* Makes names, and a writer with these flags; begins a part with these events,
   which have blanks between them.  */
struct cgw_writer *written_begin (struct written *f, unsigned flags,
                                  const char *events, unsigned positions);

/* Begins a part and nothing else; at most 8 events.  */
enum cgw_status written_part (struct cgw_writer *w, const char *events,
                              unsigned positions);

/* A part with these events, to be changed before it begins.  */
struct cgw_part written_part_of (const struct cgw_event *events, size_t n);

/* A function by names; NULL is unknown.  */
struct cgw_fn written_fn (struct cgw_names *names, const char *object,
                          const char *file, const char *name);

/* Positions, and records with one cost that must succeed.  */
struct cgw_pos written_line (struct cgw_fn fn, uint32_t line);
struct cgw_pos written_instr (struct cgw_fn fn, uint64_t instr);
struct cgw_pos written_inline (struct cgw_fn fn, struct cgw_file file,
                               uint32_t line);
void written_cost (struct cgw_writer *w, struct cgw_pos pos, uint64_t cost);
void written_call (struct cgw_writer *w, struct cgw_pos from,
                   struct cgw_pos to, uint64_t cost);

/* Finishes, which must give the status, frees the writer, and reads the bytes
   strictly, which must succeed.  */
void written_end (struct written *f, enum cgw_status status);

/* Reads the bytes strictly as they are; for a file that ends with no totals:,
   or before it is finished, set f->reader_flags.  */
void written_read (struct written *f);

/* The bytes behind the first events: line, or behind the summary: line that
   follows it.  */
const char *written_body (const struct written *f);

/* Frees all: the writer, the names that written_open made, and the bytes.  */
void written_free (struct written *f);

/* Ends the file, whose body must be this text.  */
#define written_is(f, text)                                                   \
  do                                                                          \
    {                                                                         \
      written_end (f, CGW_OK);                                                \
      cr_assert_str_eq (written_body (f), text);                              \
      written_free (f);                                                       \
    }                                                                         \
  while (0)

#endif /* WRITTEN_H */
