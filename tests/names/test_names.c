/* test_names.c - the names object: tables that grow, memory
   that fails, handlers, threads and forks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../../lib/names/names.h"
#include "../support/heap.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cgw_file no_file;
static const struct cgw_object no_object;

/* The index of a name, found or added.  */
static uint32_t
add (struct cgw_names *names, enum cgwi_kind_of_name kind, const char *text,
     uint32_t file, uint32_t object)
{
  enum cgw_status status;
  uint32_t index = cgwi_add_name (names, kind, text, strlen (text), file,
                                  object, &status);

  cr_assert_eq (index == CGWI_NONE, status != CGW_OK);
  return index;
}

/* Functions without a file and an object, the simplest names.  */
static uint32_t
add_text (struct cgw_names *names, const char *text)
{
  return add (names, CGWI_FNS, text, 0, 0);
}

static uint32_t
count (const struct cgw_names *names, enum cgwi_kind_of_name kind)
{
  return atomic_load (&names->tables[kind].n);
}

static const char *
text_of (const struct cgw_names *names, uint32_t index)
{
  return cgwi_name (names, CGWI_FNS, index)->text;
}

static void
free_names (struct cgw_names *names, const struct heap *h)
{
  cgw_names_free (names);
  cr_assert_eq (h->live, 0, "%zu blocks leak", h->live);
}

/* Finding and adding.  */

Test (names, begin_with_the_unknown_and_the_lost)
{
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);

  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    {
      enum cgwi_kind_of_name k = (enum cgwi_kind_of_name) kind;

      cr_expect_eq (count (names, k), k == CGWI_FNS ? 2 : 1);
      cr_expect_str_eq (cgwi_name (names, k, CGWI_UNKNOWN)->text, "???");
      cr_expect_eq (add (names, k, "", 0, 0), CGWI_UNKNOWN);
      cr_expect_eq (add (names, k, "???", 0, 0), CGWI_UNKNOWN);
    }
  cr_expect_str_eq (text_of (names, CGWI_LOST_FN), "[lost]");
  cr_expect_eq (add_text (names, "[lost]"), CGWI_LOST_FN);
  cr_expect_eq (cgw_names_error (names, NULL), CGW_OK);
  free_names (names, &heap);
}

/* A function is (name, file, object).  */
Test (names, each_part_of_a_key_counts)
{
  struct cgw_names *names = make_names (NULL);

  add (names, CGWI_FILES, "f", 0, 0);
  add (names, CGWI_OBJECTS, "o", 0, 0);
  for (int round = 0; round < 2; round++)
    {
      char copy[] = "main";

      cr_expect_eq (add (names, CGWI_FNS, copy, 0, 0), 2);
      cr_expect_eq (add (names, CGWI_FNS, copy, 1, 0), 3);
      cr_expect_eq (add (names, CGWI_FNS, copy, 0, 1), 4);
      cr_expect_eq (add (names, CGWI_FNS, copy, 1, 1), 5);
      cr_expect_eq (add (names, CGWI_FNS, "mai", 0, 0), 6);
      cr_expect_eq (add (names, CGWI_FNS, "main2", 0, 0), 7);
      memset (copy, 'x', sizeof copy);
    }
  cr_expect_eq (cgwi_name (names, CGWI_FNS, 3)->file, 1);
  cr_expect_eq (cgwi_name (names, CGWI_FNS, 3)->object, 0);
  cr_expect_eq (cgwi_name (names, CGWI_FNS, 4)->object, 1);
  cgw_names_free (names);
}

/* Names whose hashes are all the same: without a secret they are 0.  */
Test (names, equal_hashes_do_not_make_equal_names)
{
  struct cgw_names *names = make_names (NULL);
  char text[20];

  names->secret[0] = names->secret[1] = 0;
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 1000; i++)
      {
        snprintf (text, sizeof text, "%.*s%u", (int) i % 10, "xxxxxxxxxx",
                  (unsigned) i);
        cr_assert_eq (add (names, CGWI_FNS, text, 0, 0), i + 2);
        cr_assert_eq (cgwi_name (names, CGWI_FNS, i + 2)->hash, 0);
      }
  cr_expect_eq (count (names, CGWI_FNS), 1002);
  cgw_names_free (names);
}

/* The tables grow through many chunks and sizes of slots.  Entries and texts
   stay where they are.  */
Test (names, grow)
{
  enum { N = 200000, WATCHED = 300 };
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  const struct cgwi_name *entries[WATCHED];
  struct cgwi_name copies[WATCHED];
  char text[60];

  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < N; i++)
      {
        snprintf (text, sizeof text, "function_%u%.*s", (unsigned) i,
                  (int) i % 30, "(std::vector<long,allocator>)_");
        cr_assert_eq (add_text (names, text), i + 2, "%s", text);
        if (round == 0 && i < WATCHED)
          {
            entries[i] = cgwi_name (names, CGWI_FNS, i + 2);
            copies[i] = *entries[i];
          }
        else if (round == 1)
          cr_assert_str_eq (text_of (names, i + 2), text);
      }
  cr_expect_eq (count (names, CGWI_FNS), N + 2);
  for (uint32_t i = 0; i < WATCHED; i++)
    {
      cr_assert_eq (cgwi_name (names, CGWI_FNS, i + 2), entries[i]);
      cr_assert_eq (memcmp (entries[i], &copies[i], sizeof copies[i]), 0);
    }
  free_names (names, &heap);
}

Test (names, have_lengths)
{
  struct cgw_names *names = make_names (NULL);
  const char text[] = { 'a', 'b', 'c', '\0', 'd', '\n' };
  struct cgw_file file = cgw_add_file_n (names, text, 3);
  struct cgw_object object = cgw_add_object_n (names, text, 2);

  cr_expect_eq (cgw_add_file (names, "abc").handle, file.handle);
  cr_expect_neq (cgw_add_file_n (names, text, 2).handle, file.handle);
  cr_expect_eq (cgw_add_object (names, "ab").handle, object.handle);
  cr_expect_eq (cgw_add_fn_n (names, text, 1, file, object).handle,
                cgw_add_fn (names, "a", file, object).handle);
  /* Unknown ones.  */
  cr_expect_eq (cgwi_index (names, cgw_add_object (names, NULL).handle),
                CGWI_UNKNOWN);
  cr_expect_eq (cgwi_index (names, cgw_add_file (names, NULL).handle),
                CGWI_UNKNOWN);
  cr_expect_eq (cgwi_index (names, cgw_add_fn (names, NULL, no_file,
                                               no_object).handle),
                CGWI_UNKNOWN);
  cr_expect_eq (cgw_add_file_n (names, text, 0).handle,
                cgw_add_file (names, NULL).handle);
  cr_expect_eq (cgw_add_file_n (names, NULL, 0).handle,
                cgw_add_file (names, "").handle);
  cr_expect_eq (cgw_add_file (names, "???").handle,
                cgw_add_file (names, NULL).handle);
  cr_expect_eq (cgw_names_error (names, NULL), CGW_OK);
  /* No names object.  */
  cr_expect_eq (cgw_add_object_n (NULL, text, 1).handle, 0);
  cr_expect_eq (cgw_add_file_n (NULL, text, 1).handle, 0);
  cr_expect_eq (cgw_add_fn_n (NULL, text, 1, no_file, no_object).handle, 0);
  cgw_names_free (names);
}

/* Names that are written otherwise than they were given.  */

static uint32_t
add_bytes (struct cgw_names *names, const char *bytes, size_t n)
{
  enum cgw_status status;

  return cgwi_add_name (names, CGWI_FNS, bytes, n, 0, 0, &status);
}

/* Whoever takes the lock now finds it held by a call that it interrupted.  */
static void
hold (struct cgw_names *names)
{
  atomic_store (&names->lock, cgwi_caller (&names->mark));
}

static void
let_go (struct cgw_names *names)
{
  atomic_store (&names->lock, 0);
}

/* A name of n bytes is escaped or cut to `written`, and found again by either
   text; by what is written, without the lock.  */
static void
check_changed (const char *bytes, size_t n, const char *written)
{
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  uint32_t index = add_bytes (names, bytes, n);

  cr_assert_neq (index, CGWI_NONE);
  cr_expect_str_eq (text_of (names, index), written);
  cr_expect_eq (cgwi_name (names, CGWI_FNS, index)->length, strlen (written));
  cr_expect_eq (atomic_load (&names->changed), 1);
  cr_expect_eq (count (names, CGWI_FNS), 3);
  hold (names);
  cr_expect_eq (add_text (names, written), index);
  cr_expect_eq (add_bytes (names, "new", 3), CGWI_NONE);
  let_go (names);
  cr_expect_eq (add_bytes (names, bytes, n), index);
  cr_expect_eq (count (names, CGWI_FNS), 3);
  cr_expect_eq (add_bytes (names, "new", 3), 3);
  free_names (names, &heap);
}

Test (names, that_must_be_escaped)
{
  check_changed ("a\nb", 3, "a\\x0ab");
  check_changed ("a\0b", 3, "a\\x00b");
  check_changed ("\0", 1, "\\x00");
  check_changed (" ", 1, "\\x20");
  check_changed ("main ", 5, "main\\x20");
  check_changed ("caf\303", 4, "caf\\xc3");
}

/* The given text and its escaped form are one name, whichever came first:
   readers cannot tell them apart.  */
Test (names, are_compared_as_they_are_written)
{
  struct cgw_names *names = make_names (NULL);

  cr_expect_eq (add_text (names, "a\\x0ab"), 2);
  cr_expect_eq (atomic_load (&names->changed), 0);
  cr_expect_eq (add_text (names, "a\nb"), 2);
  cr_expect_eq (add_text (names, "a\nb"), 2);
  cr_expect_eq (atomic_load (&names->changed), 0, "that name is known");
  cr_expect_eq (count (names, CGWI_FNS), 3);
  cgw_names_free (names);
}

Test (names, that_are_too_long)
{
  enum { LONG = 2 * CGW_NAME_MAX };
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  char *text = malloc (LONG);
  uint32_t a, b;

  memset (text, 'x', LONG);
  a = add_bytes (names, text, LONG);
  text[LONG - 1] = 'y';
  b = add_bytes (names, text, LONG);
  cr_expect_neq (a, b, "the hash tells the ends apart");
  for (uint32_t index = a; index <= b; index += b - a)
    {
      const struct cgwi_name *name = cgwi_name (names, CGWI_FNS, index);

      cr_expect_eq (name->length, CGW_NAME_MAX);
      cr_expect_eq (strlen (name->text), CGW_NAME_MAX);
      cr_expect_eq (name->text[CGW_NAME_MAX - 17], '#');
    }
  cr_expect_eq (atomic_load (&names->changed), 2);
  cr_expect_eq (add_bytes (names, text, LONG), b);
  /* The longest that stays whole.  */
  a = add_bytes (names, text, CGW_NAME_MAX);
  cr_expect_eq (text_of (names, a)[CGW_NAME_MAX - 1], 'x');
  cr_expect_eq (atomic_load (&names->changed), 2);
  free (text);
  free_names (names, &heap);
}

Test (names, that_are_escaped_survive_growth)
{
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  static uint32_t indices[20000];
  char text[40];

  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 20000; i++)
      {
        uint32_t index;

        snprintf (text, sizeof text, "%u\tname", (unsigned) i);
        index = add_text (names, text);
        if (round == 0)
          indices[i] = index;
        cr_assert_eq (index, indices[i], "%s", text);
        snprintf (text, sizeof text, "%u\\x09name", (unsigned) i);
        cr_assert_str_eq (text_of (names, index), text);
      }
  cr_expect_leq (heap.bytes, 20000 * 150, "%zu bytes", heap.bytes);
  cr_expect_eq (atomic_load (&names->changed), 20000);
  cr_expect_eq (count (names, CGWI_FNS), 2 + 20000);
  cgw_names_free (names);
}

/* Names that are given back.  */

/* Adds the text of a function, and with it finds the function again.  */
static void
check_text (struct cgw_names *names, struct cgw_fn fn, const char *text)
{
  struct cgw_file file = { 1 };
  struct cgw_object object = { 1 };
  const char *given = cgw_fn_name (names, fn, &file, &object);

  if (text != NULL)
    cr_expect_str_eq (given, text);
  cr_expect_leq (strlen (given), CGW_NAME_MAX);
  cr_expect_eq (cgw_add_fn (names, given, file, object).handle, fn.handle);
}

/* As files have it: escaped and cut.  What is unknown has the handle {0}.  No
   lock is taken.  */
Test (names, give_their_texts_back)
{
  static char text[2 * CGW_NAME_MAX];
  struct cgw_names *names = make_names (NULL), *others = make_names (NULL);
  struct cgw_object object = cgw_add_object (names, "liba.so"), its_object;
  struct cgw_file file = cgw_add_file (names, " a.c"), its_file;
  struct cgw_fn fn = cgw_add_fn (names, "f", file, object);
  struct cgw_fn alone = cgw_add_fn (names, "f", no_file, no_object);
  struct cgw_fn cut;

  memset (text, 'x', sizeof text - 1);
  cut = cgw_add_fn (names, text, no_file, object);
  hold (names);
  cr_expect_str_eq (cgw_object_name (names, object), "liba.so");
  cr_expect_str_eq (cgw_file_name (names, file), "\\x20a.c");
  cr_expect_str_eq (cgw_fn_name (names, fn, &its_file, &its_object), "f");
  cr_expect_eq (its_file.handle, file.handle);
  cr_expect_eq (its_object.handle, object.handle);
  cr_expect_str_eq (cgw_fn_name (names, alone, &its_file, &its_object), "f");
  cr_expect_eq (its_file.handle | its_object.handle, 0);
  cr_expect_str_eq (cgw_fn_name (names, (struct cgw_fn){ 0 }, NULL, NULL),
                    "???");
  check_text (names, fn, "f");
  check_text (names, alone, "f");
  check_text (names, cut, NULL);
  let_go (names);
  check_text (names, cgw_add_fn_n (names, "\0 ", 2, file, object),
              "\\x00\\x20");
  cr_expect_eq (cgw_add_file (names, "\\x20a.c").handle, file.handle);
  /* Of others, and of nobody.  */
  cr_expect_null (cgw_object_name (others, object));
  cr_expect_null (cgw_file_name (others, file));
  cr_expect_null (cgw_fn_name (others, fn, &its_file, &its_object));
  cr_expect_null (cgw_fn_name (names, (struct cgw_fn){ cut.handle + 2 }, NULL,
                               NULL));
  its_file = file;
  its_object = object;
  cr_expect_null (cgw_fn_name (NULL, fn, &its_file, &its_object));
  cr_expect_eq (its_file.handle | its_object.handle, 0);
  cr_expect_eq (cgw_names_error (names, NULL), CGW_OK);
  cgw_names_free (names);
  cgw_names_free (others);
}

/* Handles.  */

static int
compare_handles (const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return (x > y) - (x < y);
}

/* cgw.h: 10,000 names objects of 140,000 names of each kind.  And small numbers,
   of programs that count from 0, are no handles of the first.  */
Test (names, have_handles_that_no_other_object_has)
{
  enum { OBJECTS = 10000, DISTANCE = 140000 };
  static uint32_t first[OBJECTS];

  for (int i = 0; i < OBJECTS; i++)
    {
      struct cgw_names *names = make_names (NULL);

      first[i] = cgwi_handle (names, 0);
      cr_assert (first[i] != 0 && first[i] <= UINT32_C (1) << 31);
      cr_assert_eq (cgwi_index (names, first[i]), 0);
      cgw_names_free (names);
    }
  cr_expect_gt (first[0], 1000000);
  qsort (first, OBJECTS, sizeof first[0], compare_handles);
  for (int i = 1; i < OBJECTS; i++)
    cr_assert_geq (first[i] - first[i - 1], DISTANCE);
}

/* A sentence is the asked object's: another object's answer does not change it,
   though both tell of the names.  */
Test (names, sentences_of_their_own)
{
  struct cgw_names *names = make_names (NULL);
  struct cgw_writer *w[2];
  const char *said[2], *later;
  char before[200];

  cgw_add_fn (names, "early", (struct cgw_file){ 5 }, no_object);
  for (int i = 0; i < 2; i++)
    {
      cr_assert_eq (cgw_open_fd (&w[i], names, 1, NULL), CGW_OK);
      cr_expect_eq (cgw_error (w[i], &said[i]), CGW_EHANDLE);
    }
  strcpy (before, said[0]);
  cr_expect_str_eq (said[1], before);
  cgw_add_fn (names, "late", no_file, (struct cgw_object){ 7 });
  later = cgw_names_explain (names);
  cr_expect_not_null (strstr (later, "object is"));
  cr_expect_str_eq (said[0], before);
  cr_expect_str_eq (said[1], before);
  cr_expect_neq (said[0], said[1]);
  for (int i = 0; i < 2; i++)
    cgw_free (w[i]);
  cgw_names_free (names);
}

/* From the first object on, those who write need the unknown one, too.  */
Test (names, tell_of_objects)
{
  struct cgw_names *names = make_names (NULL);

  cgw_add_object (names, NULL);
  cgw_add_object (names, "");
  cgw_add_file (names, "???");
  cgw_add_fn (names, "f", no_file, no_object);
  cr_expect_not (atomic_load (&names->has_objects));
  cgw_add_object (names, "???");
  cr_expect (atomic_load (&names->has_objects));
  cgw_names_free (names);
}

/* No memory.  */

static const char *const odd_texts[]
    = { "clean", "a\n", "b\n", "a\\x0a", "caf\303", "\001\002\003" };
#define ODD_TEXTS (sizeof odd_texts / sizeof odd_texts[0])

/* What must stay as it is.  */
struct state
{
  uint32_t n[CGWI_KINDS_OF_NAMES];
  uint64_t changed;
};

static struct state
state_of (const struct cgw_names *names)
{
  struct state s = { .changed = atomic_load (&names->changed) };

  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    s.n[kind] = count (names, (enum cgwi_kind_of_name) kind);
  return s;
}

/* Adds a text, with only so much memory at first that each try gets one block
   further than the one before.  Returns how many tries failed.  */
static size_t
add_step_by_step (struct cgw_names *names, struct heap *heap,
                  const char *text)
{
  size_t failed = 0;

  for (;; failed++)
    {
      struct state before = state_of (names), after;
      uint32_t index;

      heap_limit (heap, failed == 0 ? 0 : 1);
      index = add_text (names, text);
      heap->fail_at = 0;
      if (index != CGWI_NONE)
        return failed;
      after = state_of (names);
      cr_assert_eq (memcmp (&before, &after, sizeof after), 0, "%s", text);
    }
}

/* Entries, slots and texts fail, one after the other.  */
Test (names, find_no_memory)
{
  enum { N = 3000 };
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  static uint32_t indices[N];
  size_t failed = 0;
  char text[40];

  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < N; i++)
      {
        snprintf (text, sizeof text, "%s %zu", odd_texts[i % ODD_TEXTS],
                  i / ODD_TEXTS);
        if (round == 0)
          failed += add_step_by_step (names, &heap, text);
        else
          cr_assert_eq (add_text (names, text), indices[i]);
        indices[i] = add_text (names, text);
      }
  cr_expect_gt (failed, 2 * 6, "every chunk, slots, texts");
  free_names (names, &heap);
}

Test (names, that_found_no_memory_are_an_error_for_good)
{
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  const char *sentence;
  char *text = malloc (10000);

  memset (text, 'x', 10000);
  cgw_add_file (names, "known");
  heap_limit (&heap, 0);
  cr_expect_eq (cgw_add_file_n (names, text, 10000).handle, 0);
  cr_expect_neq (cgw_add_file (names, "known").handle, 0);
  heap.fail_at = 0;
  cr_expect_str_eq (cgw_names_explain (names),
                    "cgw_add_file_n: no memory, or more names than ids");
  cr_expect_neq (cgw_add_file_n (names, text, 10000).handle, 0);
  cr_expect_eq (cgw_names_error (names, &sentence), CGW_ENOMEM);
  cr_expect_str_eq (sentence, cgw_names_explain (names));
  free (text);
  free_names (names, &heap);
}

/* Handlers.  The hook stands for a handler that interrupts the call which
   allocates.  */

struct interrupting
{
  struct heap heap;
  struct cgw_names *names;
  size_t at;    /* the allocation, from 1, that is interrupted; or 0 */
  bool leave;   /* by a longjmp */
  jmp_buf out;
  /* What the handler does.  */
  void (*handler) (struct interrupting *);
  sem_t stopped, go_on;
  pid_t process; /* only there */
};

static void *
allocate_interrupted (void *context, void *p, size_t n)
{
  struct interrupting *t = context;

  if (n > 0 && t->at != 0 && t->heap.calls + 1 == t->at
      && getpid () == t->process)
    {
      t->at = 0;
      t->handler (t);
      if (t->leave)
        longjmp (t->out, 1);
    }
  return heap_allocate (&t->heap, p, n);
}

/* Names that this handler interrupts in the n-th allocation from then on.  */
static void
start (struct interrupting *t, void (*handler) (struct interrupting *),
       size_t n)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;

  memset (t, 0, sizeof *t);
  t->handler = handler;
  t->process = getpid ();
  o.allocate = allocate_interrupted;
  o.allocate_context = t;
  cr_assert_eq (cgw_names_new (&t->names, &o), CGW_OK);
  cgw_add_fn (t->names, "known", no_file, no_object);
  t->at = t->heap.calls + n;
}

static void
stop (struct interrupting *t)
{
  free_names (t->names, &t->heap);
}

/* Adds names until that has happened.  */
static void
add_until_interrupted (struct interrupting *t)
{
  for (unsigned i = 0; t->at != 0; i++)
    {
      char text[600];

      memset (text, 'x', sizeof text);
      snprintf (text, sizeof text, "%u\n", i);
      cr_assert_neq (cgw_add_fn_n (t->names, text, sizeof text, no_file,
                                   no_object).handle, 0);
    }
}

/* tests/gate has handlers in calls that go on.  */
static void
expect_busy (struct interrupting *t)
{
  struct cgw_names *names = t->names;
  uint32_t n = count (names, CGWI_FILES);

  cr_expect_eq (cgw_add_file (names, "new").handle, 0);
  cr_expect_str_eq (cgw_names_explain (names),
                    "cgw_add_file: the caller interrupted another call on the "
                    "same object, or left one by a longjmp");
  cr_expect_eq (cgw_add_object (names, "new").handle, 0);
  cr_expect_eq (cgw_add_fn (names, "new", no_file, no_object).handle, 0);
  cr_expect_eq (cgw_names_error (names, NULL), CGW_EBUSY);
  cr_expect_eq (count (names, CGWI_FILES), n);
  /* Known names are found.  */
  cr_expect_neq (cgw_add_fn (names, "known", no_file, no_object).handle, 0);
}

/* So many interruptions see allocations of all kinds: texts, slots, entries.
 */
enum { INTERRUPTIONS = 10 };

/* The interrupted call goes on with names that one writer less holds.  */

static struct cgw_writer *freed;

static void
free_it (struct interrupting *t)
{
  (void) t;
  cgw_free (freed);
}

Test (names, outlive_a_writer_that_a_handler_frees)
{
  for (size_t n = 1; n <= INTERRUPTIONS; n++)
    {
      struct interrupting t;

      start (&t, free_it, 0);
      cr_assert_eq (cgw_open_fd (&freed, t.names, STDOUT_FILENO, NULL),
                    CGW_OK);
      t.at = t.heap.calls + n;
      add_until_interrupted (&t);
      cgw_add_file (t.names, "new");
      stop (&t);
    }
}

/* After a longjmp, names can only be freed.  */
static void
leave_by_longjmp (size_t n)
{
  static struct interrupting t;

  start (&t, expect_busy, n);
  t.leave = true;
  if (setjmp (t.out) == 0)
    add_until_interrupted (&t);
  stop (&t);
}

Test (names, left_by_a_longjmp)
{
  for (size_t n = 1; n <= INTERRUPTIONS; n++)
    leave_by_longjmp (n);
}

/* Threads.  */

/* A thread that stops in the midst of an addition.  */

static void
stop_here (struct interrupting *t)
{
  sem_post (&t->stopped);
  while (sem_wait (&t->go_on) == -1)
    continue;
}

static void *
run_add_until_interrupted (void *context)
{
  add_until_interrupted (context);
  return NULL;
}

static pthread_t
start_stopped (struct interrupting *t, size_t n)
{
  pthread_t thread;

  start (t, stop_here, n);
  cr_assert_eq (sem_init (&t->stopped, 0, 0), 0);
  cr_assert_eq (sem_init (&t->go_on, 0, 0), 0);
  cr_assert_eq (pthread_create (&thread, NULL, run_add_until_interrupted, t),
                0);
  while (sem_wait (&t->stopped) == -1)
    continue;
  return thread;
}

static void
join_stopped (struct interrupting *t, pthread_t thread)
{
  sem_post (&t->go_on);
  cr_assert_eq (pthread_join (thread, NULL), 0);
  sem_destroy (&t->stopped);
  sem_destroy (&t->go_on);
}

/* In the child, the thread that holds the lock does not exist: a call takes
   the lock from it.  Returns what went wrong.  */
static int
add_in_child (struct interrupting *t)
{
  char text[600] = "0\n";
  uint32_t before = count (t->names, CGWI_FNS);
  struct cgw_fn fns[3];

  memset (text + 2, 'x', sizeof text - 2);
  fns[0] = cgw_add_fn (t->names, "known", no_file, no_object);
  fns[1] = cgw_add_fn (t->names, "the child's", no_file, no_object);
  fns[2] = cgw_add_fn_n (t->names, text, sizeof text, no_file, no_object);
  if (count (t->names, CGWI_FNS) <= before)
    return 1;
  for (int i = 0; i < 3; i++)
    if (fns[i].handle == 0)
      return 2 + i;
  stop (t);
  return 0;
}

Test (names, of_a_child_while_another_thread_adds)
{
  for (size_t n = 1; n <= INTERRUPTIONS; n++)
    {
      struct interrupting t;
      pthread_t thread = start_stopped (&t, n);
      pid_t child = fork ();
      int status = -1;

      cr_assert_neq (child, -1);
      if (child == 0)
        leave (add_in_child (&t));
      cr_assert_eq (waitpid (child, &status, 0), child);
      cr_assert (WIFEXITED (status), "allocation %zu: status %x", n,
                 (unsigned) status);
      cr_expect_eq (WEXITSTATUS (status), 0, "allocation %zu: %d", n,
                    WEXITSTATUS (status));
      join_stopped (&t, thread);
      cr_expect_eq (cgw_names_error (t.names, NULL), CGW_OK);
      stop (&t);
    }
}

/* A child of a child: neither takes itself for the process before.  */

static void *
leave_locked (void *context)
{
  hold (context);
  return NULL;
}

/* Add in a forked child, let a thread of it end with the lock, and return what
   went wrong in a child of the child.  */
static int
add_in_grandchild (struct cgw_names *names)
{
  pthread_t thread;
  pid_t child;
  int status = -1;

  if (cgw_add_file (names, "the child's").handle == 0
      || cgwi_caller (&names->mark) >> 42 != (uint64_t) getpid ())
    return 1;
  if (pthread_create (&thread, NULL, leave_locked, names) != 0
      || pthread_join (thread, NULL) != 0)
    return 2;
  child = fork ();
  if (child == 0)
    {
      alarm (60); /* rather than wait for a thread that does not exist */
      leave (cgw_add_file (names, "the grandchild's").handle == 0
             || cgwi_caller (&names->mark) >> 42 != (uint64_t) getpid ());
    }
  return child == -1 || waitpid (child, &status, 0) != child || status != 0
             ? 3
             : 0;
}

Test (names, of_a_child_of_a_child)
{
  struct cgw_names *names = make_names (NULL);
  pid_t child = fork ();
  int status = -1;

  cr_assert_neq (child, -1);
  if (child == 0)
    leave (add_in_grandchild (names));
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_expect_eq (status, 0, "status %x", (unsigned) status);
  cgw_names_free (names);
}

/* Many threads add and find the same names, each in an order of its own, while
   another reads them.  */

enum { THREADS = 16, NAMES = 10000 };

struct crowd
{
  struct cgw_names *names;
  pthread_barrier_t barrier;
  _Atomic unsigned working;
};

struct member
{
  struct crowd *crowd;
  uint32_t first; /* where this thread begins */
  uint32_t step;
  uint32_t indices[NAMES];
};

static uint32_t
add_numbered (struct cgw_names *names, uint32_t i)
{
  char text[40];
  uint32_t file;

  snprintf (text, sizeof text, "file_%u", (unsigned) i % 100);
  file = add (names, CGWI_FILES, text, 0, 0);
  snprintf (text, sizeof text, "function_%u", (unsigned) i);
  return add (names, CGWI_FNS, text, file, 0);
}

static void *
add_all (void *context)
{
  struct member *m = context;

  pthread_barrier_wait (&m->crowd->barrier);
  for (int round = 0; round < 2; round++)
    for (uint32_t k = 0; k < NAMES; k++)
      {
        uint32_t i = (m->first + k * m->step) % NAMES;
        uint32_t index = add_numbered (m->crowd->names, i);

        cr_assert (round == 0 || m->indices[i] == index);
        m->indices[i] = index;
      }
  atomic_fetch_sub (&m->crowd->working, 1);
  return NULL;
}

static void *
read_all (void *context)
{
  struct crowd *c = context;

  pthread_barrier_wait (&c->barrier);
  while (atomic_load (&c->working) > 0)
    {
      for (uint32_t i = 0; cgwi_has_name (c->names, CGWI_FNS, i); i++)
        {
          const struct cgwi_name *name = cgwi_name (c->names, CGWI_FNS, i);

          cr_assert (cgwi_has_name (c->names, CGWI_FILES, name->file));
          cr_assert_eq (strlen (name->text), name->length);
        }
      usleep (1000);
    }
  return NULL;
}

Test (names, of_many_threads, .timeout = 300)
{
  static struct member members[THREADS];
  static bool seen[NAMES];
  struct crowd crowd = { .names = make_names (NULL), .working = THREADS };
  pthread_t threads[THREADS], reader;

  cr_assert_eq (pthread_barrier_init (&crowd.barrier, NULL, THREADS + 1), 0);
  cr_assert_eq (pthread_create (&reader, NULL, read_all, &crowd), 0);
  for (uint32_t t = 0; t < THREADS; t++)
    {
      members[t].crowd = &crowd;
      members[t].first = t / 2 * (NAMES / THREADS);
      members[t].step = t % 2 == 0 ? 1 : NAMES - 1;
      cr_assert_eq (pthread_create (&threads[t], NULL, add_all, &members[t]),
                    0);
    }
  for (int t = 0; t < THREADS; t++)
    cr_assert_eq (pthread_join (threads[t], NULL), 0);
  cr_assert_eq (pthread_join (reader, NULL), 0);
  pthread_barrier_destroy (&crowd.barrier);
  /* Each name has one index, and the indices have no holes.  */
  cr_expect_eq (count (crowd.names, CGWI_FNS), 2 + NAMES);
  cr_expect_eq (count (crowd.names, CGWI_FILES), 1 + 100);
  for (uint32_t i = 0; i < NAMES; i++)
    {
      uint32_t index = members[0].indices[i];

      for (int t = 1; t < THREADS; t++)
        cr_assert_eq (members[t].indices[i], index, "name %u", (unsigned) i);
      cr_assert (index >= 2 && index < 2 + NAMES && !seen[index - 2]);
      seen[index - 2] = true;
    }
  cr_expect_eq (cgw_names_error (crowd.names, NULL), CGW_OK);
  cgw_names_free (crowd.names);
}
