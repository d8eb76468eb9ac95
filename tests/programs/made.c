/* made.c - makes code at run time, and lists it as perf wants.

   made OWN|OTHER|STALE|NONE: the list is right; of another user; older than
   the process; not there.

   SPDX-License-Identifier: MIT  */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* For x86-64: pushes a frame, counts its argument down to 0, and returns.  */
static const unsigned char code[]
    = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3 };
enum
{
  APART = 64
};

typedef void count_fn (unsigned long n);

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

/* Runs a function for that much processor time.  */
static void
run (const unsigned char *function, double seconds)
{
  clock_t end = clock () + (clock_t)(seconds * CLOCKS_PER_SEC);
  count_fn *count;

  memcpy (&count, &function, sizeof count);
  while (clock () < end)
    count (1000000);
}

int
main (int argc, char **argv)
{
  const char *how = argc == 2 ? argv[1] : "NONE";
  unsigned char *memory = mmap (NULL, 4096, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char path[64];

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
  run (memory, 0.3);
  run (memory + APART, 0.1);
  return 0;
}
