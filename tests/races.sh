#!/bin/sh
# races.sh - ThreadSanitizer on threads that share names, writers and profiles.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  Wants clang, whose sanitizer knows all atomics.
# The tests run without Criterion, which the sanitizer does not bear.

. "${srcdir-.}/tests/support/tap.sh"
tests=$srcdir/tests
ulimit -S -v unlimited # ThreadSanitizer needs more.

echo 'int main (void) { return 0; }' >"$dir/empty.c"
{ clang -fsanitize=thread "$dir/empty.c" -o "$dir/empty" && "$dir/empty"; } \
  2>/dev/null || skip_all "no clang with the runtime of its ThreadSanitizer"

compile () {
  clang -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -pthread \
    -I"$srcdir/include" -I"$tests/arch" -I"$tests/support" "$@"
}

mkdir "$dir/lib"
{
  (cd "$dir/lib" && compile -c "$srcdir"/lib/*.c "$srcdir"/lib/*/*.c) \
    && compile "$tests/arch/criterion.c" "$tests/gate/test_storm.c" \
      "$tests/gate/ledger.c" "$tests/gate/step.c" \
      "$tests/support/support.c" "$tests/support/heap.c" \
      "$tests"/support/profile*.c "$tests"/support/reader*.c \
      "$dir"/lib/*.o -o "$dir/storm" \
    && compile "$tests/arch/criterion.c" "$tests/names/test_names.c" \
      "$tests/support/heap.c" "$dir"/lib/*.o -o "$dir/names" \
    && compile "$tests/arch/criterion.c" \
      "$tests/profile/test_profile_threads.c" \
      "$tests/profile/test_profile_world.c" "$tests/support/heap.c" \
      "$tests/support/written.c" "$tests"/support/profile*.c \
      "$tests"/support/reader*.c "$dir"/lib/*.o -o "$dir/profiles"
} >"$dir/messages" 2>&1
result $? "builds with ThreadSanitizer" "$dir/messages"

for program in storm names profiles; do
  TSAN_OPTIONS=halt_on_error=0:exitcode=66 timeout 300 "$dir/$program" \
    >"$dir/messages" 2>&1
  result $? "no data race: $program" "$dir/messages"
done
done_testing
