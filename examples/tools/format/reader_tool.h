/* reader_tool.h - the option --for of the tools.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef READER_TOOL_H
#define READER_TOOL_H 1

#include "reader.h"

/* Returns the reader that is meant, or ends the program.  */
const struct reader *reader_option (const char *text);

/* Prints what the reader does not show of a file, a line for each limit that it
   has.  */
void reader_say (const struct reader *r, unsigned limits, const char *file);

#endif /* READER_TOOL_H */
