/* test_step_actions.c - what a handler does that interrupts a call: records,
   calls that are not for handlers, forks, jumps.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 60 /* less than those of the run */

static void
act_records (int level)
{
  submit_all (LEVEL_1 + (enum fn) level);
  if (t.recorder != NULL)
    push_sample ();
}

/* A call on the writer, which may return these statuses.  */
static unsigned
of_writer (unsigned mask)
{
  return t.w == NULL ? BIT (CGW_EINVAL) : t.dead ? BIT (CGW_EFORK) : mask;
}

#define CHECKED(function, call, mask)                                         \
  do                                                                          \
    {                                                                         \
      errno = MARKER;                                                         \
      STEPPED (status = call);                                                \
      expect_errno (function);                                                \
      expect_status (function, status, mask);                                 \
      t.seen |= status == CGW_EBUSY ? BIT (CGW_EBUSY) : 0;                    \
    }                                                                         \
  while (0)

static void
act_flush (int level)
{
  enum cgw_status status = CGW_OK;
  unsigned allowed = allowed_now ();

  (void) level;
  CHECKED ("cgw_flush", cgw_flush (t.w), allowed | allowed_now ());
}

/* What cgw_finish may return beside what other calls may: the first error that
   left something out, or that there is nothing to finish.  */
static unsigned
allowed_finish (void)
{
  unsigned mask = allowed_now ();

  if (mask & (BIT (CGW_OK) | BIT (CGW_EBUSY)))
    mask |= t.seen & ~BIT (CGW_EFINISHED);
  if (t.scene->traits & OPENS)
    mask |= BIT (CGW_EORDER);
  return mask;
}

/* Whether cgw_finish has ended the file by that status.  CGW_EORDER and
   CGW_EBUSY may be the file's first error, or mean that nothing was done: a
   second try tells.  */
bool
has_finished (enum cgw_status status)
{
  if (status == CGW_EORDER || status == CGW_EBUSY)
    return cgw_finish (t.w) == CGW_EFINISHED;
  return status == CGW_OK || status == CGW_ELOST || status == CGW_EIO;
}

/* From then on there are no records; but while another call is inside,
   cgw_finish does nothing.  */
static void
act_finish (int level)
{
  enum cgw_status status = CGW_OK;
  unsigned allowed = allowed_finish ();
  bool begun = t.finish_begun;

  t.finish_begun = t.w != NULL;
  CHECKED ("cgw_finish", cgw_finish (t.w), allowed | allowed_finish ());
  if (t.w == NULL || t.dead)
    return;
  if (!has_finished (status))
    {
      t.finish_begun = begun;
      return;
    }
  t.finishing = true;
  submit_all (LEVEL_1 + (enum fn) level);
}

static unsigned
allowed_salvage (void)
{
  return of_writer (BIT (CGW_OK) | BIT (CGW_ELOST) | BIT (CGW_EFINISHED)
                    | (t.seen & (BIT (CGW_EORDER) | BIT (CGW_EBUSY)
                                 | BIT (CGW_EIO)))
                    | (t.scene->traits & OPENS ? BIT (CGW_EORDER) : 0));
}

/* The same, whatever it interrupted.  */
static void
act_salvage (int level)
{
  enum cgw_status status = CGW_OK;

  t.finish_begun = t.w != NULL;
  CHECKED ("cgw_salvage", cgw_salvage (t.w), allowed_salvage ());
  if (t.w == NULL || t.dead)
    return;
  t.salvaged = t.salvaged || status != CGW_EFINISHED;
  t.seen |= BIT (CGW_ELOST);
  t.finishing = true;
  submit_all (LEVEL_1 + (enum fn) level);
}

static void
act_stats (int level)
{
  struct counts c;
  uint64_t taken = ledger_taken (&t.ledger);
  enum cgw_status status = counts_get (&c, t.w);

  (void) level;
  expect_status ("cgw_get_stats", status,
                 of_writer (BIT (CGW_OK) | BIT (CGW_EBUSY)));
  /* Records of who interrupted it came too late for the answer.  */
  if (status == CGW_OK && ledger_taken (&t.ledger) == taken
      && !(t.scene->traits & OPENS))
    ledger_check (&t.ledger, &c);
  if (t.recorder != NULL)
    {
      struct cgw_recorder_stats r = CGW_RECORDER_STATS_INIT;
      uint64_t pushed = t.pushed;
      STEPPED (status = cgw_recorder_get_stats (t.recorder, &r));
      EXPECT (r.recorded >= pushed && r.recorded <= t.pushed + t.pushing,
              "%llu samples, not %llu", (unsigned long long) r.recorded,
              (unsigned long long) t.pushed);
    }
}

static void
act_errors (int level)
{
  enum cgw_status status = CGW_OK;
  int error = 0;
  /* A record under way keeps its error before its call returns it.  */
  unsigned under_way
      = (t.scene->traits & OPENS ? BIT (CGW_EORDER) : 0)
        | (t.scene->traits & SMALL_RING ? BIT (CGW_ELOST) : 0);

  (void) level;
  errno = MARKER;
  STEPPED (status = cgw_error (t.w, NULL));
  STEPPED (error = cgw_errno (t.w));
  expect_errno ("cgw_error");
  expect_status ("cgw_error", status,
                 of_writer (BIT (CGW_OK) | t.seen | under_way));
  EXPECT (error == (status == CGW_EIO ? EFBIG : 0), "%s, but cgw_errno: %d",
          cgw_strerror (status), error);
  STEPPED (status = cgw_names_error (t.names, NULL));
  expect_status ("cgw_names_error", status, BIT (CGW_OK) | t.seen);
}

/* Known names are found at any time.  A new one that fails is kept as an error
   of the names, and so of the file.  */
static void
act_names (int level)
{
  struct cgw_file file = { 0 };
  struct cgw_object object = { 0 };
  struct cgw_fn fn = { 0 };
  enum cgw_status status = CGW_OK;
  unsigned allowed = allowed_now ();

  (void) level;
  errno = MARKER;
  STEPPED (file = cgw_add_file (t.names, "inlined.h"));
  expect_errno ("cgw_add_file");
  EXPECT (file.handle == t.inlined.handle, "a known file is not found");
  STEPPED (object = cgw_add_object (t.names, "a handler's"));
  STEPPED (fn = cgw_add_fn (t.names, "a handler's", file, object));
  expect_errno ("cgw_add_fn");
  if (object.handle == 0 || fn.handle == 0)
    {
      EXPECT (t.scene->traits & NAMES_CALL || steps.level > 1
                  || t.action[1] != NULL,
              "a name is not added");
      status = cgw_names_error (t.names, NULL);
      expect_status ("cgw_names_error", status, BIT (CGW_EBUSY));
      t.seen |= BIT (CGW_EBUSY);
    }
  if (t.scene->traits & OPENS)
    allowed |= BIT (CGW_EORDER);
  CHECKED ("cgw_comment", cgw_comment (t.w, "a handler's"),
           allowed | allowed_now ());
  t.seen |= status == CGW_EORDER ? BIT (CGW_EORDER) : 0;
}

/* The profile is busy, if that is what was interrupted.  */
static void
act_sums (int level)
{
  static const uint64_t no_costs[N_EVENTS];
  struct cgw_pos known = { t.fn[0], { 0 }, 10, 0 };
  enum cgw_status status = CGW_OK;

  (void) level;
  if (t.profile == NULL)
    return;
  CHECKED ("cgw_profile_cost",
           cgw_profile_cost (t.profile, &known, no_costs, N_EVENTS),
           BIT (CGW_OK) | BIT (CGW_EBUSY));
  t.seen |= BIT (status);
}

/* Forks.  */

static void
wait_for (pid_t child)
{
  int status = 0;
  pid_t done;

  while ((done = waitpid (child, &status, 0)) == -1 && errno == EINTR)
    ;
  EXPECT (done == child && WIFEXITED (status) && WEXITSTATUS (status) == 0,
          "the child ended by %s %d",
          WIFSIGNALED (status) ? "signal" : "status",
          WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status));
}

static void
keep_sizes (void)
{
  for (enum file i = 0; i <= FILES; i++)
    t.size_at_fork[i] = file_size (i);
  t.hooks_at_fork = t.hook_calls;
}

static void
check_sizes (const char *who)
{
  for (enum file i = 0; i <= FILES; i++)
    EXPECT (i == CHILDS || file_size (i) == t.size_at_fork[i],
            "%s wrote %lld bytes to its parent's descriptor", who,
            (long long) (file_size (i) - t.size_at_fork[i]));
}

/* Forks, and waits for the child, which finds that this is so.  */
static bool
is_child (void)
{
  pid_t child;

  keep_sizes ();
  child = fork ();
  if (child == 0)
    {
      alarm (CHILD_SECONDS);
      t.dead = true;
      return true;
    }
  wait_for (child);
  check_sizes ("a child");
  return false;
}

/* The child's handler returns into the call, and the child looks afterwards:
   child_returned.  */
static void
act_fork_return (int level)
{
  (void) level;
  if (!t.in_child && is_child ())
    t.in_child = true;
}

/* What is at the door of the write hook goes through it: the hook is not the
   library, and no descriptor.  */
void
child_returned (void)
{
  struct cgw_pos here = { t.fn[AFTER], { 0 }, 1, 0 };

  t.inside = false;
  check_sizes ("the call");
  EXPECT (t.hook_calls <= t.hooks_at_fork + 1, "the child called the hook");
  if (t.w != NULL)
    {
      enum cgw_status status = cgw_cost (t.w, &here, NULL, 0);
      expect_status ("a child's cgw_cost", status, BIT (CGW_EFORK));
      status = cgw_flush (t.w);
      expect_status ("a child's cgw_flush", status, BIT (CGW_EFORK));
      status = cgw_finish (t.w);
      expect_status ("a child's cgw_finish", status, BIT (CGW_EFORK));
    }
  cgw_free (t.w);
  check_sizes ("a child's calls");
  check_decoy ();
  _exit (run_failed ());
}

/* The child begins a file of its own, and never returns into the call.  */
static void
act_fork_new (int level)
{
  (void) level;
  if (t.w == NULL || t.in_child || !is_child ())
    return;
  write_new_file ();
  check_sizes ("a child with a file of its own");
  check_decoy ();
  _exit (run_failed ());
}

/* Jumps.  */

static void
act_leave (int level)
{
  (void) level;
  t.left = true;
  steps.level = 0;
  siglongjmp (steps.out, 1);
}

static bool
has_writer (const struct scene *s)
{
  return !(s->traits & (NO_WRITER | FREES));
}

/* A jump out of a write leaves half of a record on a full disk; and a child
   that was forked while its parent cuts that off does the same.  */
static bool
has_room (const struct scene *s)
{
  return !(s->traits & FULL_DISK);
}

static bool
has_profile (const struct scene *s)
{
  return strncmp (s->function, "cgw_profile_", 12) == 0
         || strncmp (s->function, "cgw_tracer_", 11) == 0;
}

const struct action actions[ACTIONS] = {
  [RECORDS] = { "records", act_records, false, false, NULL },
  [FLUSH] = { "cgw_flush", act_flush, false, false, NULL },
  [FINISH] = { "cgw_finish", act_finish, false, false, NULL },
  [SALVAGE] = { "cgw_salvage", act_salvage, false, false, NULL },
  [STATS] = { "cgw_get_stats", act_stats, false, false, NULL },
  [ERRORS] = { "cgw_error", act_errors, false, false, NULL },
  [ADD_NAMES] = { "names and comments", act_names, false, false, NULL },
  [SUMS] = { "sums", act_sums, false, false, has_profile },
  [FORK_RETURN]
  = { "fork and return", act_fork_return, true, false, has_room },
  [FORK_NEW]
  = { "fork and cgw_open_fd", act_fork_new, true, false, has_writer },
  [LEAVE] = { "longjmp and cgw_salvage", act_leave, false, true, has_room },
  [LEAVE_FREE]
  = { "longjmp and cgw_free", act_leave, false, true, has_writer },
};
