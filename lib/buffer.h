/* buffer.h - the bytes of the file that are not written yet.

   The buffer begins at the end of a record, always, even after a write that
   took only some of its bytes: what a cut-back file needs is then at hand.
   It takes records until it holds `limit` bytes, and has room for one more
   behind that, so a record is encoded without any check of space.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_BUFFER_H
#define CGWI_BUFFER_H 1

#include "memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* A process killed inside write(2) leaves a file that ends at a multiple of
   this (Linux copies page by page).  */
#define CGWI_PAGE 4096

struct cgwi_buffer
{
  char *bytes;
  size_t capacity;
  size_t limit;    /* holding this many, it must be written before more */
  size_t used;     /* bytes held */
  size_t out;      /* of them, how many are in the file already */
  uint64_t offset; /* of bytes[0] in the file */
  size_t inside;   /* records that end up to here are inside the page, and
                      not past the limit; 0 when nobody knows */
  bool pad;        /* keep records from straddling a page */
  volatile bool writing; /* inside cgwi_buffer_write: when a longjmp ended
                            that, nobody knows what is written */
  int fd;
  ssize_t (*write) (void *context, const void *bytes, size_t n); /* or NULL */
  void *context;
};

/* Makes room for capacity bytes; false when there is no memory.  */
bool cgwi_buffer_grow (struct cgwi_buffer *b, const struct cgwi_memory *m,
                       size_t capacity);

/* Writes what is held; returns 0, or the errno of the write that failed.
   Keeps errno.  */
int cgwi_buffer_write (struct cgwi_buffer *b);

/* Forgets the first n bytes held, which are in the file.  */
void cgwi_buffer_drop (struct cgwi_buffer *b, size_t n);

/* Takes in the record that was encoded at bytes + used, up to bytes + end.
   Blank lines before it fill up the page that it would straddle.  */
void cgwi_buffer_commit (struct cgwi_buffer *b, size_t end);

/* The same for a record that ends in this page and not past the limit; false,
   and nothing is done, for others.  */
static inline bool
cgwi_buffer_commit_inside (struct cgwi_buffer *b, size_t end)
{
  if (end > b->inside)
    return false;
  /* Its bytes come first: a handler may end the file now, and jump away.  */
  atomic_signal_fence (memory_order_release);
  b->used = end;
  return true;
}

#endif
