#!/bin/sh
# manual.sh - cgw(3) and cgw.h name the same calls, statuses, flags and struct
# members, and the manual's complete program compiles and writes a profile.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder: libcgw.la.

header=${srcdir:-.}/include/cgw.h
manual=${srcdir:-.}/lib/cgw.3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
LC_ALL=C
export LC_ALL

# result N STATUS TEXT
result () {
  if test "$2" -eq 0; then echo "ok $1 - $3"; else echo "not ok $1 - $3"; fi
}

names () { grep -Eo '\<(cgw|CGW)_[A-Za-z0-9_]+' | sort -u; }

# The header's names without its comments and what is for the header alone.
awk '{ gsub (/\/\*([^*]|\*[^\/])*\*\//, "") }
     /\/\*/ { sub (/\/\*.*/, ""); print; inside = 1 }
     !inside { print }
     inside && /\*\// { inside = 0 }' "$header" >"$dir/code"
names <"$dir/code" | grep -vxE 'CGW_(H|API|NOEXCEPT)' >"$dir/in_header"
names <"$manual" >"$dir/in_manual"

# The last word before each ";" inside a struct; for a hook, the one in (*...).
awk '/^struct cgw_.*[^;]$/ { inside = 1; next }
     /^}/ { inside = 0 }
     inside && /\(\*/ { sub (/.*\(\*/, ""); sub (/\).*/, ""); print; next }
     inside && /;/ { sub (/;.*/, ""); sub (/.*[ *]/, ""); print }' \
  "$dir/code" | sort -u >"$dir/members"

echo 1..6
test "$(wc -l <"$dir/in_header")" -gt 50 \
  && test "$(wc -l <"$dir/members")" -gt 30
result 1 $? "the header has names and members"
comm -23 "$dir/in_header" "$dir/in_manual" >"$dir/missing"
cat "$dir/missing" >&2
test ! -s "$dir/missing"
result 2 $? "each name of the header is in the manual"
comm -13 "$dir/in_header" "$dir/in_manual" >"$dir/unknown"
cat "$dir/unknown" >&2
test ! -s "$dir/unknown"
result 3 $? "each name of the manual is in the header"
while read -r member; do
  grep -Eq "^\.(It )?Fa (.* )?$member( |\$)" "$manual" || echo "$member"
done <"$dir/members" >"$dir/missing"
cat "$dir/missing" >&2
test ! -s "$dir/missing"
result 4 $? "each struct member is in the manual"

# The literal block that follows the comment with this script's name.
awk '/^\.\\" This program is compiled and run by/ { found = 1; next }
     found && /^\.Bd/ { inside = 1; next }
     inside && /^\.Ed/ { exit }
     inside { gsub (/\\e/, "\\"); print }' "$manual" >"$dir/program.c"
test -s "$dir/program.c" \
  && ./libtool --quiet --tag=CC --mode=link ${CC:-cc} ${CFLAGS-} ${LDFLAGS-} \
    -I"${srcdir:-.}/include" "$dir/program.c" -o "$dir/program" libcgw.la >&2
result 5 $? "the manual's complete program compiles"
(PATH=$PATH:$(pwd)/tests/support && cd "$dir" && ./program >&2 \
  && cgread callgrind.out.ticks >out)
status=$?
cat "$dir/out" >&2
test "$status" -eq 0 && grep -q '^cost-lines [1-9]' "$dir/out"
result 6 $? "it writes a profile with costs"
