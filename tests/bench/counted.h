/* counted.h - an allocator hook that counts the bytes in use.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef COUNTED_H
#define COUNTED_H 1

#include <stddef.h>

/* For struct cgw_options; the context is a size_t, the bytes in use.  */
void *counted_allocate (void *context, void *p, size_t n);

#endif /* COUNTED_H */
