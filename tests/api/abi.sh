#!/bin/sh
# abi.sh - programs that are linked with the last release run with this library,
# or its -version-info says that they do not: libabigail compares the shared
# library with that of the last tag vVERSION, which is built for it.
#
# From the environment: srcdir, CC, CFLAGS.  Reads .libs/libcgw.so.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
library=.libs/libcgw.so
. "$srcdir/tests/support/checkout.sh"
release=
need abidiff git readelf autoreconf
tag=$(git -C "$srcdir" describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) \
  || skip_all "the checkout has no tag of a release"
test -f "$library" || skip_all "no shared library was built"
case " ${CFLAGS-} " in
  *-fsanitize*) skip_all "a sanitizer adds to the ABI" ;;
  *\ -g*) ;;
  *) skip_all "there is no debugging information: no -g" ;;
esac
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# A later compiler may warn of what the one of that time did not.
mkdir "$dir/release" && git -C "$srcdir" archive "$tag" \
  | tar -x -C "$dir/release" \
  && (cd "$dir/release" && autoreconf -fi \
      && ./configure --disable-static CC="${CC-cc}" \
        CFLAGS="$CFLAGS -Wno-error" \
      && make libcgw.la) >"$log" 2>&1 \
  && release=$dir/release/.libs/libcgw.so && test -f "$release"
result $? "$tag is built"

# Bits of its status: 1 and 2 are errors, 4 is a change, 8 one that it knows to
# be incompatible.  It does not know that of other arguments: so any change counts
# but functions that were added.
compare () # LIBRARY
{
  abidiff --drop-private-types --no-added-syms \
    --headers-dir1 "$dir/release/include" --headers-dir2 "$srcdir/include" \
    "$release" "$1" >"$log" 2>&1
  status=$?
}
soname () # LIBRARY
{
  readelf -d "$1" | sed -n 's/.*soname: \[\(.*\)\]/\1/p'
}

compare "$library"
test $((status & 3)) = 0 \
  && { test $((status & 12)) = 0 \
       || test "$(soname "$library")" != "$(soname "$release")"; }
result $? "compatible with $tag, or another soname"

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
${CC-cc} -g -shared -fPIC -Wl,-soname,"$(soname "$release")" \
  "$dir/changed.c" -o "$dir/changed.so" >"$log" 2>&1 \
  && compare "$dir/changed.so" && test $((status & 8)) != 0
result $? "a library without its functions is not"
done_testing
