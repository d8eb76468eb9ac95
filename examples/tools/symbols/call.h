/* call.h - the call instruction that a return address belongs to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALL_H
#define CALL_H 1

#include <stddef.h>

/* The most bytes that a call instruction has.  */
#define CALL_BYTES_MAX 8

/* How long the call is that ends behind these n bytes of code; 1 when it
   cannot be told.  A guess, for instructions have no fixed length; only the
   address that a call is shown at depends on it.  */
size_t call_length (const unsigned char *code, size_t n);

#endif /* CALL_H */
