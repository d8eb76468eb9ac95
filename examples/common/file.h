/* file.h - the whole of a file at once.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef FILE_H
#define FILE_H 1

#include <stddef.h>

/* Reads the rest of a file, of which fstat need not know the size: up to its
   end, or an error.  Returns a string to be freed, and its length.  */
char *file_read (int fd, size_t *length);

#endif /* FILE_H */
