/* kernel.h - names of the functions of the kernel that a recording saw.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef KERNEL_H
#define KERNEL_H 1

#include "../symbols/maps.h"
#include "../symbols/ranges.h"
#include "../symbols/resolve.h"
#include "samples.h"

#include <stdbool.h>
#include <stdint.h>

/* A file that lists all symbols, as /proc/kallsyms.  */
struct kernel_symbols
{
  bool is_read; /* we tried */
  char *text;
  struct ranges ranges;
  uint64_t shift; /* what to add to its addresses */
};

struct kernel
{
  struct resolver *resolver;
  struct maps *maps;
  uint64_t process;     /* its number there */
  const struct import_options *options;
  const char *release;  /* NULL: unknown */
  struct object text;   /* the kernel without its modules; the path is NULL if
                           nothing was mapped */
  char *anchor;         /* a symbol of it, */
  uint64_t anchor_address;
  bool is_file_tried;
  uint32_t file;        /* the number of its file with symbols; 0: none */
  struct kernel_symbols symbols;
};

/* process: the number of an address space of its own.  */
void kernel_begin (struct kernel *k, struct maps *maps, uint64_t process,
                   struct resolver *resolver,
                   const struct import_options *options);

/* The kernel or a module of it is mapped.  The path is as in a record: that of
   the kernel's own text is "[kernel.kallsyms]", with the name of a symbol
   behind, which is at the address `offset`.  */
void kernel_map (struct kernel *k, struct region region,
                 const struct object *object);

/* The path of an object, without that symbol.  */
const char *kernel_path (const char *path);

/* Code that the kernel made at run time.  */
void kernel_made (struct kernel *k, uint64_t address, uint64_t size,
                  const char *name);

/* Whether an address is in a file that the resolver can look it up in.  */
bool kernel_locate (struct kernel *k, uint64_t address,
                    struct location *location);

/* The function at another address.  What it points to lives until the kernel
   maps more.  */
struct import_frame kernel_frame (struct kernel *k, uint64_t address);

void kernel_end (struct kernel *k);

#endif /* KERNEL_H */
