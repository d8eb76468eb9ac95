#!/bin/sh
# calls.sh - where the tools say that a call is of which they know the address
# that it returns to: at the call, as objdump shows it, on each processor whose
# C library is there.
#
# From the environment: srcdir.  In the build folder: tests/tools/resolved,
# tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/support/libraries.sh"
resolved=$build/tests/tools/resolved
names=$srcdir/tests/examples/qemu_instructions.awk
test -x "$resolved" \
  || skip_all "the tools with symbols are not built: there is no libdw"
cd "$dir" || exit 1

# Compilers write calls with prefixes for x86's dynamic linker to rewrite.
agrees ()
{
  case $1 in mips*) slots=1 ;; *) slots=0 ;; esac
  grep -v 'data16.*call' code | awk -v processor="$1" -f "$names" \
    | awk '$4 == "call" { print $2 }' >calls
  # The address of the next instruction; with a delay slot, of the one after it.
  awk -v slots="$slots" 'FNR == NR { is_call[$1]; next }
    /^ *[0-9a-f]+:\t/ {
      at = $1; sub (/:$/, "", at)
      if (due && --due == 0)
        print call, at
      if (at in is_call) { call = at; due = 1 + slots }
    }' calls code >pairs
  cut -d ' ' -f 1 pairs | sed 's/^/0x/' | sort >wanted
  cut -d ' ' -f 2 pairs | sed "s#.*#-c $2 0x&#" | xargs "$resolved" >profile \
    2>>log && "$cgread" --dump profile 2>>log | sed -n 's/^cost	//p' \
    | cut -f 5 | sort >got
  diff wanted got >>log && test "$(wc -l <wanted)" -ge 1000
}
libraries -dzw calls

done_testing
