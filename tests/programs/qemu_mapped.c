/* qemu_mapped.c - code for x86-64 at one address, of files in turn and of none:
   makes the files, and prints how many instructions of each are executed.

   The argument says how many functions are of no file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
  PAGE = 4096,
  SIZE = 2 * PAGE,
  NOPS = 14,
  START = PAGE - NOPS - 2,
  TIMES = 10,
  FUNCTION = 64 /* bytes of each that is of no file */
};

static unsigned char *place;

/* Where one file has its return instruction, the other has one that crosses the
   end of the page, and returns after it.  */
static const unsigned char near_end[] = { 0xc3 };
static const unsigned char across[] = { 0xb8, 1, 2, 3, 4, 0xc3 };

static void
fill_in (unsigned char *code, const unsigned char *end, size_t n)
{
  memset (code, 0x90, NOPS);
  memcpy (code + NOPS, end, n);
}

static int
make (const char *name, const unsigned char *end, size_t n)
{
  unsigned char bytes[SIZE] = { 0 };
  int fd = open (name, O_RDWR | O_CREAT | O_TRUNC, 0600);

  fill_in (bytes + START, end, n);
  if (fd < 0 || write (fd, bytes, SIZE) != SIZE)
    exit (1);
  return fd;
}

static void
map (int protection, int flags, int fd)
{
  place = mmap (place, SIZE, protection, MAP_PRIVATE | flags, fd, 0);
  if (place == MAP_FAILED)
    exit (1);
}

static __attribute__ ((noipa)) void
run (const unsigned char *code)
{
  for (int i = 0; i < TIMES; i++)
    ((void (*) (void)) code) ();
}

static void
run_file (int fd)
{
  map (PROT_READ | PROT_EXEC, MAP_FIXED, fd);
  run (place + START);
}

static void
run_made (unsigned char *code)
{
  fill_in (code, near_end, sizeof near_end);
  run (code);
  printf ("?\?? 0x%lx %d\n", (unsigned long) code, TIMES * (NOPS + 1));
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 0;
  int near = make ("near", near_end, sizeof near_end);
  int far = make ("far", across, sizeof across);

  map (PROT_NONE, MAP_ANONYMOUS, -1);
  run_file (near);
  run_file (far);
  unlink ("near");
  run_file (near);
  printf ("near 0x%x %d\nfar 0x%x %d\n", START, 2 * TIMES * (NOPS + 1), START,
          TIMES * (NOPS + 2));
  map (PROT_READ | PROT_WRITE | PROT_EXEC, MAP_FIXED | MAP_ANONYMOUS, -1);
  run_made (place + START);
  place = NULL;
  map (PROT_READ | PROT_WRITE | PROT_EXEC, MAP_ANONYMOUS, -1);
  for (int i = 0; i < n && i < SIZE / FUNCTION; i++)
    run_made (place + i * FUNCTION);
}
