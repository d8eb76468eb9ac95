/* platform.c - what differs between systems: memory, the fork mark, the
   calling thread, sleeping, files.

   SPDX-License-Identifier: MIT  */

#include "system.h"

#include "platform.h"

#include <string.h>

#ifdef _WIN32

# define WIN32_LEAN_AND_MEAN
# define NOGDI
# include <windows.h>

# include <io.h>
# include <process.h>

/* Nothing forks, so the mark stays as it is.  */
bool
cgwi_mark_make (struct cgwi_mark *m)
{
  m->page = VirtualAlloc (NULL, sizeof *m->page, MEM_RESERVE | MEM_COMMIT,
                          PAGE_READWRITE);
  m->wiped = true;
  return m->page != NULL;
}

void
cgwi_mark_free (struct cgwi_mark *m)
{
  if (m->page != NULL)
    VirtualFree (m->page, 0, MEM_RELEASE);
  m->page = NULL;
}

/* cgwi_caller drops the lower five bits.  */
uintptr_t
cgwi_self (void)
{
  return (uintptr_t) GetCurrentThreadId () << 5;
}

static bool
may_have_forked (void)
{
  return false;
}

void
cgwi_pause (unsigned tries)
{
  if (tries < 16)
    SwitchToThread ();
  else
    Sleep (1);
}

int
cgwi_disable_cancel (void)
{
  return 0;
}

void
cgwi_restore_cancel (int before)
{
  (void) before;
}

static bool
get_random (uint64_t *words, size_t n)
{
  unsigned *w = (unsigned *) words;
  bool good = true;

  for (size_t i = 0; i < n * sizeof *words / sizeof *w; i++)
    good &= rand_s (&w[i]) == 0;
  return good;
}

/* Why Windows denies access to a path, as an errno.  */
static int
why_denied (const char *path)
{
  DWORD attributes = GetFileAttributesA (path);

  return attributes != INVALID_FILE_ATTRIBUTES
                 && attributes & FILE_ATTRIBUTE_DIRECTORY
             ? EISDIR
             : EACCES;
}

/* The errno of the last error of Windows.  */
static int
last_errno (void)
{
  switch (GetLastError ())
    {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_WRITE_PROTECT:
      return EACCES;
    case ERROR_FILE_EXISTS:
      return EEXIST;
    case ERROR_INVALID_NAME:
      return EINVAL;
    case ERROR_DISK_FULL:
      return ENOSPC;
    case ERROR_NOT_SAME_DEVICE:
      return EXDEV;
    default:
      return EIO;
    }
}

/* The runtime's open would keep cgw_salvage from renaming or removing the file,
   which is still open then.  Descriptors always block.  */
int
cgwi_open_file (const char *path, int flags, mode_t mode)
{
  DWORD how = flags & O_EXCL    ? CREATE_NEW
              : flags & O_CREAT ? OPEN_ALWAYS
                                : OPEN_EXISTING;
  HANDLE file = CreateFileA (
      path, GENERIC_WRITE,
      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how,
      FILE_ATTRIBUTE_NORMAL, NULL);
  int fd;

  (void) mode;

  if (file == INVALID_HANDLE_VALUE)
    {
      int error = last_errno ();
      errno = error == EACCES ? why_denied (path) : error;
      return -1;
    }
  fd = _open_osfhandle ((intptr_t) file, O_BINARY | O_NOINHERIT);
  if (fd == -1)
    CloseHandle (file);
  return fd;
}

void
cgwi_set_mode (int fd, const char *path, mode_t mode)
{
  (void) fd;
  chmod (path, mode);
}

/* Opening has followed it.  */
bool
cgwi_may_follow (const char *path)
{
  (void) path;
  return false;
}

/* Also of a descriptor such as standard output, whose other users may want
   newlines of two bytes.  The runtime's write takes an unsigned int.  */
ssize_t
cgwi_writev (int fd, const struct cgwi_iovec *iov, int n)
{
  const size_t most = (size_t) 1 << 30;
  int mode = _setmode (fd, O_BINARY);
  ssize_t result = -1;

  if (mode == -1)
    return -1;
  if (n > 0)
    result = write (fd, iov->iov_base,
                    (unsigned) (iov->iov_len < most ? iov->iov_len : most));
  if (mode != O_BINARY)
    {
      int kept = errno;
      _setmode (fd, mode);
      errno = kept;
    }
  return result;
}

/* Writing no bytes fails if it is not allowed.  (To a pipe it would look like
   the end to a reader.)  */
int
cgwi_get_flags (int fd)
{
  intptr_t value = fd >= 0 ? _get_osfhandle (fd) : -1;
  HANDLE file = (HANDLE) value; /* -2: no file, as in a windowed program */
  DWORD n;

  if (value == -1 || value == -2)
    return -1;
  return GetFileType (file) != FILE_TYPE_PIPE
                 && !WriteFile (file, "", 0, &n, NULL)
             ? O_RDONLY
             : O_WRONLY;
}

void
cgwi_poll (int fd)
{
  (void) fd;
  Sleep (1);
}

/* It turns "/" into the separator, and completes "C:name", too.  */
int
cgwi_absolute_path (char *to, size_t size, const char *path)
{
  return _fullpath (to, path, size) != NULL ? 0 : ENAMETOOLONG;
}

int
cgwi_rename (const char *from, const char *to)
{
  int error = MoveFileExA (from, to, MOVEFILE_REPLACE_EXISTING) ? 0
                                                                : last_errno ();

  return error == EACCES ? why_denied (to) : error;
}

#else

# include <sched.h>
# include <stdio.h>
# include <stdlib.h>
# include <sys/mman.h>
# ifdef __linux__
#  include <sys/syscall.h>
# endif
# ifdef __APPLE__
#  include <sys/random.h>
# endif
# include <time.h>

# define NO_ADVICE 0x7fff

/* Ask the kernel to wipe the page in children (Linux 4.14).  False: it
   cannot.  An emulator that takes any advice follows none: qemu-user.

   CGWI_NO_WIPEONFORK makes a library as on a system that lacks this.  The
   tests are built so, too.  */
static bool
wipe_on_fork (void *page)
{
# if defined MADV_WIPEONFORK && !defined CGWI_NO_WIPEONFORK
  return madvise (page, sizeof (struct cgwi_mark_page), NO_ADVICE) == -1
         && madvise (page, sizeof (struct cgwi_mark_page), MADV_WIPEONFORK)
                == 0;
# else
  (void) page;
  return false;
# endif
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
cgwi_mark_free (struct cgwi_mark *m)
{
  int kept = errno;

  if (m->page != NULL)
    munmap (m->page, sizeof *m->page);
  m->page = NULL;
  errno = kept;
}

/* In a forked child, only the thread that forked goes on.  Later threads may
   get the pthread_self of one that does not exist any more.  */
static bool
may_have_forked (void)
{
# ifdef __linux__
  return syscall (SYS_gettid) == getpid ();
# else
  return true;
# endif
}

/* Sleep rather than spin on: a thread that finds the lock free a moment later
   would take the cache lines from the thread that works under it.  A pause that
   a signal cuts short does no harm.  */
void
cgwi_pause (unsigned tries)
{
  static const struct timespec millisecond = { 0, 1000000 };
  int kept = errno;
  int before = cgwi_disable_cancel ();

  if (tries < 16)
    sched_yield ();
  else
    nanosleep (&millisecond, NULL);
  cgwi_restore_cancel (before);
  errno = kept;
}

int
cgwi_disable_cancel (void)
{
  int before = PTHREAD_CANCEL_ENABLE;

# ifndef __ANDROID__
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &before);
# endif
  return before;
}

void
cgwi_restore_cancel (int before)
{
# ifndef __ANDROID__
  pthread_setcancelstate (before, &before);
# else
  (void) before;
# endif
}

/* FreeBSD has another errno for a symbolic link, and the BSDs have one for a
   socket.  */
int
cgwi_open_file (const char *path, int flags, mode_t mode)
{
  int fd = open (path, flags | O_WRONLY | O_CLOEXEC | O_NOCTTY, mode);

  if (fd == -1 && errno == EMLINK)
    errno = ELOOP;
  else if (fd == -1 && errno == EOPNOTSUPP)
    errno = ENXIO;
  return fd;
}

void
cgwi_set_mode (int fd, const char *path, mode_t mode)
{
  (void) path;
  fchmod (fd, mode);
}

bool
cgwi_may_follow (const char *path)
{
  const char *name = strrchr (path, '/');
  size_t n = name != NULL ? (size_t) (name - path) + 1 : 0;
  struct stat link, folder;
  char parent[CGWI_PATH_MAX];

  if (n + 1 >= sizeof parent || lstat (path, &link) == -1
      || !S_ISLNK (link.st_mode))
    return false;
  memcpy (parent, path, n);
  memcpy (parent + n, ".", 2);
  return cgwi_is_own (&link)
         || (stat (parent, &folder) == 0
             && ((folder.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH)
                 || folder.st_uid == link.st_uid));
}

int
cgwi_absolute_path (char *to, size_t size, const char *path)
{
  size_t n = 0;

  if (path[0] != '/')
    {
      if (getcwd (to, size) == NULL)
        return errno != ERANGE ? errno : ENAMETOOLONG;
      n = strlen (to);
      to[n++] = '/';
    }
  if (n + strlen (path) >= size)
    return ENAMETOOLONG;
  memcpy (to + n, path, strlen (path) + 1);
  return 0;
}

int
cgwi_rename (const char *from, const char *to)
{
  int kept = errno;
  int error = rename (from, to) == -1 ? errno : 0;

  errno = kept;
  return error;
}

static bool
get_random (uint64_t *words, size_t n)
{
  return getentropy (words, n * sizeof *words) == 0;
}

#endif

/* A hook may make calls that are cancellation points.  */
void *
cgwi_resize (const struct cgwi_memory *m, void *p, size_t n)
{
  int before = cgwi_disable_cancel ();
  int kept = errno;
  void *result = m->allocate (m->context, p, n);

  errno = kept;
  cgwi_restore_cancel (before);
  return result;
}

void *
cgwi_copy_larger (const struct cgwi_memory *m, const void *old, size_t used,
                  size_t size)
{
  void *larger = cgwi_resize (m, NULL, size);

  if (larger != NULL && used > 0)
    memcpy (larger, old, used);
  return larger;
}

bool
cgwi_grow (const struct cgwi_memory *m, struct cgwi_array *a, size_t n,
           size_t size)
{
  size_t room = a->room + a->room / 4 + 32;
  void *old = a->at;
  void *larger = NULL;

  if (n <= a->room)
    return true;
  room = room > n ? room : n;
  /* A longjmp may come between realloc's free and the store: better that
     nobody frees the array than that somebody frees it again.  */
  a->at = NULL;
  cgwi_in_order ();
  if (room <= SIZE_MAX / 2 / size)
    larger = cgwi_resize (m, old, room * size);
  a->at = larger != NULL ? larger : old;
  a->room = larger != NULL ? room : a->room;
  return larger != NULL;
}

void
cgwi_release_array (const struct cgwi_memory *m, struct cgwi_array *a)
{
  void *old = a->at;

  *a = (struct cgwi_array){ 0 };
  cgwi_in_order ();
  cgwi_release (m, old);
}

void
cgwi_mark_set (struct cgwi_mark *m)
{
  m->pid = getpid ();
  /* release: another thread reads the pid only if the mark is alive.  */
  atomic_store_explicit (&m->page->alive, true, memory_order_release);
}

bool
cgwi_mark_is_ours (const struct cgwi_mark *m)
{
  return cgwi_mark_is_alive (m) && (m->wiped || m->pid == getpid ());
}

/* Callers.  The process id has 22 bits on Linux and fewer elsewhere; the lower
   five bits of pthread_self say nothing, because thread blocks are large.  */

#define THREAD_BITS 42

static pid_t
process (const struct cgwi_mark *m)
{
  return m->wiped
                 && atomic_load_explicit (&m->page->alive,
                                          memory_order_acquire)
             ? m->pid
             : getpid ();
}

uint64_t
cgwi_caller (const struct cgwi_mark *m)
{
  uint64_t thread = (uint64_t) cgwi_self () >> 5;

  return (uint64_t) process (m) << THREAD_BITS
         | (thread & ((UINT64_C (1) << THREAD_BITS) - 1));
}

bool
cgwi_caller_is_me (const struct cgwi_mark *m, uint64_t caller)
{
  uint64_t different = caller ^ cgwi_caller (m);

  return different == 0
         || ((different & ((UINT64_C (1) << THREAD_BITS) - 1)) == 0
             && may_have_forked ());
}

bool
cgwi_caller_is_gone (const struct cgwi_mark *m, uint64_t caller)
{
  return (caller ^ cgwi_caller (m)) >> THREAD_BITS != 0;
}

/* Without entropy, take what differs from run to run: addresses.  */
void
cgwi_random (uint64_t *words, size_t n)
{
  int kept = errno;

  if (!get_random (words, n))
    for (size_t i = 0; i < n; i++)
      words[i] = ((uintptr_t) words + i) * UINT64_C (0x9e3779b97f4a7c15)
                 ^ (uint64_t) getpid () << 32;
  errno = kept;
}
