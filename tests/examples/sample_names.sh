#!/bin/sh
# sample_names.sh - what cgw-sample calls the functions of the C library, and
# code that a program makes at run time.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
needs_ticks

ticking "$programs/mallocs.c" -o mallocs && ticking "$programs/made.c" -o made
result $? "the programs compile"

## The C library.

ends 0 "a tick at each instruction" "$sample" -F 1 -o mallocs.out ./mallocs
"$cgread" --dump mallocs.out | awk -F '\t' '$1 == "cost" { print $4 }' \
  | sort -u >functions
for f in malloc calloc free; do
  grep -qx $f functions
  result $? "$f has its name" functions
done
! grep -Ex 'cfree|__libc_(malloc|calloc|free)|__(malloc|calloc|free)' functions
result $? "and no other one" functions

## Code that is made at run time.

# made HOW: its list is as made.c says.  The standard input is what ticks_of
# prints.
made ()
{
  cat >functions
  if test "$1" = OTHER && test "$(id -u)" -ne 0; then
    skip "made code, $1" "only root can give files away"
    return
  fi
  "$sample" -F 1 -o made.out ./made "$1" >out 2>err
  rm -f "$(cat out)"
  has_ticks made.out "made code, $1" <functions
}
made OWN <<'END'
30 0 30 made hot :1
10 0 10 made_cold
0 40 40 run
0 40 40 main
END
list=$(basename "$(cat out)")
awk -F '\t' -v list="$list" '$1 == "cost" && $2 != list { print; bad = 1 }
                             END { exit bad }' dump
result $? "made code is in an object with the name of the list" dump
for how in NONE STALE OTHER; do
  made $how <<'END'
40 0 40 ???
0 40 40 run
0 40 40 main
END
done

done_testing
