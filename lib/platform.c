/* platform.c - what differs between systems: memory, the fork mark, sleeping.

   SPDX-License-Identifier: MIT  */

#include "features.h"

#include "platform.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

void *
cgwi_copy_larger (const struct cgwi_memory *m, const void *old, size_t used,
                  size_t size)
{
  void *larger = cgwi_resize (m, NULL, size);

  if (larger != NULL && used > 0)
    memcpy (larger, old, used);
  return larger;
}

#define NO_ADVICE 0x7fff

/* Ask the kernel to wipe the page in children (Linux 4.14).  False: it
   cannot.  An emulator that takes any advice follows none: qemu-user.

   CGWI_NO_WIPEONFORK makes a library as on a system that lacks this.  The
   tests are built so, too.  */
static bool
wipe_on_fork (void *page)
{
#if defined MADV_WIPEONFORK && !defined CGWI_NO_WIPEONFORK
  return madvise (page, sizeof (struct cgwi_mark_page), NO_ADVICE) == -1
         && madvise (page, sizeof (struct cgwi_mark_page), MADV_WIPEONFORK)
                == 0;
#else
  (void) page;
  return false;
#endif
}

bool
cgwi_mark_make (struct cgwi_mark *m)
{
  int kept = errno;
  void *page = mmap (NULL, sizeof *m->page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (page != MAP_FAILED)
    {
      m->page = page;
      m->wiped = wipe_on_fork (page);
    }
  errno = kept;
  return page != MAP_FAILED;
}

void
cgwi_mark_set (struct cgwi_mark *m)
{
  m->pid = getpid ();
  cgwi_in_order ();
  atomic_store_explicit (&m->page->alive, true, memory_order_relaxed);
}

void
cgwi_mark_free (struct cgwi_mark *m)
{
  int kept = errno;

  if (m->page != NULL)
    munmap (m->page, sizeof *m->page);
  m->page = NULL;
  errno = kept;
}

bool
cgwi_mark_is_ours (const struct cgwi_mark *m)
{
  return cgwi_mark_is_alive (m) && (m->wiped || m->pid == getpid ());
}

void
cgwi_sleep_1ms (void)
{
  struct timespec left = { 0, 1000000 };
  int kept = errno;

  while (nanosleep (&left, &left) == -1 && errno == EINTR)
    continue;
  errno = kept;
}
