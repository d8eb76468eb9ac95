/* test_vcpu.c - who calls whom, as cgw-qemu concludes it from the order of
   blocks: recorded blocks instead of QEMU and a program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../tools/capture.h"
#include "base/memory.h"
#include "qemu/execute.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The code: "FUNCTION ADDRESS KIND" or "FUNCTION ADDRESS KIND:TARGET" for each
   block, of one instruction.  The function "?" is not known.  The first block
   of a function is its beginning.  A block's number is that of its site.  */

enum { BLOCKS = 64, FUNCTIONS = 32 };

static struct
{
  struct cgw_names *names;
  struct block blocks[BLOCKS];
  uint32_t n_blocks;
  struct function functions[FUNCTIONS];
  struct number unwatched[FUNCTIONS];
  uint32_t n_functions;
} code;

static struct function *
function_named (const char *name)
{
  struct function *f = code.functions;
  uint32_t n = code.n_functions;

  while (f < code.functions + n && strcmp (f->symbol, name) != 0)
    f++;
  if (f == code.functions + n)
    {
      cr_assert (n < FUNCTIONS);
      *f = (struct function){
        .start.fn = cgw_add_fn (code.names, name, (struct cgw_file){ 0 },
                                (struct cgw_object){ 0 }),
        .number = n,
        .symbol = copy_text (name),
        .is_handler = strncmp (name, "vector", 6) == 0,
        .may_resolve = strncmp (name, "_dl_runtime_", 12) == 0,
        .unwatched = &code.unwatched[n]
      };
      code.n_functions++;
    }
  return f;
}

static void
add_block (const char *function, uint64_t address, const char *kind,
           uint64_t target)
{
  static const struct
  {
    const char *name;
    enum transfer transfer;
    bool leaps;
    enum block_kind kind;
    bool is_inner;
  } kinds[] = { { .name = "run" },
                { .name = "jump" },
                { .name = "inner", .is_inner = true },
                { .name = "linkage", .kind = BLOCK_LINKAGE },
                { .name = "repeat", .kind = BLOCK_REPEAT },
                { .name = "leap", .leaps = true },
                { .name = "call", .transfer = TRANSFER_CALL },
                { .name = "return", .transfer = TRANSFER_RETURN },
                { .name = "resume", .transfer = TRANSFER_RESUME },
                { .name = "unknown",
                  .transfer = TRANSFER_UNKNOWN,
                  .leaps = true } };
  uint32_t n = code.n_blocks++, n_functions = code.n_functions;
  struct block *b = &code.blocks[n];
  size_t i = 0;

  cr_assert (n < BLOCKS);
  while (strcmp (kinds[i].name, kind) != 0)
    cr_assert (++i < sizeof kinds / sizeof *kinds, "%s", kind);
  *b = (struct block){ .start = address,
                       .end = address + 1,
                       .last = address,
                       .transfer = kinds[i].transfer,
                       .kind = kinds[i].kind,
                       .number = n,
                       .n = 1,
                       .site = n,
                       .head = n,
                       .first = n,
                       .leaps = kinds[i].leaps,
                       .target = target,
                       .stays = target != 0
                                || (kinds[i].transfer == TRANSFER_JUMP
                                    && !kinds[i].leaps),
                       .is_inner = kinds[i].is_inner };
  if (*function == '?')
    return;
  b->function = function_named (function);
  b->is_entry = code.n_functions != n_functions;
}

static void
read_code (const char *text)
{
  code.names = new_names ();
  code.n_blocks = code.n_functions = 0;
  memset (code.unwatched, 0, sizeof code.unwatched);
  for (int n; *text != '\0'; text += n)
    {
      char function[32], kind[32];
      unsigned address, target = 0;

      n = 0;
      cr_assert_geq (sscanf (text, "%31s %x %31[a-z]%n:%x%n", function,
                             &address, kind, &n, &target, &n),
                     3, "%s", text);
      add_block (function, address, kind, target);
      n += (int) strspn (text + n, " \n");
    }
}

static struct block *
block_at (uint64_t address)
{
  uint32_t i = 0;

  while (code.blocks[i].start != address)
    cr_assert_lt (++i, code.n_blocks, "no block is at %x", (unsigned) address);
  return &code.blocks[i];
}

/* In place of guest.c.  */

void
guest_lock (void)
{
}

void
guest_unlock (void)
{
}

void
guest_adopt (struct block *block, const struct function *of)
{
  char *name = make_text ("0x%x", (unsigned) block->start);

  if (block->function == NULL)
    {
      block->is_entry = of == NULL;
      block->function = of != NULL ? of : function_named (name);
    }
  free (name);
}

bool
guest_has_symbol (const struct block *block)
{
  (void) block;
  return false;
}

bool
guest_is_part (const struct block *block, const struct function *function)
{
  (void) block;
  (void) function;
  return false;
}

struct cgw_pos
guest_position (const struct block *block, uint32_t i)
{
  const struct function *f = block->function;

  return (struct cgw_pos){ .fn = f->start.fn, .instr = block->start + i };
}

struct cgw_pos
guest_site (uint32_t site)
{
  return guest_position (&code.blocks[site], 0);
}

bool
guest_leaps (uint32_t site)
{
  return code.blocks[site].leaps;
}

uint32_t
guest_sites (void)
{
  return code.n_blocks;
}

void
guest_clear (void)
{
  for (uint32_t i = 0; i < code.n_blocks; i++)
    code.blocks[i].executions.first = 0;
  memset (code.unwatched, 0, sizeof code.unwatched);
}

uint32_t
guest_blocks (void)
{
  return code.n_blocks;
}

struct block *
guest_block (uint32_t number)
{
  return &code.blocks[number];
}

/* QEMU's scoreboards, of two vcpus.  */

struct qemu_plugin_scoreboard
{
  uint64_t *of_vcpu[2];
};

struct qemu_plugin_tb
{
  qemu_plugin_u64 number;
  uint64_t addend;
};

struct qemu_plugin_scoreboard *
qemu_plugin_scoreboard_new (size_t size)
{
  struct qemu_plugin_scoreboard *board = new_lines (sizeof *board);

  for (int i = 0; i < 2; i++)
    board->of_vcpu[i] = new_lines (size);
  return board;
}

void *
qemu_plugin_scoreboard_find (struct qemu_plugin_scoreboard *board,
                             unsigned vcpu)
{
  return board->of_vcpu[vcpu];
}

void
qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu (struct qemu_plugin_tb *tb,
                                                   enum qemu_plugin_op op,
                                                   qemu_plugin_u64 number,
                                                   uint64_t addend)
{
  cr_assert_eq (op, QEMU_PLUGIN_INLINE_ADD_U64);
  *tb = (struct qemu_plugin_tb){ number, addend };
}

static void
add_on_board (struct number *n, uint32_t vcpu, uint64_t addend)
{
  struct qemu_plugin_tb tb;

  number_add (n, &tb, addend);
  tb.number.score->of_vcpu[vcpu][tb.number.offset / sizeof (uint64_t)]
      += tb.addend;
}

/* A run: addresses of blocks in their order, and what happens in between.  */

static bool has_boards;

static struct vcpu *v;
static struct cgw_profile *profile;
static struct jumps jumps;

/* What was run, so that it can be run again.  */
static struct
{
  char *code;
  bool is_system;
  char *words;
} recorded;

static void
begin_run (bool has_jumps)
{
  struct vcpu_events events = { .has_blocks = false };

  read_code (recorded.code);
  v = vcpu_new (1, 0, recorded.is_system, events, has_jumps);
  profile = new_profile (code.names, 1, CGW_INSTR_LINE);
  jumps_begin (&jumps);
}

static void
begin (const char *text, bool is_system, bool has_jumps)
{
  recorded.code = copy_text (text);
  recorded.is_system = is_system;
  recorded.words = copy_text ("");
  begin_run (has_jumps);
}

static void
execute (struct block *block)
{
  if (block->is_inner && has_boards)
    {
      add_on_board (&block->executions, v->boards.vcpu, 1);
      add_on_board (block->function->unwatched, v->boards.vcpu, 1);
    }
  else if (block->is_inner)
    {
      block->executions.first++;
      block->function->unwatched->first++;
    }
  else if (v->has_jumps || !v->calls.is_counting || block->kind != BLOCK_USUAL)
    vcpu_execute (v, block);
  else
    vcpu_execute_usual (v, block);
}

static void
run_words (const char *trace)
{
  char *words = copy_text (trace), *rest = words, *word;

  while ((word = strtok_r (rest, " \n", &rest)) != NULL)
    if (strcmp (word, "sigreturn") == 0)
      vcpu_resume (v);
    else if (strcmp (word, "count") == 0 || strcmp (word, "pass") == 0)
      v->calls.is_counting = *word == 'c';
    else if (strcmp (word, "save") == 0)
      vcpu_move (v, profile, &jumps);
    else if (strcmp (word, "fork") == 0)
      vcpu_forget (v);
    else
      execute (block_at (strtoul (word, NULL, 16)));
  free (words);
}

static void
run (const char *trace)
{
  recorded.words = make_text ("%s %s", recorded.words, trace);
  run_words (trace);
}

/* Functions, with what they have cost themselves, and with what they called.  */

static struct sum
{
  char name[32];
  uint64_t own;
  uint64_t all;
  bool is_called;
} sums[FUNCTIONS];
static size_t n_sums;

static struct sum *
sum_named (const char *name)
{
  size_t i = 0;

  while (i < n_sums && strcmp (sums[i].name, name) != 0)
    i++;
  cr_assert_lt (i, FUNCTIONS);
  if (i == n_sums)
    sums[n_sums++] = (struct sum){ .own = 0 };
  snprintf (sums[i].name, sizeof sums[i].name, "%s", name);
  return &sums[i];
}

static struct sum *
sum_of (struct cgw_fn fn)
{
  return sum_named (cgw_fn_name (code.names, fn, NULL, NULL));
}

static enum cgw_status
sum_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  (void) context, (void) n;
  sum_of (pos->fn)->own += *cost;
  return CGW_OK;
}

static enum cgw_status
sum_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  (void) context, (void) from, (void) count, (void) n;
  sum_of (to->fn)->all += *cost;
  sum_of (to->fn)->is_called = true;
  return CGW_OK;
}

/* Contexts, "FUNCTION'NUMBER".  */

static struct node
{
  char name[32];
  const char *caller; /* or NULL */
  uint64_t own;
} nodes[1100];
static size_t n_nodes;

static struct node *
node_of (struct cgw_fn fn)
{
  const char *name = cgw_fn_name (code.names, fn, NULL, NULL);
  size_t i = 0;

  while (i < n_nodes && strcmp (nodes[i].name, name) != 0)
    i++;
  cr_assert_lt (i, sizeof nodes / sizeof *nodes);
  if (i == n_nodes)
    nodes[n_nodes++] = (struct node){ .caller = NULL };
  snprintf (nodes[i].name, sizeof nodes[i].name, "%s", name);
  return &nodes[i];
}

static enum cgw_status
take_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  (void) context, (void) n;
  node_of (pos->fn)->own += *cost;
  return CGW_OK;
}

static enum cgw_status
take_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  struct node *node = node_of (to->fn);
  const char *caller = node_of (from->fn)->name;

  (void) context, (void) count, (void) cost, (void) n;
  cr_assert (node->caller == NULL || node->caller == caller);
  node->caller = caller;
  return CGW_OK;
}

static const struct node *
caller_of (const struct node *node)
{
  for (size_t i = 0; i < n_nodes && node->caller != NULL; i++)
    if (nodes[i].name == node->caller)
      return &nodes[i];
  return NULL;
}

/* The sum of a node's function.  */
static struct sum *
sum_of_node (const struct node *node)
{
  char name[32];

  strcpy (name, node->name);
  *strrchr (name, '\'') = '\0';
  return sum_named (name);
}

static bool
is_below (const struct node *node, const struct sum *function)
{
  while ((node = caller_of (node)) != NULL)
    if (sum_of_node (node) == function)
      return true;
  return false;
}

static void
add_node (const struct node *node)
{
  sum_of_node (node)->own += node->own;
  for (const struct node *n = node; n != NULL; n = caller_of (n))
    if (!is_below (n, sum_of_node (n)))
      sum_of_node (n)->all += node->own;
}

/* Runs it again with contexts, and compares their sums with those of calls.  */
static void
check_contexts (void)
{
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  struct sum expected[FUNCTIONS];
  size_t n_expected;

  visitor.cost = sum_cost;
  visitor.call = sum_call;
  n_sums = n_nodes = 0;
  cr_assert_eq (cgw_profile_visit (profile, &visitor), CGW_OK);
  memcpy (expected, sums, sizeof sums);
  n_expected = n_sums;
  begin_run (false);
  vcpu_want_contexts (v, code.names);
  run_words (recorded.words);
  vcpu_move (v, profile, &jumps);
  visitor.cost = take_cost;
  visitor.call = take_call;
  n_sums = 0;
  cr_assert_eq (cgw_profile_visit (profile, &visitor), CGW_OK);
  for (size_t i = 0; i < n_nodes; i++)
    add_node (&nodes[i]);
  for (size_t i = 0; i < n_expected; i++)
    {
      const struct sum *e = &expected[i], *s = sum_named (e->name);

      cr_expect_eq (s->own, e->own, "%s: %u", e->name, (unsigned) s->own);
      cr_expect (!e->is_called || s->all == e->all, "%s: %u, not %u, in all",
                 e->name, (unsigned) s->all, (unsigned) e->all);
    }
}

/* The calls from each site, sorted: "CALLER CALLEE COUNT COST".  */

static char lines[BLOCKS][80];
static char result[sizeof lines];
static size_t n_lines;

static enum cgw_status
add_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  (void) context;
  cr_assert_eq (n, 1);
  snprintf (lines[n_lines++], sizeof *lines, "%s %s %u %u\n",
            cgw_fn_name (code.names, from->fn, NULL, NULL),
            cgw_fn_name (code.names, to->fn, NULL, NULL), (unsigned) count,
            (unsigned) *cost);
  return CGW_OK;
}

static int
compare (const void *a, const void *b)
{
  return strcmp (a, b);
}

static const char *
calls (void)
{
  struct cgw_visitor visitor = CGW_VISITOR_INIT;

  vcpu_move (v, profile, &jumps);
  visitor.call = add_call;
  n_lines = 0;
  cr_assert_eq (cgw_profile_visit (profile, &visitor), CGW_OK);
  qsort (lines, n_lines, sizeof *lines, compare);
  *result = '\0';
  for (size_t i = 0; i < n_lines; i++)
    strcat (result, lines[i]);
  return result;
}

static uint64_t
total (void)
{
  uint64_t n = 0;

  cgw_profile_total (profile, &n, 1);
  return n;
}

/* And the sums of all contexts are those of the calls.  */
#define CALLS(expected)                                                       \
  do                                                                          \
    {                                                                         \
      cr_assert_str_eq (calls (), expected, "%s", result);                    \
      check_contexts ();                                                      \
    }                                                                         \
  while (false)

/* Calls, returns and jumps.  */

Test (vcpu, calls)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 call:30  f 21 return\n"
         "g 30 return\n",
         false, false);
  run ("10 20 30 21 11");
  CALLS ("f g 1 1\n"
         "main f 1 3\n");
  cr_assert_eq (total (), 5);
}

/* The outermost call has all the cost.  */
Test (vcpu, recursion)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 jump:22  f 21 call:20  f 22 return\n",
         false, false);
  run ("10 20 21 20 22 22 11");
  CALLS ("f f 1 0\n"
         "main f 1 5\n");
}

/* A branch to what follows a call of the function itself is no return.  */
Test (vcpu, branch_behind_a_call)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 jump:23  f 21 call:20  f 22 return\n",
         false, false);
  run ("10 20 21 20 22 22 11");
  CALLS ("f f 1 0\n"
         "main f 1 5\n");
}

Test (vcpu, tail_calls)
{
  begin ("main 10 call:20  main 11 call:20  main 12 return\n"
         "ping 20 jump:30  ping 21 return\n"
         "pong 30 jump:20\n",
         false, false);
  run ("10 20 30 20 30 20 21 11 20 30 20 21 12");
  CALLS ("main ping 1 4\n"
         "main ping 1 6\n"
         "ping pong 3 8\n"
         "pong ping 3 0\n");
}

/* Two functions share code, to which both jump.  */
Test (vcpu, shared_code)
{
  begin ("main 10 call:20  main 11 call:20  main 12 return\n"
         "f 20 jump:31\n"
         "g 30 run  g 31 jump:21\n"
         "f 21 return\n",
         false, false);
  run ("10 20 31 21 11 20 31 21 12");
  CALLS ("f g 2 2\n"
         "main f 1 3\n"
         "main f 1 3\n");
}

static void
check_longjmp (const char *kind)
{
  char *text = make_text ("main 10 call:20  main 11 return  main 12 jump:10\n"
                          "f 20 call:30  f 21 return\n"
                          "longjmp 30 %s\n",
                          kind);

  begin (text, false, false);
  free (text);
  run ("10 20 30 12 10 20 30 12");
  CALLS ("f longjmp 2 2\n"
         "main f 2 4\n");
}

Test (vcpu, longjmp_by_a_leap)
{
  check_longjmp ("leap");
}

Test (vcpu, longjmp_by_a_return)
{
  check_longjmp ("return");
}

Test (vcpu, unknown_instructions)
{
  begin ("main 10 unknown  main 11 unknown\n"
         "f 20 unknown  f 21 unknown\n"
         "g 30 unknown\n",
         false, false);
  run ("10 20 30 21 11");
  CALLS ("f g 1 1\n"
         "main f 1 3\n");
}

/* What leads to another object is a cost of what calls.  */
Test (vcpu, linkage_and_repetitions)
{
  begin ("main 10 call:40  main 11 return\n"
         "f 20 repeat  f 21 return\n"
         "plt 40 linkage  plt 41 linkage\n",
         false, false);
  run ("10 40 41 20 20 20 21 11");
  CALLS ("main f 1 2\n");
  cr_assert_eq (total (), 6);
}

/* The dynamic linker jumps to what it has found: that was called.  */
Test (vcpu, first_calls)
{
  begin ("main 10 call:40  main 11 return\n"
         "_dl_runtime_resolve 40 call:50  _dl_runtime_resolve 41 leap\n"
         "_dl_fixup 50 return\n"
         "f 20 return\n",
         false, false);
  run ("10 40 50 41 20 11");
  CALLS ("_dl_runtime_resolve _dl_fixup 1 1\n"
         "main _dl_runtime_resolve 1 3\n"
         "main f 1 1\n");
}

/* So was what a tail call led to.  */
Test (vcpu, first_tail_calls)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 jump:40\n"
         "_dl_runtime_resolve 40 leap\n"
         "g 30 return\n",
         false, false);
  run ("10 20 40 30 11");
  CALLS ("f _dl_runtime_resolve 1 1\n"
         "f g 1 1\n"
         "main f 1 3\n");
}

/* A function ends by a call, and the next one goes on.  */
Test (vcpu, call_at_an_end)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 call:40\n"
         "g 21 return\n"
         "h 40 return\n",
         false, false);
  run ("10 20 40 21 11");
  CALLS ("f g 1 1\n"
         "f h 1 1\n"
         "main f 1 3\n");
}

/* Nobody has called the function of the dynamic linker that begins a
   program.  */
Test (vcpu, first_function)
{
  begin ("_dl_runtime_start 10 leap\n"
         "start 20 run\n",
         false, false);
  run ("10 20");
  CALLS ("_dl_runtime_start start 1 1\n");
}

/* Calls show where functions begin.  What follows a call, or what is jumped to,
   is of the function that runs.  */
Test (vcpu, unknown_functions)
{
  begin ("main 10 call:20  main 11 call:30  main 12 return\n"
         "? 20 call:30  ? 21 jump:23  ? 22 run  ? 23 return\n"
         "? 30 return\n",
         false, false);
  run ("10 20 30 21 23 11 30 12");
  CALLS ("0x20 0x30 1 1\n"
         "main 0x20 1 4\n"
         "main 0x30 1 1\n");
}

/* Signals.  */

static const char signals[] = "main 10 call:20  main 11 return\n"
                              "f 20 jump:20  f 21 return\n"
                              "handler 30 jump:50\n"
                              "restorer 40 run\n"
                              "g 50 return\n";

static void
handle (const char *before, const char *after)
{
  begin (signals, false, false);
  run (before);
  run ("30 50 40 sigreturn");
  run (after);
}

/* The first instruction of a function, where a loop begins, too, is no call
   when a signal was handled there.  */
Test (vcpu, signal_at_a_beginning)
{
  handle ("10 20 20", "20 20 21 11");
  CALLS ("f handler 1 3\n"
         "g restorer 1 1\n"
         "handler g 1 2\n"
         "main f 1 8\n");
}

Test (vcpu, signal_before_a_called_function)
{
  handle ("10", "20 21 11");
  CALLS ("g restorer 1 1\n"
         "handler g 1 2\n"
         "main f 1 2\n"
         "main handler 1 3\n");
}

Test (vcpu, signal_before_a_return)
{
  handle ("10 20 21", "11");
  CALLS ("f handler 1 3\n"
         "g restorer 1 1\n"
         "handler g 1 2\n"
         "main f 1 5\n");
}

/* A signal that comes when another one has been handled.  */
Test (vcpu, signals_at_once)
{
  handle ("10 20", "30 50 40 sigreturn 20 30 50 40 sigreturn "
                   "30 50 40 sigreturn 21 11");
  CALLS ("f handler 4 12\n"
         "g restorer 4 4\n"
         "handler g 4 8\n"
         "main f 1 15\n");
}

/* The function that a leap was about to call is not known by the
   instruction.  */
Test (vcpu, signal_before_a_tail_call)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 leap\n"
         "handler 30 return\n"
         "restorer 40 run\n"
         "g 50 return\n",
         false, false);
  run ("10 20 30 40 sigreturn 50 11");
  CALLS ("f g 1 1\n"
         "f handler 1 2\n"
         "handler restorer 1 1\n"
         "main f 1 4\n");
}

Test (vcpu, signal_in_a_handler)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 run  f 21 return\n"
         "handler 30 run  handler 31 return\n"
         "restorer 40 run\n"
         "other 50 return\n",
         false, false);
  run ("10 20 30 50 40 sigreturn 31 40 sigreturn 21 11");
  CALLS ("f handler 1 5\n"
         "handler other 1 2\n"
         "handler restorer 1 1\n"
         "main f 1 7\n"
         "other restorer 1 1\n");
}

/* What a signal interrupted before a return is of the function that goes
   on.  */
Test (vcpu, signal_in_unknown_functions)
{
  begin ("main 10 call:20  main 11 return\n"
         "? 20 call:30  ? 21 return\n"
         "? 30 return\n"
         "handler 40 return\n"
         "? 50 run\n",
         false, false);
  run ("10 20 30 40 50 sigreturn 21 11");
  CALLS ("0x20 0x30 1 3\n"
         "0x30 handler 1 2\n"
         "handler 0x50 1 1\n"
         "main 0x20 1 5\n");
}

/* The handler ends by a jump to another object's function.  */
Test (vcpu, signals_at_once_and_linkage)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 jump:20  f 21 return\n"
         "handler 30 jump:60\n"
         "restorer 40 run\n"
         "g 50 return\n"
         "plt 60 linkage\n",
         false, false);
  run ("10 20 30 60 50 40 sigreturn 30 60 50 40 sigreturn 21 11");
  CALLS ("f handler 2 8\n"
         "g restorer 2 2\n"
         "handler g 2 4\n"
         "main f 1 10\n");
}

Test (vcpu, siglongjmp)
{
  begin ("main 10 call:20  main 11 return  main 12 jump:10\n"
         "f 20 run  f 21 return\n"
         "handler 30 call:40\n"
         "siglongjmp 40 leap\n",
         false, false);
  run ("10 20 30 40 12 10 20 21 11");
  CALLS ("f handler 1 2\n"
         "handler siglongjmp 1 1\n"
         "main f 2 5\n");
}

/* A handler may change where its return leads.  */
Test (vcpu, signal_that_goes_on_elsewhere)
{
  begin ("main 10 call:20  main 11 return  main 12 return\n"
         "f 20 run  f 21 return\n"
         "handler 30 return\n"
         "restorer 40 run\n",
         false, false);
  run ("10 20 30 40 sigreturn 12");
  CALLS ("f handler 1 2\n"
         "handler restorer 1 1\n"
         "main f 1 3\n");
}

/* Stacks.  */

/* A function that changes the stack does it by a leap on some processors, by a
   return on others.  */
static void
begin_coroutines (const char *kind)
{
  char *text = make_text ("main 10 call:20  main 11 call:20  main 12 return\n"
                          "swap 20 %s\n"
                          "a 30 call:20  a 31 call:40  a 32 call:20\n"
                          "work 40 return\n"
                          "b 50 call:20  b 51 call:20\n",
                          kind);

  begin (text, false, false);
  free (text);
}

/* What a coroutine costs is inclusive cost of the call that began it, and of
   what waits for it.  */
static void
check_coroutine (const char *kind)
{
  begin_coroutines (kind);
  run ("10 20 30 20 11 20");
  cr_assert_eq (v->calls.n_parked, 1);
  run ("31 40 32");
  cr_assert_eq (v->calls.n_parked, 0);
  run ("20 12");
  CALLS ("a swap 1 0\n"
         "a swap 1 0\n"
         "a work 1 1\n"
         "main swap 1 3\n"
         "main swap 1 5\n"
         "swap a 1 6\n");
}

Test (vcpu, coroutine_by_a_leap)
{
  check_coroutine ("leap");
}

Test (vcpu, coroutine_by_a_return)
{
  check_coroutine ("return");
}

/* Coroutines change to each other.  */
static void
check_two_coroutines (const char *kind)
{
  begin_coroutines (kind);
  /* main begins a, which begins b, which goes on with a, that with b, and that
     with main.  */
  run ("10 20 30 20 50 20 31 40 32 20 51 20 11");
  CALLS ("a swap 1 0\n"
         "a swap 1 0\n"
         "a work 1 1\n"
         "b swap 1 0\n"
         "b swap 1 0\n"
         "main swap 1 11\n"
         "swap a 1 10\n"
         "swap b 1 4\n");
}

Test (vcpu, coroutines_by_leaps)
{
  check_two_coroutines ("leap");
}

Test (vcpu, coroutines_by_returns)
{
  check_two_coroutines ("return");
}

/* A coroutine goes on in another context than the one in which it began.  */
Test (vcpu, coroutine_of_two_functions)
{
  begin ("main 10 call:20  main 11 call:30  main 12 return\n"
         "f 20 call:40  f 21 return\n"
         "g 30 call:40  g 31 return\n"
         "swap 40 leap\n"
         "a 50 call:40  a 51 call:40\n",
         false, false);
  run ("10 20 40 50 40 21 11 30 40 51 40 31 12");
  CALLS ("a swap 1 0\n"
         "a swap 1 0\n"
         "f swap 1 3\n"
         "g swap 1 3\n"
         "main f 1 5\n"
         "main g 1 5\n"
         "swap a 1 4\n");
}

/* Contexts.  */

/* Runs words with contexts, whose text is "NODE CALLER OWN" in lines.  */
static const char *
contexts_of (const char *words)
{
  struct cgw_visitor visitor = CGW_VISITOR_INIT;

  vcpu_want_contexts (v, code.names);
  run_words (words);
  vcpu_move (v, profile, &jumps);
  visitor.cost = take_cost;
  visitor.call = take_call;
  n_nodes = 0;
  cr_assert_eq (cgw_profile_visit (profile, &visitor), CGW_OK);
  *result = '\0';
  for (size_t i = 0; i < n_nodes && i < BLOCKS; i++)
    {
      snprintf (lines[i], sizeof *lines, "%.31s %.31s %u\n", nodes[i].name,
                nodes[i].caller != NULL ? nodes[i].caller : "-",
                (unsigned) nodes[i].own);
      strcat (result, lines[i]);
    }
  return result;
}

Test (vcpu, numbers_of_contexts)
{
  begin ("main 10 call:20  main 11 call:20  main 12 call:30  main 13 return\n"
         "f 20 jump:21  f 21 return\n"
         "g 30 call:20  g 31 return\n",
         false, false);
  cr_assert_str_eq (contexts_of ("10 20 21 11 20 21 12 30 20 21 31 13"),
                    "f'1.3 main'1.2 4\n"
                    "f'1.5 g'1.4 2\n"
                    "g'1.4 main'1.2 2\n"
                    "main'1.2 - 4\n");
}

/* Calls that are too deep have lost their callers, and all cost what they did
   cost.  */
Test (vcpu, deep_contexts)
{
  enum { DEPTH = 1500 };
  char words[3 * (2 * DEPTH + 2) + 1];
  char *to = words;
  size_t n_cut = 0;
  uint64_t sum = 0;

  begin ("main 10 call:20  main 11 return\n"
         "f 20 call:20  f 21 return\n",
         false, false);
  to += sprintf (to, "10 ");
  for (int i = 0; i < DEPTH; i++)
    to += sprintf (to, "20 ");
  for (int i = 1; i < DEPTH; i++)
    to += sprintf (to, "21 ");
  sprintf (to, "11");
  contexts_of (words);
  cr_assert (v->calls.contexts.are_cut);
  for (size_t i = 0; i < n_nodes; i++)
    {
      sum += nodes[i].own;
      n_cut += nodes[i].caller != NULL
               && strncmp (nodes[i].caller, "(cut)'", 6) == 0;
    }
  cr_assert_eq (n_nodes, 1000 + 2); /* and what is cut, and its caller */
  cr_assert_eq (n_cut, 1);
  cr_assert_eq (sum, 2 * DEPTH + 1);
}

/* Coroutines that wait in one function, called by different ones.  */
static void
check_common_function (const char *kind)
{
  char *text = make_text ("main 10 call:20  main 11 call:20  main 12 call:20\n"
                          "main 13 return\n"
                          "swap 20 %s\n"
                          "wait 30 call:20  wait 31 return\n"
                          "a 40 call:30  a 41 call:30\n"
                          "b 50 call:30\n",
                          kind);

  begin (text, false, false);
  free (text);
  run ("10 20 40 30 20 11 20 50 30 20 12 20 31 41 30 20 13");
  CALLS ("a wait 1 2\n"
         "a wait 1 3\n"
         "b wait 1 2\n"
         "main swap 1 4\n"
         "main swap 1 4\n"
         "main swap 1 5\n"
         "swap a 1 7\n"
         "swap b 1 3\n"
         "wait swap 3 0\n");
}

Test (vcpu, coroutines_in_one_function_by_leaps)
{
  check_common_function ("leap");
}

Test (vcpu, coroutines_in_one_function_by_returns)
{
  check_common_function ("return");
}

/* Many coroutines that wait in one place, and end there.  */
Test (vcpu, equal_coroutines)
{
  begin_coroutines ("leap");
  for (int i = 0; i < 3 * PARKED_MAX; i++)
    run_words ("10 20 30 20 11 20 31 40 32 20 12");
  cr_assert_leq (v->calls.n_parked, 2);
}

/* Interrupts and tasks of a whole system.  */
static const char tasks[] = "first 10 call:20  first 11 jump:10\n"
                            "f 20 run  f 21 return\n"
                            "second 30 call:40  second 31 jump:30\n"
                            "g 40 run  g 41 return\n"
                            "tick 50 call:60  tick 51 resume\n"
                            "count 60 return\n"
                            "start 70 resume\n";

Test (vcpu, interrupt)
{
  begin (tasks, true, false);
  run ("10 20 50 60 51 21 11 50 60 51 10 50 60 51 20 21 11");
  CALLS ("f tick 1 3\n"
         "first f 2 7\n"
         "first tick 1 3\n"
         "first tick 1 3\n"
         "tick count 3 3\n");
}

Test (vcpu, tasks)
{
  begin (tasks, true, false);
  run ("10 20 50 60 51 30 40 50 60 51 21 11 10 50 60 51 41 31");
  CALLS ("f tick 1 3\n"
         "first f 1 5\n"
         "first tick 1 3\n"
         "g tick 1 3\n"
         "second g 1 5\n"
         "tick count 3 3\n");
}

/* A task is interrupted before the function that it calls, and one before it
   returns.  */
Test (vcpu, tasks_in_between)
{
  begin (tasks, true, false);
  run ("10 50 60 51 30 40 41 50 60 51 20 21 50 60 51 31 30 50 60 51 11 10");
  CALLS ("f tick 1 3\n"
         "first f 1 5\n"
         "first tick 1 3\n"
         "g tick 1 3\n"
         "second g 1 5\n"
         "second tick 1 3\n"
         "tick count 4 4\n");
}

/* One task waits for the beginning of a function, another one in it.  */
Test (vcpu, tasks_at_a_beginning)
{
  begin ("first 10 call:20  first 11 jump:10\n"
         "second 30 call:20  second 31 jump:30\n"
         "f 20 run  f 21 return\n"
         "tick 50 resume\n",
         true, false);
  run ("10 50 30 20 50 20 21 11 10 20 50 21 31");
  CALLS ("f tick 2 2\n"
         "first f 2 4\n"
         "first tick 1 1\n"
         "second f 1 3\n");
}

/* A handler that goes on in another function is one.  */
Test (vcpu, interrupt_that_jumps)
{
  begin ("first 10 call:20  first 11 jump:10\n"
         "f 20 return\n"
         "entry 30 jump:40\n"
         "trap 40 resume\n"
         "second 50 jump:50\n",
         true, false);
  run ("10 30 40 50 30 40 20 30 40 11 10 20 11");
  CALLS ("entry trap 3 3\n"
         "f entry 1 2\n"
         "first entry 1 2\n"
         "first f 2 4\n"
         "second entry 1 2\n");
}

/* A known handler is one also where a return or a leap leads there, and where
   another one has just ended.  */
Test (vcpu, interrupts_behind_returns)
{
  begin ("first 10 call:20  first 11 leap  first 12 jump:10\n"
         "f 20 return\n"
         "tick 30 call:40  tick 31 resume\n"
         "count 40 return\n",
         true, false);
  run ("10 30 40 31 20 30 40 31 30 40 31 11 30 40 31 12");
  CALLS ("f tick 2 6\n"
         "first f 1 7\n"
         "first tick 1 3\n"
         "first tick 1 3\n"
         "tick count 4 4\n");
}

/* The handlers of a Cortex-M return.  One interrupts the other one where a
   function has returned to that.  */
Test (vcpu, handlers_that_return)
{
  begin ("first 10 call:20  first 11 jump:10\n"
         "f 20 return\n"
         "vector_tick 30 call:40  vector_tick 31 return\n"
         "count 40 return\n"
         "vector_alarm 50 return\n",
         true, false);
  run ("10 30 40 50 31 20 30 40 31 50 11 10 20 11");
  CALLS ("count vector_alarm 1 1\n"
         "f vector_alarm 1 1\n"
         "f vector_tick 1 3\n"
         "first f 2 6\n"
         "first vector_tick 1 4\n"
         "vector_tick count 2 3\n");
}

/* Tasks that wait in one function.  The one that has waited longest goes on, or
   else it shows when the function returns that it was another one.  */
Test (vcpu, tasks_in_one_function)
{
  begin ("first 10 call:40  first 11 jump:10\n"
         "second 20 call:30  second 21 jump:20\n"
         "step 30 jump:40\n"
         "yield 40 run  yield 41 return\n"
         "trap 50 resume\n",
         true, false);
  run ("10 40 50 20 30 40 50 41 11 10 40 50 41 21 20 30 40 50 41 21 20");
  CALLS ("first yield 2 5\n"
         "second step 2 8\n"
         "step yield 2 6\n"
         "yield trap 4 4\n");
}

/* Two tasks are about to call the same function.  */
Test (vcpu, tasks_before_one_function)
{
  begin ("first 10 call:20  first 11 jump:10\n"
         "second 30 call:20  second 31 jump:30\n"
         "f 20 return\n"
         "tick 50 resume\n",
         true, false);
  run ("10 50 30 50 20 31");
  CALLS ("first tick 1 1\n"
         "second f 1 1\n"
         "second tick 1 1\n");
}

/* What counts.  */

/* Calls that begin while nothing is counted do not count, but are followed: so
   none is invented later.  */
Test (vcpu, counting_in_between)
{
  begin ("main 10 call:20  main 11 call:30  main 12 jump:10\n"
         "f 20 call:40  f 21 return\n"
         "g 30 call:40  g 31 return\n"
         "h 40 return\n",
         false, false);
  run ("pass 10 count 20 40 21 11 pass 30 40 31 12");
  run ("10 count 20 40 21 11 pass 30 40 31 12");
  CALLS ("f h 2 2\n"
         "main f 2 6\n");
  cr_assert_eq (total (), 8);
}

/* A longjmp to a function that was called before the counting began.  */
Test (vcpu, counting_and_longjmp)
{
  begin ("main 10 call:20  main 11 return  main 12 jump:10\n"
         "f 20 call:30\n"
         "longjmp 30 leap\n",
         false, false);
  run ("pass 10 count 20 30 12 10 20 30 12");
  CALLS ("f longjmp 2 2\n"
         "main f 2 4\n");
}

Test (vcpu, saved_twice)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 run  f 21 return\n",
         false, false);
  run ("10 20 save 21 save 11");
  CALLS ("main f 1 2\n");
  cr_assert_eq (total (), 4);
}

/* A forked process begins with the calls that are open.  */
Test (vcpu, fork)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 run  f 21 return\n",
         false, false);
  run ("10 20 fork 21 11");
  CALLS ("main f 1 1\n");
  cr_assert_eq (total (), 2);
}

/* In a coroutine, with the calls of the thread that waits, too.  */
Test (vcpu, fork_in_a_coroutine)
{
  begin_coroutines ("leap");
  run ("10 20 30 20 11 20 31 fork 40 32 20 12");
  CALLS ("a swap 1 0\n"
         "a work 1 1\n"
         "main swap 1 3\n"
         "swap a 1 3\n");
}

/* QEMU counts blocks to and from which only the function itself jumps.  */
Test (vcpu, unwatched)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 run  f 21 inner  f 22 call:30  f 23 inner  f 24 return\n"
         "g 30 run  g 31 inner  g 32 leap\n",
         false, false);
  run ("10 20 21 21 22 30 31 31 32 23 24 11");
  CALLS ("f g 1 4\n"
         "main f 1 10\n");
  cr_assert_eq (total (), 12);
}

/* Each thread has its own numbers; one that gets its index begins anew.  */
Test (vcpu, unwatched_of_threads)
{
  struct vcpu *first;

  has_boards = true;
  begin ("main 10 call:20  main 11 return\n"
         "f 20 run  f 21 inner  f 22 return\n"
         "g 30 run  g 31 inner  g 32 call:20  g 33 return\n",
         false, false);
  run ("10 20 21 21 21 22");
  first = v;
  for (int i = 0; i < 2; i++)
    {
      v = vcpu_new (2, 1, false, first->events, false);
      run ("31 30 31 31 32 20 21 21 22 33 31");
      vcpu_move (v, profile, &jumps);
      vcpu_free (v);
    }
  v = first;
  run ("11");
  cr_assert_str_eq (calls (),
                    "g f 2 8\n"
                    "main f 1 5\n",
                    "%s", result);
  cr_assert_eq (total (), 29);
}

Test (vcpu, unwatched_after_a_signal)
{
  begin ("main 10 call:20  main 11 return\n"
         "f 20 run  f 21 inner  f 22 return\n"
         "handler 30 run  handler 31 inner  handler 32 return\n"
         "restorer 40 run\n",
         false, false);
  run ("10 20 21 30 31 32 40 sigreturn 21 21 22 11");
  CALLS ("f handler 1 4\n"
         "handler restorer 1 1\n"
         "main f 1 9\n");
}

/* A jump that was not always taken is a conditional one, but not a leap.  A
   signal may come before its target.  A system call that is made again is no
   jump.  */
Test (vcpu, jumps, .init = enter_folder, .fini = leave_folder)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_event event = { .name = "Ir" };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_writer *w;

  begin ("main 10 call:20  main 11 call:20  main 12 return\n"
         "f 20 jump:22  f 21 jump:20  f 22 leap  f 23 run  f 24 return\n"
         "handler 30 return  restorer 40 run\n",
         false, true);
  run ("10 20 21 20 22 24 11 20 21 20 21 30 40 sigreturn 20 22 23 23 24 12");
  vcpu_move (v, profile, &jumps);
  part.events = &event;
  part.n_events = 1;
  part.positions = CGW_INSTR;
  options.flags = CGW_ABSOLUTE | CGW_PLAIN_NAMES | CGW_NO_PAD;
  cr_assert_eq (cgw_open (&w, code.names, "out", &options), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  jumps_write (&jumps, w);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cr_assert_str_eq (strstr (get_file ("out"), "fn="),
                    "fn=f\n"
                    "jcnd=2/5 0x22\n0x20\n"
                    "jump=3 0x20\n0x21\n"
                    "jump=1 0x24\n0x22\n"
                    "totals: 0\n");
  cgw_free (w);
}
