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

. "$srcdir/tests/support/tap.sh"
command -v abidiff >/dev/null || skip_all "there is no abidiff"
test -f "$library" || skip_all "no shared library was built"
case $(${CC-cc} -dumpmachine) in
  x86_64-linux-gnu | x86_64-*-linux-gnu) ;;
  *) skip_all "libcgw.abi is for x86_64 with glibc" ;;
esac
case " ${CFLAGS-} " in
  *-fsanitize*) skip_all "a sanitizer adds to the ABI" ;;
  *\ -g*) ;;
  *) skip_all "there is no debugging information: no -g" ;;
esac

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
done_testing
