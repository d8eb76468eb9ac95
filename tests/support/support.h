/* support.h - what the tests of faults share: a sink that fails on demand, and
   a profile to write through it and through a heap that fails (heap.h).

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SUPPORT_H
#define SUPPORT_H 1

#include "cgw.h"
#include "heap.h"
#include "reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether a sanitizer is in the program, which uses stack, time and instructions
   of its own.  */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Sinks: write hooks that keep what they take.  */

enum fault_kind
{
  FAULT_NONE,
  FAULT_ERRNO,        /* -1 and an errno */
  FAULT_SHORT_ONE,    /* takes 1 byte */
  FAULT_SHORT_HALF,   /* takes half */
  FAULT_SHORT_BUT_ONE, /* takes all but 1 */
  FAULT_ZERO,         /* takes nothing and says so */
  FAULT_TOO_MANY      /* takes nothing and says one more than it got */
};

#define FOREVER SIZE_MAX

/* Strikes at the at-th write (from 1), or, where at is 0, when at_byte bytes
   are taken; then so many times.  And from the last-th write on, unless that
   is 0.  */
struct fault
{
  enum fault_kind kind;
  int error;
  size_t at;
  size_t at_byte;
  size_t times;
  size_t last;
};

struct sink
{
  char *bytes;
  size_t n;
  size_t room;
  struct fault fault;
  size_t calls;    /* writes so far */
  size_t injected; /* of them, how many the fault struck */
};

ssize_t sink_write (void *context, const void *bytes, size_t n);
void sink_free (struct sink *s);

/* Reads fd until its end, into the sink.  */
void sink_drain (struct sink *s, int fd);

/* A thread that does so; slow: with pauses.  Join it by reader_join.  */
struct pipe_reader;
struct pipe_reader *reader_start (struct sink *s, int fd, bool slow);
void reader_join (struct pipe_reader *r);

/* Reads a whole file, or fails the test.  */
void sink_load (struct sink *s, const char *path);

/* The scenario: a fixed, varied profile through the public calls.  */

#define EVENTS 3
#define ESCAPED_NAMES 3 /* of its names */

struct scenario
{
  struct cgw_names *names; /* those of the writer; NULL: test_names () */
  unsigned parts;
  unsigned functions;
  unsigned records;  /* of each part */
  bool long_name;    /* one of the names is longer than a page */
  bool patient;      /* what is not a record and fails is tried again */
  bool flush_often;  /* before each record, and again when it fails */
  bool no_flush;     /* nothing that may wait for the descriptor */
  unsigned long stop; /* records after which to return; 0: all */
  uint64_t seed;     /* of other records than those of 0 */
};

/* What the scenario handed over, by its own count.  */
struct delivered
{
  uint64_t records;
  uint64_t cost[EVENTS]; /* self cost */
  uint64_t failed;       /* of the records, those that a status said no to */
  uint64_t refused;      /* records that do not count as delivered */
  unsigned errno_changed; /* calls that changed errno */
  unsigned failed_flushes;
  unsigned failed_parts;
  enum cgw_status kept;  /* the writer's error after these calls, if no other
                            thread made any, and its names have none */
  unsigned tries;        /* of the present call */
};

/* Everything but cgw_finish.  `progress`, if not NULL, grows by the records
   delivered, after each.  Threads may run scenarios in one writer.  */
void scenario_run (const struct scenario *s, struct cgw_writer *w,
                   struct delivered *d, _Atomic uint64_t *progress);

/* cgw_finish, with a check of errno.  */
enum cgw_status scenario_finish (struct cgw_writer *w, struct delivered *d);

/* All of it and cgw_finish, which no call may fail.  */
void scenario_complete (const struct scenario *s, struct cgw_writer *w);

/* The bytes that the scenario gives without faults; fails the test if it
   finds any.  */
void scenario_baseline (const struct scenario *s, unsigned writer_flags,
                        struct sink *out);

/* Looking at results.  `context` says in a failure's message which case it
   was.  */

/* Fails the test unless the bytes are a file that the strict reader takes.  */
struct profile *must_read (const char *bytes, size_t n, unsigned flags,
                           const char *context);

/* The length of n bytes without the torn record at their end.  */
size_t whole_length (const char *bytes, size_t n, unsigned flags);

/* How many cost lines in n bytes report what was lost: they are no records. */
uint64_t lost_lines (const char *bytes, size_t n);

/* Fails the test unless recorded + lost == delivered holds by cgw_get_stats,
   and the whole records in n bytes are those recorded.  `complete`: the bytes
   end in totals, and with what "[lost]" has give all that was delivered.  */
void check_conserved (struct cgw_writer *w, const struct delivered *d,
                      const char *bytes, size_t n, bool complete,
                      unsigned flags, const char *context);

/* Whether the whole begins with the part, and whether they are equal.  */
bool begins_with (const struct sink *whole, const struct sink *part);
bool same_sinks (const struct sink *a, const struct sink *b);

/* Fails the test unless both are the same bytes.  */
void check_same (const char *bytes, size_t n, const struct sink *expected,
                 const char *context);

/* Fails the test unless the file has these bytes.  */
void check_same_file (const char *path, const struct sink *expected,
                      const char *context);

/* Makes an empty directory; its name is the caller's to free.  */
char *make_directory (void);
void remove_directory (char *path);

/* Opens a new file "name" in the directory, and puts its path into path.  */
int open_in (const char *directory, const char *name, char path[4096]);

/* Writes a file of that text, with mode 0640 if it is new.  */
void put_file (const char *path, const char *text);

/* Fails the test unless the file is that text.  */
void check_text_file (const char *path, const char *text);

/* How many descriptors are open.  */
unsigned count_descriptors (void);

/* A test that leaves no descriptor open.  It is not a suite's .fini that
   looks, for Criterion does not count failures there.  */
#define CLOSING_TEST(suite, name)                                             \
  static void closing_##name (void);                                          \
  Test (suite, name)                                                          \
  {                                                                           \
    unsigned before = count_descriptors ();                                   \
    closing_##name ();                                                        \
    cr_assert_eq (count_descriptors (), before, "a descriptor leaks");        \
  }                                                                           \
  static void closing_##name (void)

/* Whether to do more than make check: in make check-full and make stress, which
   set CGW_FULL or CGW_STRESS in the environment.  */
bool wants_all (void);

/* How much to do: in make check, and with CGW_STRESS in the environment, which
   says how much there; 30, as in make stress, means in_stress.  */
unsigned long stress_number (unsigned long in_check, unsigned long in_stress);

/* One line of figures, which passes through TAP as a comment.  */
void print_figure (const char *name, unsigned long long n);

#endif /* SUPPORT_H */
