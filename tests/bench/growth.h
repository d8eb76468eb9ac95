/* growth.h - whether a record costs the same after many others, and among many
   names.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef GROWTH_H
#define GROWTH_H 1

#include "contender.h"

/* Cost per line from 10^4 to 10^most lines.  */
void grow_lines (unsigned most, size_t runs);

/* Cost per record from 10^2 to 10^most names, and cost and memory of adding
   the names.  */
void grow_names (unsigned most, size_t runs);

/* The library with a workload, in memory, ready to run.  */
struct grown
{
  struct workload w;
  struct sink sink;
  struct script script;
  void *context;
};

void grown_open (struct grown *g);
void grown_close (struct grown *g);

/* Thread processor time for the workload's records from `first` on, the whole
   so many times.  */
double grown_run (struct grown *g, size_t first, size_t times);

/* Prints "NAME_1eDIGITS" as a figure.  */
void print_power (const char *name, unsigned digits, double value);

#endif /* GROWTH_H */
