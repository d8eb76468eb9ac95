/* memory.h - allocation that ends the program if there is no memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MEMORY_H
#define MEMORY_H 1

#include <cgw.h>

#include <stddef.h>
#include <stdint.h>

/* As realloc to n elements of a size.  */
void *resize (void *p, size_t n, size_t size);

/* Zeroed memory that begins where a line of the processor's cache does.  */
void *new_lines (size_t size);

/* Makes room in an array for the element at `index`, zeroed.  */
void *resize_for (void *array, uint32_t index, uint32_t *capacity,
                  size_t size);

/* Makes room behind n elements for one more.  */
void *resize_for_one (void *array, size_t n, size_t size);

/* As strdup, but a copy of NULL is NULL.  */
char *copy_text (const char *text);

/* As sprintf, to memory that is to be freed.  */
char *make_text (const char *format, ...)
    __attribute__ ((format (printf, 1, 2)));

/* Copies a text with each such character twice, as where one of them would mean
   something.  To be freed.  */
char *double_character (const char *text, char c);

/* As cgw_names_new and cgw_profile_new.  */
struct cgw_names *new_names (void);
struct cgw_profile *new_profile (struct cgw_names *names, size_t n_events,
                                 unsigned positions);

/* Prints that there is no memory, and ends the program.  */
void no_memory (void) __attribute__ ((noreturn));

/* Says what to call before that: of outfile.c, to remove the output.  */
void no_memory_first (void (*function) (void));

#endif /* MEMORY_H */
