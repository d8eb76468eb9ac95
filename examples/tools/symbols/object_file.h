/* object_file.h - finds the file that an object was mapped from: by its path,
   or by its build ID.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H 1

#include "maps.h"

/* The folders, with ":" between them, in which libdwfl looks for separate debug
   information, and object_file_open for files by their build IDs.  symfs and
   debug_path are as in struct resolver.  To be freed.  */
char *object_file_search (const char *symfs, const char *debug_path);

/* Opens the file of an object, unless another file has taken its place.
   Returns the descriptor, or -1.  *path becomes that of the file; it is NULL if
   the object is no file.  It is to be freed in any case.  */
int object_file_open (const struct object *object, const char *symfs,
                      const char *search, char **path);

#endif /* OBJECT_FILE_H */
