#!/bin/sh
# races.sh - ThreadSanitizer on threads and their handlers that share a writer.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  Wants clang, whose sanitizer knows all atomics.

srcdir=$(cd "${srcdir:-.}" && pwd)
dir=$(pwd)/races.tmp

echo 1..2
rm -rf "$dir" && mkdir "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
echo 'int main (void) { return 0; }' >"$dir/empty.c"
if ! clang -fsanitize=thread "$dir/empty.c" -o "$dir/empty" 2>/dev/null; then
  echo "ok 1 - builds with ThreadSanitizer # SKIP no clang with its runtime"
  echo "ok 2 - no data race # SKIP no clang with its runtime"
  exit
fi

clang -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -pthread \
  -I"$srcdir/include" "$srcdir"/lib/*.c "$srcdir/tests/programs/races.c" \
  -o "$dir/races" >&2
test $? = 0 || printf 'not '
echo "ok 1 - builds with ThreadSanitizer"

TSAN_OPTIONS=halt_on_error=0:exitcode=66 "$dir/races" >&2
test $? = 0 || printf 'not '
echo "ok 2 - no data race"
