/* expand.h - turn whole stacks into self costs and calls.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_EXPAND_H
#define CGWI_EXPAND_H 1

#include "homes.h"

/* Add the stack that was added last to the tables of self costs and edges, and
   remove it.  CGW_EOVERFLOW, or what cgwi_learn_homes returns: it stays, and
   nothing has changed.  */
enum cgw_status cgwi_expand_last (struct cgw_profile *p);

/* Do so with all stacks.  After an error some stay.  */
enum cgw_status cgwi_expand_all (struct cgw_profile *p);

#endif
