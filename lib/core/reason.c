/* reason.c - sentences for the reasons of profiles and tracers.

   SPDX-License-Identifier: MIT  */

#include "reason.h"

#include <stddef.h>

#define FOREIGN(position) \
  position "->fn or " position "->file is a handle of another writer, or of " \
           "one that was freed"

const char *
cgwi_reason_text (enum cgwi_reason reason)
{
  switch (reason)
    {
    case CGWI_NO_REASON:
      break;
    case CGWI_BUSY:
      return "another call on the profile is under way, which this one "
             "interrupted, or which a longjmp left";
    case CGWI_COSTS_NULL:
      return "the costs are NULL, but n is not 0";
    case CGWI_COSTS_MANY:
      return "n is more than the number of the profile's events";
    case CGWI_COST_NO_POS:
      return "cgw_profile_cost: pos is NULL";
    case CGWI_COST_FOREIGN:
      return "cgw_profile_cost: " FOREIGN ("pos");
    case CGWI_CALL_NO_FROM:
      return "cgw_profile_call: from is NULL";
    case CGWI_CALL_NO_TO:
      return "cgw_profile_call: to is NULL";
    case CGWI_CALL_COUNT:
      return "cgw_profile_call: count is 0, for which callgrind_annotate takes "
             "inclusive cost for self cost; CGW_ZERO_CALLS allows it";
    case CGWI_CALL_FOREIGN_FROM:
      return "cgw_profile_call: " FOREIGN ("from");
    case CGWI_CALL_FOREIGN_TO:
      return "cgw_profile_call: " FOREIGN ("to");
    case CGWI_STACK_NO_FRAMES:
      return "cgw_profile_stack: frames is NULL, or n_frames is 0";
    case CGWI_STACK_COUNT:
      return "cgw_profile_stack: count is 0";
    case CGWI_STACK_FOREIGN:
      return "cgw_profile_stack: a frame's fn or file is a handle of another "
             "writer, or of one that was freed";
    case CGWI_ROOT_FOREIGN:
      return "cgw_profile_set_root: root is a handle of another writer, or of "
             "one that was freed";
    case CGWI_TRACER_NULL:
      return "a tracer's event: a position, an edge or a cost array that it "
             "needs is NULL";
    case CGWI_TRACER_COUNTERS:
      return "a tracer's event: counters is NULL, but options.n_counters is "
             "not 0";
    case CGWI_TRACER_COSTS:
      return "cgw_tracer_cost: n is more than the number of the profile's "
             "events that are not counters";
    case CGWI_TRACER_FOREIGN:
      return "a tracer's event: the edge is of another profile or no longer "
             "valid; or the fn or file of a position is a handle of another "
             "writer, or of one that was freed";
    case CGWI_TRACER_PAUSED:
      return "a tracer's event: it is paused";
    case CGWI_TRACER_NOT_PAUSED:
      return "cgw_tracer_resume: the tracer is not paused";
    }
  return NULL;
}
