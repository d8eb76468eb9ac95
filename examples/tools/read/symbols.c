/* symbols.c - addresses in programs and libraries, and the functions there, for
   inputs that lack them; by libdw, if there is one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "symbols.h"

#include "../base/memory.h"

#include <stdlib.h>

#ifdef HAVE_LIBDW

#include "../symbols/maps.h"
#include "../symbols/resolve.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct symbols
{
  struct maps maps;
  struct resolver resolver;
  struct cgw_pos *positions;
};

struct symbols *
symbols_new (struct import *im)
{
  struct symbols *s = resize (NULL, 1, sizeof *s);

  memset (s, 0, sizeof *s);
  s->resolver.inline_functions = im->options->inline_functions;
  s->resolver.symfs = im->options->symfs;
  s->resolver.debug_path = im->options->debug_path;
  maps_begin (&s->maps);
  resolver_open_many ();
  resolver_begin (&s->resolver, &s->maps, im->names);
  return s;
}

void
symbols_free (struct symbols *s)
{
  resolver_end (&s->resolver);
  maps_end (&s->maps);
  free (s->positions);
  free (s);
}

/* Not every linker's build ID is hexadecimal: Go's is not.  Another is none.  */
static void
read_build_id (struct object *object, const char *hex)
{
  unsigned byte;

  if (hex[strspn (hex, "0123456789abcdefABCDEF")] != '\0')
    return;
  for (; object->build_id_size < OBJECT_BUILD_ID
         && sscanf (hex, "%2x", &byte) == 1 && hex[1] != '\0';
       hex += 2)
    object->build_id[object->build_id_size++] = (unsigned char) byte;
}

static uint32_t
number_of (struct symbols *s, const char *path, const char *build_id)
{
  struct object object = { .path = path };

  read_build_id (&object, build_id);
  return maps_object (&s->maps, &object);
}

/* The first segment of a file, or the one that has an offset.  */
static bool
find_segment (Elf *elf, const uint64_t *offset, GElf_Phdr *p)
{
  size_t n = 0;

  elf_getphdrnum (elf, &n);
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (elf, (int) i, p) != NULL && p->p_type == PT_LOAD
        && (offset == NULL || *offset - p->p_offset < p->p_filesz))
      return true;
  return false;
}

/* As find_segment.  All is 0 if there is no such file.  */
static GElf_Phdr
read_segment (struct symbols *s, const char *path, const char *build_id,
              const uint64_t *offset)
{
  char *found = NULL;
  int fd = resolver_open (&s->resolver, number_of (s, path, build_id), &found);
  GElf_Phdr p = { 0 }, none = { 0 };
  bool ok;
  Elf *elf;

  free (found);
  if (fd < 0)
    return none;
  elf_version (EV_CURRENT);
  elf = elf_begin (fd, ELF_C_READ, NULL);
  ok = find_segment (elf, offset, &p);
  elf_end (elf);
  close (fd);
  return ok ? p : none;
}

uint64_t
symbols_bias (struct symbols *s, const char *path, const char *build_id,
              uint64_t offset)
{
  GElf_Phdr p = read_segment (s, path, build_id, &offset);

  return p.p_vaddr - p.p_offset;
}

uint64_t
symbols_base (struct symbols *s, const char *path, const char *build_id)
{
  return read_segment (s, path, build_id, NULL).p_vaddr;
}

static const struct cgw_pos *
find_positions (struct symbols *s, struct location location, bool is_call,
                uint32_t *n)
{
  struct places places = resolve (&s->resolver, location, is_call);

  *n = places.n;
  s->positions = resize (s->positions, places.n, sizeof *s->positions);
  for (uint32_t i = 0; i < places.n; i++)
    s->positions[i] = places.at[i].pos;
  return s->positions;
}

const struct cgw_pos *
symbols_at (struct symbols *s, const char *path, const char *build_id,
            uint64_t offset, bool is_call, uint32_t *n)
{
  struct location location = { number_of (s, path, build_id), offset };

  return find_positions (s, location, is_call, n);
}

const struct cgw_pos *
symbols_at_address (struct symbols *s, const char *path, const char *build_id,
                    uint64_t address, bool is_call, uint32_t *n)
{
  struct location location = { number_of (s, path, build_id), address };

  resolver_locate (&s->resolver, location.object, address, &location);
  return find_positions (s, location, is_call, n);
}

#else

struct symbols
{
  struct import *im;
  struct cgw_pos unknown;
};

struct symbols *
symbols_new (struct import *im)
{
  struct symbols *s = resize (NULL, 1, sizeof *s);

  s->im = im;
  return s;
}

void
symbols_free (struct symbols *s)
{
  free (s);
}

uint64_t
symbols_bias (struct symbols *s, const char *path, const char *build_id,
              uint64_t offset)
{
  (void) s;
  (void) path;
  (void) build_id;
  (void) offset;
  return 0;
}

const struct cgw_pos *
symbols_at (struct symbols *s, const char *path, const char *build_id,
            uint64_t offset, bool is_call, uint32_t *n)
{
  const struct import_frame frame = { .object = path, .address = offset };

  (void) build_id;
  (void) is_call;
  *n = (uint32_t) import_place (s->im, &frame, 1, &s->unknown);
  return &s->unknown;
}

uint64_t
symbols_base (struct symbols *s, const char *path, const char *build_id)
{
  return symbols_bias (s, path, build_id, 0);
}

const struct cgw_pos *
symbols_at_address (struct symbols *s, const char *path, const char *build_id,
                    uint64_t address, bool is_call, uint32_t *n)
{
  return symbols_at (s, path, build_id, address, is_call, n);
}

#endif
