/* resolved.c - writes what symbols/resolve.c says of locations, as a
   profile.

   resolved [-f] [-s SYMFS] [-d DEBUG-PATH] {[-b BUILD-ID] [-i INODE]
   [-t START-TIME] [-c] PATH OFFSET}...: each place in a file, with its inlined
   functions (-f), is a stack that costs 1.  With -c the place is the call that
   returns to an address, not an offset.

   SPDX-License-Identifier: MIT  */

#include "base/memory.h"
#include "base/outfile.h"
#include "base/tool.h"
#include "symbols/maps.h"
#include "symbols/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tool tool = { .name = "resolved", .usage = "", .help = "" };

static void
read_build_id (struct object *object, const char *text)
{
  unsigned byte;

  object->build_id_size = 0;
  while (object->build_id_size < OBJECT_BUILD_ID && strlen (text) > 1
         && sscanf (text, "%2x", &byte) == 1)
    {
      object->build_id[object->build_id_size++] = (unsigned char) byte;
      text += 2;
    }
}

static void
add (struct cgw_profile *profile, struct resolver *r, struct location location,
     bool is_call)
{
  struct places places = resolve (r, location, is_call);
  struct cgw_pos frames[64];
  uint64_t one = 1;

  for (uint32_t i = 0; i < places.n; i++)
    frames[i] = places.at[i].pos;
  cgw_profile_stack (profile, frames, places.n, 1, &one, 1);
}

int
main (int argc, char **argv)
{
  struct cgw_event event = { .name = "Places" };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_profile *profile;
  struct cgw_writer *w;
  struct maps maps = { 0 };
  struct resolver r = { 0 };
  struct object object = { 0 };
  bool is_call = false;
  int option;

  tool_begin (&tool);
  names = new_names ();
  profile = new_profile (names, 1, CGW_INSTR_LINE);
  maps_begin (&maps);
  while (optind < argc)
    if ((option = getopt (argc, argv, "+cfs:d:b:i:t:")) == -1)
      {
        struct location location;

        if (r.names == NULL)
          {
            resolver_open_many ();
            resolver_begin (&r, &maps, names);
          }
        object.path = argv[optind];
        location.object = maps_object (&maps, &object);
        location.offset = strtoull (argv[optind + 1], NULL, 0);
        if (is_call
            && !resolver_locate (&r, location.object, location.offset - 1,
                                 &location))
          return 1;
        add (profile, &r, location, is_call);
        optind += 2;
        object = (struct object){ 0 };
        is_call = false;
      }
    else if (option == 'c')
      is_call = true;
    else if (option == 'f')
      r.inline_functions = true;
    else if (option == 's')
      r.symfs = optarg;
    else if (option == 'd')
      r.debug_path = optarg;
    else if (option == 'b')
      read_build_id (&object, optarg);
    else if (option == 'i')
      object.inode = strtoull (optarg, NULL, 10);
    else
      object.start_time = strtoull (optarg, NULL, 10);
  part.events = &event;
  part.n_events = 1;
  part.positions = CGW_INSTR_LINE;
  if (outfile_open ("-") < 0)
    return 1;
  w = outfile_writer (names, 0, NULL);
  cgw_profile_write (profile, w, &part);
  cgw_profile_free (profile);
  resolver_end (&r);
  maps_end (&maps);
  option = outfile_finish ("-", w) ? 0 : 1;
  cgw_names_free (names);
  return option;
}
