/* packed.h - the bytes of a packed profile.

   A packed profile is the same on every machine.  Numbers are unsigned, seven
   bits a byte, the lowest first, with the top bit set in all bytes but the
   last.  A difference d, or a cost d of a signed event, is the number 2 d, or
   -2 d - 1 if it is negative.

     "cgwpack" version             eight bytes
     n_events positions
     status                        why the profile is incomplete, or 0
     1 or 0, n_events times        whether an event is signed
     records                       in the order of the file that they make
     0                             no more records
     checksum                      four bytes, the lowest first, of all before

   A record is

     1 position costs              self costs
     2 position fn count target costs
                                   calls of a function; the target is an
                                   address and a line, or two zeros

   with a position

     fn source instr line          source is 0 for the function's own file, or
                                   else a file's reference plus 1; address and
                                   line are differences to the record before

   A reference to a name is its number in the order of first appearance, and if
   that is a new one, the name follows: of an object or file a length and the
   bytes, of a function its file's and object's references before that.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PACKED_H
#define CGWI_PACKED_H 1

#include <stddef.h>
#include <stdint.h>

#define CGWI_PACK_MAGIC "cgwpack\3" /* with the version */
#define CGWI_PACK_MAGIC_SIZE 8
#define CGWI_PACK_CHECKSUM_SIZE 4

enum cgwi_pack_tag
{
  CGWI_PACK_END = 0,
  CGWI_PACK_SELF = 1,
  CGWI_PACK_CALL = 2
};

#define CGWI_PACK_SUM_START UINT32_C (2166136261)

/* Continue a checksum (FNV-1a).  It is for accidents, not against malice.  */
static inline uint32_t
cgwi_pack_sum (uint32_t sum, const unsigned char *bytes, size_t n)
{
  for (size_t i = 0; i < n; i++)
    sum = (sum ^ bytes[i]) * UINT32_C (16777619);
  return sum;
}

#endif
