#!/bin/sh
# amalgamation.sh - the library as one file: it compiles alone, by each compiler
# that is here, without configure and without a warning; and what the tests of
# the public functions want of the library, they get of it, too.
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS, MAKE; CGW_STRESS: if set, all
# these tests.  In the build folder: the tests that are named below.
# SPDX-License-Identifier: MIT

srcdir=$(cd "${srcdir-.}" && pwd) || exit 1
. "$srcdir/tests/support/tap.sh"
log=$dir/log

# The jobs and variables of the make that runs this are not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
${MAKE-make} amalgamation AMALGAMATION="$dir/one" >"$log" 2>&1 \
  && test "$(ls "$dir/one")" = "cgw.c
cgw.h" && cmp "$srcdir/include/cgw.h" "$dir/one/cgw.h" >"$log"
result $? "make amalgamation"

${MAKE-make} amalgamation AMALGAMATION="$dir/again" >"$log" 2>&1 \
  && cmp "$dir/one/cgw.c" "$dir/again/cgw.c" >"$log"
result $? "it writes the same again"

cd "$dir/one" || exit 1
alone () # COMPILER...
{
  if ! "$@" --version >/dev/null 2>&1 || ! "$@" -x c -c /dev/null \
      -o "$dir/nothing.o" 2>/dev/null; then
    skip "$*" "it is not here"
    return
  fi
  "$@" -std=c11 -O2 -Wall -Wextra -Werror -c cgw.c -o "$dir/cgw.o" \
    >"$log" 2>&1
  result $? "$*: it compiles alone"
}
alone gcc
alone gcc -fanalyzer
alone clang
alone musl-gcc
alone i686-linux-gnu-gcc

# The tests of the public functions, with this as the shared library.
cd "$OLDPWD" || exit 1
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
  tests="api/test_same_bytes api/test_statuses core/test_parts \
    format/test_cachegrind format/test_header format/test_lines \
    output/test_create profile/test_profile tracer/test_tracer test_recorder"
  # All that are linked with the shared library, which takes some minutes.
  test -z "${CGW_STRESS-}" || tests="$tests api/test_errors \
    core/test_handles core/test_states format/test_strings gate/test_gate \
    output/test_faults output/test_recreate"
  for test in $tests; do
    program=tests/$(dirname $test)/.libs/$(basename $test)
    ldd "$program" >"$log" && grep -q "$dir/libcgw.so.1" "$log" \
      && "$program" >"$log" 2>&1
    result $? "$test" "$log"
  done
fi
echo "1..$number"
test $failures = 0
