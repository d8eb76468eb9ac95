/* refusal.h - why calls failed: kept as a word, put into words on demand.

   Each object keeps two refusals: of the last call that failed, and the first
   that left something out of the file (or the profile, or the names).  A
   refusal is one word, for a handler in any thread may set it: the status, the
   reason, the call, the parameter, and a number of 32 bits.  Normal code may
   add two numbers and a text.  refusals.def has the sentences.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_REFUSAL_H
#define CGWI_REFUSAL_H 1

#include "cgw.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cgwi_reason
{
#define REASON(name, sentence) CGWI_WHY_##name,
#include "refusals.def"
#undef REASON
};

enum cgwi_called
{
#define CALL(name, text, keeps) CGWI_CALLED_##name,
#include "refusals.def"
#undef CALL
};

enum cgwi_parameter
{
#define PARAMETER(name, text) CGWI_ARG_##name,
#include "refusals.def"
#undef PARAMETER
};

/* Why a call is refused.  `text` is the caller's.  */
struct cgwi_why
{
  enum cgwi_reason reason;
  enum cgwi_parameter parameter;
  uint32_t value; /* %v, %n, %m, %e */
  uint64_t a, b;  /* %a, %b, %x */
  const char *text; /* %q */
};

/* Set *why to these members, and return false: so a check can end.  */
#define CGWI_BECAUSE(why, ...)                                                \
  (*(why) = (struct cgwi_why){ __VA_ARGS__ }, false)

/* Bytes of a text that are kept: a few more than a sentence quotes.  */
#define CGWI_REFUSED_TEXT 144

struct cgwi_refusal
{
  _Atomic uint64_t word; /* 0: there is none */
  uint64_t a, b;
  char text[CGWI_REFUSED_TEXT]; /* cut, and ends in a NUL */
};

/* Bytes of the longest sentence.  A test words them all.  */
#define CGWI_SENTENCE_MAX 313

struct cgwi_refusals
{
  struct cgwi_refusal last;
  struct cgwi_refusal first;
  char sentence[CGWI_SENTENCE_MAX + 64]; /* numbers touch what is behind */
};

/* Return the value of a reason that shows a number and its maximum: the first
   is cut to 24 bits, the second must have at most 8.  */
uint32_t cgwi_n_and_most (size_t n, size_t most);

/* A call was refused with a status: keep why; NULL: the status says it all.
   Return the status.  Any handler in any thread may call this if `why` has only
   the reason, the parameter and the value; with more, one caller at a time.  */
enum cgw_status cgwi_refuse (struct cgwi_refusals *r, enum cgwi_called called,
                             enum cgw_status status,
                             const struct cgwi_why *why);

/* Keep an error that no call was refused with, such as an overflow.  `value` is
   for the reason.  Async-signal-safe.  */
void cgwi_keep_error (struct cgwi_refusals *r, enum cgw_status status,
                      enum cgwi_reason reason, uint32_t value);

/* Make the first error of one object the first of another, if it has none.  One
   caller at a time.  */
void cgwi_inherit (struct cgwi_refusals *to, const struct cgwi_refusals *from);

/* The last call failed for the first error, if there is one.  Return its
   status.  Async-signal-safe.  */
enum cgw_status cgwi_repeat_first (struct cgwi_refusals *r);

/* The last call on a profile failed for why the last one on its writer did.
   Name the profile's call instead of the writer's, unless the error is an
   earlier one of the profile or the names.  One caller at a time.  */
void cgwi_pass_on_refusal (struct cgwi_refusals *profile,
                           const struct cgwi_refusals *names,
                           const struct cgwi_refusals *writer,
                           enum cgwi_called called);

/* Forget the first error.  */
void cgwi_forget_first (struct cgwi_refusals *r);

/* Return the status of the first error, or CGW_OK.  Async-signal-safe.  */
enum cgw_status cgwi_first_error (const struct cgwi_refusals *r);

/* Put into words why the last call failed.  r may be NULL, for no object.  */
const char *cgwi_explain_last (struct cgwi_refusals *r);

/* Return the status of the first error, and put it into words unless sentence
   is NULL.  The words are in the object that was asked: two threads may each
   ask an object of their own, though the answer is that of a third.  Both
   objects may be NULL.  */
enum cgw_status cgwi_tell_first (struct cgwi_refusals *asked,
                                 const struct cgwi_refusals *r,
                                 const char **sentence);

#endif
