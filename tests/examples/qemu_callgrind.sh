#!/bin/sh
# qemu_callgrind.sh - cgw-qemu counts what valgrind's callgrind does, which
# follows calls by other rules: each instruction equally often, and from each
# instruction each function, recursion included.  Where they differ, a rule
# below says why, or the test fails.
#
# From the environment: srcdir, CC, CXX.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
cgw_qemu=$PWD/examples/tools/qemu/cgw-qemu
programs=$(cd "${srcdir-.}" && pwd -P)/tests/programs
ulimit -S -v unlimited # QEMU needs more.
test -x "$cgw_qemu" || skip_all "cgw-qemu was not built: there is no libdw"
command -v qemu-x86_64 >/dev/null || skip_all "there is no qemu-user"
command -v valgrind >/dev/null || skip_all "valgrind is not installed"
test "$(uname -m)" = x86_64 || skip_all "the processor is another one"
# With it, valgrind emulates a processor that QEMU does, too.
grep -qw avx2 /proc/cpuinfo || skip_all "the processor has no AVX2"
cd "$dir" || exit 1
log=log

# The first file has the addresses, words and operands of instructions; the
# others are dumps of callgrind and of QEMU.
cat >compare.awk <<'EOF'
BEGIN { FS = "\t" }
FNR == 1 { file++ }
file == 1 { word[program " " $1] = $2; operand[program " " $1] = $3; next }
{ at = $2 " " $6 }
$2 == program { name[at] = $4 }
$1 == "cost" && $2 == program {
  split ($8, cost, " ")
  ir[file, at] += cost[1]
  places[at]
}
$1 == "call" && $2 == program {
  sub (/^-> /, "", $8)
  callee = $8 " " $11
  split ($13, cost, " ")
  n[file, at SUBSEP callee] += cost[1]
  edges[at SUBSEP callee]
  name[callee] = $10
  if ($10 ~ /[.]cold/)
    is_cold[callee]
  if ($8 == "???")
    passes_unknown[at]
}

# Before main: what looks at the processor, and at what the kernel passes.
function is_start (f) {
  return f ~ /^(handle_|intel_check_word|get_common_cache_info).*[.]/ \
         || f ~ /^(_dl_aux_init|getenv)$/
}
# Code that is faster where a string is not near the end of a page, and the
# environment is elsewhere.
function is_string (f) {
  return f ~ /^__str(n?cmp|len)_/
}
function has_no_size (f) {
  return f ~ /^(_init|_fini|frame_dummy|register_tm_clones)$/
}

function why_instructions (at, one, two,   f) {
  f = name[at]
  if (word[at] ~ /^rep/ && two < one)
    return "valgrind counts each repetition"
  if (is_start(f))
    return "another processor and environment"
  if (is_string(f))
    return "strings at other addresses"
  if (has_no_size(f) && one == 0)
    return "for valgrind, a function without a size is none"
  if (f ~ /^_[Ee]xit$/ && one == 0)
    return "callgrind lacks the last block of a program"
  if (at in passes_unknown && two == 2 * one)
    return "for valgrind, this procedure linkage table is none"
}

function why_calls (site, callee, one, two) {
  if (is_start(name[site]))
    return "another processor and environment"
  if (callee ~ /^[?]/ || has_no_size(name[callee]) && one == 0)
    return "for valgrind, a function without a size is none"
  if (site in passes_unknown)
    return "for valgrind, this procedure linkage table is none"
  if (word[site] !~ /^j/)
    return ""
  if (callee in is_cold && two == 0)
    return "what is moved away is its function's"
  if (name[site] == name[callee] && two == 0)
    return "a jump to its own beginning is a loop"
  if (one == 0 && callee != program " " operand[site])
    return "a jump to the middle of another function is a tail call"
}

function compare (what, one, two, why) {
  if (one == two)
    return 1
  if (why != "")
    whys[why]++
  else {
    print "callgrind " one + 0 ", QEMU " two + 0 ": " what
    bad = 1
  }
}

END {
  for (at in places)
    same += compare(at " " name[at] " " word[at], ir[2, at], ir[3, at],
                    why_instructions(at, ir[2, at], ir[3, at]))
  for (edge in edges) {
    split (edge, end, SUBSEP)
    what = end[1] " " name[end[1]] " -> " name[end[2]] " " end[2]
    same_calls += compare(what, n[2, edge], n[3, edge],
                          why_calls(end[1], end[2], n[2, edge], n[3, edge]))
  }
  print same " instructions, " same_calls " calls" >"compared"
  for (why in whys)
    print "but " whys[why] ": " why >"compared"
  exit bad || same_calls < least
}
EOF

# The variables that valgrind adds, for QEMU.
set -- -U DUALCASE -U SHLVL -U BIN_SH -U LD_LIBRARY_PATH
for variable in $(env -i PATH="$PATH" valgrind -q --tool=none env 2>log); do
  set -- "$@" -E "$variable"
done

# agree NAME LEAST QEMU-OPTION...: ./program has so many calls, and the same.
agree ()
{
  name=$1 least=$2
  shift 2
  env -i PATH="$PATH" valgrind --tool=callgrind --dump-instr=yes \
    --callgrind-out-file=simulated ./program >printed 2>log
  result $? "$name: runs in callgrind" log
  env -i PATH="$PATH" "$cgw_qemu" -q -o out qemu-x86_64 -cpu Haswell "$@" \
    ./program >printed_too 2>log && cmp printed printed_too >>log
  result $? "$name: runs in QEMU, and prints the same" log
  objdump -dw --no-show-raw-insn program \
    | awk '{ sub (/bnd /, "") } sub (/:$/, "", $1) {
        print "0x" $1 "\t" $2 "\t0x" $3 }' >instructions
  rm -f compared
  "$cgread" --lenient --dump simulated >one && "$cgread" --dump out >two \
    && awk -v least="$least" -v program="$PWD/program" -f compare.awk \
      instructions one two >different
  status=$?
  cat different compared >log
  result $status "$name: the same instructions and calls" log
  sed "s/^/# $name: /" compared
}

# compiled NAME COMMAND...: valgrind does not read DWARF 5 of each compiler.
compiled ()
{
  name=$1
  shift
  "$@" -O2 -gdwarf-4 -o program >log 2>&1
  result $? "$name: compiles" log
}

compiled static "${CC-cc}" -static -DALONE "$programs/qemu_known.c"
agree static 180 "$@"
compiled static-pie "${CC-cc}" -static-pie -DALONE "$programs/qemu_known.c"
agree static-pie 180 "$@"
# What threads do in libraries depends on their order.  Without -z now, the
# dynamic linker would be the caller of a first call.
compiled C++ "${CXX-c++}" -pthread -Wl,-z,now "$programs/shapes.cc"
agree C++ 80 "$@"

done_testing
