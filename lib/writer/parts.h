/* parts.h - handle a part that was refused.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PARTS_H
#define CGWI_PARTS_H 1

#include "../gate/writer.h"

/* Keep that the next part was refused, and refuse its records, until a part
   begins.  Inside.  */
void cgwi_miss_part (struct cgw_writer *w, enum cgw_status why);

#endif
