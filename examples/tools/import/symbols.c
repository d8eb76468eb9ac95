/* symbols.c - the functions at addresses, for inputs that have no names; by
   libdw, if there is one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "symbols.h"

#include "../base/memory.h"

#include <stdlib.h>

#ifdef HAVE_LIBDW

#include "../symbols/maps.h"
#include "../symbols/resolve.h"

#include <stdio.h>
#include <string.h>

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

static void
read_build_id (struct object *object, const char *hex)
{
  unsigned byte;
  int n;

  for (; object->build_id_size < OBJECT_BUILD_ID
         && sscanf (hex, "%2x%n", &byte, &n) == 1 && n == 2;
       hex += 2)
    object->build_id[object->build_id_size++] = (unsigned char) byte;
}

const struct cgw_pos *
symbols_at (struct symbols *s, const char *path, const char *build_id,
            uint64_t offset, bool is_call, uint32_t *n)
{
  struct object object = { .path = path };
  struct location location = { .offset = offset };
  struct places places;

  read_build_id (&object, build_id);
  location.object = maps_object (&s->maps, &object);
  places = resolve (&s->resolver, location, is_call);
  *n = places.n;
  s->positions = resize (s->positions, places.n, sizeof *s->positions);
  for (uint32_t i = 0; i < places.n; i++)
    s->positions[i] = places.at[i].pos;
  return s->positions;
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

#endif
