#!/bin/sh
# races.sh - ThreadSanitizer on threads and their handlers that share a writer.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  Wants clang, whose sanitizer knows all atomics.

srcdir=$(cd "${srcdir:-.}" && pwd)
dir=$(pwd)/races.tmp

scenes='all first stall fork wait'

echo 1..6
rm -rf "$dir" && mkdir "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
echo 'int main (void) { return 0; }' >"$dir/empty.c"
if ! clang -fsanitize=thread "$dir/empty.c" -o "$dir/empty" 2>/dev/null; then
  echo "ok 1 - builds with ThreadSanitizer # SKIP no clang with its runtime"
  n=1
  for scene in $scenes; do
    n=$((n + 1))
    echo "ok $n - no data race, $scene # SKIP no clang with its runtime"
  done
  exit
fi

clang -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -pthread \
  -I"$srcdir/include" "$srcdir"/lib/*.c "$srcdir"/lib/*/*.c \
  "$srcdir/tests/programs/races.c" \
  -o "$dir/races" >&2
test $? = 0 || printf 'not '
echo "ok 1 - builds with ThreadSanitizer"

n=1
for scene in $scenes; do
  n=$((n + 1))
  TSAN_OPTIONS=halt_on_error=0:exitcode=66 timeout 120 "$dir/races" $scene >&2
  test $? = 0 || printf 'not '
  echo "ok $n - no data race, $scene"
done
