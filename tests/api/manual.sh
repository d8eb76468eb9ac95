#!/bin/sh
# manual.sh - the library's guides and cgw.h name the same calls, statuses,
# flags and struct members; each call and struct has a page with all errors that
# cgw.h names; all examples in C compile and run, and the profiles that they write
# are right.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder: libcgw.la, lib/man3.

. "${srcdir:-.}/tests/support/tap.sh"
header=${srcdir:-.}/include/cgw.h
manual=$dir/manual
cat "${srcdir:-.}"/lib/cgw*.[37] >"$manual"

names () { grep -Eo '\<(cgw|CGW)_[A-Za-z0-9_]+' | sort -u; }

# The header's names without its comments and what is for the header alone.
awk '{ gsub (/\/\*([^*]|\*[^\/])*\*\//, "") }
     /\/\*/ { sub (/\/\*.*/, ""); print; inside = 1 }
     !inside { print }
     inside && /\*\// { inside = 0 }' "$header" >"$dir/code"
names <"$dir/code" | grep -vxE 'CGW_(H|API|NOEXCEPT|NULL)' >"$dir/in_header"
# The names of other pages and files are not in this header.
basename -s .7 "${srcdir:-.}"/lib/cgw*.7 >"$dir/pages"
grep -vE "^\.(Xr|In|It Pa|Dt) " "$manual" | names | grep -vxFf "$dir/pages" \
  >"$dir/in_manual"

# Lines "struct member": the last word before each ";" inside a struct; for a
# hook, the one in (*...).
awk '/^struct cgw_[a-z_]*$/ { name = $2; next }
     /^}/ { name = "" }
     hook { hook = !/;/; next }
     name && /\(\*/ {
       hook = !/;/
       sub (/.*\(\*/, ""); sub (/\).*/, ""); print name, $0
       next
     }
     name && /;/ { sub (/;.*/, ""); sub (/.*[ *]/, ""); print name, $0 }' \
  "$dir/code" >"$dir/members"

test "$(wc -l <"$dir/in_header")" -gt 50 \
  && test "$(wc -l <"$dir/members")" -gt 30
result $? "the header has names and members"
comm -23 "$dir/in_header" "$dir/in_manual" >"$dir/missing"
test ! -s "$dir/missing"
result $? "each name of the header is in the manual" "$dir/missing"
comm -13 "$dir/in_header" "$dir/in_manual" >"$dir/unknown"
test ! -s "$dir/unknown"
result $? "each name of the manual is in the header" "$dir/unknown"
awk 'FILENAME ~ /members$/ { missing[$2]; next }
  /^\.(It )?Fa / { for (i = 2; i <= NF; i++) delete missing[$i] }
  END { for (member in missing) print member }' "$dir/members" "$manual" \
  >"$dir/missing"
test ! -s "$dir/missing"
result $? "each struct member is in the manual" "$dir/missing"

# The displays that follow a comment with this script's name: programs, and
# functions and statements, which manual.c includes.  Old statements are code that
# libcgw replaces.  A display in C without a comment is an error.
awk -v dir="$dir" '
  function begin ()
  {
    inside = 1
    where = FILENAME
    sub (/.*\//, "", where)
    where = where ":" FNR
    out = dir "/examples.h"
    if (kind == "program")
      out = dir "/program_" ++programs ".c"
    if (kind ~ /statements/)
      {
        old = kind == "old statements" ? "old_" : ""
        printf "static void\nexample_%d (void)\n{\n", NR >out
        printf "  struct %sfunction *f = %sfunctions;\n", old, old >out
        printf "  struct %sedge *e = &%sedge;\n", old, old >out
        printf "  struct %snode *n = &%snodes[%d];\n", old, old, !old >out
        if (old)
          print "  struct old_node *c;" >out
        printf "EXAMPLE (\"%s.out\", example_%d)\n", where, NR \
          >dir "/examples.def"
      }
    printf "#line %d \"%s\"\n", FNR + 1, FILENAME >out
  }
  /^\.\\" This program is compiled and run by/ { kind = "program" }
  /^\.\\" These functions are compiled and run by/ { kind = "functions" }
  /^\.\\" These statements are compiled and run by/ { kind = "statements" }
  /^\.\\" These old statements are compiled and run by/ {
    kind = "old statements"
  }
  /^\.Bd/ { display = 1 }
  kind != "" && /^\.Bd/ { begin (); next }
  /^\.Ed/ {
    if (inside && kind ~ /statements/)
      print "  after ();\n}" >out
    display = inside = 0
    kind = ""
  }
  inside { gsub (/\\e/, "\\"); print >out }
  display && !inside && /;$/ { print FILENAME ":" FNR ": " $0 }' \
  "${srcdir:-.}"/lib/cgw*.[37] >"$dir/unmarked"
test ! -s "$dir/unmarked"
result $? "each display in C says how it is tested" "$dir/unmarked"

compile () # FILE PROGRAM WORD...
{
  file=$1
  program=$2
  shift 2
  # shellcheck disable=SC2086 # words
  ./libtool --quiet --tag=CC --mode=link ${CC:-cc} ${CFLAGS-} ${LDFLAGS-} \
    -Wall -Wextra -Werror "$@" -I"${srcdir:-.}/include" "$file" \
    -o "$program" libcgw.la >&2
}
for file in "$dir"/program_*.c; do
  program=${file%.c}
  what=$(sed -n 's/^#line \([0-9]*\) ".*\/\(.*\)"/\2:\1/p' "$file")
  compile "$file" "$program"
  result $? "$what: the program compiles"
  rm -rf "$dir/run"
  mkdir "$dir/run"
  (PATH=$PATH:$(pwd)/tests/support && cd "$dir/run" && "$program" >&2 \
    && cgread callgrind.out.* >../out)
  status=$?
  cat "$dir/out" >&2
  test "$status" -eq 0 && grep -q '^cost-lines [1-9]' "$dir/out"
  result $? "$what: it writes a profile with costs"
done

sed -n 's/^CGW_API enum cgw_status \(cgw_[a-z_]*\) .*/\
#define \1(...) ok ("\1", \1 (__VA_ARGS__))/p' "$header" >"$dir/statuses.h"
test "$(grep -c EXAMPLE "$dir/examples.def")" -gt 15 \
  && test "$(grep -c define "$dir/statuses.h")" -gt 40
result $? "there are examples and calls that return a status"
compile "${srcdir:-.}/tests/api/manual.c" "$dir/examples" -I"$dir" -pthread \
  -Wno-unused -Wno-shadow
result $? "the manual's other examples compile"
rm -rf "$dir/run"
mkdir "$dir/run"
(cd "$dir/run" && ../examples >&2)
result $? "all their calls succeed"
for file in "$dir"/run/*:*.out "$dir"/run/functions.out "$dir"/run/crash.out; do
  tests/support/cgread --allow-unfinished "$file" >"$dir/out" 2>&1 \
    || sed "s|^|${file##*/}: |" "$dir/out"
done >"$dir/wrong"
test ! -s "$dir/wrong"
result $? "and leave profiles that are right" "$dir/wrong"

# What cgw.h promises, but for what errors.def knows better: lines "call NAME",
# "error NAME STATUS" and "member NAME MEMBER".
${AWK:-awk} -f "${srcdir:-.}/tests/api/promised.awk" "$header" >"$dir/promised"
{
  sed -n 's/^FUNCTION (\(.*\))$/call \1/p' "$dir/promised"
  sed -En 's/^(struct|enum) (cgw_[a-z_]+).*/call \2/p' "$header"
  sed -n 's/^EXCEPT \((.*)\).*/STATUS \1/p' "${srcdir:-.}/tests/api/errors.def" \
    | grep -vxFf - "$dir/promised" \
    | sed -n 's/^STATUS (\(.*\), \(.*\))$/error \1 CGW_\2/p'
  sed '/^cgw_edge /d; s/^/member /' "$dir/members"
} >"$dir/wanted"

# What each page has, as man opens it for a name; then "missing KIND NAME..." for
# what it lacks, and "KIND N" for how many there are.
awk '
  FILENAME ~ /wanted$/ {
    total[$1]++
    if (!(($1, $2 in so ? so[$2] : $2, $NF) in has))
      print "missing", $0
    next
  }
  FNR == 1 {
    page = FILENAME
    sub (/.*\//, "", page); sub (/\.3$/, "", page)
    in_errors = 0
    if (sub (/^\.so man3\//, "") && sub (/\.3$/, ""))
      so[page] = $0
  }
  /^\.Sh ERRORS/ { in_errors = 1 }
  /^\.Nm [^ ]*( ,)?$/ { has["call", page, $2] }
  /^\.It Fa / { for (i = 3; i <= NF; i++) has["member", page, $i] }
  /^\.It / && in_errors {
    gsub (/[,;]/, "")
    for (i = 2; i <= NF; i++)
      has["error", page, $i]
  }
  END { for (kind in total) print kind, total[kind] }' \
  "${srcdir:-.}"/lib/*.3 lib/man3/*.3 "$dir/wanted" >"$dir/found"

# all KIND N NAME: more than N are wanted, and none is missing.
all ()
{
  grep "^missing $1 " "$dir/found" >"$dir/missing"
  test $? = 1 && test "$(sed -n "s/^$1 //p" "$dir/found")" -gt "$2"
  result $? "$3" "$dir/missing"
}
all call 80 "each call and struct has a page"
all error 200 "with each error that cgw.h names"
all member 40 "and each member of the struct"
done_testing
