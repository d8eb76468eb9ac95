/* system.h - feature test macros for the system's headers, with configure or
   without.  Include it before any other header.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SYSTEM_H
#define CGWI_SYSTEM_H 1

/* POSIX, also with -std=c11, and MADV_WIPEONFORK.  */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif

/* rand_s of Windows.  */
#ifndef _CRT_RAND_S
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl*): Microsoft's name */
# define _CRT_RAND_S 1
#endif

/* Files of 2 GiB and more on 32 bits.  No struct or call between the sources
   depends on it.  */
#ifndef _FILE_OFFSET_BITS
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl*): POSIX's name */
# define _FILE_OFFSET_BITS 64
#endif

#endif
