/* errors.h - the errors of a writer, and sentences that explain them.

   A writer keeps two errors for its file: the first error that left something
   out of the file, and the error that kept the next part from beginning, which
   is forgotten when a part begins.  Handlers in any thread may set the first
   one, and the caller that sets it writes its sentence.  A third sentence
   explains the last failed call of normal code, which holds the writer.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ERRORS_H
#define CGWI_ERRORS_H 1

#include "../format/sentence.h"
#include "cgw.h"
#include "reason.h"

#include <stdatomic.h>
#include <stdint.h>

struct cgwi_errors
{
  /* The first status that left something out of the file; CGW_EIO replaces any
     other.  Above it, CGWI_CALL_SHIFT bits up: a hash of the call that it is
     of, if a repetition of that call makes it no error; or 0.  In one word,
     because a handler may come between any two.  */
  _Atomic uint64_t kept;
  _Atomic int kept_explained; /* 0, or the kept status that kept_why explains;
                                 later statuses have no sentence */
  struct cgwi_sentence kept_why;

  _Atomic int part;           /* why the next part has not begun, or CGW_OK */
  _Atomic bool part_is_first; /* and that came before `kept` */
  _Atomic bool kept_is_part;  /* part_why explains `kept`, and stays */
  struct cgwi_sentence part_why;

  _Atomic int last; /* what the last call returned, if that was from normal code
                       and last_why explains it; or CGW_OK.  Below 0: it was
                       refused, see cgwi_refused_as */
  struct cgwi_sentence last_why;
};

#define CGWI_CALL_SHIFT 8

/* The status and the reason of a refused call in one number.  */
static inline int
cgwi_refused_as (enum cgw_status status, enum cgwi_reason reason)
{
  return (int) reason << 8 | (int) status;
}

static inline enum cgw_status
cgwi_refused_status (int refused)
{
  return (enum cgw_status) (refused & 0xff);
}

/* Return a sentence, or NULL.  */
static inline const char *
cgwi_refused_text (int refused)
{
  return cgwi_reason_text ((enum cgwi_reason) (refused >> 8));
}

/* Forget all errors: a new file starts.  */
void cgwi_errors_clear (struct cgwi_errors *e);

/* Keep an error that leaves something out of the file.  Return where to
   explain it, and then call cgwi_errors_explained; NULL: it is not the first.
   Any handler in any thread may call this.  */
struct cgwi_sentence *cgwi_errors_keep (struct cgwi_errors *e,
                                        enum cgw_status status);
void cgwi_errors_explained (struct cgwi_errors *e, enum cgw_status status);

/* Do both, with a text; return status.  Or with a sentence, which may say
   nothing.  */
enum cgw_status cgwi_errors_keep_text (struct cgwi_errors *e,
                                       enum cgw_status status,
                                       const char *why);
void cgwi_errors_keep_sentence (struct cgwi_errors *e, enum cgw_status status,
                                const struct cgwi_sentence *why);

/* Keep the error of a call of which `call` is a hash, which the caller may
   repeat; and forget it when the same call succeeds.  If another such call has
   failed, too, the first is kept.  */
void cgwi_errors_keep_call (struct cgwi_errors *e, enum cgw_status status,
                            const struct cgwi_sentence *why, uint64_t call);
void cgwi_errors_forget_call (struct cgwi_errors *e, uint64_t call);

/* Begin a call from normal code: it has nothing to explain yet.  Return where
   it may write its sentence.  */
struct cgwi_sentence *cgwi_errors_begin (struct cgwi_errors *e);

/* End that call with this status, which the sentence explains (or, if it says
   nothing, no other sentence does).  */
enum cgw_status cgwi_errors_end (struct cgwi_errors *e,
                                 enum cgw_status status);

/* A call failed whose sentence, if any, is not that of the last one.  */
void cgwi_errors_silence (struct cgwi_errors *e);

/* A profile or a tracer refused a call; `refused` is from cgwi_refused_as.  */
void cgwi_errors_refused (struct cgwi_errors *e, int refused);

/* Keep why a part has not begun, with the last call's sentence.  */
void cgwi_errors_miss_part (struct cgwi_errors *e, enum cgw_status why);

/* A record of that part was refused: then the file lacks it, even if a part
   begins later.  False: no part was refused.  Any handler in any thread may
   call this.  */
bool cgwi_errors_keep_part (struct cgwi_errors *e);

/* A part has begun.  */
void cgwi_errors_forget_part (struct cgwi_errors *e);

/* Return the first error that left something out of the file, or CGW_EIO.
   Async-signal-safe.  */
enum cgw_status cgwi_errors_first (const struct cgwi_errors *e);

/* Return the sentence that explains a status, or NULL.  */
const char *cgwi_errors_explain (const struct cgwi_errors *e,
                                 enum cgw_status status);

#endif
