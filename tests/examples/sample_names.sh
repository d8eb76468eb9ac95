#!/bin/sh
# sample_names.sh - what cgw-sample calls the functions of the C library.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/sample/cgw-sample, tests/support/cgread.

srcdir=$(cd "${srcdir:-.}" && pwd)
top=$(pwd)
sample=$top/examples/sample/cgw-sample
programs=$srcdir/tests/programs
LC_ALL=C
export LC_ALL

if ! test -x "$sample"; then
  echo "1..0 # SKIP cgw-sample is not built (configure says why)"
  exit 0
fi
. "$srcdir/tests/support/tap.sh"
log=err
cd "$dir" || exit 1

# run OUT PROGRAM...: the profile's costs go to the file dump, in lines
# "cost OBJECT FILE FUNCTION ...", tabs between them.
run () {
  profile=$1
  shift
  "$sample" -o "$profile" "$@" >out 2>err \
    && "$top/tests/support/cgread" --dump "$profile" >dump 2>>err
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

echo "1..$number"
