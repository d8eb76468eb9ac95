/* memory.h - memory that must come, or the program ends.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_MEMORY_H
#define MERGE_MEMORY_H 1

#include <stddef.h>

/* As realloc to n elements of a size.  */
void *resize (void *p, size_t n, size_t size);

/* As strdup, but a copy of NULL is NULL.  */
char *copy_text (const char *text);

#endif /* MERGE_MEMORY_H */
