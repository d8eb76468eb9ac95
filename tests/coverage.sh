#!/bin/sh
# coverage.sh - make coverage counts what ran, and says what to do where it
# cannot.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
for program in gcc gcov python3; do
  command -v $program >/dev/null || skip_all "there is no $program"
done

# A tree with a library of one file.
mkdir -p "$dir/tree/lib/text" "$dir/tree/tests" && cd "$dir/tree" || exit 1
: >tests/coverage.list

# build LINE...: the library, and a program that runs it.
build ()
{
  printf '%s\n' "$@" >lib/text/one.c
  gcc -O0 --coverage -c lib/text/one.c -o lib/text/one.o \
    && gcc --coverage lib/text/one.o -o one
}

# coverage: what make coverage prints is in $log.
coverage ()
{
  GCOV=gcov python3 "$srcdir/tests/coverage.py" . >"$log" 2>&1
}

! coverage && grep -q 'first configure --enable-coverage' "$log"
result $? "without a build it says which it wants"

build 'int' 'main (int n, char **v)' '{' '  if (n > 1)' '    return v[1][0];' \
  '  return 0;' '}' && ./one
! coverage && grep -q '^FAIL: lib/: .* lines are run' "$log" \
  && grep -q '^lib/text/one.c .* 5$' "$log"
result $? "it counts lines, and names those that did not run"

build 'int' 'main (int n, char **v)' '{' '  return n > 1 ? v[1][0] : 0;' '}'
! coverage && grep -q 'mismatch' "$log" && grep -q 'gcda. -delete' "$log" \
  && ! grep -q 'Traceback' "$log"
result $? "of counters of an earlier build it says how to remove them"

find . -name '*.gcda' -delete && ./one
! coverage && grep -q '^PASS: lib/: .* lines are run' "$log"
result $? "then it counts again"
done_testing
