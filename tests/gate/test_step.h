/* test_step.h - what the files of test_step share: scenes, in which one public
   function is interrupted at each of its instructions; actions, which the
   handler takes there; and the world that both work on.

   A run is a scene, an action, and a boundary between two instructions.  The
   handler at the boundary acts, and at depth 2 a call of its own is interrupted
   in turn by a handler with an action of its own.  Afterwards the accounts
   must be right: see conclude.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TEST_STEP_H
#define TEST_STEP_H 1

#include "cgw.h"
#include "heap.h"
#include "ledger.h"
#include "step.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define N_EVENTS 2
#define FILE_MAX (1 << 18)
#define LEVELS 2           /* of handlers */
#define POSITIONS 8
#define FULL_SIZE 700

/* Scenes and actions.  */

/* What a scene is like: where the bytes go (to a descriptor of ours, unless
   it says otherwise), and what the call under step may do.  */
enum
{
  HOOK = 1,          /* a write hook takes the bytes */
  OWNED = 2,         /* cgw_open opened the file, and the writer closes it */
  OPENS = 4,         /* no part is open before the call */
  FINISHES = 8,
  SMALL_RING = 64,   /* two places in the queue */
  SMALL_BUFFER = 128, /* each record is written at once */
  NO_WRITER = 256,   /* the call makes the writer ... */
  FREES = 512,       /* ... or frees it: handlers have none */
  NAMES_CALL = 2048, /* may have the lock of the names */
  CACHEGRIND = 4096, /* the file is in cachegrind's format */
  REPLACES = 8192,   /* the file at the path of cgw_open is replaced */
  FULL_DISK = 16384  /* takes FULL_SIZE bytes of a file from the call on */
};

struct scene
{
  const char *name;
  const char *function;  /* the public function under step */
  unsigned traits;
  int argument;          /* the scene's own */
  void (*prepare) (void);         /* or NULL */
  enum cgw_status (*call) (void); /* one call of the function, STEPPED */
  void (*check) (enum cgw_status status); /* or NULL: it returned CGW_OK */
};

/* What a handler does.  level is its depth: 0 interrupted the scene's call. */
struct action
{
  const char *name;
  void (*act) (int level);
  bool forks;
  bool leaves;                /* by siglongjmp */
  bool (*suits) (const struct scene *s); /* or NULL: all */
};

enum action_name
{
  RECORDS,
  FLUSH,
  FINISH,
  SALVAGE,
  STATS,
  ERRORS,
  ADD_NAMES,
  SUMS,
  FORK_RETURN,
  FORK_NEW,
  LEAVE,
  LEAVE_FREE,
  ACTIONS
};

extern const struct action actions[ACTIONS];

/* The tables of scenes, each of which ends with a name of NULL.  */
extern const struct scene record_scenes[], part_scenes[], open_scenes[],
    name_scenes[], profile_scenes[], recorder_scenes[];

/* The world.  */

/* Functions with costs; each level of handlers has its own, new to the file,
   and OTHER has costs before.  */
enum fn { MAIN, OTHER, FRESH, LEVEL_1, LEVEL_2, AFTER, FNS };

/* The regular files: the writer's, and a child's.  */
enum file { FIRST, CHILDS, FILES };

struct world
{
  const struct scene *scene;
  const struct action *action[LEVELS];
  bool threads;

  struct cgw_names *names;
  struct cgw_writer *w;
  struct cgw_profile *profile;
  struct cgw_recorder *recorder;
  struct cgw_fn fn[FNS];
  struct cgw_file inlined;
  struct cgw_pos at[POSITIONS]; /* in these functions, one line each */
  struct cgw_part part;
  bool defers; /* the next write hook records, and so defers */

  int fd;          /* where the bytes go, or -1: to the hook */
  enum file file;  /* which of the files that is; owned: none */
  int owned_fd;    /* the number of the descriptor of cgw_open, or -1 */
  bool decoy;      /* something else of ours has that number now */
  size_t n_bytes;  /* of the hook */
  unsigned hook_calls;

  struct ledger ledger;
  unsigned seen; /* the statuses that records returned, as bits */
  uint64_t pushed, push_lost; /* of the recorder */
  volatile unsigned pushing;

  /* How the run goes.  */
  volatile bool inside;    /* the call under step has not come back */
  volatile bool left;      /* and never will */
  volatile bool begun;     /* a part is open, for all we know */
  volatile bool finish_begun; /* cgw_finish or cgw_salvage was called ... */
  volatile bool finishing; /* ... and has ended the file */
  volatile bool salvaged;  /* cgw_salvage ended it */
  bool refused_unknown;    /* records of the library's own were refused */
  bool dead;               /* it is a child's copy */
  volatile bool in_child;  /* this child is to return into the call */
  off_t size_at_fork[FILES + 1];
  unsigned hooks_at_fork;
};

extern struct world t;

/* Where cgw_open makes its files.  */
extern char *run_directory;

/* Whether something was wrong in this process since it began.  */
bool run_failed (void);

/* A new world for a scene, and its end; the files last for the process.  */
void world_open_files (void);
void world_open (const struct scene *s);
void world_close (void);

/* The options of the scene's writer, and a part's.  */
struct cgw_options world_options (void);
struct cgw_part world_part (void);
struct cgw_names *world_names (void);
void world_add_functions (struct cgw_names *names);
const char *world_path (void);

/* Whether there is room on the disk.  */
void world_fill_disk (bool full);

/* Puts a file of ours on the number of a descriptor that the writer has
   closed, and tells whether that is still empty and open.  */
void place_decoy (void);
void check_decoy (void);

/* No file may be left that was to replace another; but after a jump out of the
   call that made it there is nobody to remove it.  */
void check_replaced (bool may_be_left);

off_t file_size (enum file file); /* FILES: the file of cgw_open */
int file_descriptor (enum file file);
int next_descriptor (void); /* the number that the next one gets */
size_t read_file (enum file file, char *bytes, size_t room);

extern struct heap heap;

/* Calls of the library, judged by their statuses.  */

enum cgw_status submit (enum kind kind, const struct cgw_pos *from,
                        const struct cgw_pos *to);
void submit_all (enum fn fn); /* one record of each kind */
void push_sample (void);
void recorder_conclude (void);
void expect_status (const char *call, enum cgw_status status, unsigned mask);

/* The statuses that a call other than a record may return now.  */
unsigned allowed_now (void);

bool has_finished (enum cgw_status status);
/* Reads the file and compares it with the counts.  */
void check_file (enum file file, unsigned reader_flags,
                 const struct counts *c);

/* The end of a run: closes the accounts.  */
void conclude (enum cgw_status status);
/* A child's own file, by a new writer.  */
void write_new_file (void);
void child_returned (void) __attribute__ ((noreturn));

/* Stepping.  */

struct steps
{
  volatile unsigned long n[LEVELS];  /* instructions so far */
  unsigned long at[LEVELS];          /* where something happens; 0: nowhere */
  bool counting;                     /* to the end */
  volatile int level;
  sigjmp_buf out;
};

extern struct steps steps;

/* Whether a call is to be interrupted at this level.  */
bool steps_wanted (void);

/* Defines call_NAME, which makes a call of `function` and sees that errno stays
   as it was.  Its status is `returned`, which may ask for the result.  */
#define CALL_AS(name, function, type, call, returned)                         \
  static enum cgw_status call_##name (void)                                   \
  {                                                                           \
    type result;                                                              \
                                                                              \
    errno = MARKER;                                                           \
    STEPPED (result = call);                                                  \
    expect_errno (#function);                                                 \
    (void) result;                                                            \
    return returned;                                                          \
  }
#define CALL(name, function, ...)                                             \
  CALL_AS (name, function, enum cgw_status, function (__VA_ARGS__), result)

/* Runs.  */

/* All boundaries of a table's scenes, or some of them, with all
   actions.  Fails the test for each combination that went wrong.  */
void sweep (const char *name, const struct scene *table);

#endif /* TEST_STEP_H */
