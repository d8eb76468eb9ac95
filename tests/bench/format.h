/* format.h - a small vsnprintf: what formatting takes at least.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef FORMAT_H
#define FORMAT_H 1

#include <stdarg.h>
#include <stddef.h>

/* With the contract of vsnprintf, for these forms: %s, and %lu and %lx for an
   unsigned long.  All else stands for itself.  */
int format (char *p, size_t size, const char *form, va_list args);

#endif /* FORMAT_H */
