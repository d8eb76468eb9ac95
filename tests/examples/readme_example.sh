#!/bin/sh
# readme_example.sh - the first example in README is examples/first.c to the
# byte, compiles as it stands, and writes a profile that callgrind_annotate
# reads.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder: libcgw.la.

srcdir=$(cd "${srcdir:-.}" && pwd)
dir=$(pwd)/readme_example.tmp
LC_ALL=C
export LC_ALL

# result N STATUS TEXT
result () {
  if test "$2" -eq 0; then echo "ok $1 - $3"; else echo "not ok $1 - $3"; fi
}

rm -rf "$dir"
mkdir "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
echo 1..4

# README indents the example by four blanks; it begins with the line that
# names the file and ends at the first brace in its first column.
awk '/^    \/\* first\.c - / { inside = 1 }
     inside { sub (/^    /, ""); print }
     inside && /^}/ { exit }' "$srcdir/README" >"$dir/first.c"
cmp "$dir/first.c" "$srcdir/examples/first.c" >&2
result 1 $? "README shows examples/first.c"

# libtool knows what else a program needs, under sanitizers too.
./libtool --quiet --tag=CC --mode=link ${CC:-cc} ${CFLAGS-} ${LDFLAGS-} \
  -I"$srcdir/include" "$dir/first.c" -o "$dir/first" libcgw.la >&2
result 2 $? "it compiles as it stands"

(cd "$dir" && ./first) >&2 && test -s "$dir/callgrind.out.first"
result 3 $? "it writes a profile"

if command -v callgrind_annotate >/dev/null; then
  (cd "$dir" && callgrind_annotate --show-percs=no --tree=both \
    callgrind.out.first) >"$dir/out" 2>"$dir/err"
  status=$?
  cat "$dir/out" "$dir/err" >&2
  test "$status" -eq 0 && ! test -s "$dir/err" \
    && ! grep -q WARNING "$dir/out" \
    && grep -q '^100  *PROGRAM TOTALS$' "$dir/out" \
    && grep -q '^90  *< first.c:main (3x) \[first\]$' "$dir/out" \
    && grep -q '^10  *\*  first.c:main \[first\]$' "$dir/out"
  result 4 $? "callgrind_annotate shows its three numbers, and no warning"
else
  echo "ok 4 # SKIP callgrind_annotate is not installed"
fi
