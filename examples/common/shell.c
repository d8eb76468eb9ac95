/* shell.c - prints words for a command that the user may copy.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "shell.h"

#include <string.h>

void
shell_print_word (FILE *to, const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789%+,-./:=@_";

  fputc (' ', to);
  if (*word != '\0' && word[strspn (word, plain)] == '\0')
    {
      fputs (word, to);
      return;
    }
  fputc ('\'', to);
  for (; *word != '\0'; word++)
    if (*word == '\'')
      fputs ("'\\''", to);
    else
      fputc (*word, to);
  fputc ('\'', to);
}
