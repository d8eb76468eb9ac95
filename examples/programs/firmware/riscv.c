/* riscv.c - a program without an operating system, for a RISC-V processor: two
   tasks, which the clock switches, and an interrupt that interrupts the clock's
   handler.  It prints how often each function is called.

     riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany \
       -O2 -g -nostdlib -ffreestanding -T riscv.ld riscv.c -o riscv.elf
     cgw-qemu -o callgrind.out.firmware qemu-system-riscv64 -machine virt \
       -bios none -display none -serial stdio -kernel riscv.elf

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <stdint.h>

#define APART __attribute__ ((noipa))
#define POWER (*(volatile uint32_t *) 0x100000)
#define ALARM (*(volatile uint32_t *) 0x2000000)
#define CLOCK (*(volatile uint64_t *) 0x2004000)
#define NOW (*(volatile uint64_t *) 0x200bff8)
#define SERIAL (*(volatile uint8_t *) 0x10000000)

enum { TICKS = 300, REGISTERS = 32, STACK = 512 };
enum { CAUSE_YIELD = 11 };
enum { ENABLE_ALARM = 1 << 3, ENABLE_CLOCK = 1 << 7 };

/* Of functions, how often they were called.  */
static volatile uint64_t ticks, alarms, yields, traps;
static volatile uint64_t steps, adds, turns, mixes;
static volatile uint64_t sink;

/* Tasks.  */

static uint64_t *tops[2]; /* of tasks that wait */
static uint32_t running;

APART uint64_t
add (uint64_t n)
{
  adds++;
  return n * 3 + sink;
}

APART void
step (uint64_t n)
{
  steps++;
  sink += add (n);
}

APART uint64_t
mix (uint64_t n)
{
  mixes++;
  return n ^ sink;
}

/* Gives the processor to the other task.  */
APART void
yield (void)
{
  yields++;
  __asm__ volatile ("ecall" ::: "memory");
}

APART void
turn (uint64_t n)
{
  turns++;
  sink += mix (n);
  if (n % 64 == 0)
    yield ();
}

APART void
first_task (void)
{
  for (uint64_t i = 0;; i++)
    {
      step (i);
      if (i % 64 == 0)
        yield ();
    }
}

APART void
second_task (void)
{
  for (uint64_t i = 0;; i++)
    turn (i);
}

/* Interrupts.  */

APART void
ring (void)
{
  sink++;
}

APART __attribute__ ((interrupt)) void
alarm (void)
{
  ALARM = 0;
  alarms++;
  ring ();
  ring ();
}

APART void
count (void)
{
  sink++;
}

static void finish (void);

/* Every third tick lets the alarm interrupt this.  */
APART void
tick (void)
{
  ticks++;
  if (ticks % 3 == 0)
    ALARM = 1;
  CLOCK = NOW + 2000 + ticks % 7 * 13;
  __asm__ volatile ("csrw mie, %0\n"
                    "csrsi mstatus, 8" ::"r"(ENABLE_ALARM));
  count ();
  __asm__ volatile ("csrci mstatus, 8\n"
                    "csrw mie, %0" ::"r"(ENABLE_ALARM | ENABLE_CLOCK));
  if (ticks == TICKS)
    finish ();
}

/* A task is interrupted, or yields.  Its registers are on its stack; in the
   place of number 0 is where it goes on.  Returns the stack of the task that
   does.  */
APART uint64_t *
serve (uint64_t *top, uint64_t cause)
{
  traps++;
  if (cause == CAUSE_YIELD)
    top[0] += 4;
  else
    tick ();
  if (cause != CAUSE_YIELD && ticks % 2 != 0)
    return top;
  tops[running] = top;
  running = !running;
  return tops[running];
}

#define EACH_REGISTER(instruction)                                            \
  ".irp n, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, "    \
  "21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n" instruction                  \
  " x\\n, 8 * \\n(sp)\n.endr\n"

__attribute__ ((naked)) void
trap (void)
{
  __asm__ volatile ("addi sp, sp, -256\n" EACH_REGISTER ("sd")
                    "csrr a1, mepc\n"
                    "sd a1, 0(sp)\n"
                    "mv a0, sp\n"
                    "csrr a1, mcause\n"
                    "call serve\n"
                    "mv sp, a0\n"
                    "ld a1, 0(sp)\n"
                    "csrw mepc, a1\n"
                    "li a1, 0x1880\n"
                    "csrw mstatus, a1\n" EACH_REGISTER ("ld")
                    "addi sp, sp, 256\n"
                    "mret");
}

/* Where the processor goes, by the cause: 4 bytes for each.  */
__attribute__ ((naked, aligned (64))) void
vectors (void)
{
  __asm__ volatile (".option norvc\n"
                    "j trap\n"
                    ".org vectors + 4 * 3\n"
                    "j alarm\n"
                    ".org vectors + 4 * 7\n"
                    "j trap");
}

/* Output.  */

static void
print (const char *names, uint64_t n)
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

static void
finish (void)
{
  print ("first_task step ", steps);
  print ("step add ", adds);
  print ("second_task turn ", turns);
  print ("turn mix ", mixes);
  print ("* yield ", yields);
  print ("vectors trap ", traps);
  print ("trap serve ", traps);
  print ("serve tick ", ticks);
  print ("tick count ", ticks);
  print ("vectors alarm ", alarms);
  print ("alarm ring ", 2 * alarms);
  POWER = 0x5555;
  for (;;)
    ;
}

/* The beginning.  */

int
main (void)
{
  static _Alignas (16) uint64_t stack[STACK];

  tops[1] = &stack[STACK - REGISTERS];
  tops[1][0] = (uint64_t) second_task;
  __asm__ volatile ("csrw mtvec, %0" ::"r"((uint64_t) vectors + 1));
  CLOCK = NOW + 1000;
  __asm__ volatile ("csrw mie, %0\n"
                    "csrsi mstatus, 8" ::"r"(ENABLE_ALARM | ENABLE_CLOCK));
  first_task ();
  return 0;
}

__attribute__ ((naked, section (".start"), used)) void
start (void)
{
  __asm__ volatile ("la sp, stack_end\n"
                    "j main");
}
