/* number.h - uint64_t as decimal and as 0x-hex, at a pointer.

   The put functions write at p, unchecked, and return the end.  They may
   touch up to CGWI_NUMBER_SLACK bytes behind it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_NUMBER_H
#define CGWI_NUMBER_H 1

#include <stdint.h>
#include <string.h>

#define CGWI_NUMBER_MAX 20  /* bytes of the longest number, either form */
#define CGWI_NUMBER_SLACK 8 /* short texts are copied as 4 bytes */

/* The texts of 0 to 999, ready to copy: almost all numbers in real profiles
   are that small.  */
struct cgwi_small
{
  char text[4];
  char padded[3]; /* with leading zeros; copied as 4 bytes with the length */
  unsigned char length;
};

extern const struct cgwi_small cgwi_small[1000];

/* Return the length of n in decimal, and in hex with "0x".  */
unsigned cgwi_decimal_length (uint64_t n);
unsigned cgwi_hex_length (uint64_t n);

char *cgwi_put_long_decimal (char *p, uint64_t n);
char *cgwi_put_hex (char *p, uint64_t n);

static inline char *
cgwi_put_decimal (char *p, uint64_t n)
{
  if (n >= 1000)
    return cgwi_put_long_decimal (p, n);
  memcpy (p, cgwi_small[n].text + 1, 4);
  return p + cgwi_small[n].length;
}

/* Write a number below a million, without a function call; NULL: it is not. */
static inline char *
cgwi_put_usual_decimal (char *p, uint64_t n)
{
  uint64_t thousands = n / 1000;

  if (n < 1000)
    {
      memcpy (p, cgwi_small[n].text + 1, 4);
      return p + cgwi_small[n].length;
    }
  if (thousands >= 1000)
    return NULL;
  memcpy (p, cgwi_small[thousands].text + 1, 4);
  p += cgwi_small[thousands].length;
  memcpy (p, cgwi_small[n - thousands * 1000].padded, 4);
  return p + 3;
}

/* The same with a blank before the number.  */
static inline char *
cgwi_put_usual_cost (char *p, uint64_t n)
{
  if (n < 1000)
    {
      memcpy (p, cgwi_small[n].text, 4);
      return p + 1 + cgwi_small[n].length;
    }
  *p = ' ';
  return cgwi_put_usual_decimal (p + 1, n);
}

/* The same for any number.  */
static inline char *
cgwi_put_cost (char *p, uint64_t n)
{
  char *end = cgwi_put_usual_cost (p, n);

  return end != NULL ? end : cgwi_put_long_decimal (p + 1, n);
}

#endif
