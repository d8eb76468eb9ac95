/* agent_stack.c - the agent's own stacks.  Those of the program may be too
   small for the handler, as with coroutines or in Go.

   Each thread has two.  The first is an alternate signal stack, unless the
   program has set its own, which may be small, too.  The handler switches to
   the second.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <signal.h>
#include <sys/mman.h>

/* The program's handlers that ask for an alternate stack get this one, too: it
   has room for what they do.  Pages that nobody touches take no memory.  */
enum
{
  GUARD_BYTES = 4096,
  ALTERNATE_BYTES = 256 * 1024,
  OWN_BYTES = 64 * 1024,
  STACKS_BYTES = GUARD_BYTES + ALTERNATE_BYTES + OWN_BYTES
};

void *
agent_stacks_new (size_t size)
{
  char *memory = mmap (NULL, STACKS_BYTES + size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (memory == MAP_FAILED)
    return NULL;
  mprotect (memory, GUARD_BYTES, PROT_NONE);
  return memory + STACKS_BYTES;
}

static char *
alternate_of (void *behind)
{
  return (char *) behind - OWN_BYTES - ALTERNATE_BYTES;
}

void
agent_stacks_use (void *behind)
{
  stack_t stack = { .ss_sp = alternate_of (behind),
                    .ss_size = ALTERNATE_BYTES };
  stack_t old;

  if (sigaltstack (NULL, &old) == 0 && (old.ss_flags & SS_DISABLE) != 0)
    sigaltstack (&stack, NULL);
}

void
agent_stacks_free (void *behind, size_t size)
{
  stack_t none = { .ss_flags = SS_DISABLE };
  stack_t now;

  /* A thread that ends in a handler keeps what it stands on.  */
  if (sigaltstack (NULL, &now) != 0
      || (now.ss_sp == alternate_of (behind)
          && sigaltstack (&none, NULL) != 0))
    return;
  munmap ((char *) behind - STACKS_BYTES, STACKS_BYTES + size);
}

/* Nothing else may stand in this function: the compiler must not keep anything
   in registers that are not named here.  */
__attribute__ ((noinline)) void
agent_stacks_call (void *behind, void (*function) (void *), void *argument)
{
  __asm__ volatile ("movq %%rsp, %%rbx\n\t"
                    "movq %[stack], %%rsp\n\t"
                    "callq *%[function]\n\t"
                    "movq %%rbx, %%rsp"
                    : "+D"(argument), [stack] "+r"(behind),
                      [function] "+r"(function)
                    :
                    : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10",
                      "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
                      "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                      "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}
