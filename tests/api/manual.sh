#!/bin/sh
# manual.sh - the library's guides and cgw.h name the same calls, statuses,
# flags and struct members; each call and struct has a page with all errors that
# cgw.h names; the manual's first program compiles and writes a profile, and its
# other examples compile.
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
names <"$dir/code" | grep -vxE 'CGW_(H|API|NOEXCEPT)' >"$dir/in_header"
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
static struct node
{
  struct node *parent;
  struct cgw_pos begin;
  uint64_t self, count;
} *n;
static int n_threads;
static struct cgw_profile *profile, *profiles[4];
static struct cgw_tracer *tracer;
END
test "$(grep -c '^#line' "$dir/fragments.c")" -gt 8 \
  && ${CC:-cc} ${CFLAGS-} -Wall -Wextra -Werror -Wno-unused -Wno-shadow \
    -I"${srcdir:-.}/include" -include "$dir/given.h" -c "$dir/fragments.c" \
    -o "$dir/fragments.o" >&2
result $? "the manual's other examples compile"

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
