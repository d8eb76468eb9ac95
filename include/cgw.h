/* cgw.h - libcgw: writes profiles in the callgrind format, version 1.

   A measurement tool opens a writer on a descriptor, adds the names of its
   objects, files and functions, begins a part, and hands over cost lines,
   calls and jumps.  The library assigns the name-compression ids, encodes the
   subpositions, and writes whole records.  KCachegrind and callgrind_annotate
   read the result.

   Rules for all calls:
   - A call that fails says so by a status, and changes nothing: neither the
     file nor what later calls write.
   - No call prints, aborts, changes errno, reads the environment, the clock or
     the locale, or touches a signal's disposition or mask.
   - The same calls give the same bytes, whatever the time, the process, the
     locale, the umask, the buffer size, and the kind of descriptor.
   - [S] marks the calls for signal handlers: cgw_cost, cgw_call, cgw_jump and
     cgw_cond_jump may be made from any handler, also from one that interrupted
     any call on the same writer, or another such handler.  They never
     allocate, lock, wait or use thread-local storage but errno, which they
     keep; they need at most 1 KiB of stack.  Who finds the writer busy parks
     the record in a ring, and who is inside writes it on the way out.  (The
     first call from a program that is bound lazily runs the dynamic linker:
     link programs with handlers with -Wl,-z,now.)
   - [N] marks those for normal code: not for handlers.  Inside a handler that
     interrupted a call on the same writer they return CGW_EBUSY, or, with
     CGW_THREADS, wait for it in vain for ten seconds first.  So they do for
     ever after a longjmp out of a call: only cgw_finish, cgw_reset and
     cgw_free are of use then.
   - By default a writer belongs to one thread and the handlers that run in
     it.  With CGW_THREADS any thread may call; cgw_reset and cgw_free are for
     when no other call is under way.  Different writers are independent.
   - A forked child's copy of a writer is dead: all calls but cgw_free return
     CGW_EFORK, and nothing is written twice.  cgw_reset revives it.
   - Strings end at their NUL, are copied, and may hold any bytes.  Bytes that
     are not valid UTF-8, control characters and line separators are written
     as \xHH, because each breaks some reader; so is a blank at either end of
     a name, while header lines and comments lose it.  In cmd a newline becomes
     \n, and a backslash is doubled, as callgrind does it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CGW_H
#define CGW_H 1

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The version lives here alone: configure.ac reads it from this line.  */
#define CGW_VERSION_STRING "0.1.0"
#define CGW_VERSION_MAJOR 0
#define CGW_VERSION_MINOR 1
#define CGW_VERSION_PATCH 0

#if defined __GNUC__
# define CGW_API __attribute__ ((visibility ("default")))
#else
# define CGW_API
#endif

/* No call throws: the library is C and calls back into user code only through
   the hooks of struct cgw_options, which must not throw either.  */
#if defined __cplusplus && __cplusplus >= 201103L
# define CGW_NOEXCEPT noexcept
#elif defined __cplusplus
# define CGW_NOEXCEPT throw ()
#else
# define CGW_NOEXCEPT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Status.  The values are part of the ABI and never change.  */
enum cgw_status
{
  CGW_OK = 0,
  CGW_EINVAL = 1,    /* an argument is NULL or outside its range */
  CGW_EORDER = 2,    /* no part is open, or none was ever begun */
  CGW_EFINISHED = 3, /* the writer is finished; only reset and free follow */
  CGW_EHANDLE = 4,   /* a handle that this writer did not give out */
  CGW_ECOSTS = 5,    /* more costs than the part has events */
  CGW_ENOMEM = 6,    /* no memory, or more names than ids */
  CGW_EIO = 7,       /* open, write or close failed; cgw_errno says why */
  CGW_EAGAIN = 8,    /* the descriptor takes nothing more just now */
  CGW_EOVERFLOW = 9, /* a sum passed 2^64-1; a part then has no totals: line */
  CGW_EFILE = 10,    /* the path is not a regular file of the caller's own */
  CGW_ELOST = 11,    /* records were lost; cgw_stats counts them */
  CGW_EBUSY = 12,    /* another call on the writer is under way */
  CGW_EFORK = 13     /* the writer is a forked child's copy: cgw_reset first */
};

/* The writer.  Opaque on purpose: its layout changes between versions.  */
struct cgw_writer;

/* Handles for names.  One struct each, so that a file passed for a function
   does not compile.  {0} is always valid: it is the unknown object, file or
   function, written as "???" (and in struct cgw_pos, no other file).  Handles
   live as long as the writer, across parts and cgw_reset.  */
struct cgw_object { uint32_t handle; };
struct cgw_file { uint32_t handle; };
struct cgw_fn { uint32_t handle; };

/* A position: where a cost happened.  Its layout is frozen.  */
struct cgw_pos
{
  struct cgw_fn fn;     /* the function (which knows its file and object) */
  struct cgw_file file; /* {0}: the function's own; else inlined code's file */
  uint32_t line;        /* source line, 0 when unknown */
  uint64_t instr;       /* address in the object, load offset taken off */
};

/* An event type.  Its layout is frozen: the format defines nothing more.  */
struct cgw_event
{
  const char *name;      /* letters and digits, a letter first; unique */
  const char *long_name; /* NULL, or the description that KCachegrind shows */
  const char *formula;   /* NULL, or for a derived event terms like
                            "Ir + 10 Dr": a decimal coefficient or none, the
                            name of an event listed before.  Derived events
                            have no costs: they do not count in a record's n. */
};

/* Which subpositions a cost line has.  */
#define CGW_LINE 1u       /* line numbers (what 0 means, too) */
#define CGW_INSTR 2u      /* addresses */
#define CGW_INSTR_LINE 3u /* both */

/* A part: its own header and body.  Start from CGW_PART_INIT.  */
struct cgw_part
{
  size_t size;                    /* of this struct, set by CGW_PART_INIT */
  const struct cgw_event *events; /* at least 1, at most 200 not derived */
  size_t n_events;
  unsigned positions;             /* CGW_LINE, CGW_INSTR or CGW_INSTR_LINE */
  uint64_t pid;                   /* pid, part, thread: 0 leaves the line out */
  uint64_t part;
  uint64_t thread;
  const char *cmd;                /* command line, or NULL */
  const char *const *desc;        /* "type: value" each, as the format's document
                                     has them, e.g. "Trigger: interval" */
  size_t n_desc;
  const uint64_t *summary;        /* full cost of the run, if known now, one
                                     number per event; else NULL */
  size_t n_summary;
};
#define CGW_PART_INIT \
  { sizeof (struct cgw_part), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Flags of a writer.  */
#define CGW_PLAIN_NAMES 1u /* names in full, no ids; except a name that begins
                              with "(" and a digit, which reads as an id */
#define CGW_ABSOLUTE 2u    /* every subposition absolute */
#define CGW_KEEP_ZEROS 4u  /* trailing zero costs stay (speedscope needs it) */
#define CGW_NO_PAD 8u      /* no blank lines before a multiple of 4096 bytes:
                              a killed process may then leave a torn record */
#define CGW_ZERO_CALLS 16u /* allow calls with count 0, whose cost
                              callgrind_annotate takes for self cost */
#define CGW_THREADS 32u    /* any thread may call; costs a locked instruction */

/* Options of a writer.  Start from CGW_OPTIONS_INIT; NULL means the same.  */
struct cgw_options
{
  size_t size;         /* of this struct, set by CGW_OPTIONS_INIT */
  unsigned flags;      /* CGW_PLAIN_NAMES | ... */
  size_t buffer_size;  /* bytes gathered before a write; 0 means 64 KiB.  The
                          buffer is larger by one record of the longest names. */
  const char *creator; /* NULL: "libcgw-VERSION" */
  /* Takes the place of write(2), with its contract: returns how many bytes it
     took, or -1 with errno set.  The descriptor is then not used.  */
  ssize_t (*write) (void *context, const void *bytes, size_t n);
  void *write_context;
  /* Takes the place of malloc, realloc and free: p NULL allocates, n 0 frees,
     else resizes and keeps the contents; NULL means no memory.  */
  void *(*allocate) (void *context, void *p, size_t n);
  void *allocate_context;
  uint32_t parking_slots; /* records that handlers may leave for the call that
                             they interrupted; 0 means 1024; at most 2^24 */
};
#define CGW_OPTIONS_INIT \
  { sizeof (struct cgw_options), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Counts since cgw_new or cgw_reset.  Start from CGW_STATS_INIT.
   A record is a cost line, a call or a jump.  Every record whose arguments
   were right is either recorded or lost, and so is each event's self cost:
   delivered == recorded + lost.  */
struct cgw_stats
{
  size_t size;        /* of this struct, set by CGW_STATS_INIT */
  uint64_t recorded;  /* records encoded, less those cut off at the end */
  uint64_t lost;      /* records that the descriptor did not take, ... */
  uint64_t lost_busy; /* ... of them, those that found no place to park */
  uint64_t refused;   /* records refused by CGW_EINVAL, CGW_EHANDLE, ... */
  uint64_t written;   /* bytes that the descriptor took and that stayed */
  uint64_t buffered;  /* bytes not yet written */
  uint64_t discarded; /* bytes that cgw_finish had to give up */
  uint64_t names_changed; /* added names that had to be escaped or cut */
  /* Self costs, if wanted: arrays of the caller's, n_costs long.  Events
     beyond the part's are set to 0; sums are modulo 2^64.  */
  size_t n_costs;
  uint64_t *recorded_costs;
  uint64_t *lost_costs;
};
#define CGW_STATS_INIT \
  { sizeof (struct cgw_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* The longest name written, in bytes.  A longer one is cut to this length and
   ends in "#" and a hash of the whole, so that it stays unique.  */
#define CGW_NAME_MAX 65536

/* The most events of a part that are not derived: KCachegrind reads no more. */
#define CGW_EVENTS_MAX 200

/* [N] Makes a writer that writes to fd, from its present offset on.  The
   descriptor stays the caller's: it is never closed.
   CGW_EINVAL: w is NULL, fd is negative (and there is no write hook), not open
   or not open for writing, an unknown flag, or a struct from a newer library
   with members that this one does not know.  CGW_ENOMEM.
   *w is NULL after a failure.  */
CGW_API enum cgw_status cgw_new (struct cgw_writer **w, int fd,
                                 const struct cgw_options *options)
  CGW_NOEXCEPT;

/* [N] Creates or empties the file at path, and makes a writer on it that owns the
   descriptor: cgw_finish closes it.  In path, "%p" stands for the process id
   and "%%" for "%".  The file gets mode 0600 if it is new; the descriptor is
   close-on-exec.
   CGW_EFILE: path is a symbolic link, not a regular file, has another hard
   link, or belongs to another user; it is left as it was.  (Only the last
   component is looked at: the directories on the way are the caller's choice.)
   CGW_EIO: the file cannot be opened.  After these two *w is not NULL: ask it
   for cgw_error and cgw_errno, and free it.
   CGW_EINVAL: as cgw_new, another "%" in path, or a write hook.
   CGW_ENOMEM.  *w is NULL.  */
CGW_API enum cgw_status cgw_create (struct cgw_writer **w, const char *path,
                                    const struct cgw_options *options)
  CGW_NOEXCEPT;

/* [N] Frees a writer, finished or not.  Never writes: what is still buffered is
   gone.  NULL is allowed.  */
CGW_API void cgw_free (struct cgw_writer *w) CGW_NOEXCEPT;

/* [N] Starts a new file on fd (as for cgw_new), in whatever state the writer is.
   What is still buffered is gone; the handles stay; errors and counts begin
   anew.  For the next file, and for a forked child, which must not write what
   its parent has buffered.
   CGW_EINVAL: w is NULL, or fd as for cgw_new.  */
CGW_API enum cgw_status cgw_reset (struct cgw_writer *w, int fd) CGW_NOEXCEPT;

/* [N] Add a name, or find it again: equal arguments give equal handles.  A
   function is (name, file, object): two static functions of one name in two
   files are two functions.  NULL and "" are unknown.
   After a failure the handle is {0}, costs go on under "???", and cgw_error
   says what was wrong.
   CGW_EINVAL: w is NULL.  CGW_EHANDLE.  CGW_ENOMEM.  After cgw_finish the
   handle is {0}, and no error is kept.  */
CGW_API struct cgw_object cgw_add_object (struct cgw_writer *w,
                                          const char *path) CGW_NOEXCEPT;
CGW_API struct cgw_file cgw_add_file (struct cgw_writer *w,
                                      const char *path) CGW_NOEXCEPT;
CGW_API struct cgw_fn cgw_add_fn (struct cgw_writer *w, const char *name,
                                  struct cgw_file file,
                                  struct cgw_object object) CGW_NOEXCEPT;

/* [N] Begins a part.  Ends the part before it, with its totals.
   The parts of one file have the same events and positions:
   callgrind_annotate takes those of the first part for all.
   CGW_EINVAL: an event's name or formula is not as the format's grammar says,
   or stands twice; none or too many events; unknown positions; more summary
   numbers than events; other events or positions than the part before; a
   struct with unknown members.  CGW_ENOMEM.  CGW_EFINISHED.
   CGW_EIO, CGW_EAGAIN: no room, and the descriptor takes nothing; try again,
   or cgw_finish will return CGW_EIO or CGW_ELOST for the missing part.  */
CGW_API enum cgw_status cgw_begin_part (struct cgw_writer *w,
                                        const struct cgw_part *part)
  CGW_NOEXCEPT;

/* [S] Records: a cost line, a call, a jump, a conditional jump.

   Errors of all four:
   CGW_EINVAL: a pointer is NULL (a cost array may be, when n is 0).
   CGW_EHANDLE: a handle in a position is not this writer's.
   CGW_ECOSTS: n is larger than the number of events (derived ones aside).
   CGW_EORDER: no part is open.  CGW_EFINISHED.
   CGW_EIO, CGW_EAGAIN: the buffer is full and the descriptor fails, or takes
   nothing now; the record is lost and counted.
   CGW_ELOST: the writer is busy and all parking slots are taken; likewise.
   CGW_EFORK.
   CGW_OK for a parked record: should it be refused or lost later, when it is
   written, the counts and cgw_error say so.

   n costs follow the order of the part's events; missing ones are zero.  */

/* Self cost at a position.  Costs at equal positions are summed by readers. */
CGW_API enum cgw_status cgw_cost (struct cgw_writer *w,
                                  const struct cgw_pos *pos,
                                  const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* count calls from a position to a function, and what they cost inside it in
   all (inclusive cost).  to->line and to->instr are where the function
   begins; to->file is not used, for a function has its own file.
   CGW_EINVAL also: count is 0, unless CGW_ZERO_CALLS.  */
CGW_API enum cgw_status cgw_call (struct cgw_writer *w,
                                  const struct cgw_pos *from,
                                  const struct cgw_pos *to, uint64_t count,
                                  const uint64_t *inclusive_cost, size_t n)
  CGW_NOEXCEPT;

/* A jump that was executed so often; a conditional one that was reached
   executed times and followed so often.
   to->file is used only where the jump stays in its function.
   CGW_EINVAL also: the target's function is in another object: the format
   cannot say that.  */
CGW_API enum cgw_status cgw_jump (struct cgw_writer *w,
                                  const struct cgw_pos *from,
                                  const struct cgw_pos *to, uint64_t executed)
  CGW_NOEXCEPT;
CGW_API enum cgw_status cgw_cond_jump (struct cgw_writer *w,
                                       const struct cgw_pos *from,
                                       const struct cgw_pos *to,
                                       uint64_t followed, uint64_t executed)
  CGW_NOEXCEPT;

/* [N] Writes a comment line, "# text", at this place of the part.
   May wait for the descriptor, as cgw_begin_part, cgw_flush and cgw_finish may.
   CGW_EINVAL: w or text is NULL.  CGW_EORDER.  CGW_EFINISHED.  CGW_ENOMEM.
   CGW_EIO, CGW_EAGAIN: as cgw_begin_part.  */
CGW_API enum cgw_status cgw_comment (struct cgw_writer *w, const char *text)
  CGW_NOEXCEPT;

/* [N] Writes what is buffered; waits while the descriptor takes nothing (a write
   hook that says EAGAIN is not waited for).  After a failure the unwritten
   bytes are kept, and the next cgw_flush goes on at the same byte.
   CGW_EINVAL: w is NULL.  CGW_EIO.  CGW_EAGAIN.  CGW_EFINISHED.  */
CGW_API enum cgw_status cgw_flush (struct cgw_writer *w) CGW_NOEXCEPT;

/* [N] Ends the last part with its totals, flushes, and returns the first error
   since cgw_new that left something out of the file (cgw_error).
   When the bytes cannot be written, a regular file is cut back to its last
   whole record, so that it stays a valid profile (without totals:), and
   cgw_stats says what is missing.
   CGW_ELOST: records were lost while the descriptor took nothing; the file
   says how many.  CGW_EAGAIN: a write hook said EAGAIN; call again.
   CGW_EORDER: no part was ever begun; nothing is written.  CGW_EINVAL: w is
   NULL.  CGW_EFINISHED.
   CGW_EBUSY: a call that a longjmp left, or that this one interrupted, holds
   the writer; its whole records are written, without totals:, and the writer
   is finished.  */
CGW_API enum cgw_status cgw_finish (struct cgw_writer *w) CGW_NOEXCEPT;

/* [N] Fills in the counts.
   CGW_EINVAL: a pointer is NULL, or a struct with unknown members.  */
CGW_API enum cgw_status cgw_stats (struct cgw_writer *w,
                                   struct cgw_stats *stats) CGW_NOEXCEPT;

/* [S] CGW_EIO while the descriptor fails; else the first error that left
   something out of the file, which cgw_finish will return; else CGW_OK.
   CGW_EINVAL for NULL.  */
CGW_API enum cgw_status cgw_error (const struct cgw_writer *w) CGW_NOEXCEPT;

/* [S] The errno of the last open, write or close that failed, or 0.  */
CGW_API int cgw_errno (const struct cgw_writer *w) CGW_NOEXCEPT;

/* [S] A sentence for a status, never NULL.  */
CGW_API const char *cgw_strerror (enum cgw_status status) CGW_NOEXCEPT;

/* [S] The version of the library that runs, "MAJOR.MINOR.PATCH".  */
CGW_API const char *cgw_version (void) CGW_NOEXCEPT;

/* Aggregation: adds up costs before they are written.

   A profile sums self costs per position and calls per edge (a position and
   the function called from it), and writes them as one part: sorted by object,
   file, function, source file, address and line, with its summary: known in
   advance; the same bytes for the same sums, in whatever order they came.  It
   takes memory per distinct position and edge (README says how much), none
   per cost.  One thread at a time may use a profile.  */
struct cgw_profile;

/* [N] Makes an empty profile for parts of a writer with n_events events
   (derived ones aside) and these positions (CGW_LINE, ...; 0 means CGW_LINE).
   It takes its memory from the writer's hook, goes on across cgw_reset, and
   must be freed before the writer.  *p is NULL after a failure.
   CGW_EINVAL: p or w is NULL, or a number is outside its range.
   CGW_ENOMEM.  */
CGW_API enum cgw_status cgw_profile_new (struct cgw_profile **p,
                                         struct cgw_writer *w,
                                         size_t n_events, unsigned positions)
  CGW_NOEXCEPT;

/* [N] Frees a profile; writes nothing.  NULL is allowed.  */
CGW_API void cgw_profile_free (struct cgw_profile *p) CGW_NOEXCEPT;

/* [N] Forgets all sums and frees their memory, to begin the next interval.
   NULL is allowed.  */
CGW_API void cgw_profile_clear (struct cgw_profile *p) CGW_NOEXCEPT;

/* [N] Add a self cost, calls, or a stack.  Subpositions that the profile's
   positions do not have are left out.  After an error nothing was added, and
   the writer's counts and cgw_error know nothing of it.

   Errors of all three:
   CGW_EINVAL: a pointer is NULL (a cost array may be, when n is 0).
   CGW_EHANDLE: a handle in a position is not the writer's.
   CGW_ECOSTS: n is larger than the number of events.
   CGW_ENOMEM: no memory for a new position or edge.
   CGW_EOVERFLOW: a sum would pass 2^64-1: that of all self costs, or one of an
   edge.  */
CGW_API enum cgw_status cgw_profile_cost (struct cgw_profile *p,
                                          const struct cgw_pos *pos,
                                          const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* As cgw_call.  Of an edge's several targets the lowest known one (neither
   line nor instr 0) is written.
   CGW_EINVAL also: count is 0.  */
CGW_API enum cgw_status cgw_profile_call (struct cgw_profile *p,
                                          const struct cgw_pos *from,
                                          const struct cgw_pos *to,
                                          uint64_t count,
                                          const uint64_t *inclusive_cost,
                                          size_t n) CGW_NOEXCEPT;

/* frames[0] is the leaf, and gets the cost as self cost; frames[i + 1], from
   where it stands, called the function of frames[i].  Each edge of the stack
   gets one call, however often recursion repeats it.  The outermost edge into
   each function gets the cost as inclusive cost; the others, calls back into a
   function that is under way already, get 0: so readers, who add up a
   function's callers, count the stack's cost once.
   CGW_EINVAL also: n_frames is 0.  */
CGW_API enum cgw_status cgw_profile_stack (struct cgw_profile *p,
                                           const struct cgw_pos *frames,
                                           size_t n_frames,
                                           const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* [N] Begins a part in the writer and writes all sums, which stay:
   cgw_profile_clear forgets them.  The part must have the profile's positions
   and number of events; its summary: is the sums unless it has one.
   May wait for the descriptor, as cgw_begin_part may.
   CGW_EINVAL: a pointer is NULL; another number of events or other positions;
   as cgw_begin_part.  CGW_ENOMEM, CGW_EFINISHED: nothing was written.
   CGW_EIO, CGW_EAGAIN: no part was begun, or records were lost and counted, as
   by cgw_cost.  */
CGW_API enum cgw_status cgw_profile_write (struct cgw_profile *p,
                                           const struct cgw_part *part)
  CGW_NOEXCEPT;

/* Raw samples: for handlers that have only addresses.

   A recorder is a fixed ring of samples in memory of the caller's.  Any
   handler in any thread pushes; normal code drains, finds out what the
   addresses mean, and feeds a profile.  It has no pointers inside: it may lie
   in memory that processes share, wherever each has it mapped; the others
   take the address of the memory for a struct cgw_recorder *.

   A push never waits.  One that is under way while another thread drains
   comes with a later drain.  One that never ends (its process was killed, or
   a handler jumped out of it) keeps its place for good, and counts as
   waiting; the other places go on.  */
struct cgw_recorder;

/* A sample, as it is drained: valid until the callback returns.  */
struct cgw_sample
{
  const uint64_t *frames; /* addresses, the leaf first */
  size_t n_frames;
  const uint64_t *cost;   /* those that the push did not give are 0 */
  size_t n_costs;         /* of the recorder */
  uint64_t tag;           /* the caller's: a thread, a process */
};

/* Counts of a recorder.  Start from CGW_RECORDER_STATS_INIT.  Each sample
   whose arguments were right is recorded or lost, and waiting until it is
   drained: pushed == drained + waiting + lost, with waiting == recorded -
   drained; so is each of its costs.  */
struct cgw_recorder_stats
{
  size_t size;          /* of this struct, set by CGW_RECORDER_STATS_INIT */
  uint64_t recorded;    /* samples that found a place */
  uint64_t drained;     /* of them, those handed out */
  uint64_t lost;        /* samples that found the ring full */
  uint64_t cut;         /* recorded samples whose outer frames were cut off */
  size_t n_costs;       /* length of the caller's array, or 0 */
  uint64_t *lost_costs; /* costs of the lost samples, modulo 2^64, or NULL */
};
#define CGW_RECORDER_STATS_INIT \
  { sizeof (struct cgw_recorder_stats), 0, 0, 0, 0, 0, 0 }

/* [N] Bytes of a recorder for n_samples (rounded up to a power of two, at most
   2^24) of at most max_frames addresses (2^16) and n_costs costs
   (CGW_EVENTS_MAX) each; 0 when a number is 0 (n_costs may be) or too
   large.  */
CGW_API size_t cgw_recorder_size (size_t n_samples, size_t max_frames,
                                  size_t n_costs) CGW_NOEXCEPT;

/* [N] Makes an empty recorder in that many bytes, aligned to 8, and returns
   their address; NULL when an argument is not right.  The memory is the
   caller's to free, when no handler may push any more.  */
CGW_API struct cgw_recorder *cgw_recorder_init (void *memory,
                                                size_t n_samples,
                                                size_t max_frames,
                                                size_t n_costs) CGW_NOEXCEPT;

/* [S] Records a sample: n_frames addresses, the leaf first (the outermost are
   cut when there are more than max_frames), and n costs.
   CGW_ELOST: the ring is full; counted.  CGW_EINVAL: a pointer is NULL (cost
   may be, when n is 0), no frames.  CGW_ECOSTS: more costs than n_costs.  */
CGW_API enum cgw_status cgw_recorder_push (struct cgw_recorder *r,
                                           uint64_t tag,
                                           const uint64_t *frames,
                                           size_t n_frames,
                                           const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* [N] Hands each sample that waits at the time of the call to take, oldest
   first, and frees its place; returns how many.  take may push.  One thread
   drains at a time.  0 also when r or take is NULL.  */
CGW_API size_t cgw_recorder_drain (struct cgw_recorder *r,
                                   void (*take) (void *context,
                                                 const struct cgw_sample *),
                                   void *context) CGW_NOEXCEPT;

/* [S] Fills in the counts.
   CGW_EINVAL: a pointer is NULL, or a struct with unknown members.  */
CGW_API enum cgw_status cgw_recorder_get_stats (
  const struct cgw_recorder *r, struct cgw_recorder_stats *stats)
  CGW_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif /* CGW_H */
