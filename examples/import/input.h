/* input.h - the bytes of an input, decompressed if it is gzipped.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef INPUT_H
#define INPUT_H 1

#include "lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct input
{
  const char *name;     /* for messages */
  int fd;
  uint64_t read;        /* bytes, as they are in the file */
  uint64_t offset;      /* of the next byte, as decompressed */
  unsigned char *bytes; /* read ahead: from start to end */
  size_t start;
  size_t end;
  size_t size;
  bool at_end;
  int error;            /* errno, or 0; reading ends there */
  const char *reason;   /* or NULL: why it cannot be decompressed */
  void *inflate;        /* NULL: it is not compressed */
};

/* "-" is the standard input.  False: a message was printed.  */
bool input_open (struct input *in, const char *path);

/* Makes the next n bytes available.  Returns how many there are, which may be
   more; fewer only at the end of the input.  */
size_t input_need (struct input *in, size_t n);

/* The next byte that was read ahead.  */
static inline const unsigned char *
input_bytes (const struct input *in)
{
  return in->bytes + in->start;
}

/* Takes n bytes of those that are available.  */
static inline void
input_take (struct input *in, size_t n)
{
  in->start += n;
  in->offset += n;
}

/* Reads all that follows, at most `most` bytes, a NUL behind them, and leaves
   it untaken.  False: there is more, or it cannot be read; a message was
   printed.  */
bool input_read_all (struct input *in, size_t most);

/* Prints why the input cannot be read, if it cannot.  Returns whether it was
   read to its end.  */
bool input_check (const struct input *in);

/* Prints what is wrong with the input at an offset.  Returns false.  */
bool input_refuse (const struct input *in, uint64_t offset,
                   const char *reason);

/* Makes the input's lines available by lines_next; to be freed with
   lines_free.  */
void input_lines (struct input *in, struct lines *lines);

/* Prints why lines_next returned something else than a line, or what is wrong
   with the last line, which `reason` says.  False but at the end of the
   input.  */
bool input_end_lines (const struct input *in, const struct lines *lines,
                      enum lines_status status, const char *reason);

void input_close (struct input *in);

#endif /* INPUT_H */
