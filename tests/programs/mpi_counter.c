/* mpi_counter.c - counts the calls of MPI functions, as the tests compare with
   what cgw-mpi counts.  It knows only names: its functions save the registers
   of arguments, count, and jump to the next function of that name, which sees
   nothing of them.

   Compile it with a header NAMES that has a line NAME (MPI_Send) for each name,
   preload it before other profilers, and set COUNTS to the beginning of the
   outputs' names.  Lines of the output: the caller's object, the address there
   that the call returns to, the name, the number of calls.

   SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE 1

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct function
{
  const char *name;
  void *next;
};

struct site
{
  const struct function *function;
  char *address;
  unsigned long count;
};

enum { SITES = 1 << 14 };
static struct site sites[SITES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_on;

static void
write_sites (void)
{
  const char *rank = getenv ("OMPI_COMM_WORLD_RANK");
  char path[4096];
  FILE *out;

  if (rank == NULL)
    rank = getenv ("PMI_RANK");
  snprintf (path, sizeof path, "%s%s", getenv ("COUNTS"), rank);
  out = fopen (path, "w");
  for (int i = 0; i < SITES; i++)
    if (sites[i].count != 0)
      {
        Dl_info info;
        struct link_map *map;

        dladdr1 (sites[i].address, &info, (void **) &map, RTLD_DL_LINKMAP);
        fprintf (out, "%s\t%#lx\t%s\t%lu\n", info.dli_fname,
                 (unsigned long) (sites[i].address - map->l_addr),
                 sites[i].function->name, sites[i].count);
      }
  fclose (out);
}

static void
add (const struct function *function, char *address)
{
  size_t i = ((uintptr_t) address ^ (uintptr_t) function >> 4) % SITES;

  pthread_mutex_lock (&lock);
  while (sites[i].count != 0
         && (sites[i].function != function || sites[i].address != address))
    i = (i + 1) % SITES;
  sites[i].function = function;
  sites[i].address = address;
  sites[i].count++;
  pthread_mutex_unlock (&lock);
}

/* Returns where to jump.  */
__attribute__ ((used)) void *count_call (struct function *function,
                                         char *address);
void *
count_call (struct function *function, char *address)
{
  if (strncasecmp (function->name, "MPI_Finalize", 12) == 0
      && function->name[12] != 'd' && is_on)
    {
      is_on = false;
      write_sites ();
    }
  if (is_on)
    add (function, address);
  if (strncasecmp (function->name, "MPI_Init", 8) == 0
      && function->name[8] != 'i')
    is_on = true;
  if (function->next == NULL)
    function->next = dlsym (RTLD_NEXT, function->name);
  return function->next;
}

#define NAME(name)                                                            \
  __attribute__ ((used)) static struct function f_##name = { #name, NULL };   \
  __asm__(".globl " #name "\n"                                                \
          ".type " #name ", @function\n" #name ":\n"                          \
          "push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n"        \
          "push %r9\n push %rax\n"                                            \
          "lea f_" #name "(%rip), %rdi\n"                                     \
          "mov 56(%rsp), %rsi\n"                                              \
          "call count_call@PLT\n"                                             \
          "mov %rax, %r11\n"                                                  \
          "pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n"              \
          "pop %rsi\n pop %rdi\n"                                             \
          "jmp *%r11\n");
#include NAMES
