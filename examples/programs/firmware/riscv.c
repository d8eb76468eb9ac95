/* riscv.c - a program without an operating system, for a RISC-V processor, whose
   clock interrupts it.  It prints how often each function is called.

     riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany \
       -O2 -g -nostdlib -ffreestanding -T riscv.ld riscv.c -o riscv.elf
     cgw-qemu -o callgrind.out.firmware qemu-system-riscv64 -machine virt \
       -bios none -display none -serial stdio -kernel riscv.elf

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <stdint.h>

#define APART __attribute__ ((noipa))
#define SERIAL (*(volatile uint8_t *) 0x10000000)
#define POWER (*(volatile uint32_t *) 0x100000)
#define NOW (*(volatile uint64_t *) 0x200bff8)
#define ALARM (*(volatile uint64_t *) 0x2004000)

enum { TICKS = 300 };

/* Of functions, how often they were called.  */
static volatile long ticks, rounds;
static volatile long sink;

APART void
count (void)
{
  sink++;
}

APART void
tick (void)
{
  count ();
  count ();
}

/* An interrupt of the clock.  Addresses of handlers are multiples of 4.  */
APART __attribute__ ((interrupt, aligned (4))) void
trap (void)
{
  ticks++;
  tick ();
  ALARM = NOW + 2000 + (uint64_t) ticks % 7 * 13;
}

APART long
leaf (long n)
{
  return n * 3 + sink;
}

APART long
work (long n)
{
  return leaf (n) + 1;
}

static void
print (const char *names, long n)
{
  char digits[20];
  int i = 0;

  while (*names != '\0')
    SERIAL = (uint8_t) *names++;
  do
    digits[i++] = (char) ('0' + n % 10);
  while ((n /= 10) != 0);
  while (i > 0)
    SERIAL = (uint8_t) digits[--i];
  SERIAL = '\n';
}

APART void
run (void)
{
  while (ticks < TICKS)
    {
      sink += work (sink);
      rounds++;
    }
}

int
main (void)
{
  __asm__ volatile ("csrw mtvec, %0" ::"r"(trap));
  ALARM = NOW + 1000;
  __asm__ volatile ("csrs mie, %0\n"
                    "csrsi mstatus, 8" ::"r"(1 << 7));
  run ();
  __asm__ volatile ("csrci mstatus, 8");
  print ("run work ", rounds);
  print ("work leaf ", rounds);
  print ("* trap ", ticks);
  print ("trap tick ", ticks);
  print ("tick count ", 2 * ticks);
  POWER = 0x5555;
  for (;;)
    ;
}

__attribute__ ((naked, section (".start"), used)) void
start (void)
{
  __asm__ volatile ("la sp, stack_end\n"
                    "j main");
}
