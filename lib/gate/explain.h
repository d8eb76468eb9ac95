/* explain.h - say why a record was refused.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_EXPLAIN_H
#define CGWI_EXPLAIN_H 1

#include "writer.h"

/* Keep that a record was refused with that status, and a sentence that says
   which argument is wrong.  Any handler in any thread may call this.  */
void cgwi_keep_refused (struct cgw_writer *w, const struct cgwi_submitted *r,
                        enum cgw_status status);

#endif
