/* image.h - an ELF file as it is loaded: which bytes of it are at which
   addresses.

   Offsets are those in the file.  Addresses are those that the file says.
   libdwfl adds the bias to them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef IMAGE_H
#define IMAGE_H 1

#include "ranges.h"

#include <elfutils/libdwfl.h>

/* Begins as {0}.  */
struct image
{
  Dwfl *dwfl;
  Elf *elf;        /* NULL: it is no such file */
  GElf_Addr bias;
  GElf_Ehdr header;
  const unsigned char *bytes;
  size_t size;
  struct ranges linkage; /* the procedure linkage tables */
};

/* Takes the descriptor.  Returns the module; NULL: it is no ELF file that was
   linked.  */
Dwfl_Module *image_open (struct image *image, const Dwfl_Callbacks *callbacks,
                         const char *path, int fd);
void image_free (struct image *image);

/* The address at which an offset is loaded; the offset itself, if it is not
   loaded.  */
uint64_t image_address (const struct image *image, uint64_t offset);

/* False: the file has nothing at that address.  */
bool image_offset (const struct image *image, uint64_t address,
                   uint64_t *offset);

/* NULL: the file has not so many bytes.  */
const unsigned char *image_bytes (const struct image *image, uint64_t offset,
                                  size_t size);

/* The bytes that are loaded at the lowest address; NULL: there are none.  */
const unsigned char *image_first (const struct image *image, size_t *n);

/* Whether an address is in a procedure linkage table.  */
bool image_is_linkage (const struct image *image, uint64_t address);

#endif /* IMAGE_H */
