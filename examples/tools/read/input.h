/* input.h - the bytes of an input, decompressed if it is gzipped.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef INPUT_H
#define INPUT_H 1

#include "../base/infile.h"

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
  struct lines lines;   /* of a text */
  enum lines_status status; /* of the last line */
  uint64_t begin;       /* input_make_file: where it begins in the file */
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

/* Makes any part of the input readable by input_read_at: an input that is no
   file, or is compressed, is copied to a temporary file.  Nothing was taken
   before.  False: a message was printed.  */
bool input_make_file (struct input *in);

/* Reads n bytes at an offset.  False: it has not as many, or they cannot be
   read; a message was printed.  */
bool input_read_at (struct input *in, uint64_t offset, void *to, size_t n);

/* Reads all that follows, at most `most` bytes, a NUL behind them, and leaves
   it untaken.  False: there is more, or it cannot be read; a message was
   printed.  */
bool input_read_all (struct input *in, size_t most);

/* As read(2), of an input.  */
ssize_t input_read (void *in, void *to, size_t n);

/* Prints why the input cannot be read, if it cannot.  Returns whether it was
   read to its end.  */
bool input_check (const struct input *in);

/* Prints what is wrong with the input at an offset.  Returns false.  */
bool input_refuse (const struct input *in, uint64_t offset,
                   const char *reason);

/* Returns the next line, without its end, and its length, which may be NULL.
   It may be changed, and lives until the next call.  NULL: there is none;
   input_check says whether that is an error.  */
char *input_line (struct input *in, size_t *length);

/* Prints what is wrong with the last line, or with the input, if it is read
   otherwise.  Returns false.  */
bool input_refuse_line (const struct input *in, const char *reason);

void input_close (struct input *in);

#endif /* INPUT_H */
