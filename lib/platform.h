/* platform.h - what differs between systems: memory, the mark that a fork
   wipes, the calling thread, and sleeping.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PLATFORM_H
#define CGWI_PLATFORM_H 1

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* An atomic that hides a lock would deadlock in a handler that interrupted
   the lock's holder.  */
_Static_assert (ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2
                    && ATOMIC_POINTER_LOCK_FREE == 2,
                "signal handlers need lock-free atomics");

/* Memory.  */

/* The allocator hook of one writer.  */
struct cgwi_memory
{
  void *(*allocate) (void *context, void *p, size_t n);
  void *context;
};

/* Allocate, free or resize: p NULL allocates, n 0 frees.  NULL means no
   memory.  Keeps errno, which a hook need not do.  */
static inline void *
cgwi_resize (const struct cgwi_memory *m, void *p, size_t n)
{
  int kept = errno;
  void *result = m->allocate (m->context, p, n);

  errno = kept;
  return result;
}

static inline void
cgwi_release (const struct cgwi_memory *m, void *p)
{
  if (p != NULL)
    cgwi_resize (m, p, 0);
}

/* Return a larger copy of a block whose first `used` bytes count.  The old
   block stays: store the new pointer, then release the old one.  realloc
   would not do: a fork in another thread, or a longjmp, could come between
   its free and the caller's store.  NULL when there is no memory.  */
void *cgwi_copy_larger (const struct cgwi_memory *m, const void *old,
                        size_t used, size_t size);

/* Keep the compiler from moving stores across this line.  A longjmp or a fork
   may come between any two instructions; memory must make sense there.  */
static inline void
cgwi_in_order (void)
{
  atomic_signal_fence (memory_order_seq_cst);
}

/* The fork mark.  */

/* A page that the kernel fills with zeros in a forked child
   (MADV_WIPEONFORK).  */
struct cgwi_mark_page
{
  _Atomic uint32_t alive; /* 1; 0 in a child, until it resets the writer */
  struct iovec iov;       /* what is being written: nothing, in a child */
};

struct cgwi_mark
{
  struct cgwi_mark_page *page;
  bool wiped; /* false where the kernel cannot do that */
  pid_t pid;  /* the process that may write */
};

/* Map the page.  The process is not marked yet.  False: no memory.  */
bool cgwi_mark_make (struct cgwi_mark *m);

/* Mark the calling process as the one that may write.  */
void cgwi_mark_set (struct cgwi_mark *m);

void cgwi_mark_free (struct cgwi_mark *m);

/* Whether the calling process may write.  Async-signal-safe and cheap.  Where
   the kernel does not wipe the page, this is true in a child, too.  */
static inline bool
cgwi_mark_is_alive (const struct cgwi_mark *m)
{
  return atomic_load_explicit (&m->page->alive, memory_order_relaxed) != 0;
}

/* The same with a system call where the kernel does not wipe the page: before
   each write, and in normal code.  */
bool cgwi_mark_is_ours (const struct cgwi_mark *m);

/* Threads and time.  */

/* What tells the calling thread from others; not 0.  pthread_self is
   async-signal-safe (POSIX.1-2008 TC1).  */
static inline uintptr_t
cgwi_self (void)
{
  return (uintptr_t) pthread_self ();
}

/* Sleep for a millisecond, also when signals interrupt it.  Keeps errno.  */
void cgwi_sleep_1ms (void);

#endif
