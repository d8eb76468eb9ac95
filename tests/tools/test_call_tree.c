/* test_call_tree.c - call trees, which a program wrote as callgrind profiles,
   become stacks, and files of other formats.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/memory.h"
#include "base/tool.h"
#include "capture.h"
#include "write/call_tree.h"
#include "write/tree_folder.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct tool tool
    = { .name = "test", .usage = "", .help = "", .letters = "" };

static void
begin (void)
{
  enter_folder ();
  tool_begin (&tool);
}

TestSuite (call_tree, .init = begin, .fini = leave_folder);
TestSuite (tree_folder, .init = begin, .fini = leave_folder);

#define HEADER "positions: line\nevents: A B\n"

/* In a process of its own.  */
static void
check (bool is_true)
{
  if (!is_true)
    exit (9);
}

/* Stacks, "LEAF:LINE FUNCTION:LINE = COST COST", in lines.  */

struct text
{
  const struct recording *r;
  char text[4096];
  size_t n;
};

static void
print_frame (struct text *t, const struct cgw_pos *frame)
{
  struct cgw_file file;
  const char *name = cgw_fn_name (t->r->names, frame->fn, &file, NULL);

  if (frame->file.handle != 0)
    file = frame->file;
  t->n += (size_t) snprintf (t->text + t->n, sizeof t->text - t->n,
                             "%s@%s:%" PRIu32 " ", name,
                             cgw_file_name (t->r->names, file), frame->line);
}

static enum cgw_status
print_stack (void *context, const struct cgw_pos *frames, size_t n_frames,
             uint64_t count, const uint64_t *cost, size_t n)
{
  struct text *t = context;

  cr_assert_eq (count, 1);
  for (size_t i = 0; i < n_frames; i++)
    print_frame (t, &frames[i]);
  t->text[t->n++] = '=';
  for (size_t i = 0; i < n; i++)
    t->n += (size_t) snprintf (t->text + t->n, sizeof t->text - t->n,
                               " %" PRIu64, cost[i]);
  t->text[t->n++] = '\n';
  t->text[t->n] = '\0';
  return CGW_OK;
}

static enum cgw_status
no_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
         size_t n)
{
  (void) context, (void) pos, (void) cost, (void) n;
  cr_assert_fail ("a cost without a stack");
  return CGW_EINVAL;
}

static void
expect (const struct call_tree *tree, size_t part, const char *expected)
{
  struct text t = { .r = &tree->recording };
  struct cgw_visitor visitor = CGW_VISITOR_INIT;

  visitor.context = &t;
  visitor.cost = no_cost;
  visitor.stack = print_stack;
  cr_assert_lt (part, t.r->n_profiles);
  cr_assert_eq (cgw_profile_visit (tree->profiles[part].profile, &visitor),
                CGW_OK);
  cr_assert_str_eq (t.text, expected);
}

static struct call_tree *
read_text (const char *text)
{
  put_file ("tree", text);
  return call_tree_read ("tree", "out");
}

Test (call_tree, stacks)
{
  struct call_tree *tree = read_text (
      "cmd: ./p\ndesc: Some: thing\npid: 7\nthread: 2\n" HEADER
      "fl=a.c\nfn=main'1\n1 5 0\ncfn=f'2\ncalls=1 10\n3 0 0\n"
      "cfn=f'3\ncalls=2 10\n4 0 0\n"
      "fn=f'2\n10 1 2\ncfn=f'4\ncalls=1 10\n12 0 0\n"
      "fn=f'4\n10 7 1\n"
      "fn=f'3\n10 1 1\n");

  cr_assert_not_null (tree);
  expect (tree, 0,
          "main@a.c:1 = 5 0\n"
          "f@a.c:10 main@a.c:3 = 1 2\n"
          "f@a.c:10 main@a.c:4 = 1 1\n"
          "f@a.c:10 f@a.c:12 main@a.c:3 = 7 1\n");
  cr_assert_str_eq (tree->recording.cmd, "./p");
  cr_assert_str_eq (tree->recording.desc[0], "Some: thing");
  cr_assert_eq (tree->profiles[0].pid, 7);
  cr_assert_eq (tree->profiles[0].tid, 2);
  call_tree_free (tree);
}

Test (call_tree, calls_from_several_lines)
{
  struct call_tree *tree
      = read_text (HEADER "fl=a.c\nfn=main'1\ncfn=f'2\ncalls=1 10\n3 0 0\n"
                          "cfn=f'2\ncalls=1 10\n4 0 0\n"
                          "cfn=f'2\ncalls=1 10\n3 0 0\n"
                          "fn=f'2\n10 1 2\n");

  cr_assert_not_null (tree);
  expect (tree, 0, "f@a.c:10 main@a.c:0 = 1 2\n");
  call_tree_free (tree);
}

Test (call_tree, calls_in_an_inlined_file)
{
  struct call_tree *tree = read_text (
      HEADER "fl=a.c\nfn=main'1\nfi=b.h\ncfi=a.c\ncfn=f'2\ncalls=1 10\n3 0 0\n"
             "fe=a.c\nfn=f'2\n10 1 2\n");

  cr_assert_not_null (tree);
  expect (tree, 0, "f@a.c:10 main@b.h:3 = 1 2\n");
  call_tree_free (tree);
}

Test (call_tree, quotes_in_names)
{
  struct call_tree *tree
      = read_text (HEADER "fl=a.c\nfn=int f<1'000>()'1\n1 1 0\n");

  cr_assert_not_null (tree);
  expect (tree, 0, "int f<1'000>()@a.c:1 = 1 0\n");
  call_tree_free (tree);
}

/* The numbers of contexts are those of a part.  */
Test (call_tree, parts)
{
  struct call_tree *tree = read_text (
      "desc: Same: line\nthread: 1\n" HEADER
      "fl=a.c\nfn=main'1\ncfn=f'2\ncalls=1 10\n3 0 0\nfn=f'2\n10 1 0\n\n"
      "desc: Same: line\nthread: 2\n" HEADER
      "fl=a.c\nfn=thread'1\ncfn=f'2\ncalls=1 10\n5 0 0\nfn=f'2\n10 2 0\n");

  cr_assert_not_null (tree);
  cr_assert_eq (tree->recording.n_profiles, 2);
  cr_assert_eq (tree->recording.n_desc, 1);
  expect (tree, 0, "f@a.c:10 main@a.c:3 = 1 0\n");
  expect (tree, 1, "f@a.c:10 thread@a.c:5 = 2 0\n");
  cr_assert_eq (tree->profiles[1].tid, 2);
  call_tree_free (tree);
}

static void
read_wrong (void *text)
{
  check (read_text (text) == NULL);
}

Test (call_tree, wrong_files)
{
  static char circle[]
      = HEADER "fl=a.c\nfn=f'1\n1 1 0\ncfn=g'2\ncalls=1 1\n1 0 0\n"
               "fn=g'2\n1 1 0\ncfn=f'1\ncalls=1 1\n1 0 0\n";
  static char cut[] = HEADER "fl=a.c\nfn=f'1\n1 1 0 x\n";

  cr_assert_eq (capture (read_wrong, circle)->status, 0);
  cr_assert_str_eq (capture (read_wrong, circle)->err,
                    "test: out: the calls in it are no tree\n");
  cr_assert_str_eq (capture (read_wrong, cut)->err,
                    "test: out:5: more costs than events: \"x\"\n");
}

/* Folders.  */

static char *
name_of (const void *nothing, struct tree_file file)
{
  (void) nothing;
  return make_text ("%" PRIu32 "-%" PRIu32 ".folded", file.process,
                    file.thread);
}

/* What a process writes there, with `behind` behind OUT.  */
static void
put_tree (const char *out, const char *behind, const char *text)
{
  char *path = make_text ("%s%s", out, behind);

  put_file (path, text);
  free (path);
}

static const char one[] = HEADER "fl=a.c\nfn=main'1\n1 1 0\n";

static void
export_all (void *nothing)
{
  struct tree_folder f = { .format = export_option ("folded"),
                           .name = name_of,
                           .hottest = { 12, 2 } };
  char here[4096];
  const char *out;
  char *kept;

  (void) nothing;
  check (getcwd (here, sizeof here) != NULL);
  setenv ("TMPDIR", here, 1);
  out = tree_folder_make ();
  check (out != NULL);
  kept = copy_text (out);
  put_tree (out, "", one);
  put_tree (out, "-3", one);
  put_tree (out, ".12", one);
  put_tree (out, ".12-2", HEADER "fl=a.c\nfn=hot'1\n1 9 0\n");
  put_tree (out, ".12.tmp", "not finished");
  check (tree_folder_export (&f));
  tree_folder_hottest (&f);
  tree_folder_end (&f);
  check (f.n_files == 4);
  check (access (kept, F_OK) != 0);
  free (kept);
}

Test (tree_folder, each_file)
{
  const struct captured *c = capture (export_all, NULL);

  cr_assert_eq (c->status, 0, "%s", c->err);
  cr_assert_str_eq (c->err,
                    "test: 12-2.folded: the profile of 4 with the highest "
                    "cost.  Self costs, A:\n"
                    "                 9  100.0 %  hot  (a.c)\n"
                    "                 9  100.0 %  all functions: 1\n"
                    "Open it:  flamegraph.pl 12-2.folded\n");
  cr_assert_str_eq (get_file ("0-0.folded"), "main 1\n");
  cr_assert_str_eq (get_file ("0-3.folded"), "main 1\n");
  cr_assert_str_eq (get_file ("12-0.folded"), "main 1\n");
  cr_assert_str_eq (get_file ("12-2.folded"), "hot 9\n");
}

/* The folder goes when the process ends, too.  */
static void
exit_early (void *nothing)
{
  char here[4096];

  (void) nothing;
  check (getcwd (here, sizeof here) != NULL);
  setenv ("TMPDIR", here, 1);
  put_tree (tree_folder_make (), "", one);
  exit (3);
}

Test (tree_folder, is_gone_at_the_end)
{
  cr_assert_eq (capture (exit_early, NULL)->status, 3);
  cr_assert_eq (system ("test -z \"$(ls)\""), 0);
}

static void
make_none (void *nothing)
{
  (void) nothing;
  setenv ("TMPDIR", "/nowhere", 1);
  check (tree_folder_make () == NULL);
}

Test (tree_folder, cannot_be_made)
{
  cr_assert_str_eq (capture (make_none, NULL)->err,
                    "test: /nowhere: No such file or directory\n");
}
