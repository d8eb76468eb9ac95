#!/bin/sh
# cgw-qemu: the instructions of each processor that call, return or jump,
# against what objdump calls them: those of a table, and with CGW_FULL those of
# the C libraries that are installed.
#
# From the environment: srcdir, CGW_FULL.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/support/libraries.sh"
instructions=$build/tests/examples/qemu_instructions
table=$srcdir/tests/examples/qemu_instructions
cd "$dir" || exit 1

for processor in $(sed 's/[ ~#].*//' "$table.table" | sort -u); do
  grep "^$processor[ ~]" "$table.table" | "$instructions" >log
  result $? "$processor: the instructions of the table" log
done

agrees ()
{
  awk -v processor="$1" -f "$table.awk" code >rows
  "$instructions" <rows >log && test "$(awk '$4 != "-"' rows | wc -l)" -ge 1000
}
test -z "${CGW_FULL-}" || libraries -dw "calls, returns and jumps"

done_testing
