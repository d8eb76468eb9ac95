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

ticking "$programs/mallocs.c" -o mallocs \
  && ticking "$programs/made.c" -o made -ldl \
  && ticking -shared -fPIC -DFUNCTION=of_library "$programs/sampled_library.c" \
    -o library.so
result $? "the programs compile"

## The C library.

ends 0 "a tick at each instruction" "$sample" -F 1 -o mallocs.out ./mallocs
"$cgread" --no-pad --dump mallocs.out | awk -F '\t' '$1 == "cost" { print $4 }' \
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

# Names that come after much code: pages that went, and pages that stay.
sampled pages_that_went 0 ./made GONE 5000 ./library.so <<'END'
5005 samples, 5005 ticks, clocks: 1
5000 0 5000 ???
5 0 5 of_library
0 5005 5005 run
0 5005 5005 run_pages
0 5005 5005 main
END
sampled pages_that_stay 0 ./made STAY 20000 ./library.so <<'END'
305 samples, 305 ticks, clocks: 1
300 0 300 ???
5 0 5 of_library
0 305 305 run
0 305 305 run_pages
0 305 305 main
END
ends 0 "a profiler that is stopped" \
  "$sample" -q -F 1 -o stopped ./made STOP 2000 ./library.so
grep -Eq '^cgw-sample: there was no room for [1-9][0-9]* mappings of code: ' err
result $? "and says that it could not take all notes"

done_testing
