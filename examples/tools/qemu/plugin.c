/* plugin.c - what QEMU loads: hears of translated and executed blocks and of
   system calls, and writes the profile at the end.

   Arguments: out=FILE, shared=FILE, command=TEXT, symbols=FILE, for=READER,
   from=FUNCTION, until=FUNCTION, save=INSTRUCTIONS; and mem, blocks, jumps,
   threads and trees, with any value.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/coverage.h"
#include "../base/memory.h"
#include "../base/tool.h"
#include "exec_calls.h"
#include "execute.h"
#include "guest.h"
#include "interface.h"
#include "output.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int qemu_plugin_version;

/* QEMU reads the number when it has loaded the plugin.  */
__attribute__ ((constructor)) static void
set_version (void)
{
  qemu_plugin_version
      = qemu_plugin_register_vcpu_tb_exec_inline != NULL ? 1
        : qemu_plugin_set_pc != NULL                     ? 7
                                                         : 2;
}

static const struct option no_options[] = { TOOL_OPTIONS };
static const struct tool tool = { .name = "cgw-qemu",
                                  .usage = "",
                                  .help = "",
                                  .letters = "",
                                  .options = no_options,
                                  .runs_program = true,
                                  .is_plugin = true };

enum { VCPUS = 1 << 16 };

static struct
{
  pthread_mutex_t lock; /* of what follows */
  struct output output;
  struct vcpu *running[VCPUS]; /* by QEMU's number, which it uses again */
  uint32_t n_running;
  uint32_t n_vcpus;            /* begun so far */
  uint64_t save_every;         /* instructions */
  struct guest_limits limits;
  struct exec_calls exec_calls;
  bool is_system;
  bool has_flushed; /* what is translated now may stay for more threads */
  _Atomic (bool) is_counting;
} session = { .lock = PTHREAD_MUTEX_INITIALIZER, .save_every = UINT64_MAX };

/* Beginnings and ends.  */

static void
on_vcpu (unsigned index)
{
  if (index >= VCPUS)
    {
      tool_complain ("threads", 0, "there are more than 65536");
      exit (tool_failed ());
    }
  pthread_mutex_lock (&session.lock);
  session.running[index]
      = vcpu_new (++session.n_vcpus, index, session.is_system,
                  session.output.events, session.output.has_jumps);
  session.running[index]->save_at = session.save_every;
  if (session.output.has_trees)
    vcpu_want_contexts (session.running[index], session.output.names);
  if (index >= session.n_running)
    session.n_running = index + 1;
  pthread_mutex_unlock (&session.lock);
}

static void
on_vcpu_exit (unsigned index)
{
  pthread_mutex_lock (&session.lock);
  if (session.running[index] != NULL)
    {
      output_take (&session.output, session.running[index]);
      vcpu_free (session.running[index]);
      session.running[index] = NULL;
    }
  pthread_mutex_unlock (&session.lock);
}

/* No vcpu runs any more.  */
static void
on_exit_of_all (void)
{
  pthread_mutex_lock (&session.lock);
  for (uint32_t i = 0; i < session.n_running; i++)
    if (session.running[i] != NULL)
      output_take (&session.output, session.running[i]);
  output_write (&session.output, true);
  pthread_mutex_unlock (&session.lock);
  coverage_save ();
}

static void
before_fork (void)
{
  pthread_mutex_lock (&session.lock);
  guest_lock ();
}

static void
after_fork (void)
{
  guest_unlock ();
  pthread_mutex_unlock (&session.lock);
}

/* The number of the vcpu whose system call this thread makes.  */
static _Thread_local unsigned calling = UINT_MAX;

/* A child process begins with the calls that the thread that forks has open, but
   nothing executed, and writes a file of its own.  Its parent's other threads
   are not in it.  */
static void
in_child (void)
{
  guest_unlock ();
  for (uint32_t i = 0; i < session.n_running; i++)
    if (session.running[i] != NULL && (i == calling || calling == UINT_MAX))
      vcpu_forget (session.running[i]);
    else if (session.running[i] != NULL)
      {
        vcpu_abandon (session.running[i]);
        session.running[i] = NULL;
      }
  output_fork (&session.output, !session.is_system);
  pthread_mutex_unlock (&session.lock);
}

/* One that begins to execute another program ends, unless that returns.  */
static void
on_exec_call (int64_t number, bool begins)
{
  if (!exec_calls_have (session.exec_calls, number))
    return;
  pthread_mutex_lock (&session.lock);
  output_execute (&session.output, begins);
  pthread_mutex_unlock (&session.lock);
}

/* Execution.  */

static void
save (struct vcpu *v)
{
  pthread_mutex_lock (&session.lock);
  output_take (&session.output, v);
  output_write (&session.output, false);
  v->save_at += session.save_every;
  pthread_mutex_unlock (&session.lock);
}

static void
on_usual_execution (unsigned index, void *block)
{
  vcpu_execute_usual (session.running[index], block);
}

/* With limits, jumps, times to save, or of an unusual block.  */
static void
on_execution (unsigned index, void *data)
{
  struct vcpu *v = session.running[index];
  struct block *block = data;

  if (block->is_until)
    session.is_counting = false;
  else if (block->is_from)
    session.is_counting = true;
  v->calls.is_counting = session.is_counting;
  if (v->calls.counters.of[EVENT_INSTRUCTIONS] >= v->save_at)
    save (v);
  vcpu_execute (v, block);
}

static void
on_access (unsigned index, uint32_t access, uint64_t address, void *number)
{
  (void) address;
  if (!session.is_counting)
    return;
  /* QEMU before 9.2 calls once for an atomic read and write, and its function
     says that this is a write.  Bits 16 and 17 say that it is both.  */
  if ((access >> 16 & QEMU_PLUGIN_MEM_RW) == QEMU_PLUGIN_MEM_RW)
    vcpu_access (session.running[index], (uint32_t) (uintptr_t) number, false);
  vcpu_access (session.running[index], (uint32_t) (uintptr_t) number,
               qemu_plugin_mem_is_store (access));
}

/* A system call returns.  QEMU gives this result to the one that ends a
   signal's handler, on each processor.  */
static void
on_return (unsigned index, int64_t result)
{
  enum { SIGRETURN = -513 };

  if (result == SIGRETURN)
    vcpu_resume (session.running[index]);
  else
    guest_returned (result);
}

/* Whether it is enough that QEMU counts a block's executions.  If it has one
   number for all vcpus, that is so with one thread: before the second one
   begins, or other processes may share the program's memory, it drops what it
   has translated.  */
static bool
may_be_unwatched (const struct block *block)
{
  return block->is_inner && numbers_known () && !session.is_system
         && (numbers_of_each ()
             || (session.n_vcpus == 1 && !session.has_flushed))
         && vcpu_n_events (session.output.events) == 1;
}

/* Reads and writes of a block's instructions, the first of which has a number
   in the translation.  */
static void
watch_accesses (struct qemu_plugin_tb *tb, size_t first,
                const struct block *block)
{
  for (uint32_t i = 0; session.output.events.has_accesses && i < block->n;
       i++)
    {
      uint32_t number = block->kind == BLOCK_LINKAGE ? VCPU_LINKAGE
                                                    : block->first + i;

      qemu_plugin_register_vcpu_mem_cb (
          qemu_plugin_tb_get_insn (tb, first + i), on_access,
          QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
          (void *) (uintptr_t) number);
    }
}

static qemu_on_execution
callback_of (const struct block *block)
{
  return block->kind == BLOCK_USUAL && session.limits.from == NULL
               && session.limits.until == NULL && !session.output.has_jumps
               && session.save_every == UINT64_MAX
           ? on_usual_execution
           : on_execution;
}

static void
on_translation (struct qemu_plugin_tb *tb)
{
  struct block *rest, *block = guest_translated (tb, &rest);

  if (session.output.shared != NULL)
    session.output.shared->is_running = 1;
  if (callback_of (block) == on_usual_execution && may_be_unwatched (block))
    guest_unwatch (block, tb);
  else
    qemu_plugin_register_vcpu_tb_exec_cb (tb, callback_of (block),
                                          QEMU_PLUGIN_CB_NO_REGS, block);
  watch_accesses (tb, 0, block);
  if (rest == NULL)
    return;
  qemu_plugin_register_vcpu_insn_exec_cb (
      qemu_plugin_tb_get_insn (tb, block->n), callback_of (rest),
      QEMU_PLUGIN_CB_NO_REGS, rest);
  watch_accesses (tb, block->n, rest);
}

/* QEMU drops all that it translated, and may have moved numbers.  It executes
   no block meanwhile.  */
static void
on_flush (void)
{
  session.has_flushed = true;
  for (uint32_t i = 0; i < session.n_running; i++)
    if (session.running[i] != NULL)
      session.running[i]->boards.n = 0;
}

/* Callbacks, as QEMU called them before number 7, and since.  */

static void
old_vcpu (qemu_plugin_id_t id, unsigned index)
{
  (void) id;
  on_vcpu (index);
}

static void
new_vcpu (unsigned index, void *nothing)
{
  (void) nothing;
  on_vcpu (index);
}

static void
old_vcpu_exit (qemu_plugin_id_t id, unsigned index)
{
  (void) id;
  on_vcpu_exit (index);
}

static void
new_vcpu_exit (unsigned index, void *nothing)
{
  (void) nothing;
  on_vcpu_exit (index);
}

static void
old_translation (qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
  (void) id;
  on_translation (tb);
}

static void
new_translation (struct qemu_plugin_tb *tb, void *nothing)
{
  (void) nothing;
  on_translation (tb);
}

/* The arguments of the call are further ones of these two.  */
static void
new_call (unsigned index, int64_t number)
{
  calling = index;
  on_exec_call (number, true);
}

static void
old_call (qemu_plugin_id_t id, unsigned index, int64_t number)
{
  (void) id;
  new_call (index, number);
}

static void
old_return (qemu_plugin_id_t id, unsigned index, int64_t number, int64_t result)
{
  (void) id;
  on_exec_call (number, false);
  on_return (index, result);
}

static void
new_return (unsigned index, int64_t number, int64_t result, void *nothing)
{
  (void) nothing;
  on_exec_call (number, false);
  on_return (index, result);
}

static void
old_exit (qemu_plugin_id_t id, void *nothing)
{
  (void) id, (void) nothing;
  on_exit_of_all ();
}

static void
new_exit (void *nothing)
{
  (void) nothing;
  on_exit_of_all ();
}

static void
old_flush (qemu_plugin_id_t id)
{
  (void) id;
  on_flush ();
}

static void
new_flush (void *nothing)
{
  (void) nothing;
  on_flush ();
}

static void
register_all (qemu_plugin_id_t id, bool is_new)
{
#define CALLBACK(name)                                                        \
  (is_new ? (qemu_callback *) new_##name : (qemu_callback *) old_##name)

  qemu_plugin_register_vcpu_init_cb (id, CALLBACK (vcpu), NULL);
  qemu_plugin_register_vcpu_exit_cb (id, CALLBACK (vcpu_exit), NULL);
  qemu_plugin_register_vcpu_tb_trans_cb (id, CALLBACK (translation), NULL);
  qemu_plugin_register_vcpu_syscall_cb (id, CALLBACK (call), NULL);
  qemu_plugin_register_vcpu_syscall_ret_cb (id, CALLBACK (return), NULL);
  qemu_plugin_register_atexit_cb (id, CALLBACK (exit), NULL);
  qemu_plugin_register_flush_cb (id, CALLBACK (flush), NULL);
#undef CALLBACK
}

/* Arguments.  */

/* The value of an argument "name=value"; NULL: it is another one.  */
static const char *
value_of (const char *argument, const char *name)
{
  size_t n = strlen (name);

  return strncmp (argument, name, n) == 0 && argument[n] == '='
           ? argument + n + 1
           : NULL;
}

/* Returns the file of what runs on a whole system, or NULL.  */
static const char *
take_arguments (int argc, char **argv)
{
  struct output *o = &session.output;
  const char *symbols = NULL, *value;

  for (int i = 0; i < argc; i++)
    if ((value = value_of (argv[i], "out")) != NULL)
      o->path = copy_text (value);
    else if ((value = value_of (argv[i], "shared")) != NULL)
      output_begin (o, value);
    else if ((value = value_of (argv[i], "for")) != NULL)
      o->reader = reader_named (value);
    else if ((value = value_of (argv[i], "command")) != NULL)
      o->command = copy_text (value);
    else if ((value = value_of (argv[i], "symbols")) != NULL)
      symbols = copy_text (value);
    else if ((value = value_of (argv[i], "from")) != NULL)
      session.limits.from = copy_text (value);
    else if ((value = value_of (argv[i], "until")) != NULL)
      session.limits.until = copy_text (value);
    else if ((value = value_of (argv[i], "save")) != NULL)
      session.save_every = strtoull (value, NULL, 10);
    else if (value_of (argv[i], "mem") != NULL)
      o->events.has_accesses = true;
    else if (value_of (argv[i], "blocks") != NULL)
      o->events.has_blocks = true;
    else if (value_of (argv[i], "jumps") != NULL)
      o->has_jumps = true;
    else if (value_of (argv[i], "threads") != NULL)
      o->has_parts = true;
    else if (value_of (argv[i], "trees") != NULL)
      o->has_trees = true;
  return symbols;
}

int
qemu_plugin_install (qemu_plugin_id_t id, const struct qemu_info_t *info,
                     int argc, char **argv)
{
  const char *symbols;

  tool_begin (&tool);
  session.output.names = new_names ();
  session.output.path = "callgrind.out.qemu";
  session.output.mask = umask (0);
  umask (session.output.mask);
  session.output.processor = copy_text (info->target_name);
  session.exec_calls = exec_calls_of (info->target_name);
  session.is_system = info->system_emulation;
  symbols = take_arguments (argc, argv);
  session.is_counting = session.limits.from == NULL;
  guest_begin (info, symbols, session.limits, session.output.has_jumps,
               session.output.names);
  pthread_atfork (before_fork, after_fork, in_child);
  register_all (id, info->version.cur >= 7);
  return 0;
}
