/* cgw.h - libcgw writes profiles in the callgrind format, version 1, which
   KCachegrind and callgrind_annotate read.

   The short road: add names, add costs and calls to a profile, and save it as a
   part, which says what the costs are.  (README has this as a whole program.)

     cgw_names_new (&names, NULL);
     cgw_profile_new (&p, names, 1, CGW_LINE);
     at.fn = cgw_add_fn (names, "main", cgw_add_file (names, "a.c"), program);
     cgw_profile_cost (p, &at, &cost, 1);
     status = cgw_profile_save (p, "callgrind.out.mine", &part, NULL);

   It comes first here.  Then come the other calls on profiles; writers, whose
   records go to a file as they come, from signal handlers, too; tracers, which
   are told of calls and returns; recorders, for samples from handlers; and at
   the end the flags, and the rules for all calls.  [N] marks calls for normal
   code, [S] those that are async-signal-safe.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CGW_H
#define CGW_H 1

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The only place of the version: configure.ac reads it from this line.  */
#define CGW_VERSION_STRING "1.0.0"
#define CGW_VERSION_MAJOR 1
#define CGW_VERSION_MINOR 0
#define CGW_VERSION_PATCH 0

/* How the functions are declared.  Define it yourself, such as -DCGW_API=, or
   CGW_STATIC for static ones in a file that includes cgw.c: see cgw.c.  */
#ifndef CGW_API
# if defined CGW_STATIC
#  define CGW_API static __attribute__ ((unused))
# elif defined __GNUC__
#  define CGW_API __attribute__ ((visibility ("default")))
# else
#  define CGW_API
# endif
#endif

#ifdef __cplusplus
# define CGW_NOEXCEPT throw ()
# define CGW_NULL 0
# if __cplusplus >= 201103L
#  undef CGW_NOEXCEPT
#  undef CGW_NULL
#  define CGW_NOEXCEPT noexcept
#  define CGW_NULL nullptr
# endif
extern "C" {
#else
# define CGW_NOEXCEPT
# define CGW_NULL 0
#endif

/* What a call returns.  The values never change; later versions may add some:
   cgw_strerror describes those of the library in use.  */
enum cgw_status
{
  CGW_OK = 0,         /* the call did all that it does */
  CGW_EINVAL = 1,     /* an argument is NULL, or outside its range */
  CGW_EORDER = 2,     /* no part is open, or a tracer is stopped */
  CGW_EFINISHED = 3,  /* the writer is finished: cgw_free it */
  CGW_EHANDLE = 4,    /* a handle of another names object, or of a freed one */
  CGW_ECOSTS = 5,     /* more costs than events */
  CGW_ENOMEM = 6,     /* no memory, or more names than ids */
  CGW_EIO = 7,        /* the system or a hook failed: see cgw_errno */
  CGW_EAGAIN = 8,     /* the descriptor takes no bytes at present */
  CGW_EOVERFLOW = 9,  /* a sum passed 2^64-1, where it stays */
  CGW_EFILE = 10,     /* the path is refused: see cgw_open */
  CGW_ELOST = 11,     /* records or samples were lost: the stats count them */
  CGW_EBUSY = 12,     /* the caller interrupted a call on the same object */
  CGW_EFORK = 13,     /* a forked child's copy of its parent's writer */
  CGW_EDEPTH = 14,    /* the tracer has no open call, or too few */
  CGW_EBACKWARDS = 15, /* a counter is below its last value */
  CGW_EPACK = 16      /* the bytes are not a packed profile, or damaged */
};

struct cgw_options; /* of writers: see below */
struct cgw_names_options; /* of names */

/* The objects, files and functions of a program.  Any number of writers and
   profiles may share them: one names object is enough for a tool.  */
struct cgw_names;

/* Handles of names, which stay valid as long as the names object.  {0} is the
   unknown object, file or function, "???" (as the file of a struct cgw_pos, the
   function's own).  */
struct cgw_object { uint32_t handle; };
struct cgw_file { uint32_t handle; };
struct cgw_fn { uint32_t handle; };

/* [N] Make a names object.  options may be NULL.
   CGW_EINVAL: names is NULL, or the struct is wrong.  CGW_ENOMEM.  After an
   error *names is NULL.  */
CGW_API enum cgw_status cgw_names_new (
  struct cgw_names **names, const struct cgw_names_options *options)
  CGW_NOEXCEPT;

/* [N] Give up a names object.  Its memory is freed with the last writer or
   profile that uses it, so these may be freed before or after.  NULL is
   allowed.  */
CGW_API void cgw_names_free (struct cgw_names *names) CGW_NOEXCEPT;

/* [N] Add a name, or find it again: equal arguments return equal handles.  A
   function is a (name, file, object), so static functions of one name in two
   files are two functions.  NULL and "" are unknown names, "???" in the file.
   Finding a known name takes no lock, unless it must be escaped or cut.
   If only some functions are in a known object, add the object "???" before the
   first record: otherwise Qt Creator loses calls to functions that come before
   the first object line.
   After a failure the handle is {0}: records with it go to "???", and the names
   object, unless it is NULL, is incomplete, once and for good.  cgw_names_error
   returns the reason, CGW_EHANDLE, CGW_ENOMEM or CGW_EBUSY, and so do cgw_error
   and cgw_finish of each writer that uses the names, unless the file has an
   error of its own.  */
CGW_API struct cgw_object cgw_add_object (struct cgw_names *names,
                                          const char *path) CGW_NOEXCEPT;
CGW_API struct cgw_file cgw_add_file (struct cgw_names *names,
                                      const char *path) CGW_NOEXCEPT;
CGW_API struct cgw_fn cgw_add_fn (struct cgw_names *names, const char *name,
                                  struct cgw_file file,
                                  struct cgw_object object) CGW_NOEXCEPT;

/* [N] Add a name of `length` bytes, which need not end in a NUL, or find it
   again.  A NUL in it is escaped, as all control characters are.  Otherwise as
   cgw_add_object, cgw_add_file and cgw_add_fn.  */
CGW_API struct cgw_object cgw_add_object_n (struct cgw_names *names,
                                            const char *path, size_t length)
  CGW_NOEXCEPT;
CGW_API struct cgw_file cgw_add_file_n (struct cgw_names *names,
                                        const char *path, size_t length)
  CGW_NOEXCEPT;
CGW_API struct cgw_fn cgw_add_fn_n (struct cgw_names *names, const char *name,
                                    size_t length, struct cgw_file file,
                                    struct cgw_object object) CGW_NOEXCEPT;

/* [S] Return the text of a name, as files have it: what was added, escaped and
   cut where need be.  To add this text is to find the same name.  {0} is "???".
   The text is valid as long as the names object.  Return NULL if names is NULL,
   or the handle is of another names object.
   cgw_fn_name also sets *file and *object to those of the function, unless the
   pointers are NULL; {0} if they are unknown, or if it returns NULL.  */
CGW_API const char *cgw_object_name (const struct cgw_names *names,
                                     struct cgw_object object) CGW_NOEXCEPT;
CGW_API const char *cgw_file_name (const struct cgw_names *names,
                                   struct cgw_file file) CGW_NOEXCEPT;
CGW_API const char *cgw_fn_name (const struct cgw_names *names,
                                 struct cgw_fn fn, struct cgw_file *file,
                                 struct cgw_object *object) CGW_NOEXCEPT;

/* A position: where a cost arose.  Its layout is frozen.  */
struct cgw_pos
{
  struct cgw_fn fn;     /* the function; it includes its file and object */
  struct cgw_file file; /* {0}: the function's own; else inlined code's file */
  uint32_t line;        /* source line, or 0 when unknown */
  uint64_t instr;       /* address in the object's file: without the load bias,
                           dlpi_addr of dl_iterate_phdr(3) */
};

/* An event type.  Its layout is frozen: the format defines no more fields. */
struct cgw_event
{
  const char *name;      /* UTF-8 without blanks and control characters, such
                            as "wall_ns" or "Time_(10ns)"; unique.  An event
                            that has a long name or a formula, or is used in
                            one, must be named by an identifier of ASCII
                            letters, digits and "_": KCachegrind reads no other
                            names in event: lines */
  const char *long_name; /* the description that KCachegrind shows, or NULL */
  const char *formula;   /* NULL, or terms such as "Ir + 10 Dr" that make this
                            a derived event: terms with "+" or "-" between
                            them, each an optional decimal coefficient below
                            2^31 and the name of an earlier event.  Avoid
                            differences below 0: KCachegrind computes without
                            sign and shows nearly 2^64.  Readers compute
                            derived events, so records have no costs for them,
                            and they do not count in a record's n.  */
};

/* The most events that a part may have, derived ones not counted: KCachegrind
   reads no more.  */
#define CGW_EVENTS_MAX 200

/* Which subpositions a cost line has.  */
#define CGW_LINE 1u       /* line numbers; 0 means this, too */
#define CGW_INSTR 2u      /* addresses */
#define CGW_INSTR_LINE 3u /* both */

/* A part of a profile: a header, which this describes, and the costs under it.
   Most files have one part.  Initialize it with CGW_PART_INIT.  */
struct cgw_part
{
  size_t size;                    /* of this struct, set by CGW_PART_INIT */
  const struct cgw_event *events; /* 1 to CGW_EVENTS_MAX that are not derived,
                                     and any number of derived ones */
  size_t n_events;
  unsigned positions;             /* CGW_LINE, CGW_INSTR or CGW_INSTR_LINE */
  const char *cmd;                /* command line, or NULL */
  const char *const *desc;        /* strings "type: value" as in the format's
                                     document, e.g. "Trigger: interval" */
  size_t n_desc;
  const uint64_t *summary;        /* the cost of the whole run, one number per
                                     event that is not derived, if it is known
                                     in advance: Qt Creator shows 0 % without
                                     it.  Else NULL */
  size_t n_summary;
  uint64_t pid;                   /* pid, number, thread: 0 omits the lines
                                     pid:, part:, thread:; but a later part of
                                     a file needs one of them, and gets part:
                                     if it has none */
  uint64_t number;
  uint64_t thread;
};
#define CGW_PART_INIT \
  { sizeof (struct cgw_part), CGW_NULL, 0, 0, CGW_NULL, CGW_NULL, 0, \
    CGW_NULL, 0, 0, 0, 0 }

/* The writer.  Opaque, because its layout changes between versions.  */
struct cgw_writer;

/* Aggregation: add up costs before they are written.

   A profile sums self costs per position, and calls per edge: a position and
   the function called from it.  It writes the sums as one part, sorted by
   object, file, function, source file, address and line, with a summary: line.
   Equal sums give equal bytes, in whatever order they were added; but the
   object "???" has a line as soon as the names object has any other.  A sum
   that would pass 2^64-1 stays 2^64-1, and the first error of the profile is
   then CGW_EOVERFLOW, though the call returns CGW_OK.  What is 0 is not
   written.  A profile takes memory for each distinct position, edge and stack
   (cgw_speed(7) has the figures), and none for each cost.  */
struct cgw_profile;

/* [N] Make an empty profile for parts that have n_events events, 1 to
   CGW_EVENTS_MAX, derived ones not counted, and these positions (CGW_LINE, ...;
   0 means CGW_LINE).
   CGW_EINVAL: p or names is NULL, or a number is out of range.  CGW_ENOMEM.
   *p is NULL then; cgw_names_explain says why.  */
CGW_API enum cgw_status cgw_profile_new (struct cgw_profile **p,
                                         struct cgw_names *names,
                                         size_t n_events, unsigned positions)
  CGW_NOEXCEPT;

/* [N] Free a profile and its tracers, without writing it.  NULL is allowed.  No
   other call may be running on it.  */
CGW_API void cgw_profile_free (struct cgw_profile *p) CGW_NOEXCEPT;

/* [N] Discard all sums and errors and free their memory, to start the next
   interval.  The root function stays, and so do the open calls of tracers:
   while there is a tracer, the memory of positions and calls is kept.
   CGW_EINVAL: p is NULL.  CGW_EBUSY.  */
CGW_API enum cgw_status cgw_profile_clear (struct cgw_profile *p) CGW_NOEXCEPT;

/* [N] Additions: a self cost, calls, a stack, or a node of a call tree.

   Subpositions that the profile does not have are ignored.  After an error
   nothing was added; cgw_profile_error returns the first one since
   cgw_profile_clear, and cgw_profile_write makes it an error of the file.

   A count may be 0, where calls have a cost but were not counted.  If all
   counts of an edge are 0, the file says 1: readers take the inclusive cost of
   0 calls for self cost.  (With CGW_ZERO_CALLS it says 0.)

   All four return:
   CGW_EINVAL: a pointer is NULL (a cost array may be, when n is 0).
   CGW_EHANDLE: a handle in a position is not of the profile's names.
   CGW_ECOSTS: n is larger than the number of events.
   CGW_ENOMEM: no memory for a new position or edge.  CGW_EBUSY.  */

/* Add self cost at a position.  */
CGW_API enum cgw_status cgw_profile_cost (struct cgw_profile *p,
                                          const struct cgw_pos *pos,
                                          const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* Add count calls from a position to a function, and their inclusive cost, as
   cgw_call records them.  If calls of one edge name different targets, the
   lowest one is written; line and instr 0 is no target.  */
CGW_API enum cgw_status cgw_profile_call (struct cgw_profile *p,
                                          const struct cgw_pos *from,
                                          const struct cgw_pos *to,
                                          uint64_t count,
                                          const uint64_t *inclusive_cost,
                                          size_t n) CGW_NOEXCEPT;

/* Add a call stack that was seen count times, with the cost of all of them
   together.  frames[0] is the leaf and gets the cost as self cost.
   frames[i + 1] is the position of the call to the function of frames[i].
   Each edge of the stack gets count calls, however often recursion repeats it.
   Readers add up the inclusive costs of a function's callers.  To make them
   count the stack's cost once, the outermost edge into each function gets the
   cost as inclusive cost; calls back into an active function get 0.
   The profile keeps each distinct stack once, until cgw_profile_clear, and
   turns the stacks into self costs and calls each time it is written.  So
   adding a known stack again is much cheaper than adding its edges.
   Also CGW_EINVAL: n_frames is 0.  */
CGW_API enum cgw_status cgw_profile_stack (struct cgw_profile *p,
                                           const struct cgw_pos *frames,
                                           size_t n_frames, uint64_t count,
                                           const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* Add a node of a call tree, or calling-context tree: frames[0] is the node,
   and the others are the path to the tree's root.  The node was called count
   times by frames[1], and all of these calls together cost so much themselves.
   This is cgw_profile_stack but for the count, which only the innermost edge
   gets: the outer frames are nodes of their own, and count their calls by
   themselves.  The order of the nodes does not matter.  Each takes time and
   memory for its whole path: for trees of great depth, see cgw_replacing(7).
   The count of a node without a caller, and without a root
   (cgw_profile_set_root), is not used.
   Also CGW_EINVAL: n_frames is 0.  */
CGW_API enum cgw_status cgw_profile_node (struct cgw_profile *p,
                                          const struct cgw_pos *frames,
                                          size_t n_frames, uint64_t count,
                                          const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* [N] Make this function the outermost frame of all stacks that are added from
   now on, and the caller of the outermost calls of tracers that are made from
   now on, with line and instr 0; {0}: add no frame.  Readers take the sum over
   a function's callers as its inclusive cost.  Without a root, a function that
   is outermost in some stacks and called in others would show too little.  The
   root is a frame of its own, such as "(root)": a function that is outermost in
   your stacks already would seem to call itself.
   CGW_EINVAL: p is NULL.  CGW_EHANDLE; CGW_EBUSY.  */
CGW_API enum cgw_status cgw_profile_set_root (struct cgw_profile *p,
                                              struct cgw_fn root)
  CGW_NOEXCEPT;

/* [N] Declare that costs of an event may be below 0, such as those of net
   memory: they are two's complement (an int64_t converted to uint64_t), and so
   are the sums.  A tracer's counter of a signed event may sink.
   cgw_profile_clear keeps this.  Files have no such costs: cgw_profile_write
   writes a sum below 0 as 0, and adds a desc: line to the part, which
   callgrind_annotate prints, that says how many and how much; summary: and
   totals: are the sums of what is written, so they may be above
   cgw_profile_total.  Sums of signed events are modulo 2^64.
   CGW_EINVAL: p is NULL, or event is not below the number of events.
   CGW_EORDER: something was added since the profile was made or cleared, or it
   has a tracer, or had one when it was cleared.  CGW_EBUSY.  */
CGW_API enum cgw_status cgw_profile_set_signed (struct cgw_profile *p,
                                                size_t event) CGW_NOEXCEPT;

/* [N] Copy the sums of all self costs to costs[0] to costs[n - 1]; beyond the
   profile's events they are 0.  Those of signed events are two's complement.
   CGW_EINVAL: a pointer is NULL (costs may be, when n is 0).  CGW_EBUSY.  */
CGW_API enum cgw_status cgw_profile_total (const struct cgw_profile *p,
                                           uint64_t *costs, size_t n)
  CGW_NOEXCEPT;

/* What cgw_profile_visit calls.  Initialize it with CGW_VISITOR_INIT.  The
   functions take what the additions take, and n is the number of events.  The
   pointers are valid until the function returns.  They return CGW_OK; any other
   status ends the visit.  NULL leaves out what that function would get.  */
struct cgw_visitor
{
  size_t size;   /* of this struct, set by CGW_VISITOR_INIT */
  void *context; /* the first argument of the functions */
  /* The self cost of a position.  */
  enum cgw_status (*cost) (void *context, const struct cgw_pos *pos,
                           const uint64_t *cost, size_t n);
  /* Calls from a position to a function, and their inclusive cost.  `to` has
     the target that is written.  The count may be 0, for which 1 is
     written.  */
  enum cgw_status (*call) (void *context, const struct cgw_pos *from,
                           const struct cgw_pos *to, uint64_t count,
                           const uint64_t *inclusive_cost, size_t n);
  /* A whole stack, the leaf first, with its root (cgw_profile_set_root) as
     outermost frame.  */
  enum cgw_status (*stack) (void *context, const struct cgw_pos *frames,
                            size_t n_frames, uint64_t count,
                            const uint64_t *cost, size_t n);
};
#define CGW_VISITOR_INIT \
  { sizeof (struct cgw_visitor), CGW_NULL, CGW_NULL, CGW_NULL, CGW_NULL }

/* [N] Pass all sums to a visitor, each once, but for those that are 0: self
   costs and calls in the order in which cgw_profile_write writes them, then
   whole stacks in the order in which they were first added.  The sums stay as
   they are.  The file of a position is {0} if it is the function's own.  Costs
   of signed events are two's complement.
   Without visitor.stack, visitor.cost and visitor.call get all stacks as self
   costs and calls, as cgw_profile_write writes them.  With it, these two get
   what was added in other ways: by cgw_profile_cost, cgw_profile_call,
   cgw_profile_unpack and tracers; and the counts of cgw_profile_node, whose
   stacks have count 0.  If they get nothing, the stacks are all that there is.
   During the visit, calls on the profile return CGW_EBUSY; those on its names
   are allowed.  A status of the visitor is returned, and is no error of the
   profile.
   CGW_EINVAL: p or visitor is NULL, or the struct is wrong.
   CGW_ENOMEM: nothing was passed.  CGW_EBUSY.  */
CGW_API enum cgw_status cgw_profile_visit (struct cgw_profile *p,
                                           const struct cgw_visitor *visitor)
  CGW_NOEXCEPT;

/* [N] Add all sums of one profile to another.  If they use different names
   objects, names are the same if their texts are.  `from` stays as it is, and
   stacks are merged as stacks.  The order of merging does not matter: any tree
   of merges writes the same bytes.
   CGW_EINVAL: a pointer is NULL; both are the same profile; their numbers of
   events, their signed events or their positions differ.
   CGW_ENOMEM; CGW_EBUSY.
   After an error nothing was added, and it is an error of `into`.  What `from`
   lacks, `into` lacks, too: its error becomes that of `into`, or the error of
   its names, if these are others.  */
CGW_API enum cgw_status cgw_profile_merge (struct cgw_profile *into,
                                           struct cgw_profile *from)
  CGW_NOEXCEPT;

/* [N] Pack a profile into bytes and pass them to a hook piece by piece: for
   another process, or for a machine of another byte order or word size.  Equal
   sums give equal bytes, whatever the names object.  If the profile or its
   names are incomplete, the bytes say so.  The hook returns how many bytes it
   took, or sets errno and returns -1; after EINTR it is called again.
   The profile stays as it is; the bytes have its stacks as self costs and
   calls.
   CGW_EINVAL: p or write is NULL.  CGW_EIO: the hook failed or took no bytes.
   CGW_ENOMEM; CGW_EBUSY.  */
CGW_API enum cgw_status cgw_profile_pack (
  struct cgw_profile *p,
  ssize_t (*write) (void *context, const void *bytes, size_t n),
  void *context) CGW_NOEXCEPT;

/* [N] Add a packed profile, and its names.  You need not trust the bytes:
   whatever they are, this takes memory and time in proportion to n, and after
   an error nothing was added (except that the names object may keep names).
   What the packed profile lacks, p lacks, too: its error becomes that of p.
   CGW_EPACK: the bytes are not a packed profile, were changed or cut, or come
   from another version; cgw_profile_explain says where and why.  This is not an
   error of the profile, which has lost nothing of its own.
   CGW_EINVAL: p is NULL; bytes is NULL, and n is not 0; the packed profile has
   another number of events, other signed events or other positions.
   CGW_ENOMEM; CGW_EBUSY.  */
CGW_API enum cgw_status cgw_profile_unpack (struct cgw_profile *p,
                                            const void *bytes, size_t n)
  CGW_NOEXCEPT;

/* [N] Save all sums as a file at path, with one part.  They are kept.  A tool
   that does this every few seconds leaves a complete profile however it ends,
   because the file is written as with CGW_REPLACE.  path and options are as
   for cgw_open, and part as for cgw_profile_write; CGW_REPLACE is added to
   the flags.
   This makes a writer, calls cgw_profile_write and cgw_finish, and returns the
   first error of all; cgw_profile_explain explains it.  It is no error of the
   profile.  If the profile or its names are incomplete, their error is
   returned, too, though the file is there.
   CGW_EINVAL: p, path or part is NULL; the path or the options are wrong; as
   cgw_profile_write.
   CGW_EFILE: as cgw_open.  CGW_EIO: as cgw_open; or write, close or rename
   failed.  CGW_ENOMEM; CGW_EBUSY.  CGW_EFORK: a handler forked meanwhile.
   After each of these an old file is as it was, unless it is one that
   CGW_REPLACE does not replace, such as one behind a symbolic link.
   CGW_EOVERFLOW: the sums of what the file has passed 2^64-1, so that it has no
   totals: line.  The new file is there.  */
CGW_API enum cgw_status cgw_profile_save (struct cgw_profile *p,
                                          const char *path,
                                          const struct cgw_part *part,
                                          const struct cgw_options *options)
  CGW_NOEXCEPT;

/* [N] Begin a part of a writer's file, and write all sums.  They are kept:
   cgw_profile_clear discards them.  The part must have the profile's positions
   and number of events, and both must use the same names object.  If the part
   has no summary, it gets the sums as summary:.  May wait until the descriptor
   takes bytes.  The errors are kept in the writer; cgw_explain explains them.
   CGW_EINVAL: a pointer is NULL; the names objects differ; the part has another
   number of events or other positions; and as cgw_begin_part.
   CGW_ENOMEM, CGW_EFINISHED, CGW_EBUSY, CGW_EFORK: nothing was written; unless
   the file ended meanwhile (CGW_EFINISHED).
   CGW_EIO, CGW_EAGAIN: no part was begun, or records were lost and counted, as
   by cgw_cost.  CGW_ELOST: another thread filled the queue of deferred records
   meanwhile, so that some were lost and counted; not with CGW_WAIT.
   If no part was begun, the error has the effects that cgw_begin_part
   describes, even if it is CGW_EBUSY because the profile is busy.  */
CGW_API enum cgw_status cgw_profile_write (struct cgw_profile *p,
                                           struct cgw_writer *w,
                                           const struct cgw_part *part)
  CGW_NOEXCEPT;

/* [N] Explain why the last call on the profile failed, as cgw_explain does (not
   in one printf with that call: C may evaluate the explanation first), and
   return the first error that left something out of the profile, as cgw_error
   does.  cgw_profile_error is [S] without a sentence.
   CGW_EINVAL: p is NULL.  */
CGW_API const char *cgw_profile_explain (struct cgw_profile *p) CGW_NOEXCEPT;
CGW_API enum cgw_status cgw_profile_error (struct cgw_profile *p,
                                           const char **sentence)
  CGW_NOEXCEPT;

/* [S] Return a phrase in English for a status, never NULL.  */
CGW_API const char *cgw_strerror (enum cgw_status status) CGW_NOEXCEPT;

/* [S] Return the version of the library in use, "MAJOR.MINOR.PATCH".  */
CGW_API const char *cgw_version (void) CGW_NOEXCEPT;

/* Options of a writer.  Initialize them with CGW_OPTIONS_INIT; NULL means the
   same.  */
struct cgw_options
{
  size_t size;         /* of this struct, set by CGW_OPTIONS_INIT */
  unsigned flags;      /* 0, or CGW_PLAIN_NAMES and others: see cgw(3) */
  uint32_t queue_slots; /* how many deferred records the queue holds, at most
                           2^24; 0 means 1024.  Each takes 76 bytes, and 8 more
                           per event.  */
  size_t buffer_size;  /* bytes gathered before a write; 0 means 64 KiB.  With
                          a checkpoint for each record this takes at most twice
                          that room.  Behind it is 1 MiB of address space for
                          the longest records, which takes memory only where
                          long names need it.  */
  const char *creator; /* NULL: "libcgw-VERSION" */
  /* Replaces write(2): return how many bytes were taken, or -1 and errno.  The
     descriptor is not used.  Records use it, too: for those in handlers it must
     be async-signal-safe.  If what it calls may longjmp, as interpreters
     do for errors, catch that in the hook, return -1, and jump after the call.
     After a longjmp out of a call, the objects that it was given can only be
     freed; they leak if the jump passes the code that frees them.  */
  ssize_t (*write) (void *context, const void *bytes, size_t n);
  void *write_context;
};
#define CGW_OPTIONS_INIT \
  { sizeof (struct cgw_options), 0, 0, 0, CGW_NULL, CGW_NULL, CGW_NULL }

/* Options of a names object.  Initialize them with CGW_NAMES_OPTIONS_INIT; NULL
   means the same.  */
struct cgw_names_options
{
  size_t size;         /* of this struct, set by CGW_NAMES_OPTIONS_INIT */
  /* Replaces malloc (p is NULL), free (n is 0) and realloc (otherwise), for the
     names and for all writers, profiles and tracers that use them.  Return NULL
     when there is no memory.  Only [N] calls use it, in any thread that makes
     one.  */
  void *(*allocate) (void *context, void *p, size_t n);
  void *allocate_context;
};
#define CGW_NAMES_OPTIONS_INIT \
  { sizeof (struct cgw_names_options), CGW_NULL, CGW_NULL }

/* Counts of a writer.  Initialize them with CGW_STATS_INIT.  A record is a cost
   line, a call or a jump.  recorded + lost is always the number of record calls
   that returned CGW_OK, CGW_EIO, CGW_EAGAIN or CGW_ELOST.  The same holds for
   each event's self cost, which is that of cgw_cost alone; but the costs of
   records that were in the buffer when the file had to end without them stay in
   recorded_costs (`discarded` is then not 0).  */
struct cgw_stats
{
  size_t size;        /* of this struct, set by CGW_STATS_INIT */
  /* Self costs, one per event: your arrays of n_costs elements, or NULL.
     Elements beyond the part's events are set to 0.  Sums are modulo 2^64. */
  size_t n_costs;
  uint64_t *recorded_costs;
  uint64_t *lost_costs;
  uint64_t recorded;  /* records in the file or the buffer */
  uint64_t lost;      /* records that are in neither, because the descriptor
                         failed, the queue was full, or cgw_salvage ended the
                         file */
  uint64_t lost_busy; /* lost records that found the queue full */
  uint64_t refused;   /* records refused with CGW_EINVAL, CGW_EHANDLE,
                         CGW_ECOSTS, CGW_EORDER or CGW_EFINISHED */
  uint64_t written;   /* bytes in the file */
  uint64_t buffered;  /* bytes not yet written */
  uint64_t discarded; /* bytes that the end of the file had to give up */
  uint64_t names_changed; /* names, of the names object, that were escaped or
                             cut */
};
#define CGW_STATS_INIT \
  { sizeof (struct cgw_stats), 0, CGW_NULL, CGW_NULL, 0, 0, 0, 0, 0, 0, 0, 0 }

/* [N] Make a writer on fd, starting at its current offset.  The descriptor
   stays yours: the library never closes it.
   CGW_EINVAL: w or names is NULL; fd is not open for writing, and there is no
   write hook; an option is out of range; a flag is unknown or about paths; or
   the struct is wrong.  *w is a writer without a file,
   for cgw_explain: records and other calls that write return CGW_EFINISHED,
   cgw_finish and cgw_salvage CGW_EINVAL; free it.
   CGW_ENOMEM: *w is NULL.  */
CGW_API enum cgw_status cgw_open_fd (struct cgw_writer **w,
                                     struct cgw_names *names, int fd,
                                     const struct cgw_options *options)
  CGW_NOEXCEPT;

/* [N] Create or empty the file at path, as fopen does, and make a writer on it
   that owns the descriptor: cgw_finish closes it.  The descriptor is
   close-on-exec.  With CGW_REPLACE, the old file stays until cgw_finish.  With
   CGW_PATH_STRICT, a new file has mode 0600.  A forked child needs a path of
   its own, such as one with "%p" and CGW_PATH_EXPAND: with that of its parent
   it empties the file that the parent is writing.
   CGW_EFILE: path is refused, and left as it was.  cgw_errno is ELOOP: a
   symbolic link that another user may have planted in a folder with the sticky
   bit where all may write (a kernel with protected_symlinks says EACCES), or
   links in a circle.  With CGW_PATH_STRICT, also ELOOP: any link; EPERM: the
   file of another user; EMLINK: it has another hard link; ENXIO: a socket, a
   FIFO that nobody reads, or a missing device; EINVAL: a device, or another
   FIFO.  (This checks the last component only: which directories to trust is
   your choice.)
   CGW_EIO: the file cannot be opened.
   CGW_EINVAL: as cgw_open_fd, but for the flags about paths; path is NULL, or
   has another "%" with CGW_PATH_EXPAND; a write hook.
   CGW_EFORK: a handler interrupted this call, forked, and returned into it in
   the child: the file is the parent's.
   After these four errors *w is a writer without a file, as after a failed
   cgw_open_fd, and cgw_finish returns the same status (in such a child
   perhaps another error).
   CGW_ENOMEM: *w is NULL.  */
CGW_API enum cgw_status cgw_open (struct cgw_writer **w,
                                  struct cgw_names *names, const char *path,
                                  const struct cgw_options *options)
  CGW_NOEXCEPT;

/* [N] Free a writer, and close its descriptor if it owns one.  It never writes:
   without cgw_finish or cgw_salvage, the file lacks what is still buffered, and
   its totals.  NULL is allowed.  No other call may be running on it.  */
CGW_API void cgw_free (struct cgw_writer *w) CGW_NOEXCEPT;

/* [N] Begin a part, after ending the previous one with its totals.  May wait
   until the descriptor takes bytes.  The header of the file's first part is
   written at once, so from then on a killed process leaves a valid profile.  If
   that write fails, the header stays in the buffer, and cgw_error returns
   CGW_EIO.
   All parts of a file must have the same events and positions:
   callgrind_annotate applies those of the first part to all.  Long names may
   differ.
   CGW_EINVAL: a pointer is NULL (that of an array may be, when its number is
   0); an event's name or formula breaks the rules of struct cgw_event; two
   events have one name; there are no events, or too many; unknown positions;
   more summary numbers than events; other events or positions than in the
   file's first part; with CGW_CACHEGRIND, a second part or a name that begins
   with no letter; the struct is wrong.
   CGW_ENOMEM, CGW_EFINISHED, CGW_EBUSY, CGW_EFORK.
   CGW_EIO: the buffer is full, and the descriptor fails.
   CGW_EAGAIN: the buffer is full, and the write hook takes nothing at present:
   call again.  This is not kept.
   After each error but CGW_EFINISHED, CGW_EBUSY and CGW_EFORK, records and
   comments return CGW_EORDER until a part begins: the previous part does not
   take them, because they may be meant for the refused one.  */
CGW_API enum cgw_status cgw_begin_part (struct cgw_writer *w,
                                        const struct cgw_part *part)
  CGW_NOEXCEPT;

/* [S] Records: a cost line, a call, a jump, a conditional jump.

   A cost array has n costs in the order of the part's events, without the
   derived ones.  Missing costs are zero.

   All four return:
   CGW_OK: the record is recorded, or deferred.
   CGW_EIO, CGW_EAGAIN: the buffer is full, and the descriptor fails or takes
   nothing at present.  The record is lost and counted.
   CGW_ELOST: the writer has a holder and the queue is full, or cgw_salvage
   ended the file meanwhile.  The record is lost and counted.
   The other errors refuse the record; cgw_get_stats counts it:
   CGW_EINVAL: a pointer is NULL (a cost array may be, when n is 0).
   CGW_EHANDLE: a handle in a position is not of the writer's names.
   CGW_ECOSTS: n is larger than the number of events, derived ones not counted.
   CGW_EORDER: no part is open, or the last cgw_begin_part was refused.  (In a
   handler that interrupted the first cgw_begin_part, until that has done its
   work.)
   CGW_EFINISHED: cgw_finish or cgw_salvage has begun.
   CGW_EFORK: the writer is a forked child's copy.  This is not counted.  */

/* Record self cost at a position.  Readers add up the costs of equal
   positions.  */
CGW_API enum cgw_status cgw_cost (struct cgw_writer *w,
                                  const struct cgw_pos *pos,
                                  const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* Record count calls from a position to a function, and their inclusive cost:
   that of the called function and of all that it called.  to->line and
   to->instr are where the function begins; to->file is ignored.
   Also CGW_EINVAL: count is 0, without CGW_ZERO_CALLS.  */
CGW_API enum cgw_status cgw_call (struct cgw_writer *w,
                                  const struct cgw_pos *from,
                                  const struct cgw_pos *to, uint64_t count,
                                  const uint64_t *inclusive_cost, size_t n)
  CGW_NOEXCEPT;

/* Record a jump, or a conditional jump.  A jump was taken `executed` times; a
   conditional jump was reached `executed` times, and taken `followed` times.
   to->file matters only for a jump within one function.
   Also CGW_EINVAL: the target's function is in another object, for which the
   format has no line.  */
CGW_API enum cgw_status cgw_jump (struct cgw_writer *w,
                                  const struct cgw_pos *from,
                                  const struct cgw_pos *to, uint64_t executed)
  CGW_NOEXCEPT;
CGW_API enum cgw_status cgw_cond_jump (struct cgw_writer *w,
                                       const struct cgw_pos *from,
                                       const struct cgw_pos *to,
                                       uint64_t followed, uint64_t executed)
  CGW_NOEXCEPT;

/* [N] Write a comment line, "# text", after the records so far.  May wait
   until the descriptor takes bytes.  If the text begins with "cgw: lost ", as
   the library's own comment does, the "c" is escaped.
   CGW_EINVAL: w or text is NULL.  CGW_EORDER, CGW_ENOMEM, CGW_EFINISHED,
   CGW_EBUSY, CGW_EFORK.
   CGW_EIO: the buffer is full, and the descriptor fails.
   CGW_EAGAIN: the buffer is full, and the write hook takes nothing at present:
   call again.  This is not kept.  */
CGW_API enum cgw_status cgw_comment (struct cgw_writer *w, const char *text)
  CGW_NOEXCEPT;

/* [N] Write what is buffered.  Wait while the descriptor takes nothing.  After
   a failure the unwritten bytes are kept, and the next cgw_flush continues at
   the same byte.
   CGW_EINVAL: w is NULL.  CGW_EIO, CGW_EFINISHED, CGW_EBUSY, CGW_EFORK.
   CGW_EAGAIN: the write hook failed with EAGAIN; the library does not wait for
   a hook.  */
CGW_API enum cgw_status cgw_flush (struct cgw_writer *w) CGW_NOEXCEPT;

/* [N] End the last part with its totals, flush, and close an owned descriptor.
   Wait while the descriptor takes nothing.  Return CGW_OK, or what cgw_error
   returns: the first error that left something out of the file.
   CGW_EIO: the rest cannot be written.  A regular file is truncated to its last
   whole record.  It stays a valid profile, without totals:, and cgw_get_stats
   tells what is missing.  But if fd was opened with O_APPEND, or others have
   written behind the last byte, the file may end in a torn record.
   CGW_ELOST: records were lost.  The file has a comment with their number, and
   their self cost under the function "[lost]".
   CGW_EAGAIN: the write hook failed with EAGAIN.  The file is not finished:
   call again, and it goes on.  Other calls that write return CGW_EFINISHED.
   CGW_EORDER: no part was ever begun, and nothing is written.  A part may still
   begin.  (If the file has an error of its own, such as that of cgw_open or
   of the first cgw_begin_part, this returns it instead.)
   CGW_EINVAL: w is NULL.
   CGW_EFINISHED: cgw_finish or cgw_salvage came before.
   CGW_EBUSY: also in a handler that interrupted a record.  With CGW_THREADS,
   records may return CGW_EFINISHED from then on: call again, not in the handler.
   CGW_EFORK.  */
CGW_API enum cgw_status cgw_finish (struct cgw_writer *w) CGW_NOEXCEPT;

/* [S] End the file in a crash handler, whatever that interrupted, in this
   thread or in others: write the whole records that are in the buffer.  The
   file lacks totals: (or summary:, with CGW_CACHEGRIND), records that were
   deferred, and the comment that counts lost ones.  If another call is inside
   write(2), write nothing.  An owned descriptor stays open until cgw_free.
   Async-signal-safe if the write hook is.
   CGW_EINVAL: w is NULL.  CGW_EFINISHED: the file has ended already.
   CGW_EFORK.  CGW_EORDER: as cgw_finish, but the file has ended even so.
   CGW_ELOST: another call was inside the writer, or records were deferred.
   CGW_EIO, CGW_EAGAIN: not all could be written.
   If it is none of these, return what cgw_error returns.  With CGW_REPLACE, the
   file is renamed, unless no part was begun, or after CGW_EIO.  */
CGW_API enum cgw_status cgw_salvage (struct cgw_writer *w) CGW_NOEXCEPT;

/* [N] Fill in the counts.
   CGW_EINVAL: a pointer is NULL, or the struct is wrong.
   CGW_EBUSY, CGW_EFORK.  */
CGW_API enum cgw_status cgw_get_stats (struct cgw_writer *w,
                                       struct cgw_stats *stats) CGW_NOEXCEPT;

/* Errors.  There are two questions, and calls for each kind of object: Why did
   the last call fail?  Why is the file incomplete?

   An answer is worded when you ask.  Do not pass a call and its explanation to
   one printf: C may evaluate the explanation first.  */

/* [N] Explain why the last call on the object failed: return a sentence, never
   NULL, that says which argument is wrong and what is allowed, such as
   'cgw_begin_part: part.events[2].name, "wall time": a name must be UTF-8
   without blanks and control characters, and not empty'.  If no object was
   made, ask the names or the profile that it was to be made from; a failed
   cgw_open or cgw_open_fd leaves a writer, unless memory ran out: ask that.
   The sentence is valid until the next call that explains the same object.  */
CGW_API const char *cgw_explain (struct cgw_writer *w) CGW_NOEXCEPT;
CGW_API const char *cgw_names_explain (struct cgw_names *names) CGW_NOEXCEPT;

/* [N] Return the first error that left something out of the file or the names,
   or CGW_OK.  Set *sentence to its explanation, as of cgw_explain, unless
   sentence is NULL; without a sentence, this is [S].
   Every refused call that would have put something there is such an error,
   whether it was called again or not; so are lost records, a sum that
   overflowed, and bytes that could not be written.  CGW_EAGAIN, CGW_EFINISHED
   and CGW_EFORK are not.
   A writer has the error of its names, if the file itself has none.  A CGW_EIO
   replaces any other error.  While the descriptor fails, the error is CGW_EIO;
   in a forked child, CGW_EFORK.  When cgw_finish has ended the file, this
   returns the status of that call.
   CGW_EINVAL: the object is NULL; the sentence says so.  */
CGW_API enum cgw_status cgw_error (struct cgw_writer *w,
                                   const char **sentence) CGW_NOEXCEPT;
CGW_API enum cgw_status cgw_names_error (struct cgw_names *names,
                                         const char **sentence) CGW_NOEXCEPT;

/* [S] Return errno of the last open, write, close or rename that failed with
   CGW_EIO or CGW_EFILE, or 0.  */
CGW_API int cgw_errno (const struct cgw_writer *w) CGW_NOEXCEPT;

/* Call tracers: turn enter and leave events into the sums of a profile.

   A tracer keeps the stack of open calls of one thread, coroutine or emulated
   processor.  It adds to a profile: self costs at the running function's
   position, a call for each enter, and the inclusive cost of a call when it
   ends.  If a function calls itself, directly or through others, only the
   outermost call gets inclusive cost (as with cgw_profile_stack), so that a
   function's callers add up to its true inclusive cost.

   Counters are running totals, such as clocks, retired instructions or
   allocated bytes.  Each event passes their present values, and the tracer adds
   the differences since its last event to the profile, at the position of the
   running function, even if the event fails for its depth, a handle or memory.
   Differences are not added while no call is open, or while the tracer is
   stopped.  `counters` has options.n_counters elements and may be NULL if that
   is 0.

   The inclusive costs of all outermost calls add up to the self costs that were
   added in calls, and no call has more inclusive cost than its caller.  This is
   so even while calls are open: cgw_profile_write, cgw_profile_pack,
   cgw_profile_visit and cgw_profile_merge first add the inclusive costs of open
   calls up to the last event of their tracer.  After cgw_profile_clear, which
   begins the next interval, each open call counts once more, and its inclusive
   cost starts at 0.

   In positions other than `callee`, fn {0} means the running function.  So a
   tool that learns only of new lines needs no handle.  With no call open, an
   `at` with fn {0} is the same as NULL (but see cgw_tracer_edge).

   Tracer calls are calls on the profile, in one thread at a time.  A profile
   may have any number of tracers.  A handler may be traced, too: its events are
   nested into the call that it interrupted.  If the handler interrupted a call
   on the same profile, its enters and leaves return CGW_EBUSY and change
   nothing.  The stack stays balanced, and the handler's cost is added at the
   position of the interrupted function.  If the handler came just before such a
   call, when its counters were already read, that call returns CGW_EBACKWARDS;
   nothing is added twice.

   All calls below return:
   CGW_EINVAL: t, or an array or a position that the call needs, is NULL.  (Not
     from cgw_tracer_free.)
   CGW_EBUSY.
   The calls with counters also return:
   CGW_EBACKWARDS: a counter is below its last value, and its event is not
     signed (see cgw_profile_set_signed).  Its difference is 0 until it has
     passed that value; all else is done.  (If a counter restarts, stop and
     start.)
   CGW_EORDER: the tracer is stopped, or waits for a coroutine that it has
     resumed, and nothing has changed.  (Not from cgw_tracer_sync.)
   An event that leaves something out of the profile is an error of the profile,
   and cgw_profile_explain says why any event failed.  CGW_EDEPTH,
   CGW_EBACKWARDS, CGW_EORDER and CGW_EBUSY are not kept, because some tools
   cannot avoid them: for example, they see the return of a function that was
   called before tracing began.  */
struct cgw_tracer;

/* Options of a tracer.  Initialize them with CGW_TRACER_OPTIONS_INIT.  */
struct cgw_tracer_options
{
  size_t size;         /* of this struct, set by CGW_TRACER_OPTIONS_INIT */
  size_t n_counters;   /* the first events of the profile are counters; by
                          default 1 */
  uint64_t flags;      /* 0 or CGW_CALLS_ONLY */
};
/* The tracer adds no self costs, for a tool that adds them by itself, with
   cgw_profile_cost: all costs that the tracer's calls are given are inclusive
   costs of the open calls alone.  cgw_profile_total has the tool's self costs
   only; if these are complete, the inclusive costs of the outermost calls add
   up to them.  */
#define CGW_CALLS_ONLY 1u
#define CGW_TRACER_OPTIONS_INIT \
  { sizeof (struct cgw_tracer_options), 1, 0 }

/* [N] Make a tracer without open calls.  options may be NULL.  It is freed with
   its profile, or before.
   CGW_EINVAL: t or p is NULL, the profile has fewer events than n_counters, a
   flag is unknown, or the struct is wrong.
   CGW_ENOMEM.  CGW_EBUSY.  *t is NULL then; cgw_profile_explain says why.  */
CGW_API enum cgw_status cgw_tracer_new (
  struct cgw_tracer **t, struct cgw_profile *p,
  const struct cgw_tracer_options *options) CGW_NOEXCEPT;

/* [N] Free a tracer, when its thread has ended or its coroutine is discarded.
   First add the inclusive costs of its open calls up to its last event; let
   coroutines that it has resumed yield, and then itself, if it was resumed.
   NULL is allowed.
   CGW_EBUSY: the tracer stays.  */
CGW_API enum cgw_status cgw_tracer_free (struct cgw_tracer *t) CGW_NOEXCEPT;

/* [N] The running function calls another.  `at` is the position of the call;
   NULL: the function's current position.  It is in the running function, or in
   one that is inlined there: calls from any other function would count twice in
   that function's inclusive cost.  `callee` is the called function, and the
   position where it begins.  `tag` is your own number: see cgw_tracer_tag.
   CGW_EHANDLE, CGW_ENOMEM: the call is open, but not counted, and its tag is 0.
   Calls inside it return CGW_OK, and are not counted either.  The costs of all
   of them go to its caller; if it has none, no function is running, and they
   are not added.  */
CGW_API enum cgw_status cgw_tracer_enter (struct cgw_tracer *t,
                                          const struct cgw_pos *at,
                                          const struct cgw_pos *callee,
                                          uint64_t tag,
                                          const uint64_t *counters)
  CGW_NOEXCEPT;

/* A call from one position to another that a tracer has looked up.  An invalid
   edge is {0}; what else the members are is private to the library.  */
struct cgw_edge
{
  uint64_t handle;
  uint64_t begin;
};

/* [N] Look up a call without counting it.  cgw_tracer_enter_edge then takes
   fewer instructions than cgw_tracer_enter, above all in programs with more
   than a few hundred call sites.  `at` must not be NULL; with no call open, its
   fn {0} is the root or, without one, "???".  *edge is valid for all tracers of
   the profile until the last of them is freed; it is {0} after a failure.
   CGW_EINVAL: also if edge is NULL.  CGW_EHANDLE, CGW_ENOMEM.  */
CGW_API enum cgw_status cgw_tracer_edge (struct cgw_tracer *t,
                                         const struct cgw_pos *at,
                                         const struct cgw_pos *callee,
                                         struct cgw_edge *edge) CGW_NOEXCEPT;

/* [N] As cgw_tracer_enter, with the positions of an edge.  CGW_EHANDLE: the
   edge is {0}, of another profile, or no longer valid.  */
CGW_API enum cgw_status cgw_tracer_enter_edge (struct cgw_tracer *t,
                                               struct cgw_edge edge,
                                               uint64_t tag,
                                               const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] The running function returns.  CGW_EDEPTH: no call is open; the counters
   still become the last values.  */
CGW_API enum cgw_status cgw_tracer_leave (struct cgw_tracer *t,
                                          const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] A tail call: the running function ends, and another one runs in its
   place, called from the same position.
   CGW_EDEPTH: no call is open, and none is opened.  CGW_EHANDLE, CGW_ENOMEM: as
   cgw_tracer_enter.  */
CGW_API enum cgw_status cgw_tracer_tail (struct cgw_tracer *t,
                                         const struct cgw_pos *callee,
                                         uint64_t tag,
                                         const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] The running function continues at another position.  If that names
   another function, such as an inlined one, self costs go to that function, but
   no call is counted.
   CGW_EDEPTH: no call is open.  CGW_EHANDLE, CGW_ENOMEM: the position stays as
   it was.  */
CGW_API enum cgw_status cgw_tracer_move (struct cgw_tracer *t,
                                         const struct cgw_pos *pos,
                                         const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] The running function passes through n_pos positions, one after the other,
   such as a basic block's instructions.  Each costs cost[0] to cost[n - 1], of
   the events behind the counters.  The differences of the counters, up to the
   start of the run, are added at the position before it; the last one of the
   run becomes the current position.  This is as a cgw_tracer_move to each
   position and a cgw_tracer_cost there, but much faster; with n_pos 1, a move
   with costs.
   CGW_EINVAL: also if pos is NULL and n_pos is not 0, or cost is NULL and n is
   not 0.  CGW_ECOSTS: n_counters + n is larger than the number of events.
   Nothing has changed then.
   CGW_EDEPTH: no call is open.  CGW_EHANDLE, CGW_ENOMEM: the run ends before
   the position that failed.  */
CGW_API enum cgw_status cgw_tracer_block (struct cgw_tracer *t,
                                          const struct cgw_pos *pos,
                                          size_t n_pos, const uint64_t *cost,
                                          size_t n, const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] Add costs of events that are not counters: cost[i] is that of event
   n_counters + i.  The self cost is added at pos; NULL: at the running
   function's position.  The inclusive costs of the open calls include it.
   CGW_EDEPTH: pos is NULL, and no call is open.  CGW_ECOSTS: n_counters + n is
   larger than the number of events.  CGW_EHANDLE, CGW_ENOMEM: nothing is
   added.  CGW_EORDER: the tracer is stopped, or waits for a coroutine
   that it has resumed.  */
CGW_API enum cgw_status cgw_tracer_cost (struct cgw_tracer *t,
                                         const struct cgw_pos *pos,
                                         const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* [N] Leave calls until `depth` are open: after an exception, a longjmp or
   missed returns.  CGW_EDEPTH: fewer are open, and they stay open.  */
CGW_API enum cgw_status cgw_tracer_unwind (struct cgw_tracer *t, size_t depth,
                                           const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] Leave calls until the innermost open one that has this tag is running.
   CGW_EDEPTH: none has it, and all stay open.  */
CGW_API enum cgw_status cgw_tracer_unwind_tag (struct cgw_tracer *t,
                                               uint64_t tag,
                                               const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] Return how many calls are open.  0 if t is NULL.  */
CGW_API size_t cgw_tracer_depth (const struct cgw_tracer *t) CGW_NOEXCEPT;

/* [N] Return the tag of an open call: 1 is the outermost, cgw_tracer_depth the
   running one.  A tool that keeps return addresses or stack pointers there
   finds the call that a return, an exception or a longjmp leads to: see
   cgw_tracer_unwind_tag.  Return 0 if there is no such call.  */
CGW_API uint64_t cgw_tracer_tag (const struct cgw_tracer *t, size_t depth)
  CGW_NOEXCEPT;

/* [N] Stop counting when the thread is suspended, and start when it continues.
   What the counters count in between is not added.  If the tracer waits for
   coroutines that it has resumed, cgw_tracer_start lets them yield, and adds
   the costs up to then.
   CGW_EORDER: the tracer is stopped already, or is not stopped.  */
CGW_API enum cgw_status cgw_tracer_stop (struct cgw_tracer *t,
                                         const uint64_t *counters)
  CGW_NOEXCEPT;
CGW_API enum cgw_status cgw_tracer_start (struct cgw_tracer *t,
                                          const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] The running function of `resumer` resumes the coroutine of t.  From here
   on t has the events, and all that it costs is inclusive cost of the open
   calls of `resumer`, too, until t yields.  Each time counts as a call of the
   coroutine's outermost function, from `at`; NULL, or fn {0}: as with
   cgw_tracer_enter.  If the coroutine has no open call yet, its first enter is
   that call if its own `at` is NULL or has fn {0}; what it costs before goes to
   the position of `resumer`.  The resumer may be a coroutine that was resumed:
   chains have any length.  For a switch from one coroutine to another, let the
   first one yield, and resume the second one.
   t must be stopped, or have no open call; both have one profile, as many
   counters and the same flags.  The open calls of t are visited here and when
   it yields.
   CGW_EINVAL: also if their profiles, numbers of counters or flags differ, or t
     is `resumer`.
   CGW_EORDER: t runs or has not yielded; or `resumer` is stopped, or has
     resumed a coroutine that has not yielded.  Nothing has changed.
   CGW_EHANDLE (at), CGW_ENOMEM: t is stopped, and its costs go to the running
     function of `resumer`, which continues.  */
CGW_API enum cgw_status cgw_tracer_resume (struct cgw_tracer *t,
                                           struct cgw_tracer *resumer,
                                           const struct cgw_pos *at,
                                           const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] The coroutine of t is suspended, or has ended: stop t, and continue its
   resumer.
   CGW_EORDER: also if t has no resumer, or has itself resumed a coroutine that
   has not yielded.  */
CGW_API enum cgw_status cgw_tracer_yield (struct cgw_tracer *t,
                                          const uint64_t *counters)
  CGW_NOEXCEPT;

/* [N] Add the costs up to these counters, and the inclusive costs of the open
   calls so far, which stay open.  If the tracer is stopped, counters are
   ignored and may be NULL.  It may be any tracer of a chain of coroutines.  */
CGW_API enum cgw_status cgw_tracer_sync (struct cgw_tracer *t,
                                         const uint64_t *counters)
  CGW_NOEXCEPT;

/* Raw samples, for handlers that know only addresses.

   A recorder is a fixed number of slots for samples, in your memory.  Any
   handler in any thread pushes; normal code drains, symbolizes the addresses,
   and feeds a profile.  The memory has no pointers inside, so processes may
   share it, each mapping it anywhere: a process other than the one that called
   cgw_recorder_init uses the address of the memory as its struct
   cgw_recorder *.  All processes must use the same version of the library,
   because the layout may change between versions.

   A push never waits, and is never delayed by another push or a drain.  If a
   push is under way during a drain, a later drain takes its sample.  A push
   that never ends (its process was killed, or its handler left by longjmp)
   takes one slot out of use; its sample counts as waiting.  */
struct cgw_recorder;

/* A sample that is drained, valid until the callback returns.  Later versions
   may add members at the end.  */
struct cgw_sample
{
  const uint64_t *frames; /* addresses, the leaf first */
  size_t n_frames;
  const uint64_t *cost;   /* costs that the push did not pass are 0 */
  size_t n_costs;         /* as given to cgw_recorder_init */
  uint64_t tag;           /* of your choice: a thread, a process */
};

/* Counts of a recorder.  Initialize them with CGW_RECORDER_STATS_INIT.
   Every push with valid arguments is recorded or lost:
   pushed == recorded + lost, and recorded - drained samples are waiting.  */
struct cgw_recorder_stats
{
  size_t size;          /* of this struct, set by CGW_RECORDER_STATS_INIT */
  uint64_t recorded;    /* samples that found a free slot */
  uint64_t drained;     /* recorded samples that a drain has passed on */
  uint64_t lost;        /* samples that found no free slot */
  uint64_t cut;         /* recorded samples whose outer frames were cut off */
  size_t n_costs;       /* elements of lost_costs, or 0 */
  uint64_t *lost_costs; /* your array for the costs of the lost samples, modulo
                           2^64, or NULL */
};
#define CGW_RECORDER_STATS_INIT \
  { sizeof (struct cgw_recorder_stats), 0, 0, 0, 0, 0, CGW_NULL }

/* [N] Return the size in bytes of a recorder for n_samples samples (at most
   2^24, rounded up to a power of two) of at most max_frames addresses (at most
   2^16) and n_costs costs (at most CGW_EVENTS_MAX).  Return 0 when a number is
   too large, or n_samples or max_frames is 0.  */
CGW_API size_t cgw_recorder_size (size_t n_samples, size_t max_frames,
                                  size_t n_costs) CGW_NOEXCEPT;

/* [N] Make an empty recorder in memory of cgw_recorder_size bytes, aligned to
   8, and return its address; NULL when an argument is out of range.  The
   memory stays yours: free it when no handler pushes any more.  */
CGW_API struct cgw_recorder *cgw_recorder_init (void *memory,
                                                size_t n_samples,
                                                size_t max_frames,
                                                size_t n_costs) CGW_NOEXCEPT;

/* [S] Record a sample: n_frames addresses, the leaf first, and n costs.  If
   there are more than max_frames addresses, the outermost are cut off.
   CGW_ELOST: no slot is free; the sample is lost and counted.  CGW_EINVAL: a
   pointer is NULL (cost may be, when n is 0), or n_frames is 0.  CGW_ECOSTS: n
   is larger than n_costs.  */
CGW_API enum cgw_status cgw_recorder_push (struct cgw_recorder *r,
                                           uint64_t tag,
                                           const uint64_t *frames,
                                           size_t n_frames,
                                           const uint64_t *cost, size_t n)
  CGW_NOEXCEPT;

/* [N] Pass the waiting samples to `take`, the oldest first, and free their
   slots.  What is pushed meanwhile, as `take` may do, waits for the next drain.
   Return the number of samples, or 0 if r or take is NULL.  Only one thread may
   drain at a time.  */
CGW_API size_t cgw_recorder_drain (struct cgw_recorder *r,
                                   void (*take) (void *context,
                                                 const struct cgw_sample *),
                                   void *context) CGW_NOEXCEPT;

/* [S] Record a sample in memory into which other processes, which need not be
   trusted, may write anything.  n_samples, max_frames and n_costs are what
   cgw_recorder_init got: nothing outside of that recorder is read or written.
   As cgw_recorder_push; CGW_EINVAL also if these numbers are out of range.  */
CGW_API enum cgw_status cgw_recorder_push_shared (
  struct cgw_recorder *r, size_t n_samples, size_t max_frames, size_t n_costs,
  uint64_t tag, const uint64_t *frames, size_t n_frames, const uint64_t *cost,
  size_t n) CGW_NOEXCEPT;

/* [N] Drain a recorder in memory into which other processes, which need not be
   trusted, may write anything: as with cgw_recorder_push_shared, nothing
   outside of the recorder is read or written.  A sample, whatever it contains,
   has at most max_frames addresses and exactly n_costs costs, which may change
   while `take` reads them.  As cgw_recorder_drain; but return SIZE_MAX, and
   drain nothing, if the memory has other numbers, and 0 also if the numbers are
   out of range.  */
CGW_API size_t cgw_recorder_drain_shared (
  struct cgw_recorder *r, size_t n_samples, size_t max_frames, size_t n_costs,
  void (*take) (void *context, const struct cgw_sample *), void *context)
  CGW_NOEXCEPT;

/* [S] Fill in the counts.
   CGW_EINVAL: a pointer is NULL, or the struct is wrong.  */
CGW_API enum cgw_status cgw_recorder_get_stats (
  const struct cgw_recorder *r, struct cgw_recorder_stats *stats)
  CGW_NOEXCEPT;

/* Flags of a writer.  */
#define CGW_PLAIN_NAMES 1u /* write names in full, without ids; only names that
                              begin with "(" and a digit get one, because
                              readers would take these for ids */
#define CGW_ABSOLUTE 2u    /* write every subposition absolute */
#define CGW_KEEP_ZEROS 4u  /* write trailing zero costs, for speedscope */
#define CGW_NO_PAD 8u      /* write no blank lines before multiples of 4096
                              bytes, so that records may cross these: a process
                              killed in write(2) may then leave a torn record */
#define CGW_ZERO_CALLS 16u /* allow calls with count 0, whose inclusive cost
                              callgrind_annotate takes for self cost */
#define CGW_THREADS 32u    /* any thread may call; two locked instructions per
                              record */
#define CGW_WAIT 64u       /* lose nothing: records wait, without limit, until
                              the descriptor takes bytes and, with CGW_THREADS,
                              until another thread leaves.  Only a failing
                              descriptor (CGW_EIO), a write hook (CGW_EAGAIN),
                              or a full queue in a handler that interrupted a
                              call on the same writer then loses records.  A
                              handler must not record if the code that it
                              interrupted may hold what the holder waits for,
                              such as a lock that the write hook takes.  */
#define CGW_CACHEGRIND 128u /* write the cachegrind format, see below */
/* For cgw_open and cgw_profile_save alone:  */
#define CGW_REPLACE 256u   /* replace the file at path when the new one is
                              complete, see below */
#define CGW_PATH_EXPAND 512u /* in path, "%p" is the process id, and "%%" is
                                "%" */
#define CGW_PATH_STRICT 1024u /* for a folder where others may make files, such
                                 as /tmp: refuse what is not a regular file of
                                 your own with one name */

/* CGW_REPLACE: whoever opens the path finds the old file or the new one, each
   whole, even after a kill at any moment.  cgw_open makes a temporary file,
   .NAME.PROCESS.tmp in the same directory; cgw_finish and cgw_salvage rename it
   to the path that cgw_open saw, even if the process has changed its
   directory.
   - A file that lost records, or lacks refused ones, is renamed, too;
     cgw_finish returns the error as without this flag.  But if the descriptor
     failed, so that something is missing, or if rename fails, cgw_finish and
     cgw_salvage return CGW_EIO, the old file stays, and the new one is removed.
     It is also removed by cgw_free if it was not finished.  A kill leaves it,
     and so may a longjmp out of a call.
   - The new file has the mode of the old one.  It is another file: a lock on
     the old one does not hold for it.
   - An old file and its directory must be writable.  A device, a FIFO, the file
     of another user, one with another hard link and one that a symbolic link
     leads to are not replaced, but written as without this flag.
   - A forked child neither renames nor removes its parent's file.
   This protects from a kill, not from a power failure: nothing calls fsync.  On
   Windows a program that has the old file open makes the rename fail.  */

/* CGW_CACHEGRIND: a file that cg_annotate, cg_merge and cg_diff read.  It has
   costs per line, and nothing else: no calls, jumps, objects, addresses,
   derived events, long names of events, pid, part, thread, or comments.  You
   make the same calls as for callgrind's format; the library checks all
   arguments and leaves out those that cachegrind's format cannot hold:
   - cgw_call, cgw_jump and cgw_cond_jump return what they always return, and
     count as recorded.  As they need no room, a failing descriptor does not
     lose them.  Nor does a comment.
   - With CGW_INSTR all costs are at line 0, which means unknown; the sums of
     functions and files are right.  With CGW_INSTR_LINE, addresses are left
     out.
   - Inlined code is written as the same function in the other file.
   - A part without desc gets one that names the creator.  KCachegrind wants
     events: in the first 2047 bytes.  Therefore cmd is cut to 1000 bytes, and
     so are all desc lines together: the line that passes the limit is cut, and
     later ones are left out.  A value that was cut ends in "...".
   - cg_merge counts only events whose names begin with an ASCII letter: other
     names return CGW_EINVAL, but for derived events.
   - A file has one part: a second cgw_begin_part or cgw_profile_write returns
     CGW_EINVAL.
   - The file ends in a summary: line with the sums of all costs, instead of
     totals:, and part.summary is left out.  After a kill, a failed write, an
     overflow or cgw_salvage this line is missing: the three programs then
     refuse the file, while callgrind_annotate and KCachegrind read it.
   - The cost of lost records is written under "[lost]", without the comment
     that counts them.
   CGW_PLAIN_NAMES (for all names), CGW_ABSOLUTE, CGW_KEEP_ZEROS and CGW_NO_PAD
   are implied.  */

/* The longest name written, in bytes.  A longer one is cut to this length and
   ends in "#" and a hash of the whole name, so it stays unique.  */
#define CGW_NAME_MAX 65536

/* Rules for all calls.

   - A call that returns an error has changed nothing, unless its comment says
     otherwise.
   - You may check for errors once, at the end.  Every refusal that left
     something out of the file is kept, and nothing else is: cgw_finish returns
     the first one, even if the file could not be opened.  "Errors" below has
     the calls that explain it.
   - No call prints, aborts, changes errno, reads the environment, the clock or
     the locale, or touches a signal's disposition or mask.
   - The same calls write the same bytes, whatever the time, the process, the
     locale, the umask, the buffer size, and the kind of descriptor.
   - No call throws.  The library calls user code only through the hooks of
     struct cgw_options, struct cgw_names_options and cgw_profile_pack, struct
     cgw_visitor, and the callback of cgw_recorder_drain, which must not throw
     either.
   - A struct with a size is initialized by its INIT macro; then its members are
     set.  It is wrong, CGW_EINVAL, if its size is below sizeof (size_t) or
     above 1024, or if it sets a member that only a newer library knows.
   - Strings end at their NUL, or have a length, and may hold any other bytes;
     the library copies them.  Bytes that are not valid UTF-8, control
     characters and line separators are written as \xHH, because each breaks
     some reader.  A blank at either end is escaped in names, and dropped in
     header lines and comments.  In cmd, as in callgrind's own files, a newline
     becomes \n and a backslash is doubled.  */

/* Signal handlers, threads, fork.

   An object is a names object, a writer or a profile; a tracer belongs to its
   profile.  A writer is for one thread and its handlers; with CGW_THREADS, for
   all threads.  Names are for all threads, a profile for one at a time.

   - Records [S] may be submitted from any handler, whatever it interrupted.
     They do not allocate, lock, or wait for another call (but see CGW_WAIT),
     and take at most 1 KiB of stack (2 KiB on s390x).  At most one call at a
     time is inside a writer, its holder.  If there is one, a record is deferred
     to a queue, and the holder writes it before it leaves; if the queue is
     full, the record is lost and counted.  A record writes a full buffer, and
     blocks if the descriptor does.
   - Normal calls [N] wait for other threads, without limit.  In a handler that
     interrupted a call on the same object they return CGW_EBUSY and change
     nothing.
   - cgw_salvage [S] is for crash handlers, in any thread, with or without
     CGW_THREADS.  It ends the file at the last whole record that is in the
     buffer, never waits for another call, and is final: records and normal
     calls then return CGW_EFINISHED, and a call that was inside the writer
     writes nothing more.
   - No other call may be running on a writer or a profile when you free it.
   - After a longjmp out of a call, the objects that it was given can only be
     freed, and a writer salvaged.  They may leak memory.  What the call was to
     make or to free is lost.
   - In a forked child, calls on the parent's writers return CGW_EFORK, and
     nothing is written twice.  For a file of its own the child makes a writer,
     with the names and handles that it has: names and profiles are its own.
     cgw_free works whatever the parent's threads were doing; a call that a
     handler interrupted to fork must not continue after it.  Like other [N]
     calls, these use malloc: if a handler interrupted malloc, neither a child
     that it forks nor code that it jumps to may call them.
   - The library makes no call that is a cancellation point, and hooks and
     callbacks run with cancellation disabled: a cancelled thread leaves no call
     unfinished.  (A longjmp out of a hook leaves it disabled.  No call may be
     made with PTHREAD_CANCEL_ASYNCHRONOUS.)

   Link programs that record in handlers with -Wl,-z,now: with lazy binding, a
   program's first call runs the dynamic linker.  The library leaves SIGPIPE and
   SIGXFSZ alone: unless you ignore them, a write to a closed pipe or beyond the
   size limit kills the process instead of returning CGW_EIO.  A kernel without
   MADV_WIPEONFORK (Linux 4.14) cannot tell a handler's record of a fork: in the
   child it returns CGW_OK until its copy of the buffer is full.
   Windows (mingw-w64, 64 bits) has no signals, fork or cancellation, so nothing
   is promised about them.  Paths are in the ANSI code page.  cgw_open follows
   links, and CGW_EFILE comes with EINVAL or EISDIR alone.  */

#ifdef __cplusplus
}
#endif
#endif /* CGW_H */
