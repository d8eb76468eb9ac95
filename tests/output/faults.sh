#!/bin/sh
# faults.sh - test_faults and test_faults_fd with buffers of all sizes.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
test -x tests/output/test_faults || skip_all "Criterion is not installed"

for test in test_faults test_faults_fd; do
  CGW_STRESS=30 tests/output/$test >"$log" 2>&1
  result $? "$test with buffers of all sizes"
  grep '^# figure' "$log"
done
done_testing
