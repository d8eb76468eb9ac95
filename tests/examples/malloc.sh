#!/bin/sh
# examples/malloc.c: a program that counts its own allocations, by function.
# The profile must have the same bytes and numbers.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
preload=$build/examples/.libs/malloc.so
source=$(cd "${srcdir-.}" && pwd -P)
program=$source/tests/programs/allocates.c

test -f "$preload" \
  || skip_all "examples/malloc.c was not built: configure says why"

. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${CFLAGS-} ${LDFLAGS-} -rdynamic -pthread "$program" -o allocates \
  >log 2>&1
result $? "the program compiles" log

LD_PRELOAD=$preload ./allocates >printed 2>log
test $? = 0 && test "$(wc -l <printed)" = 4 && test ! -s log
result $? "it runs" log

# The forked child writes none.
find . -name 'callgrind.out.*' >profiles
test "$(wc -l <profiles)" = 1
result $? "there is one profile" profiles
profile=$(head -n 1 profiles)

"$cgread" --dump "$profile" >dump
result $? "the strict reader takes it" dump

# The costs of a function's calls of malloc, calloc and realloc.
awk -F '\t' '$1 == "call" && $10 ~ /^(malloc|calloc|realloc)$/ {
    split ($13, c, " "); bytes[$4] += c[2]; n[$4] += c[3]; calls[$4] += c[1]
  }
  END { for (f in n) if (calls[f] == n[f]) print f, bytes[f], n[f] }' dump \
  | grep -E '^(leaf|tree|table|grow) ' | sort >got
sort printed | diff - got >log
result $? "each function allocated what it counted" log

# Below main and the threads is all that the program knows of: the outermost
# calls have it, whatever recursion did.
inclusive () # FUNCTION: of the calls to it
{
  awk -F '\t' -v f="$1" '$1 == "call" && $10 == f { split ($13, c, " ")
    b += c[2]; n += c[3] } END { print b + 0, n + 0 }' dump
}
tables=$(awk '$1 == "table" { print $2, $3 }' printed)
# A tree has its own and those of its leaves, but for the one that main has.
trees=$(awk '$1 == "tree" { b += $2; n += $3 }
  $1 == "leaf" { b += $2 - 100000; n += $3 - 1 } END { print b, n }' printed)
test "$(inclusive table)" = "$tables" && test "$(inclusive tree)" = "$trees"
status=$?
{ echo "table $(inclusive table) for $tables"
  echo "tree $(inclusive tree) for $trees"; } >log
result $status "inclusive costs are those of all below, recursion once" log

grow=$(awk '$1 == "grow" { print $2, $3 }' printed)
shows "a function's" "$profile" "^$grow < ???:grow (${grow#* }x)"

# The lesson's own command.
command=$(sed -n 's/^ *\(callgrind_annotate .*\) callgrind\.out\.PID$/\1/p' \
  "$source/examples/malloc.c")
if command -v callgrind_annotate >/dev/null; then
  LC_ALL=C $command --show-percs=no "$profile" >shown 2>&1 \
    && tr -d , <shown | sed 's/   *\([0-9<>]\)/ \1/g' >shown.plain \
    && grep -q "^ *$grow < ???:worker (${grow#* }x)" shown.plain \
    && grep -q "^ *$grow >   ???:realloc (${grow#* }x)" shown.plain
  result $? "the lesson's command shows who called whom" shown
else
  skip "the lesson's command shows who called whom" "it is not installed"
fi
done_testing
