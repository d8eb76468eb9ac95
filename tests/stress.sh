#!/bin/sh
# stress.sh - make stress: the tests of signals, threads, kills, faults and
# memory in their long form, one after the other, and what they did in all.
#
# A test that fails does not stop those behind it.  Prints the figures of each
# and what was skipped; then the totals, and how many tests passed.  The output
# of a test stays in its name and ".stress.log".
#
# Arguments: the programs and the scripts, without ".sh".  From the environment:
# srcdir; CGW_STRESS, how much to do, by default 30; CGW_PAIRS, see
# examples/real_programs.sh.
# SPDX-License-Identifier: MIT

srcdir=${srcdir-.}
CGW_STRESS=${CGW_STRESS-30}
CGW_PAIRS=${CGW_PAIRS-5}
CRITERION_OUTPUTS=tap:-
export srcdir CGW_STRESS CGW_PAIRS CRITERION_OUTPUTS
begin=$(date +%s)
passed=0
failed=0
skipped=0
logs=

# count PATTERN LOG
count () { grep -c -- "$1" "$2"; }

run () # TEST
{
  log=$1.stress.log
  logs="$logs $log"
  mkdir -p "${1%/*}"
  if test -f "$srcdir/$1.sh"; then
    "${SHELL-/bin/sh}" "$srcdir/$1.sh" >"$log" 2>&1
  else
    "./$1" >"$log" 2>&1
  fi
  status=$?
  bad=$(count '^not ok' "$log")
  if test $status -ne 0 && test "$bad" = 0; then
    bad=1
    echo "not ok - $1 ended with status $status" >>"$log"
  fi
  skips=$(count '^\(ok\|1\.\.0\).*# SKIP' "$log")
  passed=$((passed + $(count '^ok' "$log") - $(count '^ok.*# SKIP' "$log")))
  failed=$((failed + bad))
  skipped=$((skipped + skips))
  test "$bad" = 0 || cat "$log"
  sed -n 's/^# figure/figure/p; /# SKIP/p' "$log"
}

# total NAME REGEX: the sum of the figures with these names.
total ()
{
  # The logs are words.
  # shellcheck disable=SC2086
  awk -v name="$1" -v names="^($2)\$" '
    $1 == "#" && $2 == "figure" && $3 ~ names { sum += $4 }
    END { printf "figure stress_%s %.0f\n", name, sum }' $logs
}

for test; do
  echo "# $test" >&2
  run "$test"
done
total faults 'faults_injected'
total allocations '(profile_)?allocations_failed'
total kills 'kills'
total signals 'storm_.*_signals'
echo "figure stress_violations $failed"
echo "figure stress_seconds $(($(date +%s) - begin))"
echo "$passed passed, $failed failed, $skipped skipped"
test $failed -eq 0
