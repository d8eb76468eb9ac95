/* shell.c - words of a command that the user may copy.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "shell.h"

#include "memory.h"
#include "text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
is_printable (const char *text)
{
  size_t length = 1, bad;

  for (; *text != '\0' && length != 0; text += length)
    length = printable_length (text, &bad);
  return length != 0;
}

/* The form of word that shows what a terminal would obey.  */
static char *
escaped_word (const char *text)
{
  char *word = resize (NULL, 4 * strlen (text) + 4, 1);
  char *to = stpcpy (word, "$'");
  size_t length, bad;

  for (; *text != '\0'; text += length)
    if ((length = printable_length (text, &bad)) == 0)
      for (; length < bad; length++)
        to += sprintf (to, "\\%03o", (unsigned) (unsigned char) text[length]);
    else
      {
        if (*text == '\'' || *text == '\\')
          *to++ = '\\';
        memcpy (to, text, length);
        to += length;
      }
  strcpy (to, "'");
  return word;
}

char *
shell_word (const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789%+,-./:=@_";
  char *word, *to;

  if (*text != '\0' && text[strspn (text, plain)] == '\0')
    return copy_text (text);
  if (!is_printable (text))
    return escaped_word (text);
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
