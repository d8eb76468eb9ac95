/* fixture.c - a profile in memory, as input of a test: of a program that reads
   profiles, for example.
     cc fixture.c -o fixture $(pkg-config --cflags --libs cgw)
     ./fixture
   The same calls write the same bytes, on any machine, so a test may compare
   them.  SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <stdio.h>
#include <string.h>

struct file
{
  char bytes[1000];
  size_t n;
};

/* Like write(2): returns how many bytes it took.  */
static ssize_t
append (void *context, const void *bytes, size_t n)
{
  struct file *file = context;
  if (n > sizeof file->bytes - 1 - file->n)
    return -1;
  memcpy (file->bytes + file->n, bytes, n);
  file->n += n;
  return (ssize_t) n;
}

/* The example of the format's document: main calls func1.  */
static enum cgw_status
make_fixture (struct file *file)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_writer *w;
  options.flags = CGW_PLAIN_NAMES | CGW_ABSOLUTE; /* easier to read */
  options.creator = "fixture"; /* not libcgw's version, which changes */
  options.write = append;
  options.write_context = file;
  part.events = &(struct cgw_event){ .name = "Instructions" };
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  struct cgw_file source = cgw_add_file (names, "file1.c");
  struct cgw_object none = { 0 };
  struct cgw_pos in_main = { cgw_add_fn (names, "main", source, none),
                             .line = 16 };
  struct cgw_pos in_func1 = { cgw_add_fn (names, "func1", source, none),
                              .line = 51 };
  cgw_open_fd (&w, names, -1, &options); /* the hook needs no descriptor */
  cgw_begin_part (w, &part);
  cgw_cost (w, &in_main, (uint64_t[]){ 20 }, 1);
  cgw_call (w, &in_main, &in_func1, 1, (uint64_t[]){ 400 }, 1);
  cgw_comment (w, "func1 itself");
  cgw_cost (w, &in_func1, (uint64_t[]){ 400 }, 1);
  enum cgw_status status = cgw_finish (w);
  cgw_free (w);
  cgw_names_free (names);
  return status;
}

int
main (void)
{
  struct file file = { .n = 0 };
  enum cgw_status status = make_fixture (&file);
  if (status != CGW_OK)
    fprintf (stderr, "fixture: %s\n", cgw_strerror (status));
  /* A test would give these to the reader.  */
  fwrite (file.bytes, 1, file.n, stdout);
  return status != CGW_OK;
}
