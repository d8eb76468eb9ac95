/* unnamed.c - has ticks (see tick.h) in a function that has neither a symbol,
   once this is stripped, nor anything that says how to unwind it, as in hand-
   written assembler.  Before it lies one that can be unwound.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tick.h"

void system_call (long process, long thread, long number, siginfo_t *tick,
                  long call);

__asm__ (".text\n"
         ".globl before\n"
         ".type before, @function\n"
         "before:\n"
         "  .cfi_startproc\n"
         "  ret\n"
         "  .cfi_endproc\n"
         ".size before, .-before\n"
         "system_call:\n"
         "  mov %rcx, %r10\n"
         "  mov %r8, %rax\n"
         "  syscall\n"
         "  nop\n"
         "  ret\n");

int
main (void)
{
  siginfo_t tick = { .si_code = POLL_IN };

  for (int i = 0; i < 30; i++)
    system_call (getpid (), gettid (), SIGRTMAX - 1, &tick,
                 SYS_rt_tgsigqueueinfo);
  return 0;
}
