/* notes.h - what an agent, the part of a profiler that is preloaded into the
   program, notes of the process and of what it has mapped.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef NOTES_H
#define NOTES_H 1

#include <stdint.h>

enum
{
  SAMPLE_BASE_FRAMES = 6, /* what is remembered of a thread's outermost ones */
  SAMPLE_NOTE_BYTES = 4096,
  SAMPLE_NOTE_WORDS = 6, /* before the bytes */
  SAMPLE_NOTE_PLACE = 3,  /* words: where a region begins, ends and lies in the
                             file */
  SAMPLE_NOTE_INODE = 3,  /* of a note of what is mapped: this word, ... */
  SAMPLE_NOTE_NUMBER = 4, /* ... and that of its number */
  SAMPLE_NOTE_FRAMES = SAMPLE_NOTE_WORDS + SAMPLE_NOTE_BYTES / 8
};

/* A note is a sample, too: its "addresses" are words, then a string, and its
   tag is the process's number and the kind.  */
enum sample_note
{
  SAMPLE_NOTE_PROCESS, /* pid, start time, the program's device and inode,
                          0, length; the arguments, each with its NUL */
  SAMPLE_NOTE_MAP      /* a region's place, inode, number (that of the process's
                          first one is 1), length; path; places of more regions
                          of that file, behind a whole number of words */
};

struct sample_note_head
{
  uint64_t word[SAMPLE_NOTE_WORDS - 1];
  uint64_t length;
};

#endif /* NOTES_H */
