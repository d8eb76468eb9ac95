/* preload.h - preloads a shared object of the tool into a program, or tells why
   that is not possible.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PRELOAD_H
#define PRELOAD_H 1

#include <stdbool.h>

/* Returns why nothing can be preloaded into a program, or NULL.  Names are
   looked up in PATH as execvp does; scripts are looked at through their
   interpreters.  A program that is not found is for exec to complain of.
   *culprit is set to the file that is meant, and is the caller's to free.  */
const char *preload_check (const char *program, char **culprit);

/* Returns the path of the shared object, which is the caller's to free: beside
   the tool, when that was not installed, or where it was installed.  NULL:
   *reason says why not.  */
char *preload_find (const char *name, const char **reason);

/* The same of a shared object that LD_PRELOAD does not name.  */
char *preload_locate (const char *name, const char **reason);

/* Returns the path of a program, which is the caller's to free; or NULL.  Looks
   in PATH, as execvp does.  */
char *preload_program (const char *name);

/* Puts a path before what the environment preloads already.  False: no
   memory.  */
bool preload_set (const char *path);

#endif /* PRELOAD_H */
