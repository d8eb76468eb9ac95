#!/bin/sh
# amalgamation.sh - the library as one file, whole or a part of it: each C
# compiler that is here takes it, also for 32 bits and for musl, without
# configure and without a warning; with CGW_STATIC nothing of it is visible; what
# was compiled so takes files of more than 4 GiB; and what the tests of the public
# functions want of the library, they get of it, too.
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS, MAKE.  In the build folder: the
# tests that are named below.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"

# The jobs and variables of the make that runs this are not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
${MAKE-make} amalgamation AMALGAMATION="$dir/one" >"$log" 2>&1 \
  && test "$(ls "$dir/one")" = "cgw.c
cgw.h
cgw.hpp" && cmp "$srcdir/include/cgw.h" "$dir/one/cgw.h" >"$log"
result $? "make amalgamation"

${MAKE-make} amalgamation AMALGAMATION="$dir/again" >"$log" 2>&1 \
  && cmp "$dir/one/cgw.c" "$dir/again/cgw.c" >"$log"
result $? "it writes the same again"

# only WORDS LINES PATTERN: the functions of these words, and no more.
only ()
{
  ${MAKE-make} amalgamation AMALGAMATION="$dir/only" ONLY="$1" >"$log" 2>&1 \
    && (cd "$dir/only" && ${CC-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror \
      -c cgw.c -o cgw.o && nm cgw.o | sed -n 's/.* T //p' >"$log") \
    && ! grep -vE "^cgw_($2)" "$log"
  result $? "ONLY='$1'"
}
only recorder 'recorder_|strerror'
words='names_|add_|(object|file|fn)_name|strerror|version'
only profile "$words|profile_|[a-z]*$|(begin_part|cond_jump|get_stats|open_fd)$"
only 'tracer recorder' .
only writer "$words|[a-z]*$|(begin_part|cond_jump|get_stats|open_fd)$"

! ${MAKE-make} amalgamation AMALGAMATION="$dir/only" ONLY="writer profil" \
  >"$log" 2>&1 && grep -q '^ONLY: profil: want writer, ' "$log"
result $? "a word that ONLY does not know" "$log"

# What a program writes with the library; below it must be the same.
cat >"$dir/program.c" <<'END'
#include <stdio.h>
int
main (void)
{
  struct cgw_names *names;
  struct cgw_writer *w;
  struct cgw_event event = { "Ir", "Instructions", NULL };
  struct cgw_part part = CGW_PART_INIT;
  const uint64_t cost[] = { 5, 6 };
  const char *why;
  part.events = &event;
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  cgw_open_fd (&w, names, 1, NULL);
  cgw_begin_part (w, &part);
  struct cgw_file file = cgw_add_file (names, "a.c");
  struct cgw_object object = cgw_add_object (names, "a");
  struct cgw_pos at = { cgw_add_fn (names, "main", file, object), file, 3, 0 };
  struct cgw_pos to = { cgw_add_fn (names, "f", file, object), file, 70, 0 };
  cgw_cost (w, &at, cost, 1);
  cgw_call (w, &at, &to, 2, cost, 1);
  cgw_cost (w, &to, cost, 1);
  cgw_cost (w, &to, cost, 2);
  enum cgw_status status = cgw_finish (w);
  printf ("%d\n", (int) status);
  cgw_error (w, &why);
  puts (why);
  cgw_free (w);
  cgw_names_free (names);
  return 0;
}
END
# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -include "$srcdir/include/cgw.h" "$dir/program.c" \
  -L.libs -lcgw -o "$dir/program" >"$log" 2>&1 \
  && LD_LIBRARY_PATH=.libs "$dir/program" >"$dir/library.out" \
  && grep -q '^totals: 10$' "$dir/library.out"
result $? "a program with the library" "$dir/library.out"

# takes COMPILER OPTION...: the whole library compiles alone, and takes large
# files; included by a program, it leaves no symbol of the library, and writes
# what the library writes.
echo 'int main (void) { return 0; }' >"$dir/empty.c"
{
  echo '#define CGW_STATIC'
  echo '#include "cgw.c"'
  cat "$dir/program.c"
} >"$dir/one/static.c"
# Where GCC inlines cgw_cost, and knows the array.
cat >"$dir/one/inlined.c" <<'END'
#define CGW_STATIC
#include "cgw.c"
static enum cgw_status
write_one (const char *path, unsigned steps)
{
  struct cgw_names *names;
  struct cgw_writer *w;
  cgw_names_new (&names, NULL);
  cgw_open (&w, names, path, NULL);
  struct cgw_pos at
      = { cgw_add_fn (names, "f", cgw_add_file (names, "a.c"),
                      cgw_add_object (names, "o")), .line = 3 };
  uint64_t cost = steps;
  cgw_cost (w, &at, &cost, 1);
  return cgw_finish (w);
}
enum cgw_status run_it (void);
enum cgw_status
run_it (void)
{
  return write_one ("out", 5);
}
END
makes_programs () # COMPILER-AND-FLAGS...: are there any, and do they run here?
{
  "$@" "$dir/empty.c" -o "$dir/empty" >"$log" 2>&1 && "$dir/empty"
}

takes ()
{
  if ! makes_programs "$@"; then
    skip "$*" "there is no such compiler, or its programs do not run here"
    return
  fi
  (cd "$dir/one" && "$@" -Wall -Wextra -Wpedantic -Werror \
    -c cgw.c -o cgw.o) >"$log" 2>&1
  result $? "$*: it compiles alone"
  large_files "$*" "$dir/one/cgw.o" "$@"
  (cd "$dir/one" && "$@" -c -I. -Wall -Wextra -Werror static.c -o static.o \
    && nm static.o >symbols && ! grep '[^trdbn] _*cgw' symbols \
    && "$@" -x none static.o -o static && ./static >out \
    && cmp out ../library.out \
    && "$@" -c -I. -Wall -Wextra -Werror inlined.c) >"$log" 2>&1
  result $? "$*: CGW_STATIC"
}

large_files () # NAME OBJECTS COMPILER-AND-FLAGS...
{
  name="$1: files of more than 4 GiB" objects=$2
  shift 2
  # shellcheck disable=SC2086 # they are words
  "$@" -I"$srcdir/include" "$srcdir/tests/programs/large_file.c" $objects \
    -pthread -o "$dir/large" >"$log" 2>&1 && "$dir/large" "$dir/profile"
  status=$?
  rm -f "$dir/profile"
  if test $status = 77; then
    skip "$name" "the file system has none"
  else
    result $status "$name"
  fi
}

# Optimizing finds more to warn of.  What another language or C library would
# find does not need it, and takes a quarter of the time without.
# (-Wno-psabi: as in configure.ac.)
bits_32='i686-linux-gnu-gcc -static -std=gnu11 -O2 -Wno-psabi'
takes gcc -std=gnu11 -O2
takes clang -std=gnu11 -O2
# shellcheck disable=SC2086 # flags are words
takes $bits_32
takes musl-gcc -static -std=gnu11 -O0

# C++ has cgw.h and cgw.hpp, and says so.
if ! ${CXX-c++} --version >"$log" 2>&1; then
  skip "C++ with the one file" "there is no C++ compiler"
else
  echo '#include "cgw.hpp"
  int main () { cgw::names names; return cgw_names_error (names.get (), 0); }' \
    >"$dir/one/user.cc"
  # shellcheck disable=SC2086 # flags are words
  (cd "$dir/one" && ${CC-cc} $CFLAGS -c cgw.c -o cgw.o \
    && ${CXX-c++} $CFLAGS -std=c++17 -Wall -Wextra -Wpedantic -Werror user.cc \
      cgw.o $LDFLAGS -o user && ./user) >"$log" 2>&1
  result $? "C++ with the one file"
  ! ${CXX-c++} -x c++ -fsyntax-only "$dir/one/cgw.c" >"$log" 2>&1 \
    && grep -q 'cgw.c is C: compile it with a C compiler' "$log"
  result $? "cgw.c as C++ says that it is C"
fi

# There, each source must ask for large files itself, and all must agree on how
# long an inode's number is.
# shellcheck disable=SC2086 # flags are words
if makes_programs $bits_32; then
  mkdir "$dir/objects"
  # shellcheck disable=SC2046,SC2086 # flags and files are words
  (cd "$dir/objects" && $bits_32 -I"$srcdir/include" -c \
    $(find "$srcdir/lib" -name '*.c')) >"$log" 2>&1
  large_files "32 bits, source by source" "$(echo "$dir"/objects/*.o)" $bits_32
else
  skip "32 bits, source by source" \
    "there is no such compiler, or its programs do not run here"
fi

# Plug-ins, each with a copy, do not meet: they export what is theirs alone.  In a
# build that counts, gcc would count these, too, and show names of its own.
plain_ldflags=$(echo "${LDFLAGS-}" | sed 's/--coverage//g')
cat >"$dir/plugin.c" <<'END'
#ifdef CGW_STATIC
#include "cgw.c"
#else
#include "cgw.h"
#endif
extern __attribute__ ((visibility ("default"))) void *f (void);
void *f (void) { return (void *) cgw_open_fd; }
END
plugin () # NAME OPTION...
{
  name=$1
  shift
  # shellcheck disable=SC2086 # flags are words
  ${CC-cc} $CFLAGS $plain_ldflags -Wall -Wextra -Werror -fPIC -shared \
    -I"$dir/one" "$@" "$dir/plugin.c" -o "$dir/plugin.so" >"$log" 2>&1 \
    && nm -D --defined-only "$dir/plugin.so" >"$log" 2>&1 \
    && test "$(sed -n 's/.* [A-Z] //p' "$log")" = f
  result $? "$name"
}
plugin "a plug-in with CGW_STATIC exports nothing of the library" -DCGW_STATIC
plugin "nor with CGW_API and -fvisibility=hidden" "$dir/one/cgw.c" \
  -fvisibility=hidden -DCGW_API=MINE -DMINE=

# The tests of the public functions, with this as the shared library.
if ! test -f .libs/libcgw.so.1; then
  skip "the tests of the public functions" "no shared library was built"
else
  # shellcheck disable=SC2086 # flags are words
  ${CC-cc} -std=c11 $CFLAGS $LDFLAGS -fPIC -fvisibility=hidden -shared \
    -Wl,-soname,libcgw.so.1 "$dir/one/cgw.c" -o "$dir/libcgw.so.1" \
    >"$log" 2>&1
  result $? "it becomes a shared library"
  LD_LIBRARY_PATH=$dir
  export LD_LIBRARY_PATH
  for test in api/test_same_bytes api/test_statuses profile/test_profile \
    test_recorder tracer/test_tracer; do
    program=tests/$(dirname $test)/.libs/$(basename $test)
    ldd "$program" >"$log" && grep -q "$dir/libcgw.so.1" "$log" \
      && "$program" >"$log" 2>&1
    result $? "$test" "$log"
  done
fi
done_testing
