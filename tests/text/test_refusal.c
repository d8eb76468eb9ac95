/* test_refusal.c - refusals: which are kept, and the sentence of every one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/text/number.h"
#include "../../lib/text/refusal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *const templates[] = {
#define REASON(name, sentence) sentence,
#include "../../lib/text/refusals.def"
#undef REASON
};

static const char *const calls[] = {
#define CALL(name, text, keeps) text,
#include "../../lib/text/refusals.def"
#undef CALL
};

enum
{
  N_PARAMETERS = 0
#define PARAMETER(name, text) +1
#include "../../lib/text/refusals.def"
#undef PARAMETER
};

#define COUNT(array) (sizeof array / sizeof array[0])

/* Whether a sentence shows this kind of piece.  */
static bool
shows (const char *sentence, char kind)
{
  for (; *sentence != '\0'; sentence++)
    if (*sentence == '%' && *++sentence == kind)
      return true;
  return false;
}

/* Sentences.  */

/* With a guard behind the sentence.  */
struct guarded
{
  struct cgwi_refusals r;
  char guard[1000];
};

static size_t longest;

/* A sentence begins with its call, or is one of its own; each piece is
   replaced; and it fits, with what a number may touch behind it.  */
static void
check_sentence (struct guarded *g, const char *template, const char *call)
{
  const char *sentence = cgwi_explain_last (&g->r);
  size_t n = strlen (sentence), percents = 0;

  cr_assert_eq (sentence, g->r.sentence);
  longest = n > longest ? n : longest;
  cr_assert_lt (n + CGWI_NUMBER_SLACK, sizeof g->r.sentence, "%s", sentence);
  if (template[0] == '%')
    {
      size_t length = strlen (call);

      cr_assert_eq (strncmp (sentence, call, length), 0, "%s", sentence);
      cr_assert_eq (sentence[length], ':', "%s", sentence);
    }
  else
    cr_assert (!shows (template, 'c') && !shows (template, 'p'), "%s",
               template);
  for (const char *s = template; *s != '\0'; s++)
    if (*s == '%')
      {
        cr_assert (*++s != '\0' && strchr ("%cpisevnmxabq", *s) != NULL,
                   "%s", template);
        percents += *s == '%';
      }
  for (const char *s = sentence; *s != '\0'; s++)
    percents -= *s == '%';
  cr_assert_eq (percents, 0, "%s", sentence);
  cr_assert_eq (strspn (g->guard, "g"), sizeof g->guard - 1, "%s",
                sentence);
}

/* The sentences of a reason: of all calls, parameters, errnos and statuses
   that it may show, with the largest numbers and the longest text.  */
static void
check_reason (struct guarded *g, enum cgwi_reason reason, const char *text)
{
  const char *template = templates[reason];
  struct cgwi_why why = { .reason = reason, .a = UINT64_MAX, .b = UINT64_MAX,
                          .text = text };
  bool has_error = shows (template, 'e');
  size_t n_parameters = shows (template, 'p') ? N_PARAMETERS : 1;
  uint32_t n_values = has_error ? 150 : 1;
  int last_status = has_error ? CGW_EFILE /* has phrases of its own */
                    : shows (template, 's') ? CGW_EPACK + 1
                                            : 1;

  for (size_t call = 0; call < COUNT (calls); call++)
    for (size_t parameter = 0; parameter < n_parameters; parameter++)
      for (uint32_t value = 0; value < n_values; value++)
        for (int status = 1; status <= last_status;
             status += has_error ? CGW_EFILE - 1 : 1)
          {
            why.parameter = (enum cgwi_parameter) parameter;
            why.value = has_error ? value : UINT32_MAX;
            cgwi_refuse (&g->r, (enum cgwi_called) call,
                         (enum cgw_status) status, &why);
            check_sentence (g, template, calls[call]);
          }
}

/* refusal.h says how many bytes the longest has.  */
Test (refusal, words_every_sentence)
{
  static struct guarded g;
  char text[2 * CGWI_REFUSED_TEXT] = "";

  memset (g.guard, 'g', sizeof g.guard - 1);
  for (int escaped = 0; escaped < 2; escaped++)
    {
      memset (text, escaped ? 1 : 'x', sizeof text - 1);
      for (size_t reason = 0; reason < COUNT (templates); reason++)
        check_reason (&g, (enum cgwi_reason) reason, text);
    }
  cr_expect_eq (longest, CGWI_SENTENCE_MAX, "the longest has %zu bytes",
                longest);
}

/* The last sentence of one refusal.  */
static const char *
word (enum cgwi_called called, enum cgw_status status, struct cgwi_why why)
{
  static struct cgwi_refusals r;

  cgwi_refuse (&r, called, status, &why);
  return cgwi_explain_last (&r);
}

#define WHY(name, ...)                                                        \
  ((struct cgwi_why){ .reason = CGWI_WHY_##name, __VA_ARGS__ })

static const char *
explain_first (struct cgwi_refusals *r)
{
  const char *sentence;

  cgwi_tell_first (r, r, &sentence);
  return sentence;
}

Test (refusal, shows_each_kind_of_piece)
{
  cr_expect_str_eq (word (CGWI_CALLED_COST, CGW_EINVAL,
                          WHY (NULL_ARGUMENT, .parameter = CGWI_ARG_POS)),
                    "cgw_cost: pos is NULL");
  cr_expect_str_eq (word (CGWI_CALLED_FLUSH, CGW_EFORK, WHY (NO_REASON, 0)),
                    "cgw_flush: a forked child's copy of its parent's writer: "
                    "a file of its own needs another writer");
  cr_expect_str_eq (word (CGWI_CALLED_OPEN_FD, CGW_EINVAL,
                          WHY (TOO_LARGE, .parameter = CGWI_ARG_QUEUE_SLOTS,
                               .a = 5, .b = 4)),
                    "cgw_open_fd: options.queue_slots is 5: the maximum is 4");
  cr_expect_str_eq (
      word (CGWI_CALLED_OPEN_FD, CGW_EINVAL,
            WHY (UNKNOWN_FLAGS, .a = 0xff0)),
      "cgw_open_fd: options.flags has 0xff0, which libcgw " CGW_VERSION_STRING
      " does not know");
  cr_expect_str_eq (word (CGWI_CALLED_COST, CGW_ECOSTS,
                          WHY (N_EVENTS, .parameter = CGWI_ARG_N,
                               .value = cgwi_n_and_most (1193047, 13))),
                    "cgw_cost: n is 1193047: it must be 1 to 13");
  cr_expect_eq (cgwi_n_and_most (SIZE_MAX, 255), UINT32_MAX);
  cr_expect_str_eq (word (CGWI_CALLED_OPEN, CGW_EFILE,
                          WHY (PATH_REFUSED, .text = "p", .value = ELOOP)),
                    "cgw_open: path \"p\": a symbolic link, or links in a "
                    "circle (ELOOP); cgw_open_fd writes to what you open "
                    "yourself");
  cr_expect_str_eq (word (CGWI_CALLED_OPEN, CGW_EIO,
                          WHY (NOT_OPENED, .text = "p", .value = ENOENT)),
                    "cgw_open: path \"p\": no such file or directory "
                    "(ENOENT)");
  cr_expect_str_eq (word (CGWI_CALLED_PROFILE_PACK, CGW_EIO,
                          WHY (CALL_FAILED, .value = 4711)),
                    "cgw_profile_pack: errno 4711");
  cr_expect_str_eq (
      word (CGWI_CALLED_OPEN, CGW_EINVAL, WHY (BAD_PATH, .text = "%d")),
      "cgw_open: path \"%d\": a \"%\" must be followed by "
      "\"p\", for the process id, or by another \"%\"");
  cr_expect_str_eq (word (CGWI_CALLED_BEGIN_PART, CGW_EINVAL,
                          WHY (EVENT_TWICE, .parameter = CGWI_ARG_EVENT_NAME,
                               .value = 1, .text = "Ir")),
                    "cgw_begin_part: part.events[1].name, \"Ir\": an earlier "
                    "event has the same name");
  cr_expect_str_eq (word (CGWI_CALLED_PROFILE_STACK, CGW_EHANDLE,
                          WHY (FOREIGN_FILE, .parameter = CGWI_ARG_FRAME,
                               .value = 2)),
                    "cgw_profile_stack: the file of frames[2] is not a handle "
                    "of these names: it was not set, or comes from another "
                    "names object or a freed one");
}

/* A writer whose file could not be opened has the same status.  */
Test (refusal, says_that_a_file_was_never_opened)
{
  cr_expect_str_eq (word (CGWI_CALLED_BEGIN_PART, CGW_EFINISHED,
                          WHY (NO_REASON)),
                    "cgw_begin_part: the file is finished, or was never "
                    "opened: the next one needs a writer of its own");
}

/* The macro of each struct.  */
Test (refusal, names_the_init_macro)
{
  static const struct
  {
    enum cgwi_parameter parameter;
    const char *text;
  } structs[] = {
    { CGWI_ARG_OPTIONS, "options.size is 0: initialize the struct with "
                        "CGW_OPTIONS_INIT" },
    { CGWI_ARG_TRACER_OPTIONS, "options.size is 0: initialize the struct with "
                               "CGW_TRACER_OPTIONS_INIT" },
    { CGWI_ARG_PART,
      "part.size is 0: initialize the struct with CGW_PART_INIT" },
    { CGWI_ARG_STATS,
      "stats.size is 0: initialize the struct with CGW_STATS_INIT" }
  };

  for (size_t i = 0; i < COUNT (structs); i++)
    cr_expect_str_eq (
        word (CGWI_CALLED_OPEN_FD, CGW_EINVAL,
              WHY (STRUCT_SIZE, .parameter = structs[i].parameter))
            + strlen ("cgw_open_fd: "),
        structs[i].text);
}

/* A number that is 0 is shown, too, and not that of a refusal before.  */
Test (refusal, shows_nothing_of_an_earlier_one)
{
  struct cgwi_refusals r = { .last = { .word = 0 } };

  for (uint64_t a = 2; a < 3; a--)
    {
      cgwi_refuse (&r, CGWI_CALLED_BEGIN_PART, CGW_EINVAL,
                   &WHY (PACK_DAMAGED, .a = a));
      cr_expect_not_null (strchr (cgwi_explain_last (&r), (char) ('0' + a)),
                          "%s", cgwi_explain_last (&r));
      cr_expect_str_eq (explain_first (&r), cgwi_explain_last (&r));
      cgwi_forget_first (&r);
    }
}

/* Nor does a shorter text show the rest of a longer one.  */
Test (refusal, shows_nothing_of_an_earlier_text)
{
  static const char *const texts[] = { "longer", "short" };
  struct cgwi_refusals r = { .last = { .word = 0 } };

  for (size_t i = 0; i < COUNT (texts); i++)
    {
      const char *text = texts[i];
      const char *quoted;

      cgwi_refuse (&r, CGWI_CALLED_ADD_FN, CGW_ENOMEM,
                   &WHY (BAD_PATH, .text = text));
      quoted = strchr (cgwi_explain_last (&r), '"');
      cr_assert_not_null (quoted);
      cr_expect_eq (strncmp (quoted + 1, text, strlen (text)), 0);
      cr_expect_eq (quoted[1 + strlen (text)], '"', "%s", quoted);
    }
}

/* A handler's refusal is a word alone: what normal code may be writing stays
   untouched.  */
Test (refusal, of_a_handler_is_a_word)
{
  struct cgwi_refusals r = { .last = { .a = 1, .b = 2, .text = "text" } };

  r.first = r.last;
  cgwi_refuse (&r, CGWI_CALLED_COST, CGW_EINVAL,
               &WHY (NULL_ARGUMENT, .parameter = CGWI_ARG_POS));
  cgwi_refuse (&r, CGWI_CALLED_COST, CGW_EFORK, NULL);
  cgwi_keep_error (&r, CGW_EIO, CGWI_WHY_NOT_WRITTEN, EPIPE);
  for (int first = 0; first < 2; first++)
    {
      const struct cgwi_refusal *refusal = first ? &r.first : &r.last;

      cr_expect_eq (refusal->a, 1);
      cr_expect_eq (refusal->b, 2);
      cr_expect_str_eq (refusal->text, "text");
    }
}

/* A text is quoted to its end if it has 120 bytes.  */
Test (refusal, cuts_texts)
{
  char text[500];
  const char *quoted;

  memset (text, 'x', sizeof text);
  for (size_t n = 115; n < sizeof text; n++)
    {
      text[n] = '\0';
      quoted = strchr (word (CGWI_CALLED_ADD_FN, CGW_ENOMEM,
                             WHY (OTHER_EVENTS, .text = text)),
                       '"');
      cr_assert_eq (strspn (quoted + 1, "x"), n <= 120 ? n : 117);
      cr_assert_str_eq (quoted + 1 + (n <= 120 ? n : 117),
                        n <= 120 ? "\"" : "...\"");
      text[n] = 'x';
    }
}

Test (refusal, of_none)
{
  struct cgwi_refusals r = { .last = { .word = 0 } };

  cr_expect_str_eq (cgwi_explain_last (&r), "no call has failed");
  cr_expect_str_eq (explain_first (&r), "no call has failed");
  cr_expect_eq (cgwi_first_error (&r), CGW_OK);
}

/* Which are kept.  */

/* The calls that put something into the file, the profile or the names.  */
static const char kept_calls[]
    = " cgw_add_object cgw_add_file cgw_add_fn cgw_add_object_n"
      " cgw_add_file_n cgw_add_fn_n cgw_open_fd cgw_open"
      " cgw_begin_part cgw_cost cgw_call cgw_jump cgw_cond_jump cgw_comment"
      " cgw_profile_cost cgw_profile_call cgw_profile_stack"
      " cgw_profile_node"
      " cgw_profile_merge cgw_profile_unpack cgw_profile_write"
      " cgw_tracer_free cgw_tracer_enter cgw_tracer_enter_edge"
      " cgw_tracer_leave cgw_tracer_tail cgw_tracer_move cgw_tracer_block"
      " cgw_tracer_cost"
      " cgw_tracer_unwind cgw_tracer_unwind_tag cgw_tracer_stop"
      " cgw_tracer_start cgw_tracer_resume cgw_tracer_yield"
      " cgw_tracer_sync ";

static bool
keeps (const char *call, enum cgw_status status)
{
  bool of_tracer = strncmp (call, "cgw_tracer_", 11) == 0;
  char word[60];

  snprintf (word, sizeof word, " %s ", call);
  return strstr (kept_calls, word) != NULL && status != CGW_EAGAIN
         && status != CGW_EFINISHED && status != CGW_EFORK
         && status != CGW_EPACK && status != CGW_EDEPTH
         && status != CGW_EBACKWARDS
         && !(of_tracer && (status == CGW_EORDER || status == CGW_EBUSY));
}

Test (refusal, keeps_what_is_missing)
{
  for (size_t call = 0; call < COUNT (calls); call++)
    for (int s = CGW_EINVAL; s <= CGW_EPACK; s++)
      {
        struct cgwi_refusals r = { .last = { .word = 0 } };
        enum cgw_status status = (enum cgw_status) s;

        cr_expect_eq (cgwi_refuse (&r, (enum cgwi_called) call, status, NULL),
                      status);
        cr_expect_eq (cgwi_first_error (&r),
                      keeps (calls[call], status) ? status : CGW_OK,
                      "%s: %s", calls[call], cgw_strerror (status));
        cr_expect_eq (strncmp (cgwi_explain_last (&r), calls[call],
                               strlen (calls[call])), 0);
      }
}

static void
refuse (struct cgwi_refusals *r, enum cgw_status status, const char *text)
{
  cgwi_refuse (r, CGWI_CALLED_ADD_FN, status,
               &WHY (BAD_PATH, .text = text));
}

/* The first error stays, whatever comes; the last is the last.  */
Test (refusal, keeps_the_first)
{
  struct cgwi_refusals r = { .last = { .word = 0 } };

  refuse (&r, CGW_ENOMEM, "first");
  refuse (&r, CGW_EHANDLE, "second");
  cgwi_keep_error (&r, CGW_ELOST, CGWI_WHY_LOST_BUSY, 0);
  cr_expect_eq (cgwi_first_error (&r), CGW_ENOMEM);
  cr_expect_not_null (strstr (explain_first (&r), "\"first\""));
  cr_expect_not_null (strstr (cgwi_explain_last (&r), "\"second\""));
  cgwi_forget_first (&r);
  cr_expect_eq (cgwi_first_error (&r), CGW_OK);
  cr_expect_not_null (strstr (cgwi_explain_last (&r), "\"second\""));
  refuse (&r, CGW_EHANDLE, "third");
  cr_expect_eq (cgwi_first_error (&r), CGW_EHANDLE);
}

Test (refusal, replaces_any_other_by_an_io_error)
{
  struct cgwi_refusals r = { .last = { .word = 0 } };

  refuse (&r, CGW_ENOMEM, "x");
  cgwi_keep_error (&r, CGW_EIO, CGWI_WHY_NOT_WRITTEN, ENOSPC);
  cr_expect_eq (cgwi_first_error (&r), CGW_EIO);
  cr_expect_str_eq (explain_first (&r),
                    "the file could not be written: no space is left on the "
                    "device (ENOSPC)");
  cgwi_keep_error (&r, CGW_EIO, CGWI_WHY_NOT_WRITTEN, EPIPE);
  refuse (&r, CGW_EHANDLE, "y");
  cr_expect_not_null (strstr (explain_first (&r), "ENOSPC"));
}

/* One object's first error becomes another's, with its text.  */
Test (refusal, inherits)
{
  struct cgwi_refusals from = { .last = { .word = 0 } }, to = from;

  cgwi_inherit (&to, &from);
  cgwi_repeat_first (&to);
  cr_expect_eq (cgwi_first_error (&to), CGW_OK);
  cr_expect_str_eq (cgwi_explain_last (&to), "no call has failed");
  refuse (&from, CGW_ENOMEM, "inherited");
  refuse (&from, CGW_EHANDLE, "not");
  cgwi_inherit (&to, &from);
  cr_expect_eq (cgwi_first_error (&to), CGW_ENOMEM);
  cr_expect_str_eq (explain_first (&to), explain_first (&from));
  cgwi_repeat_first (&to);
  cr_expect_str_eq (cgwi_explain_last (&to), explain_first (&from));
  cgwi_forget_first (&from);
  refuse (&from, CGW_EHANDLE, "later");
  cgwi_inherit (&to, &from);
  cr_expect_eq (cgwi_first_error (&to), CGW_ENOMEM, "it has one already");
}

/* Of many at a time, one is the first, and stays.  */

enum { THREADS = 8, ERRORS = 20000 };
static struct cgwi_refusals shared;

static void *
keep_errors (void *context)
{
  uint32_t *value = context;

  for (uint32_t i = 0; i < ERRORS; i++)
    {
      cgwi_keep_error (&shared, CGW_EOVERFLOW, CGWI_WHY_TOTAL_OVERFLOW,
                       *value);
      cr_assert_eq (cgwi_first_error (&shared), CGW_EOVERFLOW);
    }
  return NULL;
}

Test (refusal, of_many_threads)
{
  pthread_t threads[THREADS];
  uint32_t values[THREADS];
  char sentence[sizeof shared.sentence];

  for (uint32_t t = 0; t < THREADS; t++)
    {
      values[t] = 100 + t;
      cr_assert_eq (pthread_create (&threads[t], NULL, keep_errors,
                                    &values[t]), 0);
    }
  while (cgwi_first_error (&shared) == CGW_OK)
    continue;
  strcpy (sentence, explain_first (&shared));
  for (int t = 0; t < THREADS; t++)
    cr_assert_eq (pthread_join (threads[t], NULL), 0);
  cr_expect_str_eq (explain_first (&shared), sentence);
}
