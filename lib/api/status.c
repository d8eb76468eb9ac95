/* status.c - phrases for statuses, and the version.

   SPDX-License-Identifier: MIT  */

#include "cgw.h"

const char *
cgw_strerror (enum cgw_status status)
{
  switch (status)
    {
    case CGW_OK:
      return "success";
    case CGW_EINVAL:
      return "an argument is missing or outside its range";
    case CGW_EORDER:
      return "no part is open";
    case CGW_EFINISHED:
      return "the writer is finished";
    case CGW_EHANDLE:
      return "a handle is not from this writer";
    case CGW_ECOSTS:
      return "more costs than events";
    case CGW_ENOMEM:
      return "no memory";
    case CGW_EIO:
      return "the file cannot be written";
    case CGW_EAGAIN:
      return "the descriptor takes nothing more just now";
    case CGW_EOVERFLOW:
      return "a sum of costs passed 2^64-1";
    case CGW_EFILE:
      return "the path is not a regular file of the caller's own";
    case CGW_ELOST:
      return "records were lost";
    case CGW_EBUSY:
      return "another call on the writer is under way";
    case CGW_EFORK:
      return "the writer belongs to the parent process";
    }
  return "unknown status";
}

const char *
cgw_version (void)
{
  return CGW_VERSION_STRING;
}
