/* riscv.c - a program for RISC-V to profile on any PC: how many bits do the two
   most similar of 400 fingerprints differ in?
     riscv64-linux-gnu-gcc -g -O2 riscv.c -o riscv
     cgw-qemu -o callgrind.out.riscv ./riscv
   Half of all instructions are in __popcountdi2, a function of the compiler's
   library that counts bits.  Who calls that, how often?  OBJDUMP disassembles:
     OBJDUMP=riscv64-linux-gnu-objdump kcachegrind callgrind.out.riscv
   Processors with the extension Zbb count bits with one instruction.  What does
   it save?
     riscv64-linux-gnu-gcc -g -O2 -march=rv64gc_zbb riscv.c -o riscv-zbb
     cgw-qemu -o callgrind.out.zbb ./riscv-zbb
     cgw-merge --diff callgrind.out.riscv callgrind.out.zbb
   Debian's packages: gcc-riscv64-linux-gnu, qemu-user.  The folder firmware has
   programs without an operating system.
   SPDX-License-Identifier: MIT  */

#include <stdint.h>
#include <stdio.h>

enum { PRINTS = 400 };

static uint64_t prints[PRINTS];

static uint64_t
next_random (uint64_t n)
{
  n ^= n << 13;
  n ^= n >> 7;
  return n ^ n << 17;
}

__attribute__ ((noinline)) static void
make_prints (void)
{
  uint64_t n = 1;

  for (int i = 0; i < PRINTS; i++)
    prints[i] = n = next_random (n);
}

__attribute__ ((noinline)) static int
distance (uint64_t a, uint64_t b)
{
  return __builtin_popcountll (a ^ b);
}

__attribute__ ((noinline)) static int
find_nearest (void)
{
  int least = 64;

  for (int i = 0; i < PRINTS; i++)
    for (int j = 0; j < i; j++)
      {
        int bits = distance (prints[i], prints[j]);

        if (bits < least)
          least = bits;
      }
  return least;
}

int
main (void)
{
  make_prints ();
  printf ("the nearest two differ in %d bits\n", find_nearest ());
  return 0;
}
