/* fuzz.h - what the fuzzers share: how they fail, and a reader of the input.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef FUZZ_H
#define FUZZ_H 1

#include <stddef.h>
#include <stdint.h>

/* A fuzzer: tries one input.  Returns 0, whatever the input is worth; what is
   wrong with the library it reports by fuzz_fail.  */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Says what is wrong, as printf does, and aborts.  */
#ifdef __GNUC__
__attribute__ ((format (printf, 1, 2)))
#endif
_Noreturn void fuzz_fail (const char *format, ...);

/* An input that is read from its beginning.  Behind its end are zeros.  */
struct fuzz_input
{
  const uint8_t *at;
  const uint8_t *end;
};

size_t fuzz_left (const struct fuzz_input *in);
uint8_t fuzz_byte (struct fuzz_input *in);

/* A number below n, which is not 0.  Takes as many bytes as n - 1 has.  */
uint64_t fuzz_below (struct fuzz_input *in, uint64_t n);

/* Eight bytes, the lowest first.  */
uint64_t fuzz_u64 (struct fuzz_input *in);

/* Takes a byte n, and n bytes, but at most size - 1 of them and no more than
   there are.  Ends them in a NUL, and returns how many there are.  */
size_t fuzz_text (struct fuzz_input *in, char *text, size_t size);

#endif /* FUZZ_H */
