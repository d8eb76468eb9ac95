/* made.c - makes code at run time, which has ticks (see tick.h), and lists it
   as perf wants.

   made OWN|OTHER|STALE|NONE: the list is right; of another user; older than
   the process; not there.

   made GONE|STAY|STOP N LIBRARY: N pages of code, of which each has a tick and
   is unmapped then, or of which the last one has 300 ticks and all stay; then
   five in sampled_library.c.  STOP: as GONE, but the profiler is stopped
   meanwhile.

   SPDX-License-Identifier: MIT  */

#include "tick.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* For x86-64: pushes a frame, makes a system call of four arguments, whose
   number is the fifth one, and returns.  */
static const unsigned char code[]
    = { 0x55, 0x48, 0x89, 0xe5, 0x49, 0x89, 0xca, 0x4c,
        0x89, 0xc0, 0x0f, 0x05, 0x90, 0x5d, 0xc3 };
enum
{
  APART = 64
};

typedef void tick_fn (long process, long thread, long number, siginfo_t *tick,
                      long call);

static void
write_list (const char *path, const char *how, const unsigned char *memory)
{
  FILE *list = fopen (path, "w");
  unsigned long first = (unsigned long)memory, second = first + APART;
  struct timespec times[2] = { { 1, 0 }, { 1, 0 } };

  /* What was there before; a line that is none; an empty range; names with
     blanks and without an end.  */
  fprintf (list, "%lx 40 collected\n", first);
  fprintf (list, "%lx 20 collected\n", first + 4);
  fprintf (list, "%lx %x before\n", first - 4096, 8192);
  fprintf (list, "no line\n%lx\n%lx 0 empty\n", first, first);
  fprintf (list, "%lx %zx made hot :1\n", first, sizeof code);
  fprintf (list, "0x%lx 0x%zx made_cold\n", second, sizeof code);
  fprintf (list, "%lx 40 unfin", first);
  fclose (list);
  if (strcmp (how, "OTHER") == 0 && chown (path, 65534, (gid_t)-1) != 0)
    perror (path);
  if (strcmp (how, "STALE") == 0)
    utimensat (AT_FDCWD, path, times, 0);
}

static void
run (const unsigned char *function, int ticks)
{
  siginfo_t tick = { .si_code = POLL_IN };
  tick_fn *f;

  memcpy (&f, &function, sizeof f);
  while (ticks-- != 0)
    f (getpid (), gettid (), SIGRTMAX - 1, &tick, SYS_rt_tgsigqueueinfo);
}

/* No two pages of code are neighbours, which the kernel would take for one.  */
static int
run_pages (const char *how, int n, const char *library)
{
  enum { PAGE = 4096 };
  unsigned char *memory = mmap (NULL, 2 * PAGE * (size_t)n, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int gone = strcmp (how, "STAY") != 0, stop = strcmp (how, "STOP") == 0;
  void (*work) (double ticks);

  if (memory == MAP_FAILED)
    return 2;
  tick_alone (); /* so many system calls take a second on some machines */
  if (stop)
    kill (getppid (), SIGSTOP);
  for (int i = 0; i < n; i++, memory += 2 * PAGE)
    {
      mprotect (memory, PAGE, PROT_READ | PROT_WRITE);
      memcpy (memory, code, sizeof code);
      mprotect (memory, PAGE, PROT_READ | PROT_EXEC);
      if (gone)
        run (memory, 1);
      else if (i == n - 1)
        run (memory, 300);
      if (gone)
        munmap (memory, 2 * PAGE);
    }
  if (stop)
    kill (getppid (), SIGCONT);
  work = dlsym (dlopen (library, RTLD_NOW), "run");
  work (5);
  return 0;
}

int
main (int argc, char **argv)
{
  const char *how = argc == 2 ? argv[1] : "NONE";
  unsigned char *memory = mmap (NULL, 4096, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char path[64];

  if (argc == 4)
    return run_pages (argv[1], atoi (argv[2]), argv[3]);
  if (memory == MAP_FAILED)
    return 1;
  memcpy (memory, code, sizeof code);
  memcpy (memory + APART, code, sizeof code);
  if (mprotect (memory, 4096, PROT_READ | PROT_EXEC) != 0)
    return 1;
  sprintf (path, "/tmp/perf-%ld.map", (long)getpid ());
  if (strcmp (how, "NONE") != 0)
    write_list (path, how, memory);
  puts (path);
  fflush (stdout);
  run (memory, 30);
  run (memory + APART, 10);
  return 0;
}
