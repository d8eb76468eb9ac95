#!/bin/sh
# sample_names.sh - what cgw-sample calls the functions of the C library, and
# code that a program makes at run time.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
log=err

# run OUT PROGRAM...: the profile's costs go to the file dump, in lines
# "cost OBJECT FILE FUNCTION ...", tabs between them.
run () {
  profile=$1
  shift
  "$sample" -o "$profile" "$@" >out 2>err \
    && "$cgread" --dump "$profile" >dump 2>>err
}

# has_cost OBJECT FUNCTION: it has costs of its own.
has_cost () {
  awk -F '\t' -v object="$1" -v f="$2" '
    $1 == "cost" && $2 == object && $4 == f { found = 1 }
    END { exit !found }' dump
}

## The C library.

${CC:-cc} -O1 "$programs/mallocs.c" -o mallocs 2>err
result $? "a program that calls malloc compiles"
run mallocs.out ./mallocs
result $? "a program that calls malloc is sampled"
cut -f 4 dump | sort | uniq -c >functions
for f in malloc calloc free; do
  grep -q " $f\$" functions
  result $? "$f has its name" functions
done
! grep -Eq ' (cfree|__libc_(malloc|calloc|free)|__(malloc|calloc|free))$' \
  functions
result $? "and no other one" functions

## Code that is made at run time.

${CC:-cc} -O1 -D_GNU_SOURCE "$programs/made.c" -o made 2>err
result $? "a program that makes code compiles"
# made HOW: runs it, and removes its list.
made () {
  run made.out ./made "$1"
  status=$?
  list=$(sed -n 1p out)
  rm -f "$list"
  result "$status" "made code, $1: sampled"
}
made OWN
list=${list##*/}
has_cost "$list" "made hot :1"
result $? "made code has the name that its last line says" dump
has_cost "$list" made_cold
result $? "so has the next function" dump
awk -F '\t' '$1 == "call" && $4 ~ /^(main|run)$/ && /made hot/ { found = 1 }
  END { exit !found }' dump
result $? "made code has a caller" dump
! grep -Eq 'collected|unfin|empty|before' dump
result $? "names that do not hold are not used" dump
for how in NONE STALE OTHER; do
  if test $how = OTHER && test "$(id -u)" -ne 0; then
    skip "made code, $how" "only root can give files away"
    continue
  fi
  made $how
  has_cost '???' '???' && ! grep -Eq 'perf-|made hot' dump
  result $? "made code, $how: it has no name" dump
done

done_testing
