/* unwound.c - the functions of stripped code.

   The section .eh_frame_hdr has a sorted table, which leads from the beginning
   of each function to its entry in .eh_frame (an FDE).

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "unwound.h"

#include <dwarf.h>
#include <string.h>

/* A header of 12 bytes, and pairs of numbers relative to it, in the one form
   that linkers write.  */
enum { HEADER = 12, NUMBER = 4 };
static const unsigned char form[]
    = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
        DW_EH_PE_datarel | DW_EH_PE_sdata4 };

struct table
{
  const unsigned char *bytes;
  uint64_t address;
  size_t n; /* pairs */
};

static bool
find_table (const struct image *image, struct table *table)
{
  size_t n = 0;
  GElf_Phdr p;

  elf_getphdrnum (image->elf, &n);
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (image->elf, (int) i, &p) != NULL
        && p.p_type == PT_GNU_EH_FRAME && p.p_filesz >= HEADER)
      {
        table->bytes = image_bytes (image, p.p_offset, p.p_filesz);
        table->address = p.p_vaddr;
        table->n = (p.p_filesz - HEADER) / (2 * NUMBER);
        return table->bytes != NULL
               && memcmp (table->bytes, form, sizeof form) == 0;
      }
  return false;
}

/* A signed number of 4 or 8 bytes, in the file's byte order.  */
static uint64_t
read_number (const struct image *image, const unsigned char *bytes,
             size_t size)
{
  bool is_big = image->header.e_ident[EI_DATA] == ELFDATA2MSB;
  uint64_t number = bytes[is_big ? 0 : size - 1] < 0x80 ? 0 : UINT64_MAX;

  for (size_t i = 0; i < size; i++)
    number = number << 8 | bytes[is_big ? i : size - 1 - i];
  return number;
}

/* Number i of the table, as an address.  */
static uint64_t
table_address (const struct image *image, const struct table *table, size_t i)
{
  return table->address
         + read_number (image, table->bytes + HEADER + i * NUMBER, NUMBER);
}

/* Whether an entry's instructions, which stand at an offset, begin with a stack
   frame that is there already: so does code that a compiler has moved away from a
   function.  Before them are bytes for the program's own use, and their
   number.  */
static bool
begins_inside (const struct image *image, uint64_t offset)
{
  const unsigned char *n = image_bytes (image, offset, 1);
  const unsigned char *first
      = n != NULL ? image_bytes (image, offset + 1 + *n, 1) : NULL;

  return first != NULL
         && (*first == DW_CFA_def_cfa || *first == DW_CFA_def_cfa_register
             || *first == DW_CFA_def_cfa_offset);
}

/* Reads the entry of a function that begins at `start`: it has a length and an
   offset, then the start, relative to itself, and the size.  These have 8 bytes
   each, as on MIPS, or 4.  An entry of another form does not tell the end.  */
static uint64_t
find_end (const struct image *image, uint64_t entry, uint64_t start,
          bool *is_part)
{
  enum { START = 8, WIDEST = 8, NARROWEST = 4 };
  uint64_t offset;

  *is_part = false;
  if (!image_offset (image, entry, &offset))
    return UINT64_MAX;
  for (size_t size = WIDEST; size >= NARROWEST; size /= 2)
    {
      const unsigned char *bytes
          = image_bytes (image, offset, START + 2 * size);

      if (bytes != NULL
          && entry + START + read_number (image, bytes + START, size) == start)
        {
          *is_part = begins_inside (image, offset + START + 2 * size);
          return start + read_number (image, bytes + START + size, size);
        }
    }
  return UINT64_MAX;
}

bool
unwound_find (const struct image *image, uint64_t address, uint64_t *start,
              enum unwound_kind *kind)
{
  struct table table;
  size_t low = 0, high;
  uint64_t end;
  bool is_part;

  if (!find_table (image, &table))
    return false;
  high = table.n;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (table_address (image, &table, 2 * middle) <= address)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return false;
  *start = table_address (image, &table, 2 * low - 2);
  end = find_end (image, table_address (image, &table, 2 * low - 1), *start,
                  &is_part);
  *kind = address >= end ? UNWOUND_BETWEEN
          : is_part      ? UNWOUND_PART
                         : UNWOUND_FUNCTION;
  if (*kind == UNWOUND_BETWEEN)
    *start = end;
  return true;
}
