/* platform.h - what differs between systems: memory, the fork mark, the calling
   thread, sleeping, files.

   This is for POSIX systems and for Windows by mingw-w64, which has no fork, no
   signals and no cancellation.  No other source asks which system it is.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PLATFORM_H
#define CGWI_PLATFORM_H 1

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef _WIN32
/* Windows has no such files.  */
# define O_NOFOLLOW 0
# define O_NONBLOCK 0
struct cgwi_iovec
{
  void *iov_base;
  size_t iov_len;
};
#else
# include <poll.h>
# include <pthread.h>
# include <sys/uio.h>
# include <unistd.h>
# define cgwi_iovec iovec
#endif

/* A function off the fast paths is optimized for size, and so are those that
   only such functions call: a program that links the library carries less.  */
#define CGWI_COLD __attribute__ ((cold))

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

/* Allocate if p is NULL, free if n is 0, else resize.  NULL: no memory.  Keep
   errno, which a hook may change.  */
void *cgwi_resize (const struct cgwi_memory *m, void *p, size_t n);

static inline void
cgwi_release (const struct cgwi_memory *m, void *p)
{
  if (p != NULL)
    cgwi_resize (m, p, 0);
}

/* Return a larger copy of a block, of which the first `used` bytes are copied.
   NULL: no memory.  The caller stores the new pointer, then releases the old
   block.  Do not use realloc: a longjmp, or a fork in another thread, may come
   between its free and the caller's store.  */
void *cgwi_copy_larger (const struct cgwi_memory *m, const void *old,
                        size_t used, size_t size);

/* An array that grows.  */
struct cgwi_array
{
  void *at;
  size_t room; /* elements */
};

/* Make room for n elements of `size` bytes, and for a quarter more than there
   was.  False: no memory, and nothing has changed.  After a longjmp out of
   this call the array may be lost, but it has no pointer to freed memory.  */
bool cgwi_grow (const struct cgwi_memory *m, struct cgwi_array *a, size_t n,
                size_t size);

void cgwi_release_array (const struct cgwi_memory *m, struct cgwi_array *a);

/* Keep the compiler from moving loads and stores across this line.  A longjmp
   or a fork may come between any two instructions; memory must be consistent
   there.  */
static inline void
cgwi_in_order (void)
{
  atomic_signal_fence (memory_order_seq_cst);
}

/* A file that replaces another when it is complete: see output/replace.h.  */

#define CGWI_PATH_MAX 4096

struct cgwi_replacement
{
  pid_t process;        /* that made the temporary file; 0: there is none */
  _Atomic int tries;    /* to rename it */
  _Atomic bool settled; /* it was renamed or removed */
  char path[CGWI_PATH_MAX];      /* absolute */
  char temporary[CGWI_PATH_MAX]; /* the path meanwhile */
};

/* The fork mark.  */

/* A page that the kernel fills with zeros in a forked child
   (MADV_WIPEONFORK).  */
struct cgwi_mark_page
{
  _Atomic bool alive;  /* false in a child */
  _Atomic bool takes_records; /* of a writer: false in a child, too, and when
                                 cgw_salvage has ended the file */
  struct cgwi_iovec iov[1]; /* what is being written; wiped: nothing */
  struct cgwi_replacement replacement; /* wiped: none */
};

struct cgwi_mark
{
  struct cgwi_mark_page *page;
  bool wiped; /* false: the kernel cannot wipe the page */
  pid_t pid;  /* the process that may write */
};

/* Map the page, without marking the process.  False: no memory.  */
bool cgwi_mark_make (struct cgwi_mark *m);

/* Mark the calling process as the one that may write.  */
void cgwi_mark_set (struct cgwi_mark *m);

void cgwi_mark_free (struct cgwi_mark *m);

/* Whether the calling process may write.  Async-signal-safe and cheap.  If the
   kernel cannot wipe the page, this is true in a child, too.  */
static inline bool
cgwi_mark_is_alive (const struct cgwi_mark *m)
{
  return atomic_load_explicit (&m->page->alive, memory_order_relaxed);
}

/* The same, but always right: if the kernel cannot wipe the page, it calls
   getpid.  For writes and normal code.  */
bool cgwi_mark_is_ours (const struct cgwi_mark *m);

/* Threads and time.  */

/* Return a number that no other thread has; not 0.  pthread_self is
   async-signal-safe (POSIX.1-2008 TC1).  */
#ifdef _WIN32
uintptr_t cgwi_self (void);
#else
static inline uintptr_t
cgwi_self (void)
{
  return (uintptr_t) pthread_self ();
}
#endif

/* Return a number that no other thread of any living process has; not 0.
   Without a system call, if the mark was set in this process, and the kernel
   can wipe its page.  */
uint64_t cgwi_caller (const struct cgwi_mark *m);

/* Whether a number from cgwi_caller is that of this thread, maybe of before it
   forked; or of a thread that does not exist in this process, because it was
   one of the parent's.  */
bool cgwi_caller_is_me (const struct cgwi_mark *m, uint64_t caller);
bool cgwi_caller_is_gone (const struct cgwi_mark *m, uint64_t caller);

/* Give way to other threads, the longer the more often this was tried.  Not a
   cancellation point.  Keep errno.  */
void cgwi_pause (unsigned tries);

/* Disable the cancellation of this thread, and return what cgwi_restore_cancel
   needs.  Async-signal-safe.  Keep errno.  */
int cgwi_disable_cancel (void);
void cgwi_restore_cancel (int before);

/* Fill in words that nobody can foresee.  Keep errno.  */
void cgwi_random (uint64_t *words, size_t n);

/* Files.  */

/* Open a file for writing; flags may have O_CREAT, O_EXCL, O_NOFOLLOW and
   O_NONBLOCK.  A program that is executed does not get the descriptor.  A
   symbolic link is refused with ELOOP, and a FIFO without a reader with ENXIO;
   but Windows follows links, and has no such FIFOs.  */
int cgwi_open_file (const char *path, int flags, mode_t mode);

/* Give an open file that mode, whatever the umask is.  */
void cgwi_set_mode (int fd, const char *path, mode_t mode);

/* Whether to follow a symbolic link.  Not if another user may have planted it
   in a folder where all may make files, such as /tmp: as a kernel with
   protected_symlinks, which not every system sets.  */
bool cgwi_may_follow (const char *path);

/* What is before a file's name in a path of cgwi_absolute_path.  */
#ifdef _WIN32
# define CGWI_SEPARATOR '\\'
#else
# define CGWI_SEPARATOR '/'
#endif

/* Copy a path that is not empty to `to`, of `size` bytes, and make it absolute.
   Return 0 or an errno.  */
int cgwi_absolute_path (char *to, size_t size, const char *path);

/* Give the file `from` the name `to`, in place of the file that has it.  Return
   0 or an errno.  Keep errno.  Windows refuses this with EACCES while a program
   has the other file open, unless it shares deletion.  */
int cgwi_rename (const char *from, const char *to);

/* Calls of POSIX that Windows lacks.  */
#ifdef _WIN32
/* Writes as to a file that is open with O_BINARY.  */
ssize_t cgwi_writev (int fd, const struct cgwi_iovec *iov, int n);
/* O_APPEND is not known, and O_RDONLY not of pipes.  */
int cgwi_get_flags (int fd);
void cgwi_poll (int fd);
#else
# define cgwi_writev writev

/* How a descriptor was opened: O_RDONLY or others.  -1: it is not open.  */
static inline int
cgwi_get_flags (int fd)
{
  return fcntl (fd, F_GETFL);
}

/* Wait until the descriptor takes bytes.  */
static inline void
cgwi_poll (int fd)
{
  struct pollfd p = { .fd = fd, .events = POLLOUT };

  poll (&p, 1, -1);
}
#endif

static inline bool
cgwi_make_blocking (int fd)
{
#ifdef _WIN32
  (void) fd;
  return true;
#else
  return fcntl (fd, F_SETFL, 0) != -1;
#endif
}

/* Whether the file belongs to the user that this process runs as.  */
static inline bool
cgwi_is_own (const struct stat *st)
{
#ifdef _WIN32
  (void) st;
  return true;
#else
  return st->st_uid == geteuid ();
#endif
}

#endif
