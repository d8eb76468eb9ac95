/* profile_save.c - cgw_profile_save: the sums of a profile as a file.

   SPDX-License-Identifier: MIT  */

#include "../writer/check.h"
#include "profile_write.h"

/* Free the writer only once, even if a longjmp leaves this.  */
static void
end_saving (struct cgw_profile *p)
{
  struct cgw_writer *w = p->saving;

  p->saving = NULL;
  cgwi_in_order ();
  cgw_free (w);
}

/* Save a profile, inside.  What fails is why this call failed, but no error of
   the profile.  */
static enum cgw_status
save (struct cgw_profile *p, const char *path, const struct cgw_part *part,
      const struct cgw_options *theirs)
{
  struct cgw_options options;
  struct cgwi_why why;
  enum cgw_status status;

  if (!cgwi_take_options (&options, theirs, &why))
    return cgwi_refuse (&p->refusals, CGWI_CALLED_PROFILE_SAVE, CGW_EINVAL,
                        &why);
  options.flags |= CGW_REPLACE | (p->takes_zero_calls ? CGW_ZERO_CALLS : 0);
  options.queue_slots = 1; /* nobody else has the writer */
  p->stop_saving = cgw_free;
  status = cgw_create (&p->saving, p->names, path, &options);
  if (p->saving == NULL)
    return cgwi_refuse_with (&p->refusals, CGWI_CALLED_PROFILE_SAVE, status);
  if (status == CGW_OK)
    {
      cgwi_write_profile (p, p->saving, part);
      status = cgw_finish (p->saving);
    }
  if (status != CGW_OK)
    cgwi_pass_on_refusal (&p->refusals, &p->saving->core.refusals,
                          CGWI_CALLED_PROFILE_SAVE);
  end_saving (p);
  return status;
}

enum cgw_status
cgw_profile_save (struct cgw_profile *p, const char *path,
                  const struct cgw_part *part,
                  const struct cgw_options *options)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_SAVE);

  if (status != CGW_OK)
    return status;
  status = save (p, path, part, options);
  cgwi_profile_leave (p);
  return status;
}
