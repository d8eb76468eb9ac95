/* fuzz.c - how fuzzers fail, and a reader of their input.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void
fuzz_fail (const char *format, ...)
{
  va_list args;

  fputs ("fuzz: ", stderr);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  abort ();
}

size_t
fuzz_left (const struct fuzz_input *in)
{
  return (size_t) (in->end - in->at);
}

uint8_t
fuzz_byte (struct fuzz_input *in)
{
  return in->at < in->end ? *in->at++ : 0;
}

static uint64_t
number (struct fuzz_input *in, size_t n_bytes)
{
  uint64_t value = 0;

  for (size_t i = 0; i < n_bytes; i++)
    value |= (uint64_t) fuzz_byte (in) << 8 * i;
  return value;
}

uint64_t
fuzz_below (struct fuzz_input *in, uint64_t n)
{
  size_t n_bytes = 0;

  for (uint64_t most = n - 1; most != 0; most >>= 8)
    n_bytes++;
  return number (in, n_bytes) % n;
}

uint64_t
fuzz_u64 (struct fuzz_input *in)
{
  return number (in, 8);
}

size_t
fuzz_text (struct fuzz_input *in, char *text, size_t size)
{
  size_t n = fuzz_byte (in);

  if (n > size - 1)
    n = size - 1;
  if (n > fuzz_left (in))
    n = fuzz_left (in);
  if (n > 0)
    memcpy (text, in->at, n);
  in->at += n;
  text[n] = '\0';
  return n;
}
