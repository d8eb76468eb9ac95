/* errors.c - cgw_error, cgw_explain, cgw_errno, cgw_version.

   SPDX-License-Identifier: MIT  */

#include "../gate/gate.h"

const char *
cgw_explain (struct cgw_writer *w)
{
  return w != NULL ? cgwi_explain_last (&w->core.refusals)
                   : CGWI_NO_OBJECT;
}

/* Say why a status that is not kept is that of the file.  */
static enum cgw_status
say (struct cgw_writer *w, const char **sentence, enum cgw_status status,
     enum cgwi_reason reason)
{
  if (sentence != NULL)
    *sentence = status == CGW_EFORK
                    ? cgw_strerror (status)
                    : cgwi_explain_error (&w->core.refusals, status, reason,
                                          (uint32_t) cgw_errno (w));
  return status;
}

enum cgw_status
cgw_error (struct cgw_writer *w, const char **sentence)
{
  const struct cgwi_refusals *r;

  if (w == NULL)
    {
      if (sentence != NULL)
        *sentence = CGWI_NO_OBJECT;
      return CGW_EINVAL;
    }
  if (!cgwi_mark_is_ours (&w->mark))
    return say (w, sentence, CGW_EFORK, CGWI_WHY_NO_REASON);
  if (atomic_load_explicit (&w->core.failing, memory_order_relaxed))
    return say (w, sentence, CGW_EIO, CGWI_WHY_NOT_WRITTEN);
  r = &w->core.refusals;
  if (cgwi_first_error (r) == CGW_OK && cgwi_state (&w->core) != CGWI_FINISHED)
    r = &w->core.encoder.names->refusals;
  if (sentence != NULL)
    *sentence = cgwi_explain_first (&w->core.refusals, r);
  return cgwi_first_error (r);
}

int
cgw_errno (const struct cgw_writer *w)
{
  return w != NULL ? atomic_load_explicit (&w->core.error_number,
                                           memory_order_relaxed)
                   : 0;
}

const char *
cgw_version (void)
{
  return CGW_VERSION_STRING;
}
