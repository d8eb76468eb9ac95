#!/bin/sh
# races.sh - ThreadSanitizer on threads that share names, writers and profiles.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  Wants clang, whose sanitizer knows all atomics.
# The tests run without Criterion, which the sanitizer does not bear.

srcdir=$(cd "${srcdir:-.}" && pwd)
tests=$srcdir/tests
. "$tests/support/tap.sh"
ulimit -S -v unlimited # ThreadSanitizer needs more.

echo 'int main (void) { return 0; }' >"$dir/empty.c"
clang -fsanitize=thread "$dir/empty.c" -o "$dir/empty" 2>/dev/null \
  || skip_all "no clang with the runtime of its ThreadSanitizer"

scenes='all first stall fork wait salvage'

compile () {
  clang -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -pthread \
    -I"$srcdir/include" -I"$tests/arch" "$@"
}

mkdir "$dir/lib"
{
  (cd "$dir/lib" && compile -c "$srcdir"/lib/*.c "$srcdir"/lib/*/*.c) \
    && compile "$tests/programs/races.c" "$dir"/lib/*.o -o "$dir/races" \
    && compile "$tests/arch/criterion.c" "$tests/names/test_names.c" \
      "$tests/support/heap.c" "$dir"/lib/*.o -o "$dir/names" \
    && compile "$tests/arch/criterion.c" \
      "$tests/profile/test_profile_threads.c" \
      "$tests/profile/test_profile_world.c" "$tests/support/heap.c" \
      "$tests/support/written.c" "$tests"/support/profile*.c \
      "$tests"/support/reader*.c "$dir"/lib/*.o -o "$dir/profiles"
} >"$dir/messages" 2>&1
result $? "builds with ThreadSanitizer" "$dir/messages"

# race NAME PROGRAM [ARGUMENT]
race () {
  name=$1
  shift
  TSAN_OPTIONS=halt_on_error=0:exitcode=66 timeout 300 "$dir/$@" \
    >"$dir/messages" 2>&1
  result $? "no data race: $name" "$dir/messages"
}

for scene in $scenes; do
  race "a writer, $scene" races $scene
done
race "names" names
race "profiles" profiles
done_testing
