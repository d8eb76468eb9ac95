/* sentence.h - sentences that explain an error: which argument is wrong, and
   what is allowed.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SENTENCE_H
#define CGWI_SENTENCE_H 1

#include <stdbool.h>

#define CGWI_SENTENCE_MAX 640

/* A text that ends in a NUL; "" says nothing.  */
struct cgwi_sentence
{
  char text[CGWI_SENTENCE_MAX];
};

/* Write a sentence by a pattern, in which these are replaced:
   - %s: a string, as it is;
   - %q: a string of the caller's, in quotation marks, escaped, and cut if it
     is long;
   - %u: an unsigned, in decimal; %x: the same in hex; %U: a uint64_t;
   - %%: a "%".
   Return false, so that a check can end with it.  Async-signal-safe.  */
bool cgwi_say (struct cgwi_sentence *s, const char *pattern, ...);

#endif
