/* reason.h - why a profile or a tracer refused a call.

   Their calls may interrupt one another and those of the writer, so a reason is
   a number, which an atomic variable holds beside the status.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_REASON_H
#define CGWI_REASON_H 1

enum cgwi_reason
{
  CGWI_NO_REASON, /* the status says it all */
  CGWI_BUSY,
  CGWI_COSTS_NULL,
  CGWI_COSTS_MANY,
  CGWI_COST_NO_POS,
  CGWI_COST_FOREIGN,
  CGWI_CALL_NO_FROM,
  CGWI_CALL_NO_TO,
  CGWI_CALL_COUNT,
  CGWI_CALL_FOREIGN_FROM,
  CGWI_CALL_FOREIGN_TO,
  CGWI_STACK_NO_FRAMES,
  CGWI_STACK_COUNT,
  CGWI_STACK_FOREIGN,
  CGWI_ROOT_FOREIGN,
  CGWI_TRACER_NULL,
  CGWI_TRACER_COUNTERS,
  CGWI_TRACER_COSTS,
  CGWI_TRACER_FOREIGN,
  CGWI_TRACER_PAUSED,
  CGWI_TRACER_NOT_PAUSED
};

/* Return a sentence, or NULL for CGWI_NO_REASON.  */
const char *cgwi_reason_text (enum cgwi_reason reason);

#endif
