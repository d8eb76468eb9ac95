#!/bin/sh
# for.sh - --for of the tools that write profiles of their own: cgw-import,
# cgw-trace, cgw-sample and cgw-qemu.  For cgw-recode see recode_for.sh.
#
# From the environment: srcdir, CC.  In the build folder: the tools.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
tools=$(pwd)/examples/tools
programs=$(cd "${srcdir-.}/tests/programs" && pwd)
lint=$tools/lint/cgw-lint
: "${CC:=cc}"
cd "$dir" || exit 1
log=said
readers='kcachegrind callgrind_annotate cg_annotate gprof2dot qtcreator speedscope'
"$lint" --rules | awk -F '\t' '$3 == "limit" { print $1 }' >limits

# is_for READER FILE: no line is misread, but for what a reader cannot tell.
is_for ()
{
  test -s "$2" || return 1
  "$lint" -a -r "$1" "$2" >found
  awk 'BEGIN { while ((getline rule < "limits") > 0) is_limit[rule ":"] = 1 }
       !is_limit[$2] { print; bad = 1 } END { exit bad }' found >>said
}

# tool NAME COMMAND...: with --for and -o before the other arguments.
tool ()
{
  name=$1
  command=$2
  shift 2
  for reader in $readers; do
    "$command" --for $reader -o out.$reader "$@" 2>said >printed \
      && is_for $reader out.$reader
    result $? "$name: $reader"
    case $reader in
      kcachegrind)
        grep -q '^event: .* : ' out.$reader && ! grep -q "^$name.*KCachegrind" said ;;
      cg_annotate)
        grep -q '^summary:' out.$reader && ! grep -q '^calls=' out.$reader \
          && grep -q 'cg_annotate shows no calls: they are left out$' said ;;
      *)
        grep -q '^positions: line$' out.$reader \
          && ! grep -q '^event: ' out.$reader \
          && grep -q '^calls=' out.$reader \
          && grep -q 'shows no long names of events: they are left out$' said ;;
    esac
    result $? "$name: what $reader does not show"
  done
  if test "$name" != cgw-import; then
    "$command" -q --for speedscope -o out "$@" 2>said >printed
    test -s out && ! grep -q 'shows no' said
    result $? "$name: -q, and it is not told"
  fi
  "$command" -o out "$@" 2>said >printed && "$lint" --all out >>said
  result $? "$name: without --for, cgw-lint finds nothing"
  ! grep -q '^thread:' out.qtcreator && grep -q '^summary:' out.qtcreator
  result $? "$name: Qt Creator's header"
}

# Stacks with a cycle.
cat >stacks.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json",
 "shared":{"frames":[{"name":"main"},{"name":"a"},{"name":"b"}]},
 "profiles":[{"type":"sampled","name":"t","unit":"milliseconds",
   "startValue":0,"endValue":9,"samples":[[0],[0,1,2],[0,1,2,1],[0,1,1]],
   "weights":[1,2,3,3]}]}
END
tool cgw-import "$tools/import/cgw-import" stacks.json
cycle='counts functions that call themselves through others several times$'
"$tools/import/cgw-import" --for speedscope -o out stacks.json 2>said
grep -q "^cgw-import: out: speedscope $cycle" said
result $? "cgw-import: a cycle is said"
sed 's/,\[0,1,2,1\]//; s/2,3,3/2,3/' stacks.json >straight.json
"$tools/import/cgw-import" --for speedscope -o out straight.json 2>said
test $? = 0 && ! grep -q "$cycle" said
result $? "cgw-import: a function that calls itself is no cycle"
"$tools/import/cgw-import" --for kcachegrind --threads -o out stacks.json
result $? "cgw-import: parts are for KCachegrind"

cat >program.c <<'END'
static volatile long sum;
__attribute__ ((noinline)) static void leaf (void)
{ for (long i = 0; i < 1000; i++) sum += i; }
__attribute__ ((noinline)) static void middle (void) { leaf (); leaf (); sum++; }
int main (void) { for (int i = 0; i < 50; i++) middle (); return 0; }
END

if test -x "$tools/trace/cgw-trace"; then
  $CC -g -O0 -finstrument-functions program.c -o traced
  tool cgw-trace "$tools/trace/cgw-trace" ./traced
else
  skip cgw-trace "it was not built"
fi
if test -x "$tools/sample/cgw-sample"; then
  $CC -g -O1 -w -D_GNU_SOURCE -DTICKS "$programs/sampled.c" -o sampled -ldl \
    -lpthread
  tool cgw-sample "$tools/sample/cgw-sample" -F 1 ./sampled recursion 3
  grep -q '^positions: instr line$' out.kcachegrind
  result $? "cgw-sample: addresses for KCachegrind"
else
  skip cgw-sample "it was not built"
fi

if test -x "$tools/qemu/cgw-qemu" && $CC -g -O1 program.c -o emulated \
  && "$tools/qemu/cgw-qemu" -q -o out ./emulated 2>said; then
  tool cgw-qemu "$tools/qemu/cgw-qemu" ./emulated
  "$tools/qemu/cgw-qemu" --mem --blocks --for gprof2dot -o out ./emulated \
    >printed 2>said
  grep -q '^cgw-qemu: out: gprof2dot shows the first event alone$' said
  result $? "cgw-qemu: what gprof2dot does not show of several events"
  grep -q '^Open it:' said
  test $? = 1
  result $? "cgw-qemu: no command for what does not open it"
else
  skip cgw-qemu "it was not built, or there is no QEMU for this processor"
fi

done_testing
