/* memory.c - bytes in use, and bytes that were ever allocated, by call stack,
   in a program that calls counted_malloc and counted_free in one thread.
     cc -rdynamic program.c memory.c -o program \
       $(pkg-config --cflags --libs cgw)
     ./program; callgrind_annotate --inclusive=yes callgrind.out.memory
   It is for glibc.  By -rdynamic dladdr knows functions that are not static.
   SPDX-License-Identifier: MIT  */
#define _GNU_SOURCE 1
#include <cgw.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 32 };
static struct cgw_names *names;
static struct cgw_profile *profile;
struct block
{
  size_t bytes, depth;
  struct cgw_pos stack[FRAMES]; /* that allocated it */
  max_align_t data[];
};
void *counted_malloc (size_t n);
void counted_free (void *p);

static struct cgw_fn
function_of (char *return_address)
{
  Dl_info at = { 0 };
  dladdr (return_address - 1, &at);
  return cgw_add_fn (names, at.dli_sname, (struct cgw_file){ 0 },
                     cgw_add_object (names, at.dli_fname));
}

void *
counted_malloc (size_t n)
{
  struct block *b = calloc (1, sizeof *b + n);
  void *stack[FRAMES];
  b->bytes = n;
  b->depth = (size_t) backtrace (stack, FRAMES);
  for (size_t i = 0; i < b->depth; i++)
    b->stack[i].fn = function_of (stack[i]);
  cgw_profile_stack (profile, b->stack, b->depth, 1, (uint64_t[]){ n, n }, 2);
  return b->data;
}

/* The negative cost goes to the stack that allocated: no sum sinks below 0.  At
   the stack of this call it would, and files have no such costs.  */
void
counted_free (void *p)
{
  if (!p)
    return;
  struct block *b = (void *) ((char *) p - offsetof (struct block, data));
  uint64_t freed = -(uint64_t) b->bytes;
  cgw_profile_stack (profile, b->stack, b->depth, 0, &freed, 1);
  free (b);
}

__attribute__ ((constructor)) static void
start (void)
{
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 2, CGW_LINE);
  cgw_profile_set_signed (profile, 0); /* the first event */
}

__attribute__ ((destructor)) static void
finish (void)
{
  struct cgw_event events[] = { { .name = "In_use" }, { .name = "Allocated" } };
  struct cgw_part part = CGW_PART_INIT;
  part.events = events;
  part.n_events = 2;
  if (cgw_profile_save (profile, "callgrind.out.memory", &part, NULL) != CGW_OK)
    fprintf (stderr, "memory: %s\n", cgw_profile_explain (profile));
}
