/* profile_write.h - the sums of a profile as a part of a file.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PROFILE_WRITE_H
#define CGWI_PROFILE_WRITE_H 1

#include "../gate/writer.h"
#include "../profile/profile.h"

/* cgw_profile_write, inside the profile.  */
enum cgw_status cgwi_write_profile (struct cgw_profile *p,
                                    struct cgw_writer *w,
                                    const struct cgw_part *part);

#endif
