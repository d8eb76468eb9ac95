#!/bin/sh
# run.sh - make fuzz: builds the fuzzers with clang's libFuzzer,
# AddressSanitizer and UBSan, and runs each for a while, two at a time,
# beginning with the seeds.
#
# From the environment: srcdir, MAKE; FUZZERS, the names of those to run (all of
# the arguments); FUZZ_SECONDS, for each (60); FUZZ_RUNS, the most inputs of each
# (-1: no limit); FUZZ_SEED, of the random numbers (26).
#
# Runs in the build folder and writes to fuzz.out there: build/, and for each
# fuzzer NAME/log, NAME/corpus (which the next run begins with, too) and the
# inputs that it found, NAME/crash-* and the like.  Prints lines "figure
# fuzz_NAME_executions N", and at the end "N passed, N failed"; the status is 1
# when one failed or none ran.
# SPDX-License-Identifier: MIT

srcdir=$(cd "${srcdir-.}" && pwd) || exit 1
out=$(pwd)/fuzz.out

# One fuzzer, as xargs starts it below: its status goes to a file.
if test "$1" = --one; then
  cd "$out/$2" || exit 1
  ../build/tests/fuzz/"$2" -seed="$FUZZ_SEED" -print_final_stats=1 \
    -max_total_time="$FUZZ_SECONDS" -runs="$FUZZ_RUNS" -timeout=120 -rss_limit_mb=2560 \
    -artifact_prefix="$out/$2/" corpus "$srcdir/tests/fuzz/seeds/$2" \
    >log 2>&1 </dev/null
  echo $? >status
  exit 0
fi

FUZZERS=${FUZZERS-$*}
: "${FUZZ_SECONDS:=60}" "${FUZZ_RUNS:=-1}" "${FUZZ_SEED:=26}"
export FUZZ_SECONDS FUZZ_RUNS FUZZ_SEED srcdir

fail () # MESSAGE [LOG]
{
  test $# -lt 2 || tail -n 40 "$2" >&2
  echo "make fuzz: $1" >&2
  exit 1
}

mkdir -p "$out/build" || exit 1
printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
  'int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)' \
  '{ return data == NULL || size == 0 ? 0 : 0; }' >"$out/try.c"
clang -fsanitize=fuzzer,address,undefined -o "$out/try" "$out/try.c" \
  >"$out/try.log" 2>&1 \
  || fail "needs clang with libFuzzer (Debian: clang libclang-rt-14-dev)" \
    "$out/try.log"

# The programs are those of make check, with another main.
cd "$out/build" || exit 1
sanitizers=address,undefined
if test ! -f Makefile || test "$srcdir/configure" -nt Makefile; then
  "$srcdir/configure" -q --disable-shared CC=clang CXX=clang++ \
    CFLAGS="-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all \
-fsanitize=fuzzer-no-link,$sanitizers" \
    LDFLAGS="-fsanitize=$sanitizers" >../configure.log 2>&1 \
    || fail "configure failed" ../configure.log
fi
programs=
for name in $FUZZERS; do
  programs="$programs tests/fuzz/$name"
done
# shellcheck disable=SC2086 # names without blanks
"${MAKE-make}" -j2 FUZZ_MAIN= LDFLAGS="-fsanitize=fuzzer,$sanitizers" \
  $programs >../build.log 2>&1 \
  || fail "the fuzzers could not be built" ../build.log
cd "$out/.." || exit 1

for name in $FUZZERS; do
  mkdir -p "$out/$name/corpus"
  rm -f "$out/$name"/status "$out/$name"/*-*
done
printf '%s\n' $FUZZERS | xargs -n 1 -P 2 sh "$srcdir/tests/fuzz/run.sh" --one

passed=0 failed=0
for name in $FUZZERS; do
  log=$out/$name/log
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if test "$(cat "$out/$name/status")" = 0 && test "${executions:-0}" -gt 0
  then
    passed=$((passed + 1))
    echo "figure fuzz_${name}_executions $executions"
    continue
  fi
  failed=$((failed + 1))
  echo "FAIL: $name: the end of $log"
  tail -n 60 "$log"
  # Whole: a machine that only ran the tests is gone soon.
  for input in "$out/$name"/*-*; do
    test -f "$input" || continue
    echo "found by: $input, in base64:"
    base64 "$input"
  done
done
echo "$passed passed, $failed failed"
test $failed = 0 && test $passed -gt 0
