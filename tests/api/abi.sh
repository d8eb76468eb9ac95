#!/bin/sh
# abi.sh - programs that are linked with the last release run with this library,
# or its -version-info says that they do not: libabigail compares the shared
# library with libcgw.abi, which "make abi-baseline" writes at each release.
#
# From the environment: srcdir, CC, CFLAGS.  Reads .libs/libcgw.so.
# SPDX-License-Identifier: MIT

srcdir=${srcdir-.}
baseline=$srcdir/tests/api/libcgw.abi
library=.libs/libcgw.so

if ! command -v abidiff >/dev/null; then
  echo "1..0 # SKIP there is no abidiff"
  exit 0
fi
if ! test -f "$library"; then
  echo "1..0 # SKIP no shared library was built"
  exit 0
fi
case $(${CC-cc} -dumpmachine) in
  x86_64-linux-gnu | x86_64-*-linux-gnu) ;;
  *) echo "1..0 # SKIP libcgw.abi is for x86_64 with glibc"; exit 0 ;;
esac
case " ${CFLAGS-} " in
  *-fsanitize*) echo "1..0 # SKIP a sanitizer adds to the ABI"; exit 0 ;;
  *\ -g*) ;;
  *) echo "1..0 # SKIP there is no debugging information: no -g"; exit 0 ;;
esac
. "$srcdir/tests/support/tap.sh"

# Bits of its status: 1 and 2 are errors, 4 is a change, 8 one that it knows to
# be incompatible.  It does not know that of other arguments: so any change counts
# but functions that were added.
compare () # LIBRARY
{
  abidiff --drop-private-types --no-added-syms --headers-dir2 "$srcdir/include" \
    "$baseline" "$1" >"$dir/log" 2>&1
  status=$?
}
soname_of_library=$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
soname_of_baseline=$(sed -n "s/.*<abi-corpus.* soname='\([^']*\)'.*/\1/p" \
  "$baseline")

echo 1..2
compare "$library"
test $((status & 3)) = 0 \
  && { test $((status & 12)) = 0 \
       || test "$soname_of_library" != "$soname_of_baseline"; }
result $? "compatible with the last release, or another soname" "$dir/log"

# It does notice: this library has a function with other arguments, and no
# others.
cat >"$dir/changed.c" <<'END'
#include <stddef.h>
int cgw_cost (void *w, size_t n);
int
cgw_cost (void *w, size_t n)
{
  return w != NULL && n != 0;
}
END
${CC-cc} -g -shared -fPIC -Wl,-soname,"$soname_of_baseline" \
  "$dir/changed.c" -o "$dir/changed.so" >"$dir/log" 2>&1 \
  && compare "$dir/changed.so" && test $((status & 8)) != 0
result $? "a library without its functions is not" "$dir/log"
test $failures = 0
