/* cgin_message.c - what the reader says of the file: errors, comments and
   warnings.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin_impl.h"

#include <stdio.h>

bool
cgin_fail (struct cgin *in, const char *reason)
{
  in->error->line = in->lines.number;
  snprintf (in->error->text, sizeof in->error->text, "%s", reason);
  return false;
}

bool
cgin_fail_at (struct cgin *in, const char *reason, const char *text)
{
  char quote[41];
  size_t n;

  for (n = 0; n < sizeof quote - 1 && text[n]; n++)
    quote[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
  quote[n] = '\0';
  in->error->line = in->lines.number;
  snprintf (in->error->text, sizeof in->error->text, "%s: \"%s%s\"", reason,
            quote, text[n] ? "..." : "");
  return false;
}

bool
cgin_comment (struct cgin *in, const char *text)
{
  return in->sink->comment == NULL
         || cgin_check (in, in->sink->comment (in->sink->context, text));
}

void
cgin_warn (const struct cgin *in, const char *text)
{
  if (in->sink->warn != NULL)
    in->sink->warn (in->sink->context, in->lines.number, text);
}
