/* qemu_instructions.c - what cgw-qemu takes instructions for, against the rows
   of a table on the standard input: see the top of qemu_instructions.table.
   Prints what differs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "qemu/instruction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

/* A processor of the table.  */
struct known
{
  const char *name;
  const char *names; /* those that QEMU gives it, with blanks between */
  bool has_delay_slot;
  bool has_vectors;
  bool cuts_at_pages;
  bool has_repeats;
  bool has_conditions;
  bool is_thumb;
  bool misleads; /* looks like Arm's other set */
};

static const struct known processors[] = {
  { .name = "x86_64",
    .names = "x86_64",
    .cuts_at_pages = true,
    .has_repeats = true },
  { .name = "i386",
    .names = "i386",
    .cuts_at_pages = true,
    .has_repeats = true },
  { .name = "aarch64", .names = "aarch64 aarch64_be" },
  { .name = "arm", .names = "arm armeb", .has_conditions = true,
    .has_vectors = true },
  { .name = "thumb",
    .names = "arm armeb", .has_conditions = true,
    .has_vectors = true,
    .is_thumb = true },
  { .name = "arm~",
    .names = "arm armeb", .has_conditions = true,
    .has_vectors = true,
    .misleads = true },
  { .name = "thumb~",
    .names = "arm armeb", .has_conditions = true,
    .has_vectors = true,
    .is_thumb = true,
    .misleads = true },
  { .name = "riscv64", .names = "riscv64" },
  { .name = "riscv32", .names = "riscv32" },
  { .name = "s390x", .names = "s390x", .has_conditions = true },
  { .name = "ppc64le", .names = "ppc64le", .has_conditions = true },
  { .name = "ppc64", .names = "ppc ppc64", .has_conditions = true },
  { .name = "mips64el",
    .names = "mips64el mipsel mipsn32el",
    .has_delay_slot = true },
  { .name = "mips64", .names = "mips64 mips mipsn32", .has_delay_slot = true },
  { .name = "loongarch64", .names = "loongarch64" },
  { .name = "sparc64",
    .names = "sparc sparc32plus sparc64",
    .has_delay_slot = true },
  { .name = "alpha", .names = "alpha" },
};

static const char *const kinds[] = {
  [TRANSFER_LEAP] = "leap",
  [TRANSFER_CALL] = "call",
  [TRANSFER_RETURN] = "return",
  [TRANSFER_RESUME] = "resume",
};

struct row
{
  char processor[20];
  char kind[20];
  char target_text[20];
  uint64_t address;
  uint64_t target; /* 0: none */
  unsigned char bytes[MOST];
  size_t n;
};

static bool
parse (const char *line, struct row *row)
{
  char bytes[2 * MOST + 1];

  if (sscanf (line, "%19s %" SCNx64 " %32s %19s %19s", row->processor,
              &row->address, bytes, row->kind, row->target_text)
      != 5)
    return false;
  row->target = strtoull (row->target_text, NULL, 16);
  row->n = strlen (bytes) / 2;
  for (size_t i = 0; i < row->n; i++)
    {
      char two[] = { bytes[2 * i], bytes[2 * i + 1], '\0' };

      row->bytes[i] = (unsigned char) strtoul (two, NULL, 16);
    }
  return row->n > 0;
}

static bool
is_kind (const struct row *row, const char *kind)
{
  return strcmp (row->kind, kind) == 0;
}

/* Whether what follows the instruction, behind bytes of none, may be executed
   after it has led elsewhere.  */
static bool
may_come_back (const struct known *known, const struct processor *p,
          const struct row *row)
{
  unsigned char bytes[MOST + BEFORE_MAX] = { 0 };

  memcpy (bytes + BEFORE_MAX, row->bytes, row->n);
  return instruction_may_come_back (p, bytes + row->n, known->is_thumb);
}

/* Whether it does.  */
static bool
comes_back (const struct known *known, const struct row *row)
{
  return is_kind (row, "call")
         || (known->has_conditions
             && (is_kind (row, "return") || is_kind (row, "leap")
                 || is_kind (row, "resume")));
}

/* What is wrong, or NULL.  */
static const char *
check (const struct known *known, const struct processor *p,
       const struct row *row)
{
  bool is_jump = is_kind (row, "jump");
  enum transfer wanted = TRANSFER_JUMP;

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i] != NULL && is_kind (row, kinds[i]))
      wanted = (enum transfer) i;
  if (instruction_transfer (p, row->bytes, row->n, known->is_thumb) != wanted)
    return "its kind";
  if (instruction_repeats (p, row->bytes, row->n) != is_kind (row, "repeat"))
    return "whether it repeats itself";
  if (instruction_target (p, row->bytes, row->n, row->address, known->is_thumb)
      != (is_jump && known->has_delay_slot ? 0 : row->target))
    return "its target";
  return comes_back (known, row) && !may_come_back (known, p, row)
           ? "that it may come back"
           : NULL;
}

/* Whether it seems to be what it is not: what comes back, or of Arm's other set.  */
static bool
misleads (const struct known *known, const struct processor *p,
          const struct row *row)
{
  if (row->n == 4 && row->address % 4 == 0
      && instruction_is_thumb (p, row->bytes) != known->is_thumb)
    return !known->misleads;
  return known->misleads
         || (!known->has_delay_slot && !comes_back (known, row)
             && may_come_back (known, p, row));
}

static const struct processor *
find (const struct known *known, const char *name)
{
  const struct processor *p = processor_find (name);

  if (p != NULL && processor_has_delay_slot (p) == known->has_delay_slot
      && processor_has_vectors (p) == known->has_vectors
      && processor_cuts_at_pages (p) == known->cuts_at_pages
      && processor_has_repeats (p) == known->has_repeats)
    return p;
  printf ("%s: wrong\n", name);
  exit (1);
}

int
main (void)
{
  char line[500];
  int rows = 0, wrong = 0, odd = 0;

  while (fgets (line, sizeof line, stdin) != NULL)
    {
      const struct known *known = processors;
      char names[50], *name;
      struct row row;

      if (*line == '#' || *line == '\n')
        continue;
      if (!parse (line, &row))
        return printf ("no row: %s", line), 1;
      while (strcmp (known->name, row.processor) != 0)
        if (++known == processors + sizeof processors / sizeof *processors)
          return printf ("no processor: %s", line), 1;
      strcpy (names, known->names);
      for (name = strtok (names, " "); name != NULL; name = strtok (NULL, " "))
        {
          const struct processor *p = find (known, name);
          const char *what = check (known, p, &row);

          if (what != NULL && wrong++ < 20)
            printf ("%s: %s: %s", name, what, line);
          rows++;
          odd += misleads (known, p, &row);
        }
    }
  /* Of all code, a few are odd.  */
  printf ("%d rows, %d are wrong, %d are odd\n", rows, wrong, odd);
  return wrong > 0 || odd > rows / 100;
}
