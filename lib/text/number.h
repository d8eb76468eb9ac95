/* number.h - a text, or uint64_t as decimal or as 0x-hex, at a pointer.

   The put functions write at p, unchecked, and return the end.  They may
   touch up to CGWI_NUMBER_SLACK bytes behind it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_NUMBER_H
#define CGWI_NUMBER_H 1

#include <stdint.h>
#include <string.h>

#define CGWI_NUMBER_MAX 20  /* bytes of the longest number, either form */
#define CGWI_NUMBER_SLACK 8 /* short texts are copied as 4 bytes */

static inline char *
cgwi_put_text (char *p, const char *text)
{
  size_t n = strlen (text);

  memcpy (p, text, n);
  return p + n;
}

/* The texts of 0 to 999, ready to copy: almost all numbers in real profiles
   are that small.  */
struct cgwi_small
{
  char bytes[8]; /* one array, because copies of four bytes overlap */
};

/* What is where in the bytes: a blank and the text, the text with leading
   zeros, its length.  */
enum
{
  CGWI_BLANK = 0,
  CGWI_TEXT_OF_SMALL = 1,
  CGWI_PADDED = 4,
  CGWI_LENGTH = 7
};

extern const struct cgwi_small cgwi_small[1000];

/* Return the length of n in decimal, and in hex with "0x".  */
unsigned cgwi_decimal_length (uint64_t n);
unsigned cgwi_hex_length (uint64_t n);

/* Write any number.  */
char *cgwi_put_decimal (char *p, uint64_t n);

char *cgwi_put_hex (char *p, uint64_t n);

/* Write a number below a million, without a function call; NULL: it is not. */
static inline char *
cgwi_put_fast_decimal (char *p, uint64_t n)
{
  uint64_t thousands = n / 1000;

  if (n < 1000)
    {
      memcpy (p, cgwi_small[n].bytes + CGWI_TEXT_OF_SMALL, 4);
      return p + cgwi_small[n].bytes[CGWI_LENGTH];
    }
  if (thousands >= 1000)
    return NULL;
  memcpy (p, cgwi_small[thousands].bytes + CGWI_TEXT_OF_SMALL, 4);
  p += cgwi_small[thousands].bytes[CGWI_LENGTH];
  memcpy (p, cgwi_small[n - thousands * 1000].bytes + CGWI_PADDED, 4);
  return p + 3;
}

/* The same functions, with a blank before the number.  */
static inline char *
cgwi_put_fast_cost (char *p, uint64_t n)
{
  if (__builtin_expect (n < 1000, 1))
    {
      memcpy (p, cgwi_small[n].bytes + CGWI_BLANK, 4);
      return p + 1 + cgwi_small[n].bytes[CGWI_LENGTH];
    }
  *p = ' ';
  return cgwi_put_fast_decimal (p + 1, n);
}

static inline char *
cgwi_put_cost (char *p, uint64_t n)
{
  char *end = cgwi_put_fast_cost (p, n);

  return end != NULL ? end : cgwi_put_decimal (p + 1, n);
}

#endif
