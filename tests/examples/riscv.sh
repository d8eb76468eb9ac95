#!/bin/sh
# The commands in the first comment of examples/programs/riscv.c: the calls are those that
# the program makes, and an instruction for a function of the compiler's saves
# what they cost.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
folder=$(cd "${builddir-.}" && pwd -P)
source=$(cd "${srcdir-.}" && pwd -P)/examples/programs/riscv.c
ulimit -S -v unlimited # QEMU needs more.
test -x "$folder/examples/tools/qemu/cgw-qemu" \
  || skip_all "cgw-qemu was not built: there is no libdw"
for program in riscv64-linux-gnu-gcc qemu-riscv64; do
  command -v $program >/dev/null || skip_all "there is no $program"
done
PATH=$folder/examples/tools/qemu:$folder/examples/tools/merge:$PATH
cd "$dir" || exit 1
cp "$source" .
sed -n '/\*\//q; s/^     \([a-zA-Z]\)/\1/p' riscv.c | grep -v kcachegrind \
  >commands

test "$(wc -l <commands)" = 5
result $? "the lesson has commands" commands
while read -r command; do
  sh -c "$command" >out 2>log </dev/null
  result $? "$command" log
  cat out log >>all
done <commands

# Each pair of 400.
calls () # PROFILE
{
  "$cgread" --dump "$1" | awk -F '\t' '$1 == "call" { split ($13, c, " ")
    if ($4 == "find_nearest" || $4 == "distance") print $4, $10, c[1] }' | sort
}
calls callgrind.out.riscv >got
printf 'distance __popcountdi2 79800\nfind_nearest distance 79800\n' \
  | diff - got >log
result $? "the calls of functions" log
calls callgrind.out.zbb >got
echo 'find_nearest distance 79800' | diff - got >log
result $? "the instruction replaces calls" log
grep -q ' [0-9][0-9][.][0-9] %  __popcountdi2 ' all \
  && grep -q '^ *-1,[0-9,]* .* -100.0%  __popcountdi2 ' all
result $? "what the tools print of that" all
done_testing
