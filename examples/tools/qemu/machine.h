/* machine.h - which QEMU runs a program, and with which libraries.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MACHINE_H
#define MACHINE_H 1

#include <stdbool.h>

/* A program, as its ELF header says.  */
struct machine
{
  const char *qemu;     /* the name of QEMU's command; NULL: it has none */
  const char *triplet;  /* of the processor and system, in folders' names, or
                           NULL */
  const char *package;  /* of Debian, which has its C library; or NULL */
  char *interpreter;    /* the dynamic linker; NULL: the program is static */
};

/* Finds out what a program is.  NULL, or why that is not known.  Free the
   interpreter.  m NULL: an ELF file of any processor will do.  */
const char *machine_of (const char *path, struct machine *m);

/* The folder that has the program's dynamic linker, to be freed: "" if the
   system has it.  NULL: none was found.  */
char *machine_sysroot (const struct machine *m, const char *path);

/* Whether a folder has the dynamic linker of a program that is not static.  */
bool machine_has_linker (const struct machine *m, const char *folder);

#endif /* MACHINE_H */
