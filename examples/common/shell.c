/* shell.c - words of a command that the user may copy.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "shell.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

char *
shell_word (const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789%+,-./:=@_";
  char *word, *to;

  if (*text != '\0' && text[strspn (text, plain)] == '\0')
    return copy_text (text);
  to = word = resize (NULL, 4 * strlen (text) + 3, 1);
  *to++ = '\'';
  for (; *text != '\0'; text++)
    {
      if (*text == '\'')
        to = stpcpy (to, "'\\'");
      *to++ = *text;
    }
  strcpy (to, "'");
  return word;
}

void
shell_print_word (FILE *to, const char *text)
{
  char *word = shell_word (text);

  fprintf (to, " %s", word);
  free (word);
}

void
shell_print_file (FILE *to, const char *path)
{
  char *word = shell_word (path);

  fprintf (to, " %s%s", *path == '-' ? "./" : "", word);
  free (word);
}
