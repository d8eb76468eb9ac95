/* malloc.c - an allocation profiler for glibc: bytes and allocations per call.
     cc -shared -fPIC malloc.c -o malloc.so $(pkg-config --cflags --libs cgw)
     LD_PRELOAD=./malloc.so ./program
     callgrind_annotate --tree=both --inclusive=yes callgrind.out.PID
   Link the program with -rdynamic for names.  Functions without one, such as
   static ones, get that of their object.  SPDX-License-Identifier: MIT  */
#define _GNU_SOURCE 1
#include <cgw.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc (size_t n), *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *p, size_t n); /* glibc's own, under other names */

static struct cgw_names *names;
static struct cgw_profile *profile; /* of all threads, under mutex */
static struct cgw_writer *w;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Above 0 while this thread allocates for the profiler, not the program.  */
static _Thread_local int busy __attribute__ ((tls_model ("initial-exec")));

/* A hook: the library must not call the malloc below.  n 0: realloc frees.  */
static void *
allocate (void *context, void *p, size_t n)
{
  (void) context;
  return p || n > 0 ? __libc_realloc (p, n) : NULL;
}

/* Frame 0 is in this function, 1 in malloc.  */
static __attribute__ ((noinline)) void
count (size_t bytes)
{
  const uint64_t cost[] = { bytes, 1 };
  void *stack[64];
  struct cgw_pos frames[64] = { { .line = 0 } };
  if (busy++ == 0)
    {
      /* backtrace and dladdr lock the dynamic linker, which calls malloc: no
         mutex yet.  Names need none.  */
      int n = backtrace (stack, 64);
      for (int i = 1; i < n; i++)
        {
          Dl_info at = { 0 };
          char *address = (char *) stack[i] - 1;
          dladdr (address, &at);
          frames[i].fn
            = cgw_add_fn (names, at.dli_sname ? at.dli_sname : at.dli_fname,
                          frames[i].file,
                          cgw_add_object (names, at.dli_fname));
          frames[i].instr = address - (char *) at.dli_fbase;
        }
      pthread_mutex_lock (&mutex);
      cgw_profile_stack (profile, frames + 1, n - 1, 1, cost, 2);
      pthread_mutex_unlock (&mutex);
    }
  busy--;
}

void *
malloc (size_t n)
{
  count (n);
  return __libc_malloc (n);
}

void *
calloc (size_t n, size_t size)
{
  count (n * size);
  return __libc_calloc (n, size);
}

void *
realloc (void *p, size_t n)
{
  count (n);
  return __libc_realloc (p, n);
}

__attribute__ ((constructor)) static void
start (void)
{
  struct cgw_names_options of_names = CGW_NAMES_OPTIONS_INIT;
  struct cgw_options options = CGW_OPTIONS_INIT;
  of_names.allocate = allocate;
  options.flags = CGW_PATH_EXPAND;
  cgw_names_new (&names, &of_names);
  cgw_profile_new (&profile, names, 2, CGW_INSTR);
  cgw_open (&w, names, "callgrind.out.%p", &options);
}

__attribute__ ((destructor)) static void
finish (void)
{
  struct cgw_event events[] = { { .name = "Bytes" }, { .name = "Allocs" } };
  struct cgw_part part = CGW_PART_INIT;
  part.events = events;
  part.n_events = 2;
  part.positions = CGW_INSTR;
  pthread_mutex_lock (&mutex);
  cgw_profile_write (profile, w, &part);
  enum cgw_status status = cgw_finish (w);
  pthread_mutex_unlock (&mutex);
  if (status != CGW_OK && status != CGW_EFORK) /* the file is the parent's */
    fprintf (stderr, "malloc.so: %s\n", cgw_explain (w));
}
