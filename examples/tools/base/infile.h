/* infile.h - inputs: by lines, twice, or whole.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef INFILE_H
#define INFILE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* The lines of a file or a stream, in chunks: in bounded memory.  */

/* The longest line.  The library cuts names at 64 KiB; a line that is much
   longer than that is no line of a profile, and must not fill the memory.
   (A command line can have 2 MiB.)  */
#define LINES_MAX ((size_t) 4 << 20)

struct lines
{
  int fd;
  /* As read(2), instead of the descriptor; may be NULL.  */
  ssize_t (*read) (void *source, void *to, size_t n);
  void *source;
  char *buffer;
  size_t size;     /* of the buffer */
  size_t start;    /* of the first byte not yet handed out */
  size_t end;      /* of the bytes read */
  bool any_nul;    /* among the bytes read */
  bool at_end;     /* read(2) said 0 */
  bool no_newline; /* the line handed out last ended with the file */
  bool had_cr;     /* the line handed out last ended with "\r\n" */
  uint64_t number; /* of the line handed out last, from 1 */
};

enum lines_status
{
  LINES_OK,
  LINES_END,      /* no more lines */
  LINES_ERRNO,    /* read(2) failed or no memory: errno says why */
  LINES_TOO_LONG, /* longer than LINES_MAX */
  LINES_NUL       /* holds a NUL byte */
};

/* The next line, as a string without its "\n" or "\r\n".  It may be changed
   and lives until the next call.  *length is its length.  */
enum lines_status lines_next (struct lines *in, char **line, size_t *length);

/* For callers that take some lines apart in place: the bytes read but not yet
   handed out, with LINES_NULS NULs behind them.  */
enum { LINES_NULS = 8 };

static inline const char *
lines_ahead (const struct lines *in)
{
  static const char none[LINES_NULS];

  return in->buffer ? in->buffer + in->start : none;
}

/* Hands out a line of them: the next one begins at `next`.  */
static inline void
lines_take (struct lines *in, const char *next)
{
  in->start = (size_t) (next - in->buffer);
  in->number++;
}

void lines_free (struct lines *in);

/* Says that a file with these first bytes, a string, is compressed, and what
   reads it; or NULL.  */
const char *lines_compressed (const char *bytes);

/* The value of a digit, hexadecimal ones included; 16 if it is none.  */
static inline unsigned
digit_value (char c)
{
  if (c >= '0' && c <= '9')
    return (unsigned) (c - '0');
  if (c >= 'a' && c <= 'f')
    return (unsigned) (c - 'a') + 10;
  if (c >= 'A' && c <= 'F')
    return (unsigned) (c - 'A') + 10;
  return 16;
}

/* An input that can be read twice, be it a pipe.  */

/* Begins with path and name alone.  */
struct source
{
  char *path;       /* "-": the standard input */
  const char *name; /* for messages */
  FILE *copy;       /* of what cannot be read twice, or NULL */
};

/* Opens an input at its beginning.  A pipe is copied to a temporary file first.
   Returns the descriptor, or -1 after printing a message.  */
int source_open (struct source *in);
void source_close (struct source *in, int fd);

/* Removes the copy.  */
void source_free (struct source *in);

/* The whole of a file.  */

/* The most bytes of a source or of a list of symbols.  A sparse file, or one of
   /proc, could fill the memory otherwise.  */
enum
{
  FILE_MOST = 512 << 20
};

/* Reads the rest of a file, of which fstat need not know the size: up to its
   end, or an error.  Returns a string to be freed, and its length; or NULL, if
   that is more than `most`.  */
char *file_read (int fd, size_t most, size_t *length);

#endif /* INFILE_H */
