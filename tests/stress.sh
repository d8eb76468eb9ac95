#!/bin/sh
# stress.sh - make stress: the tests of signals, threads, kills, faults and
# memory in their long form, three at a time, and what they did in all.
#
# A test that fails does not stop the others.  Prints the figures of each and
# what was skipped; then the totals, and how many results passed.
#
# Arguments: the tests.  From the environment: MAKE; CGW_STRESS, how much to do,
# by default 30.
# SPDX-License-Identifier: MIT

CGW_STRESS=${CGW_STRESS-30}
export CGW_STRESS
begin=$(date +%s)
# Without make check's limit of time.  MAKE may be several words.
# shellcheck disable=SC2086
$MAKE --no-print-directory -j3 check-TESTS "TESTS=$*" TIMEOUT= VERBOSE=yes
status=$?
logs= trs=
for test; do
  logs="$logs $test.log"
  trs="$trs $test.trs"
done
# The lists are words from here.
# shellcheck disable=SC2086
sed -n 's/^# figure/figure/p; /# SKIP/p' $logs

# results KIND: how many results of the tests are that.
results () { cat $trs | grep -c -E "^:test-result: ($1)"; }

# total NAME REGEX: the sum of the figures with these names.
total ()
{
  awk -v name="$1" -v names="^($2)\$" '
    $1 == "#" && $2 == "figure" && $3 ~ names { sum += $4 }
    END { printf "figure stress_%s %.0f\n", name, sum }' $logs
}

bad='FAIL|XPASS|ERROR'
total faults 'faults_injected'
total allocations '(profile_)?allocations_failed'
total kills 'kills'
total signals 'storm_.*_signals'
echo "figure stress_violations $(results "$bad")"
echo "figure stress_seconds $(($(date +%s) - begin))"
echo "$(results PASS) passed, $(results "$bad") failed, $(results SKIP) skipped"
exit $status
