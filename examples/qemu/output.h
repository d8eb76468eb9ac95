/* output.h - the sums of all vcpus, and the file that they are written to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef OUTPUT_H
#define OUTPUT_H 1

#include "vcpu.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct output
{
  struct cgw_names *names;
  const char *path;
  const char *command;
  struct vcpu_events events;
  mode_t mask;                  /* of the mode of new files */
  bool has_parts;               /* one for each vcpu */
  struct cgw_profile **profiles; /* one, or by the vcpu's number less 1 */
  uint32_t n_profiles;
};

/* Takes what a vcpu has executed since the last time.  */
void output_take (struct output *o, struct vcpu *v);

/* Forgets all that was taken.  */
void output_forget (struct output *o);

/* Writes all that was taken; the file is complete at any time.  False: it
   failed; a message was printed.  */
bool output_write (struct output *o);

#endif /* OUTPUT_H */
