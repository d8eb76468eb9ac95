/* phrase.h - phrases for errno.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PHRASE_H
#define CGWI_PHRASE_H 1

#include <stdbool.h>

/* Return what an errno of open, write or close says about a file; is_file: one
   that CGW_EFILE has.  Not strerror, which reads the locale and is not
   async-signal-safe.  */
const char *cgwi_phrase (bool is_file, int error);

#endif
