/* tool_messages.c - examples/tools/base/tool.c, whose messages go into memory
   instead of the standard error: a sanitizer's reports stay there.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool_run.h"

#include <stdio.h>

#undef stderr
#define stderr (tool_messages ())

/* Such a stream has a buffer of its own.  */
#undef setvbuf
#define setvbuf(stream, buffer, mode, size) ((void) (buffer))

#include "base/tool.c"
