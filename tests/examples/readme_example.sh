#!/bin/sh
# readme_example.sh - the first example in README is examples/first.c to the
# byte, compiles as it stands, and writes a profile that callgrind_annotate
# reads.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder: libcgw.la.

. "${srcdir-.}/tests/support/tap.sh"
# README indents the example by four blanks; it begins with the line that
# names the file and ends at the first brace in its first column.
awk '/^    \/\* first\.c - / { inside = 1 }
     inside { sub (/^    /, ""); print }
     inside && /^}/ { exit }' "${srcdir-.}/README" >"$dir/first.c"
cmp "$dir/first.c" "${srcdir-.}/examples/first.c" >"$log"
result $? "README shows examples/first.c"

# libtool knows what else a program needs, under sanitizers too.
./libtool --quiet --tag=CC --mode=link ${CC:-cc} ${CFLAGS-} ${LDFLAGS-} \
  -I"${srcdir-.}/include" "$dir/first.c" -o "$dir/first" libcgw.la >"$log" 2>&1
result $? "it compiles as it stands"

(cd "$dir" && ./first) >"$log" 2>&1 \
  && test -s "$dir/callgrind.out.first"
result $? "it writes a profile"

name="README's command shows the numbers of README, and no warning"
if command -v callgrind_annotate >/dev/null; then
  command=$(sed -n 's/^    \$ \(callgrind_annotate .*first\)$/\1/p' \
    "${srcdir-.}/README")
  (cd "$dir" && $command --show-percs=no) >"$dir/out" 2>"$dir/err" \
    && test ! -s "$dir/err" && ! grep -q WARNING "$dir/out" \
    && grep -q '^100  *PROGRAM TOTALS$' "$dir/out" \
    && grep -q '^100  *\*  mine.c:main \[mine\]$' "$dir/out" \
    && grep -q '^ *90  *>   mine.c:work (3x) \[mine\]$' "$dir/out"
  status=$?
  cat "$dir/out" "$dir/err" >"$log"
  result $status "$name"
else
  skip "$name" "it is not installed"
fi
done_testing
