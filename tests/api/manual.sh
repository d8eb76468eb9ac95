#!/bin/sh
# manual.sh - the library's guides and cgw.h name the same calls, statuses,
# flags and struct members; each call and struct has a page with all errors that
# cgw.h names; the manual's first program compiles and writes a profile, and its
# other examples compile.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder: libcgw.la, lib/man3.

header=${srcdir:-.}/include/cgw.h
. "${srcdir:-.}/tests/support/tap.sh"
manual=$dir/manual
cat "${srcdir:-.}"/lib/cgw*.[37] >"$manual"
LC_ALL=C
export LC_ALL

names () { grep -Eo '\<(cgw|CGW)_[A-Za-z0-9_]+' | sort -u; }

# The header's names without its comments and what is for the header alone.
awk '{ gsub (/\/\*([^*]|\*[^\/])*\*\//, "") }
     /\/\*/ { sub (/\/\*.*/, ""); print; inside = 1 }
     !inside { print }
     inside && /\*\// { inside = 0 }' "$header" >"$dir/code"
names <"$dir/code" | grep -vxE 'CGW_(H|API|NOEXCEPT)' >"$dir/in_header"
# The names of other pages and files are not in this header.
basename -s .7 "${srcdir:-.}"/lib/cgw*.7 >"$dir/pages"
grep -vE "^\.(Xr|In|It Pa|Dt) " "$manual" | names | grep -vxFf "$dir/pages" \
  >"$dir/in_manual"

# The last word before each ";" inside a struct; for a hook, the one in (*...).
awk '/^struct cgw_.*[^;]$/ { inside = 1; next }
     /^}/ { inside = 0 }
     inside && /\(\*/ { sub (/.*\(\*/, ""); sub (/\).*/, ""); print; next }
     inside && /;/ { sub (/;.*/, ""); sub (/.*[ *]/, ""); print }' \
  "$dir/code" | sort -u >"$dir/members"

test "$(wc -l <"$dir/in_header")" -gt 50 \
  && test "$(wc -l <"$dir/members")" -gt 30
result $? "the header has names and members"
comm -23 "$dir/in_header" "$dir/in_manual" >"$dir/missing"
cat "$dir/missing" >&2
test ! -s "$dir/missing"
result $? "each name of the header is in the manual"
comm -13 "$dir/in_header" "$dir/in_manual" >"$dir/unknown"
cat "$dir/unknown" >&2
test ! -s "$dir/unknown"
result $? "each name of the manual is in the header"
while read -r member; do
  grep -Eq "^\.(It )?Fa (.* )?$member( |\$)" "$manual" || echo "$member"
done <"$dir/members" >"$dir/missing"
cat "$dir/missing" >&2
test ! -s "$dir/missing"
result $? "each struct member is in the manual"

# The displays that follow a comment with this script's name: a program, and
# functions and statements, which become one file.
awk -v program="$dir/program.c" -v fragments="$dir/fragments.c" '
  /^\.\\" This program is compiled and run by/ { kind = "program" }
  /^\.\\" These functions are compiled by/ { kind = "functions" }
  /^\.\\" These statements are compiled by/ { kind = "statements" }
  kind != "" && /^\.Bd/ {
    inside = 1
    out = kind == "program" ? program : fragments
    if (kind == "statements")
      printf "void statements_%d (void);\nvoid\nstatements_%d (void)\n{\n",
             NR, NR >out
    printf "#line %d \"%s\"\n", FNR + 1, FILENAME >out
    next
  }
  inside && /^\.Ed/ {
    if (kind == "statements")
      print "}" >out
    inside = 0
    kind = ""
  }
  inside { gsub (/\\e/, "\\"); print >out }' "${srcdir:-.}"/lib/cgw*.[37]
test -s "$dir/program.c" \
  && ./libtool --quiet --tag=CC --mode=link ${CC:-cc} ${CFLAGS-} ${LDFLAGS-} \
    -I"${srcdir:-.}/include" "$dir/program.c" -o "$dir/program" libcgw.la >&2
result $? "the manual's program compiles"
(PATH=$PATH:$(pwd)/tests/support && cd "$dir" && ./program >&2 \
  && cgread callgrind.out.first >out)
status=$?
cat "$dir/out" >&2
test "$status" -eq 0 && grep -q '^cost-lines [1-9]' "$dir/out"
result $? "it writes a profile with costs"

# What the other examples take for granted.
cat >"$dir/given.h" <<'END'
#define _GNU_SOURCE 1
#include <cgw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static struct cgw_names *names;
static struct cgw_writer *w;
static struct cgw_part part;
static struct cgw_fn main_fn, lost_fn;
static struct cgw_pos in_main, in_work, in_walk;
static uint64_t cost, cost_below, counter;
static struct cgw_file file;
static struct cgw_object object;
static const char *name;
static uint32_t first_line, line;
static struct function
{
  struct cgw_pos begin;
  uint64_t self;
  struct edge *calls;
} *f;
static struct edge
{
  struct edge *next;
  struct function *to;
  struct cgw_pos at;
  uint64_t count, inclusive;
} *e;
static int n_threads;
static struct cgw_profile *profile, *profiles[4];
static struct cgw_tracer *tracer;
END
test "$(grep -c '^#line' "$dir/fragments.c")" -gt 8 \
  && ${CC:-cc} ${CFLAGS-} -Wall -Wextra -Werror -Wno-unused -Wno-shadow \
    -I"${srcdir:-.}/include" -include "$dir/given.h" -c "$dir/fragments.c" \
    -o "$dir/fragments.o" >&2
result $? "the manual's other examples compile"

# page NAME: the page that man opens, and an empty one if there is none.
page () {
  file=lib/man3/$1.3
  test -f "$file" || file=${srcdir:-.}/lib/$1.3
  test -f "$file" || return
  so=$(sed -n '1s/^\.so man3/lib\/man3/p' "$file")
  cat "${so:-$file}"
}

# What cgw.h promises, but for what errors.def knows better.
${AWK:-awk} -f "${srcdir:-.}/tests/api/promised.awk" "$header" >"$dir/promised"
sed -n 's/^EXCEPT \((.*)\).*/STATUS \1/p' "${srcdir:-.}/tests/api/errors.def" \
  | grep -vxFf - "$dir/promised" \
  | sed -n 's/^STATUS (\(.*\), \(.*\))$/\1 \2/p' \
  >"$dir/statuses"
{ sed -n 's/^FUNCTION (\(.*\))$/\1/p' "$dir/promised"
  sed -En 's/^(struct|enum) (cgw_[a-z_]+).*/\2/p' "$header"; } >"$dir/entries"
while read -r name; do
  page "$name" | grep -Eq "^\.Nm $name( ,)?$" || echo "$name"
done <"$dir/entries" >"$dir/missing"
cat "$dir/missing" >&2
test "$(wc -l <"$dir/entries")" -gt 80 && test ! -s "$dir/missing"
result $? "each call and struct has a page"
while read -r name status; do
  page "$name" | sed '1,/^\.Sh ERRORS/d' \
    | grep -Eq "^\.It .*CGW_$status( |,|;|\$)" || echo "$name CGW_$status"
done <"$dir/statuses" >"$dir/missing"
cat "$dir/missing" >&2
test "$(wc -l <"$dir/statuses")" -gt 200 && test ! -s "$dir/missing"
result $? "with each error that cgw.h names"
awk '/^struct cgw_.*[^;]$/ { name = $2; next }
     /^}/ { name = "" }
     name && /\(\*/ {
       sub (/.*\(\*/, ""); sub (/\).*/, ""); print name, $0
       next
     }
     name && /;/ { sub (/;.*/, ""); sub (/.*[ *]/, ""); print name, $0 }' \
  "$dir/code" | grep -v '^cgw_edge ' >"$dir/pairs"
while read -r name member; do
  page "$name" | grep -Eq "^\.It Fa (.* )?$member( |$)" || echo "$name $member"
done <"$dir/pairs" >"$dir/missing"
cat "$dir/missing" >&2
test "$(wc -l <"$dir/pairs")" -gt 40 && test ! -s "$dir/missing"
result $? "and each member of the struct"
done_testing
