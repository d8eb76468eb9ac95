/* cortex-m.c - a program without an operating system, for an Arm Cortex-M3: two
   tasks, which the clock switches, and an interrupt that interrupts the clock's
   handler.  It prints how often each function is called.

     arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -g -nostdlib -ffreestanding \
       -T cortex-m.ld cortex-m.c -o cortex-m.elf
     cgw-qemu -o callgrind.out.cortex-m qemu-system-arm -M mps2-an385 \
       -display none -semihosting -kernel cortex-m.elf

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <stdint.h>

#define APART __attribute__ ((noipa))
#define REGISTER(address) (*(volatile uint32_t *) (address))
#define SYSTICK_CONTROL REGISTER (0xe000e010)
#define SYSTICK_RELOAD REGISTER (0xe000e014)
#define INTERRUPT_ENABLE REGISTER (0xe000e100)
#define INTERRUPT_PEND REGISTER (0xe000e200)
#define INTERRUPT_CONTROL REGISTER (0xe000ed04)
#define PRIORITIES_SYSTEM REGISTER (0xe000ed20)

enum { TICKS = 300, TASKS = 2, STACK = 256 };

/* Of functions, how often they were called.  */
static volatile uint32_t ticks, alarms, yields;
static volatile uint32_t steps, adds, turns, mixes;
static volatile uint32_t sink;

/* Tasks.  */

static uint32_t stacks[TASKS][STACK];
uint32_t *tops[TASKS]; /* of tasks that wait */
uint32_t running;

APART uint32_t
add (uint32_t n)
{
  adds++;
  return n * 3 + sink;
}

APART void
step (uint32_t n)
{
  steps++;
  sink += add (n);
}

APART uint32_t
mix (uint32_t n)
{
  mixes++;
  return n ^ sink;
}

/* Gives the processor to the other task.  */
APART void
yield (void)
{
  yields++;
  INTERRUPT_CONTROL = 1 << 28;
  __asm__ volatile ("dsb; isb");
}

APART void
turn (uint32_t n)
{
  turns++;
  sink += mix (n);
  if (n % 64 == 0)
    yield ();
}

APART void
first_task (void)
{
  for (uint32_t i = 0;; i++)
    {
      step (i);
      if (i % 64 == 0)
        yield ();
    }
}

APART void
second_task (void)
{
  for (uint32_t i = 0;; i++)
    turn (i);
}

/* Interrupts.  */

APART void
ring (void)
{
  sink++;
}

APART void
alarm (void)
{
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
    INTERRUPT_PEND = 1;
  count ();
  if (ticks % 2 == 0)
    INTERRUPT_CONTROL = 1 << 28;
  SYSTICK_RELOAD = 4000 + ticks % 7 * 100;
  if (ticks == TICKS)
    finish ();
}

uint32_t *
other_task (uint32_t *top)
{
  tops[running] = top;
  running = !running;
  return tops[running];
}

/* PendSV: saves the registers of a task that the processor has not saved, and
   goes on with the other task.  */
__attribute__ ((naked)) void
change_task (void)
{
  __asm__ volatile ("mrs r0, psp\n"
                    "stmdb r0!, {r4-r11}\n"
                    "push {r3, lr}\n"
                    "bl other_task\n"
                    "pop {r3, lr}\n"
                    "ldmia r0!, {r4-r11}\n"
                    "msr psp, r0\n"
                    "bx lr");
}

/* Output.  */

static void
call_host (uint32_t what, const void *with)
{
  register uint32_t r0 __asm__ ("r0") = what;
  register const void *r1 __asm__ ("r1") = with;

  __asm__ volatile ("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void
print (const char *names, uint32_t n)
{
  char line[80], *to = line;
  char digits[10];
  int i = 0;

  while (*names != '\0')
    *to++ = *names++;
  do
    digits[i++] = (char) ('0' + n % 10);
  while ((n /= 10) != 0);
  while (i > 0)
    *to++ = digits[--i];
  *to++ = '\n';
  *to = '\0';
  call_host (4, line);
}

static void
finish (void)
{
  print ("first_task step ", steps);
  print ("step add ", adds);
  print ("second_task turn ", turns);
  print ("turn mix ", mixes);
  print ("* yield ", yields);
  print ("* tick ", ticks);
  print ("tick count ", ticks);
  print ("* alarm ", alarms);
  print ("alarm ring ", 2 * alarms);
  call_host (0x18, (const void *) 0x20026);
}

/* The beginning.  */

static void
make_task (uint32_t number, void (*function) (void))
{
  uint32_t *top = &stacks[number][STACK];

  *--top = 1 << 24; /* Thumb */
  *--top = (uint32_t) function;
  top -= 6 + 8;
  tops[number] = top;
}

int
main (void)
{
  __asm__ volatile ("cpsid i");
  make_task (0, first_task);
  make_task (1, second_task);
  PRIORITIES_SYSTEM = 0x80ff0000; /* the clock; changing tasks last */
  INTERRUPT_ENABLE = 1;
  SYSTICK_RELOAD = 4000;
  SYSTICK_CONTROL = 7;
  /* The first task begins as if it had called this.  */
  __asm__ volatile ("msr psp, %0\n"
                    "movs r0, #2\n"
                    "msr control, r0\n"
                    "isb\n"
                    "cpsie i\n" ::"r"(&stacks[0][STACK])
                    : "r0", "memory");
  first_task ();
  return 0;
}

extern uint32_t stack_end;

__attribute__ ((section (".vectors"), used)) static void *const vectors[17]
    = { [0] = &stack_end,
        [1] = (void *) main,
        [14] = (void *) change_task,
        [15] = (void *) tick,
        [16] = (void *) alarm };
