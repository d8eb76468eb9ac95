/* status.c - phrases and sentences for statuses, and the version.

   SPDX-License-Identifier: MIT  */

#include "../gate/writer.h"
#include "phrase.h"

const char *
cgw_strerror (enum cgw_status status)
{
  switch (status)
    {
    case CGW_OK:
      return "success";
    case CGW_EINVAL:
      return "an argument is NULL or out of its range, or a struct lacks its "
             "INIT macro";
    case CGW_EORDER:
      return "no part is open: cgw_begin_part comes first; or a tracer is "
             "paused, or to be resumed and not paused";
    case CGW_EFINISHED:
      return "the file is finished: cgw_recreate or cgw_reset starts the next "
             "one";
    case CGW_EHANDLE:
      return "a handle comes from another writer, or from one that was freed";
    case CGW_ECOSTS:
      return "more costs than events that are not derived";
    case CGW_ENOMEM:
      return "no memory, or more names than ids";
    case CGW_EIO:
      return "the file cannot be opened or written";
    case CGW_EAGAIN:
      return "the descriptor takes no bytes at present: call again later";
    case CGW_EOVERFLOW:
      return "a sum of costs passed 2^64-1";
    case CGW_EFILE:
      return "the path is not a regular file of your own";
    case CGW_ELOST:
      return "records were lost: cgw_get_stats counts them";
    case CGW_EBUSY:
      return "another call on the writer is under way, which this one "
             "interrupted, or in another thread";
    case CGW_EFORK:
      return "a forked child's copy of the writer: cgw_recreate or cgw_reset "
             "comes first";
    case CGW_EDEPTH:
      return "the tracer has no open call, or fewer than were named";
    case CGW_EBACKWARDS:
      return "a counter is below its last value";
    case CGW_EPACK:
      return "the bytes are not a packed profile, or were changed, or come from "
             "another version";
    }
  return "unknown status";
}

/* Why a file has failed to be opened or written, from the errno.  */
static const char *
explain_file (const struct cgw_writer *w, enum cgw_status status)
{
  int error = atomic_load_explicit (&w->core.error_number,
                                    memory_order_relaxed);

  return error != 0 && (status == CGW_EIO || status == CGW_EFILE)
             ? cgwi_phrase (status == CGW_EFILE, error)
             : cgw_strerror (status);
}

const char *
cgw_explain (const struct cgw_writer *w, enum cgw_status status)
{
  const struct cgwi_errors *e;
  const char *text;

  if (status == CGW_OK)
    return cgw_strerror (status);
  if (w == NULL && status != CGW_EINVAL)
    return cgw_strerror (status);
  if (w == NULL)
    return "the writer is NULL: cgw_new and cgw_create return one unless they "
           "find no memory";
  e = &w->core.errors;
  /* A writer that never had a file: say why.  */
  if (status == CGW_EFINISHED && w->core.events == NULL
      && cgwi_errors_first (e) != CGW_OK)
    status = cgwi_errors_first (e);
  text = cgwi_errors_explain (e, status);
  return text != NULL ? text : explain_file (w, status);
}

const char *
cgw_version (void)
{
  return CGW_VERSION_STRING;
}
