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
  uint32_t value; /* %v, %x, %e, %t */
  uint64_t a, b;  /* %a, %b */
  const char *text; /* %q, %t */
};

/* Bytes of a text that are kept: a few more than a sentence quotes.  */
#define CGWI_REFUSED_TEXT 144

struct cgwi_refusal
{
  _Atomic uint64_t word; /* 0: there is none */
  uint64_t a, b;
  char text[CGWI_REFUSED_TEXT]; /* cut, and ends in a NUL */
};

/* Bytes of the longest sentence.  A test words them all.  */
#define CGWI_SENTENCE_MAX 389

struct cgwi_refusals
{
  struct cgwi_refusal last;
  struct cgwi_refusal first;
  char sentence[CGWI_SENTENCE_MAX + 64]; /* numbers touch what is behind */
};

/* For the value of a reason.  */
static inline uint32_t
cgwi_at_most_32_bits (size_t n)
{
  return n < UINT32_MAX ? (uint32_t) n : UINT32_MAX;
}

/* Give a reason, and what its sentence shows.  Return false, so that a check
   can end with it.  */
static inline bool
cgwi_because (struct cgwi_why *why, enum cgwi_reason reason, uint64_t a,
              const char *text)
{
  *why = (struct cgwi_why){ .reason = reason, .a = a, .text = text };
  return false;
}

/* A call was refused with a status: keep why.  Return the status.  Any handler
   in any thread may call this if `why` has only the reason, the parameter and
   the value; with more, one caller at a time.  */
enum cgw_status cgwi_refuse (struct cgwi_refusals *r, enum cgwi_called called,
                             enum cgw_status status,
                             const struct cgwi_why *why);

/* The same for a call that would have put nothing into this object.  */
enum cgw_status cgwi_refuse_unkept (struct cgwi_refusals *r,
                                    enum cgwi_called called,
                                    enum cgw_status status,
                                    const struct cgwi_why *why);

/* Refuse a call for a reason that needs no more, and for a status that says it
   all.  */
enum cgw_status cgwi_refuse_for (struct cgwi_refusals *r,
                                 enum cgwi_called called,
                                 enum cgw_status status,
                                 enum cgwi_reason reason);
enum cgw_status cgwi_refuse_with (struct cgwi_refusals *r,
                                  enum cgwi_called called,
                                  enum cgw_status status);

/* Keep an error that no call was refused with, such as an overflow.  `value` is
   for the reason.  Async-signal-safe.  */
void cgwi_keep_error (struct cgwi_refusals *r, enum cgw_status status,
                      enum cgwi_reason reason, uint32_t value);

/* Make the first error of one object the first of another, if it has none.  One
   caller at a time.  */
void cgwi_inherit (struct cgwi_refusals *to, const struct cgwi_refusals *from);

/* The last call failed for the first error, if there is one.  One caller at a
   time.  */
void cgwi_repeat_first (struct cgwi_refusals *r);

/* As cgwi_repeat_first, for a call that any handler in any thread may make:
   without what only normal code may copy.  Return the status.  */
enum cgw_status cgwi_refuse_for_first (struct cgwi_refusals *r,
                                       enum cgwi_called called);

/* The last call on one object failed for why the last one on another did.  If
   that is a writer's, name the call that made it.  One caller at a time.  */
void cgwi_pass_on_refusal (struct cgwi_refusals *to,
                           const struct cgwi_refusals *from,
                           enum cgwi_called called);

/* Forget the first error.  */
void cgwi_forget_first (struct cgwi_refusals *r);

/* Return the status of the first error, or CGW_OK.  Async-signal-safe.  */
enum cgw_status cgwi_first_error (const struct cgwi_refusals *r);

/* Put a refusal into words, in the sentence of the object that was asked: two
   threads may each ask an object of their own, though the answer is that of a
   third.  */
const char *cgwi_explain_last (struct cgwi_refusals *asked);
const char *cgwi_explain_first (struct cgwi_refusals *asked,
                                const struct cgwi_refusals *r);

/* The sentence about an object that is NULL.  */
#define CGWI_NO_OBJECT                                                        \
  "the object is NULL: it was not made, maybe for lack of memory"

/* Put an error into words that is not kept.  */
const char *cgwi_explain_error (struct cgwi_refusals *asked,
                                enum cgw_status status,
                                enum cgwi_reason reason, uint32_t value);

#endif
