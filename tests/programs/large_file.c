/* large_file.c - a profile over an old file of 5 GiB, and one behind its end.
   Compiled without configure: see tests/api/amalgamation.sh.

   SPDX-License-Identifier: MIT  */

#define _FILE_OFFSET_BITS 64
#include <cgw.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE (UINT64_C (5) << 30)

static int
records (struct cgw_writer *w)
{
  struct cgw_event event = { "Ir", 0, 0 };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_pos pos = { { 0 }, { 0 }, 1, 0 };
  uint64_t cost = 1;

  part.events = &event;
  part.n_events = 1;
  return cgw_begin_part (w, &part) != CGW_OK
         || cgw_cost (w, &pos, &cost, 1) != CGW_OK
         || cgw_finish (w) != CGW_OK;
}

int
main (int argc, char **argv)
{
  struct cgw_names *names;
  struct cgw_writer *w;
  struct stat st;
  int fd = open (argv[argc - 1], O_RDWR | O_CREAT, 0600);

  if (fd == -1 || ftruncate (fd, LARGE) != 0)
    return 77;
  if (cgw_names_new (&names, NULL) != CGW_OK
      || lseek (fd, LARGE, SEEK_SET) == -1
      || cgw_open_fd (&w, names, fd, NULL) != CGW_OK || records (w) != 0)
    return 1;
  cgw_free (w);
  if (fstat (fd, &st) != 0 || (uint64_t) st.st_size < LARGE + 50)
    return 2;
  if (cgw_open (&w, names, argv[argc - 1], NULL) != CGW_OK || records (w) != 0)
    return 3;
  cgw_free (w);
  return fstat (fd, &st) != 0 || st.st_size > 4096 ? 4 : 0;
}
