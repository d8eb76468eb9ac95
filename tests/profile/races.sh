#!/bin/sh
# races.sh - ThreadSanitizer on threads whose profiles share names.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  Wants clang, whose sanitizer knows all atomics.
# The tests run without Criterion, which the sanitizer does not bear.

srcdir=$(cd "${srcdir:-.}" && pwd)
tests=$srcdir/tests
. "$tests/support/tap.sh"

echo 'int main (void) { return 0; }' >"$dir/empty.c"
clang -fsanitize=thread "$dir/empty.c" -o "$dir/empty" 2>/dev/null \
  || skip_all "no clang with the runtime of its ThreadSanitizer"
echo 1..2

clang -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -pthread \
  -I"$srcdir/include" -I"$tests/arch" "$srcdir"/lib/*.c "$srcdir"/lib/*/*.c \
  "$tests/arch/criterion.c" "$tests/profile/test_profile_threads.c" \
  "$tests/profile/test_profile_world.c" \
  "$tests"/support/heap.c "$tests"/support/written.c \
  "$tests"/support/profile*.c "$tests"/support/reader*.c \
  -o "$dir/threads" 2>"$dir/messages"
result $? "builds with ThreadSanitizer" "$dir/messages"

TSAN_OPTIONS=halt_on_error=0:exitcode=66 timeout 120 "$dir/threads" \
  >"$dir/messages" 2>&1
result $? "no data race" "$dir/messages"
