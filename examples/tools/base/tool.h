/* tool.h - options, messages and exit statuses of all tools.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TOOL_H
#define TOOL_H 1

#include <cgw.h>

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

struct tool
{
  const char *name;
  const char *usage;    /* what follows the name on the command line */
  const char *help;     /* what follows that in --help */
  const char *letters;  /* short options as for getopt, without h and V */
  const struct option *options; /* long ones; they end with TOOL_OPTIONS */
  bool runs_program;    /* the options end at the program's name */
  bool is_plugin;       /* of another program, whose streams stay as they are */
  int failed;           /* exit status of an error; 0: TOOL_FAILED, or that of
                           a tool that runs a program, TOOL_NOT_RUN */
};

enum
{
  TOOL_HELP = 'h',
  TOOL_VERSION = 'V'
};

#define TOOL_OPTIONS                                                          \
  { "help", no_argument, NULL, TOOL_HELP },                                   \
  { "version", no_argument, NULL, TOOL_VERSION }, { NULL, 0, NULL, 0 }

/* Exit statuses.  A tool that runs a program has those of env(1) and nohup(1),
   for others are the program's.  */
enum
{
  TOOL_FAILED = 1,
  TOOL_WRONG_USAGE = 2,
  TOOL_NOT_RUN = 125,
  TOOL_NOT_EXECUTABLE = 126,
  TOOL_NOT_FOUND = 127
};

/* Call this first.  *t must live as long as the program.  */
void tool_begin (const struct tool *t);

/* As getopt_long: returns the next option, or -1 after the last one.  --help,
   --version and what is no option end the program.  */
int tool_option (int argc, char **argv);

/* The exit status of an error.  */
int tool_failed (void);

/* Prints what is wrong with the command line, and ends the program.  `what` may
   be "".  */
void tool_usage_error (const char *reason, const char *what)
    __attribute__ ((noreturn));

/* Returns a number from 1 to `most`, or ends the program.  `option` is what the
   number belongs to.  */
uint64_t tool_number (const char *option, const char *text,
                      unsigned long most);

/* Prints what is wrong with a file, and the line if it is not 0.  Returns
   false.  */
bool tool_complain (const char *file, uint64_t line, const char *reason);

/* Returns the name of an input for messages; "-" is the standard input.  */
const char *tool_input_name (const char *path);

/* Opens an input.  Returns the descriptor, or -1 after printing a message.  */
int tool_open_input (const char *path);

/* Flushes the standard output.  False: it failed; a message was printed.  */
bool tool_flush (void);

/* Why a program cannot be executed: what errno's value means, or that it lies
   in this folder.  Valid until the next call.  */
const char *tool_why_not (const char *program, int error);

/* Prints that a program cannot be executed, with the reason in errno.  Returns
   the exit status.  */
int tool_cannot_execute (const char *program);

/* Prints what was done with a file, as tool_complain prints an error.  */
void tool_say (const char *file, uint64_t line, const char *text);

/* Prints a warning, as tool_complain prints an error.  */
void tool_warn (const char *file, uint64_t line, const char *reason);

#endif /* TOOL_H */
