/* refusal.c - why calls failed: kept as a word, put into words on demand.

   SPDX-License-Identifier: MIT  */

#include "refusal.h"

#include "escape.h"
#include "number.h"

#include <errno.h>
#include <string.h>

/* The word: status, reason, call and parameter take 8 bits each, the value the
   upper half.  A visitor may return any status, of which 8 bits are kept.  */

static uint64_t
word_of (enum cgw_status status, enum cgwi_reason reason,
         enum cgwi_called called, enum cgwi_parameter parameter,
         uint32_t value)
{
  return (uint64_t) value << 32 | (uint64_t) parameter << 24
         | (uint64_t) called << 16 | (uint64_t) reason << 8
         | ((uint64_t) status & 0xff);
}

/* The word of a last call that failed for the first error.  */
#define AS_FIRST UINT64_MAX

static enum cgw_status
status_of (uint64_t word)
{
  return (enum cgw_status) (word & 0xff);
}

static uint64_t
get (const struct cgwi_refusal *r)
{
  return atomic_load_explicit (&r->word, memory_order_acquire);
}

enum cgwi_keeps
{
  CGWI_KEEPS_NONE,
  CGWI_KEEPS_SOME,
  CGWI_KEEPS_ALL
};

static const struct
{
  const char *name;
  enum cgwi_keeps keeps;
} calls[] = {
#define CALL(name, text, keeps) { text, CGWI_KEEPS_##keeps },
#include "refusals.def"
#undef CALL
};

/* Whether a call that was refused with a status left something out.  CGW_EAGAIN
   asks to call again, and there is no file to write to in a forked child or
   when the file has ended.  Nobody misses bytes that are no packed profile.
   And some errors of tracers cannot be avoided by some tools: the return of a
   function that was called before tracing began, and counters that a handler
   overtook.  */
static bool
is_kept (enum cgwi_called called, enum cgw_status status)
{
  switch (status)
    {
    case CGW_OK:
    case CGW_EAGAIN:
    case CGW_EFINISHED:
    case CGW_EFORK:
    case CGW_EPACK:
    case CGW_EDEPTH:
    case CGW_EBACKWARDS:
      return false;
    case CGW_EORDER:
    case CGW_EBUSY:
      return calls[called].keeps == CGWI_KEEPS_ALL;
    default:
      return calls[called].keeps != CGWI_KEEPS_NONE;
    }
}

/* Copy a text and the numbers.  */
static void
set_details (struct cgwi_refusal *r, const struct cgwi_why *why)
{
  size_t n = 0;

  r->a = why->a;
  r->b = why->b;
  if (why->text != NULL)
    for (; n < sizeof r->text - 1 && why->text[n] != '\0'; n++)
      r->text[n] = why->text[n];
  r->text[n] = '\0';
}

/* Return what was kept beside a word.  */
static struct cgwi_why
details_of (const struct cgwi_refusal *r)
{
  return (struct cgwi_why){ .a = r->a, .b = r->b, .text = r->text };
}

static const char *const sentences[] = {
#define REASON(name, sentence) sentence,
#include "refusals.def"
#undef REASON
};

/* Return the sentence of a word's reason.  */
static const char *
sentence_of (uint64_t word)
{
  return sentences[word >> 8 & 0xff];
}

/* Whether a sentence shows more than the word has.  Then the numbers and the
   text are set even if they are 0, because an earlier refusal may have left
   others.  */
static bool
shows_details (uint64_t word)
{
  for (const char *s = sentence_of (word); *s != '\0'; s++)
    if (*s == '%')
      {
        s++;
        if (*s == 'a' || *s == 'b' || *s == 'x' || *s == 'q')
          return true;
      }
  return false;
}

/* Set the first error, unless there is one; but CGW_EIO replaces any other.
   Details come before the word.  If a handler's word comes between them, they
   are not its own, but its reason does not show any.  */
static void
set_first (struct cgwi_refusal *first, uint64_t word,
           const struct cgwi_why *why)
{
  uint64_t old = get (first);

  if (why != NULL && old == 0 && shows_details (word))
    set_details (first, why);
  while (old == 0
         || (status_of (word) == CGW_EIO && status_of (old) != CGW_EIO))
    if (atomic_compare_exchange_weak_explicit (&first->word, &old, word,
                                               memory_order_release,
                                               memory_order_relaxed))
      return;
}

uint32_t
cgwi_n_and_most (size_t n, size_t most)
{
  return (uint32_t) most << 24 | (n < 0xffffff ? (uint32_t) n : 0xffffff);
}

enum cgw_status
cgwi_refuse (struct cgwi_refusals *r, enum cgwi_called called,
             enum cgw_status status, const struct cgwi_why *why)
{
  static const struct cgwi_why none = { .reason = CGWI_WHY_NO_REASON };
  uint64_t word;

  why = why != NULL ? why : &none;
  word = word_of (status, why->reason, called, why->parameter, why->value);
  if (shows_details (word))
    set_details (&r->last, why);
  atomic_store_explicit (&r->last.word, word, memory_order_release);
  if (is_kept (called, status))
    set_first (&r->first, word, why);
  return status;
}

void
cgwi_keep_error (struct cgwi_refusals *r, enum cgw_status status,
                 enum cgwi_reason reason, uint32_t value)
{
  set_first (&r->first,
             word_of (status, reason, CGWI_CALLED_NONE, CGWI_ARG_NO_PARAMETER,
                      value),
             NULL);
}

void
cgwi_inherit (struct cgwi_refusals *to, const struct cgwi_refusals *from)
{
  uint64_t word = get (&from->first);
  const struct cgwi_why why = details_of (&from->first);

  if (word != 0)
    set_first (&to->first, word, &why);
}

enum cgw_status
cgwi_repeat_first (struct cgwi_refusals *r)
{
  enum cgw_status status = cgwi_first_error (r);

  if (status != CGW_OK)
    atomic_store_explicit (&r->last.word, AS_FIRST, memory_order_release);
  return status;
}

/* Return why the last call failed.  */
static const struct cgwi_refusal *
last_of (const struct cgwi_refusals *r)
{
  return get (&r->last) == AS_FIRST ? &r->first : &r->last;
}

void
cgwi_pass_on_refusal (struct cgwi_refusals *profile,
                      const struct cgwi_refusals *names,
                      const struct cgwi_refusals *writer,
                      enum cgwi_called called)
{
  const struct cgwi_why why = details_of (last_of (writer));
  uint64_t word = get (last_of (writer));

  if (word != get (&profile->first) && word != get (&names->first))
    word = (word & ~(UINT64_C (0xff) << 16)) | (uint64_t) called << 16;
  set_details (&profile->last, &why);
  atomic_store_explicit (&profile->last.word, word, memory_order_release);
}

void
cgwi_forget_first (struct cgwi_refusals *r)
{
  atomic_store_explicit (&r->first.word, 0, memory_order_relaxed);
}

enum cgw_status
cgwi_first_error (const struct cgwi_refusals *r)
{
  return status_of (get (&r->first));
}

/* Phrases for errno.  Not strerror, which reads the locale and is not
   async-signal-safe.  */

struct phrase
{
  int error;
  const char *text;
};

/* Write the phrase for an error, or the errno.  0 is in the table, last.  */
static char *
put_phrase (char *p, const struct phrase *phrases, int error)
{
  while (phrases->error != 0 && phrases->error != error)
    phrases++;
  return phrases->error == error
             ? cgwi_put_text (p, phrases->text)
             : cgwi_put_decimal (cgwi_put_text (p, "errno "), (uint64_t) error);
}

/* What the errno of a file that CGW_EFILE refuses means.  */
static const struct phrase phrases_of_files[] = {
  { ELOOP, "a symbolic link, or links in a circle (ELOOP)" },
  { EPERM, "the file of another user (EPERM)" },
  { EMLINK, "the file has another hard link (EMLINK)" },
  { ENXIO, "a socket, a FIFO that nobody reads, or a missing device (ENXIO)" },
  { EINVAL, "a device or a FIFO (EINVAL)" },
  { 0, "not a regular file of your own" }
};

/* The causes may be those of any call, or of a hook.  */
static const struct phrase phrases_of_calls[] = {
  { EACCES, "permission denied (EACCES)" },
  { EAGAIN, "not possible at present (EAGAIN)" },
  { EBADF, "the descriptor is not open for writing (EBADF)" },
#ifdef EDQUOT
  { EDQUOT, "the disk quota is exceeded (EDQUOT)" },
#endif
  { EFBIG, "the file reached the size limit (EFBIG)" },
  { EIO, "input/output error (EIO)" },
  { EISDIR, "the path is a directory (EISDIR)" },
  { ELOOP, "symbolic links in a circle (ELOOP)" },
  { EMFILE, "the process has too many open descriptors (EMFILE)" },
  { ENAMETOOLONG, "the path or a name in it is too long (ENAMETOOLONG)" },
  { ENFILE, "the system has too many open files (ENFILE)" },
  { ENOENT, "no such file or directory (ENOENT)" },
  { ENOSPC, "no space is left on the device (ENOSPC)" },
  { ENOTDIR, "a component of the path is not a directory (ENOTDIR)" },
  { ENXIO, "a socket, or a missing device (ENXIO)" },
  { EPERM, "operation not permitted (EPERM)" },
  { EPIPE, "nobody reads the pipe or socket any more (EPIPE)" },
  { EROFS, "the file system is read-only (EROFS)" },
  { 0, "no bytes were taken" }
};

const char *
cgw_strerror (enum cgw_status status)
{
  static const char *const phrases[] = {
    [CGW_OK] = "success",
    [CGW_EINVAL]
    = "an argument is NULL or out of its range, or a struct lacks its INIT "
      "macro",
    [CGW_EORDER]
    = "calls in the wrong order: cgw_begin_part comes before records, and "
      "a tracer is stopped before it is started or resumed",
    [CGW_EFINISHED]
    = "the file is finished, or was never opened: the next one needs a writer "
      "of its own",
    [CGW_EHANDLE]
    = "a handle was not set, or comes from another names object or a freed one",
    [CGW_ECOSTS] = "more costs than events that are not derived",
    [CGW_ENOMEM] = "no memory, or more names than ids",
    [CGW_EIO] = "the file cannot be opened or written",
    [CGW_EAGAIN]
    = "the descriptor takes no bytes at present: call again later",
    [CGW_EOVERFLOW] = "a sum of costs passed 2^64-1",
    [CGW_EFILE] = "the path was planted by another user, or is not a regular "
                  "file of your own",
    [CGW_ELOST] = "records were lost: cgw_get_stats counts them",
    [CGW_EBUSY]
    = "the caller interrupted another call on the same object, or left one "
      "by a longjmp",
    [CGW_EFORK]
    = "a forked child's copy of its parent's writer: a file of its own needs "
      "another writer",
    [CGW_EDEPTH] = "the tracer has no open call, or fewer than were named",
    [CGW_EBACKWARDS] = "a counter is below its last value",
    [CGW_EPACK]
    = "the bytes are not a packed profile, or were changed, or come from "
      "another version"
  };

  return (size_t) status < sizeof phrases / sizeof *phrases ? phrases[status]
                                                            : "unknown status";
}

/* Sentences.  */

/* Bytes of a quoted text.  */
#define QUOTED_MAX 120

static char *
put_quoted (char *p, const char *text)
{
  *p++ = '"';
  p = cgwi_put_short (p, text, QUOTED_MAX);
  *p++ = '"';
  return p;
}

static const char *
init_macro (enum cgwi_parameter parameter)
{
  return parameter == CGWI_ARG_PART              ? "CGW_PART_INIT"
         : parameter == CGWI_ARG_STATS           ? "CGW_STATS_INIT"
         : parameter == CGWI_ARG_VISITOR         ? "CGW_VISITOR_INIT"
         : parameter == CGWI_ARG_TRACER_OPTIONS ? "CGW_TRACER_OPTIONS_INIT"
                                                 : "CGW_OPTIONS_INIT";
}

static char *put_sentence (char *p, const char *sentence,
                           const struct cgwi_refusal *r, uint64_t word);

/* Write what replaces %c and so on.  */
static char *
put_piece (char *p, char kind, const struct cgwi_refusal *r, uint64_t word)
{
  static const char *const parameters[] = {
#define PARAMETER(name, text) text,
#include "refusals.def"
#undef PARAMETER
  };
  enum cgwi_parameter parameter = (enum cgwi_parameter) (word >> 24 & 0xff);
  enum cgw_status status = status_of (word);
  uint32_t value = (uint32_t) (word >> 32);

  switch (kind)
    {
    case 'c':
      return cgwi_put_text (p, calls[word >> 16 & 0xff].name);
    case 'p':
      return put_sentence (p, parameters[parameter], r, word);
    case 'i':
      return cgwi_put_text (p, init_macro (parameter));
    case 's':
      return cgwi_put_text (p, cgw_strerror (status));
    case 'e':
      return put_phrase (p, status == CGW_EFILE ? phrases_of_files
                                                : phrases_of_calls,
                         (int) value);
    case 'v':
      return cgwi_put_decimal (p, value);
    case 'n':
      return cgwi_put_decimal (p, value & 0xffffff);
    case 'm':
      return cgwi_put_decimal (p, value >> 24);
    case 'x':
      return cgwi_put_hex (p, r->a);
    case 'a':
      return cgwi_put_decimal (p, r->a);
    case 'b':
      return cgwi_put_decimal (p, r->b);
    case 'q':
      return put_quoted (p, r->text);
    default: /* %% */
      *p = kind;
      return p + 1;
    }
}

/* Not vsnprintf, which may depend on the locale and is not async-signal-safe.
   refusals.def bounds the length: a test words every sentence.  */
static char *
put_sentence (char *p, const char *sentence, const struct cgwi_refusal *r,
              uint64_t word)
{
  for (; *sentence != '\0'; sentence++)
    if (*sentence != '%')
      *p++ = *sentence;
    else
      p = put_piece (p, *++sentence, r, word);
  return p;
}

static const char *
explain (struct cgwi_refusals *asked, const struct cgwi_refusal *refusal)
{
  uint64_t word = get (refusal);

  if (word == 0)
    return "no call has failed";
  *put_sentence (asked->sentence, sentence_of (word), refusal, word) = '\0';
  return asked->sentence;
}

static const char no_object[]
    = "the object is NULL: it was not made, maybe for lack of memory";

const char *
cgwi_explain_last (struct cgwi_refusals *r)
{
  return r != NULL ? explain (r, last_of (r)) : no_object;
}

enum cgw_status
cgwi_tell_first (struct cgwi_refusals *asked, const struct cgwi_refusals *r,
                 const char **sentence)
{
  if (sentence != NULL)
    *sentence = r != NULL ? explain (asked, &r->first) : no_object;
  return r != NULL ? cgwi_first_error (r) : CGW_EINVAL;
}
