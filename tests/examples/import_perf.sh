#!/bin/sh
# import_perf.sh - cgw-import reads perf.data: files of several versions of perf,
# written record by record; damaged and hostile ones.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/import/cgw-import, tests/fuzz/import, tests/support/cgread.

import=$(pwd)/examples/tools/import/cgw-import
fuzzer=$(pwd)/tests/fuzz/import
here=$(cd "${srcdir-.}" && pwd)/tests/examples
. "${srcdir-.}/tests/support/tap.sh"
command -v perl >/dev/null || skip_all "perl is missing"

cd "$dir" || exit 1
HOME=$dir
export HOME

"$import" --from perf </dev/null 2>log
if grep -q 'no such kind' log; then
  skip_all "cgw-import was built without libdw"
fi

# Files record by record.  The folder that --symfs names has what the recording
# machine had: names of code that processes made, and of the kernel.

mkdir -p machine/tmp machine/proc
cat >machine/tmp/perf-1000.map <<'END'
1000 1000 main
2000 1000 work
3000 1000 leaf
END
cp machine/tmp/perf-1000.map machine/tmp/perf-2000.map
tab=$(printf '\t')
cat >machine/proc/kallsyms <<END
00000000e0001000 T _text
00000000e0001000 T startup
00000000e0002000 W weak
00000000e0002000 t local
00000000e0002000 T __x
00000000e0002000 T the_call
00000000e0002800 d data
00000000e0002fff t before
00000000e0003000 T after
00000000e1000000 t in_module${tab}[a_b]
00000000e2000000 t in_other_module${tab}[a_b]
0000000000000000 T hidden
END

make_case () { perl "$here/perf_records.pl" "$1" >"$1.data"; }

# dump FILE: the events, costs and calls of a profile, a line each.
dump ()
{
  grep -E '^(cmd|desc|event|summary):' "$1" | grep -v '^desc: Calls: '
  "$cgread" --no-pad --dump "$1" | awk -F '\t' '
    function name(o, f) { sub(/^\?\?\?$/, "", o); return o "`" f }
    $1 == "cost" { print name($2, $4), $6, $8 }
    $1 == "call" { sub(/^-> /, "", $8); print name($2, $4), $6, "->",
                   name($8, $10), $NF }'
}

# check CASE NAME [OPTION...]: what a case becomes is on the standard input.
check ()
{
  case=$1
  what=$2
  shift 2
  cat >expected
  make_case "$case" && "$import" --symfs machine "$@" -o out "$case.data" 2>err \
    && grep -qx 'desc: Calls: numbers of samples, .*' out \
    && dump out >got && diff expected got >log \
    && test "$(wc -l <err)" = "${warnings-0}"
  status=$?
  cat err >>log
  result $status "$what"
}

cat >two_samples <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 15 2
perf-1000.map`leaf 0x3010 10 1
perf-1000.map`main 0x1008 5 1
`prog 0x0 -> perf-1000.map`main 2 15 2
perf-1000.map`main 0x102f -> perf-1000.map`work 1 10 1
perf-1000.map`work 0x201f -> perf-1000.map`leaf 1 10 1
END
check old "the oldest header and attributes" <two_samples
check new "attributes larger than those known" <two_samples
check data "data between records are passed over" <two_samples

{
  cat <<'END'
cmd: perf record
desc: Recorded: on host
event: cpu_clock_u : cpu-clock:u (ns)
END
  sed 1d two_samples
} >in_pipe
check pipe "a pipe, with records for its header" <in_pipe
check pipe_old "a pipe with the oldest attribute, and the ID of a program" \
  <two_samples

warnings=1
check events "events with their ids, names and units" <<'END'
event: cycles_u : cycles:u
event: cpu_event_0x3c_umask_0_u : cpu/event=0x3c,umask=0/u (0.25 Joules)
event: Samples : Samples
summary: 10 7 2
perf-1000.map`leaf 0x3010 10 0 1
perf-1000.map`main 0x1008 0 7 1
`prog 0x0 -> perf-1000.map`main 2 10 7 2
perf-1000.map`main 0x102f -> perf-1000.map`work 1 10 0 1
perf-1000.map`work 0x201f -> perf-1000.map`leaf 1 10 0 1
END
unset warnings

check unnamed "events without names, and of one name" <<'END'
event: instructions : instructions
event: instructions_2 : instructions
event: L1_icache_load_misses : L1-icache-load-misses
event: Samples : Samples
summary: 1000 1 1000 3
perf-1000.map`leaf 0x3010 1000 1 1000 3
`prog 0x0 -> perf-1000.map`leaf 3 1000 1 1000 3
END

# Of more events than a profile can have, the first ones are taken.
make_case many_events
cat >expected <<'END'
cgw-import: many_events.data: warning: it has 202 events; this profile has the first 200, others with --event
END
"$import" -o out many_events.data many_events.data 2>err \
  && diff expected err >log \
  && test "$(sed -n 's/^events: //p' out | wc -w)" = 200 \
  && grep -q '^summary: 2000 0 .* 0 2000$' out
result $? "more events than a profile can have: a warning" log
"$import" --event rc9,Samples -o out many_events.data 2>log \
  && grep -qx 'events: rc9 Samples' out && grep -qx 'summary: 1000 3' out \
  && test ! -s log
result $? "others of them with --event" log

sed 's/^summary: 15/summary: 20/; s/main 0x1008 5/main 0x1008 10/
     s/main 2 15/main 2 20/' two_samples >rounds.expected
check rounds "records of several processors in the order of time" \
  <rounds.expected

check modes "the kernel, its modules and made code, hypervisors and guests" <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 70 7
/lib/modules/1/kernel/a-b.ko`in_module 0xf1000020 10 1
[guest]`??? 0xe0000010 10 1
[hypervisor]`??? 0xe0000000 10 1
[kernel.kallsyms]`the_call 0xf0002010 20 2
[other]`??? 0xf2000020 10 1
perf-1000.map`leaf 0x3010 10 1
`prog 0x0 -> [bpf]`bpf_prog_1 1 10 1
`prog 0x0 -> [guest]`??? 2 20 2
`prog 0x0 -> [kernel.kallsyms]`the_call 1 10 1
`prog 0x0 -> [other]`??? 1 10 1
`prog 0x0 -> perf-1000.map`leaf 1 10 1
`prog 0x0 -> perf-1000.map`main 1 10 1
[bpf]`bpf_prog_1 0xf300000f -> /lib/modules/1/kernel/a-b.ko`in_module 1 10 1
[guest.kernel]`??? 0xe1000000 -> [hypervisor]`??? 1 10 1
[guest]`??? 0xe2000000 -> [guest.kernel]`??? 1 10 1
[kernel.kallsyms]`before 0xf0002fff -> [kernel.kallsyms]`the_call 1 10 1
perf-1000.map`main 0x102f -> perf-1000.map`work 1 10 1
perf-1000.map`work 0x2000 -> [kernel.kallsyms]`before 1 10 1
END
cp out modes.out

# The kernel's file, which was loaded elsewhere.
cat >kernel.S <<'END'
	.text
	.globl	_text
_text:	.skip	0x1000
	.type	the_call, %function
the_call:
	.skip	0xff0
	.size	the_call, .-the_call
	.type	before, %function
before:	.skip	0x100
	.size	before, .-before
END
mkdir -p machine/boot
# at ADDRESS FILE SOURCE: links it, with the build ID of perf_records.pl.
at () {
  ${CC-cc} -nostdlib -static "-Wl,-Ttext=$1" \
    -Wl,--build-id=0x6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b -o "$2" "$3" 2>log
}
at 0x1000000 machine/boot/vmlinux-1.2 kernel.S \
  && "$import" --symfs machine -o out modes.data 2>log && dump out >got
sed 's|\[kernel.kallsyms\]|/boot/vmlinux-1.2|g; s/0xf0002/0x1001/' expected \
  | LC_ALL=C sort >expected.sorted
LC_ALL=C sort got | diff expected.sorted - >log
result $? "the kernel's file, by its build ID"
rm -r machine/boot

# Symbols of the kernel that perf kept, by its build ID; never those of another.
kept=.debug/[kernel.kallsyms]/$(printf 'k%.0s' 1 2 3 4 5 6 7 8 9 10 \
                                11 12 13 14 15 16 17 18 19 20 \
                              | od -An -tx1 | tr -d ' \n')
mkdir -p "$kept" other/tmp
mv machine/proc/kallsyms "$kept/kallsyms"
"$import" --symfs machine -o out modes.data 2>log && cmp -s out modes.out
result $? "symbols of the kernel that perf kept"
mkdir x && mv .debug x
"$import" --symfs machine --debug-path x/.debug -o out modes.data 2>log \
  && cmp -s out modes.out
result $? "symbols of the kernel in --debug-path"
"$import" --symfs machine -o out modes.data 2>log && dump out >got \
  && grep -q 'kernel.kallsyms]`??? 0xf0002010' got && ! grep -q the_call got \
  && grep -q 'symbols cannot be had' log
result $? "without symbols of its kernel, an unknown function" got

mv "x/$kept/kallsyms" machine/proc
check processes "forks, programs, names of threads" <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 80 8
`??? 0x3010 10 1
[kernel.kallsyms]`the_call 0xf0002010 30 3
perf-1000.map`leaf 0x3010 40 4
`??? 0x102f -> `??? 1 0 0
`??? 0x201f -> `??? 1 0 0
`other 0x0 -> `??? 1 10 1
`other 0x0 -> [vdso]x`??? 1 10 1
`other 0x0 -> perf-1000.map`main 2 20 2
`prog 0x0 -> perf-1000.map`main 3 30 3
`worker 1 0x0 -> perf-1000.map`main 1 10 1
[vdso]x`??? 0x10 -> [kernel.kallsyms]`the_call 1 10 1
perf-1000.map`leaf 0x3010 -> [kernel.kallsyms]`the_call 2 20 2
perf-1000.map`main 0x102f -> perf-1000.map`work 6 60 6
perf-1000.map`work 0x201f -> perf-1000.map`leaf 6 60 6
END
for options in "--comm other:40 4" "--time 0,1:70 7" "--time 1,:10 1" \
  "--event Samples:8" "--event cpu-clock:80"; do
  set -- ${options%:*}
  "$import" --symfs machine "$@" -o out processes.data 2>log \
    && grep -q "^totals: ${options##*:}\$" out
  result $? "processes with $*" out
done
"$import" --symfs machine --comm other --time 0,0.000000007 processes.data \
  >out 2>log
test $? = 1 && grep -q 'no samples then; the last is 2.00000001 s after' log
result $? "times count from the first sample of all commands"
"$import" --symfs machine --threads -o out processes.data 2>log
grep -E '^(pid|thread|desc: Thread): ' out >got
diff - got >log <<'END'
pid: 1000
thread: 1000
desc: Thread: prog
pid: 1000
thread: 1001
desc: Thread: worker 1
pid: 2000
thread: 2000
desc: Thread: other
END
result $? "--threads"

check group "what a group of events counted" <<'END'
event: cycles : cycles
event: instructions : instructions
event: Samples : Samples
summary: 200 950 2
perf-1000.map`leaf 0x3010 100 250 1
perf-1000.map`work 0x2010 100 700 1
`prog 0x0 -> perf-1000.map`leaf 1 100 250 1
`prog 0x0 -> perf-1000.map`work 1 100 700 1
END
check counter "what one event counted" <<'END'
event: instructions : instructions
event: Samples : Samples
summary: 75 2
perf-1000.map`leaf 0x3010 70 1
perf-1000.map`work 0x2010 5 1
`prog 0x0 -> perf-1000.map`leaf 1 70 1
`prog 0x0 -> perf-1000.map`work 1 5 1
END

check branches "call stacks of last branch records" <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 30 3
[kernel.kallsyms]`??? 0xf0002010 10 1
perf-1000.map`leaf 0x3000 10 1
perf-1000.map`leaf 0x3010 10 1
`prog 0x0 -> perf-1000.map`main 3 30 3
perf-1000.map`leaf 0x3010 -> [kernel.kallsyms]`??? 1 10 1
perf-1000.map`main 0x1030 -> perf-1000.map`work 3 30 3
perf-1000.map`work 0x2020 -> perf-1000.map`leaf 3 30 3
END
sed 's/^summary: 15 2/summary: 10 1/; /main 0x1008/d
     s/main 2 15 2/main 1 10 1/' two_samples >no_calls.expected
check no_calls "branches that are no calls" <no_calls.expected
check deep "a chain that was cut off is main's" <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 25 3
perf-1000.map`leaf 0x3010 20 2
perf-1000.map`main 0x1008 5 1
`(cut) 0x0 -> perf-1000.map`leaf 1 10 1
`prog 0x0 -> perf-1000.map`main 3 25 3
perf-1000.map`leaf 0x300f -> perf-1000.map`leaf 1 0 0
perf-1000.map`main 0x0 -> `(cut) 1 10 1
perf-1000.map`main 0x102f -> perf-1000.map`work 1 10 1
perf-1000.map`work 0x201f -> perf-1000.map`leaf 1 10 1
END

# A copied stack is unwound as the program's file says.
if test "$(uname -m)" = x86_64; then
  cat >prog.S <<'END'
	.macro	function name, size
	.globl	\name
	.type	\name, %function
\name:	.cfi_startproc
	.cfi_def_cfa_offset \size
	.skip	0x1000
	.cfi_endproc
	.size	\name, .-\name
	.endm
	.text
	function leaf, 8
	function work, 32
	function main, 16
	.globl	_start
	.type	_start, %function
_start:	.cfi_startproc
	.cfi_undefined rip
	.skip	0x1000
	.cfi_endproc
	.size	_start, .-_start
END
  mkdir machine/bin
  at 0x401000 machine/bin/prog prog.S
  cat >stack.expected <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 20 2
/bin/prog`leaf 0x401010 20 2
/bin/prog`_start 0x40403f -> /bin/prog`main 1 10 1
/bin/prog`main 0x0 -> `(cut) 1 10 1
/bin/prog`main 0x40302f -> /bin/prog`work 1 10 1
/bin/prog`work 0x40201f -> /bin/prog`leaf 2 20 2
`(cut) 0x0 -> /bin/prog`work 1 10 1
`prog 0x0 -> /bin/prog`_start 1 10 1
`prog 0x0 -> /bin/prog`main 1 10 1
END
  check stack "copied stacks are unwound; those that are cut off are main's" \
    <stack.expected
  make_case many_files
  (ulimit -n 40; exec "$import" --symfs machine -o out many_files.data) 2>log \
    && dump out >got && diff stack.expected got >log
  result $? "only the files that a copied stack leads through are opened"
  # Of another thread, the function that two others call.
  mv machine/bin/prog kept
  sed 's/main/begin/' prog.S >x.S
  at 0x401000 machine/bin/prog x.S
  check thread "a stack that is cut off is that of its thread's start" <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 20 2
/bin/prog`leaf 0x401010 20 2
/bin/prog`_start 0x40403f -> /bin/prog`begin 1 10 1
/bin/prog`begin 0x40302f -> /bin/prog`work 1 10 1
/bin/prog`leaf 0x40101f -> /bin/prog`leaf 2 0 0
/bin/prog`work 0x0 -> `(cut) 1 10 1
/bin/prog`work 0x40201f -> /bin/prog`leaf 1 10 1
`(cut) 0x0 -> /bin/prog`leaf 1 10 1
`(root) 0x0 -> /bin/prog`_start 1 10 1
`(root) 0x0 -> /bin/prog`work 1 10 1
END
  mv kept machine/bin/prog
  check branch_counters "branches with counters before a copied stack" \
    <stack.expected

  # as MACHINE: the program is for one, by its ELF number in octal.
  as () { printf "\\$1" | dd of=machine/bin/prog bs=1 seek=18 conv=notrunc 2>log; }
  as 267
  check aarch64 "registers of aarch64, by the program's file" <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 20 2
/bin/prog`leaf 0x401010 20 2
`(cut) 0x0 -> /bin/prog`leaf 2 20 2
`prog 0x0 -> `(cut) 2 20 2
END
  for machine in 003 050; do
    as $machine
    check bits_32 "a program of 32 bits is not unwound: $machine" <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 20 2
/bin/prog`leaf 0x401010 20 2
`prog 0x0 -> /bin/prog`leaf 2 20 2
END
  done
  as 363
  other='cannot be unwound here, unlike those of x86_64 and aarch64: import'
  "$import" --symfs machine -o out stack.data 2>log
  test $? = 1 && grep -q ": its copied stacks are of another machine, and $other" log
  result $? "copied stacks of another machine, by the program's file"
  make_case riscv64
  "$import" --symfs machine -o out riscv64.data 2>log
  test $? = 1 && grep -q ": its copied stacks are of riscv64, and $other" log
  result $? "copied stacks of another machine, by the recording"
  rm machine/bin/prog
  warnings=1
  check x86_64 "a copied stack of a program that is not here" <<'END'
event: cpu_clock : cpu-clock (ns)
event: Samples : Samples
summary: 20 2
/bin/prog`??? 0x1010 20 2
`(cut) 0x0 -> /bin/prog`??? 2 20 2
`prog 0x0 -> `(cut) 2 20 2
END
  unset warnings
  "$import" --symfs machine -o out stack.data 2>log \
    && grep -q 'warning: stacks not unwound, .* of which machine they are: 2$' log
  result $? "copied stacks of an unknown machine"
else
  skip "copied stacks" "they are of x86-64"
fi

has_zstd=no
if ! command -v zstd >/dev/null; then
  skip "compressed records" "zstd is missing"
else
  make_case zstd
  "$import" --symfs machine -o out zstd.data 2>log
  if grep -q 'built without zstd' log; then
    skip "compressed records" "cgw-import was built without zstd"
  else
    has_zstd=yes
    check zstd "compressed records" <two_samples
    check zstd2 "records that begin in one compressed one and end in the next" \
      <two_samples
    make_case bomb
    "$import" --symfs machine -o out bomb.data 2>log && dump out >got \
      && diff two_samples got >log
    result $? "a gigabyte of compressed records of no use"
  fi
fi

# An input that cannot be read at any place.
make_case events
"$import" --symfs machine -o out events.data 2>log
sed -n '/^event/,$p' out >expected
"$import" --symfs machine <events.data 2>log | sed -n '/^event/,$p' >got
cmp got expected >log \
  && cat events.data | "$import" --symfs machine 2>log \
    | sed -n '/^event/,$p' >got && cmp got expected >log
result $? "standard input, a file and a pipe"
if gzip -c events.data >events.gz 2>log; then
  "$import" --symfs machine events.gz 2>log | sed -n '/^event/,$p' >got
  cmp got expected >log
  result $? "a file that is compressed as a whole"
else
  skip "a file that is compressed as a whole" "gzip is missing"
fi

# What is wrong.

# warn CASE TEXT NAME: the warning; the samples are there.
warn ()
{
  make_case "$1"
  "$import" --symfs machine -o out "$1.data" 2>log && dump out >got \
    && diff two_samples got >log.diff && grep -q "$1.data: warning: $2\$" log
  status=$?
  cat log.diff >>log
  result $status "$3"
}

warn lost 'records lost while it was recorded: 42' "lost records are reported"
grep -q 'samples lost while it was recorded: 5$' log
result $? "lost samples are reported"
warn open 'perf did not finish .*' "a recording whose perf was killed"

# refuse CASE TEXT: the message; nothing is written.
refuse ()
{
  make_case "$1"
  rm -f out
  "$import" --symfs machine -o out "$1.data" 2>log
  test $? = 1 && test ! -e out && grep -q "^cgw-import: $1.data: $2" log
  result $? "$1: $2"
}

refuse other_order 'at byte 0: .*the other byte order'
refuse no_events 'at byte 24: it has no events'
refuse no_samples 'there are no samples'
refuse small_record 'at byte 336: the size of the record is wrong'
refuse long_record 'at byte 336: the size of the record is wrong'
refuse long_chain 'at byte 336: the sample is cut off'
refuse no_path 'at byte 232: the record is cut off'
for kind in map symbol fork exit; do
  refuse short_$kind 'at byte 336: the record is cut off'
done
refuse short_attr 'at byte 16: the attribute is cut off'
refuse short_update 'at byte 136: the record is cut off'
refuse short_build_id 'at byte 136: the record of a build ID is cut off'
refuse wrong_place 'at byte 40: the place of the records is wrong'
refuse too_many_events 'at byte 122896: it has too many events'
refuse too_many_in_file 'at byte 131176: it has too many events'
refuse many_ids 'at byte 104: there are too many ids'
if test $has_zstd = yes; then
  refuse nested 'at byte 232: a compressed record is of a wrong kind'
  refuse cut_zstd 'at byte [0-9]*: the compressed data are cut off'
  refuse wrong_zstd 'at byte 336: the size of the compressed data is wrong'
  refuse small_zstd 'at byte 336: the size of a compressed record is wrong'
  refuse bad_zstd 'at byte 232: the compressed data are damaged'
fi

make_case no_rounds
(
  ulimit -v 1000000
  "$import" --symfs machine -o out no_rounds.data 2>log
)
status=$?
if grep -q AddressSanitizer log; then
  skip "a file without rounds in bounded memory" \
    "AddressSanitizer needs more address space"
else
  test $status = 0 && grep -q 'not say when records are complete' log \
    && grep -q '^totals: .* 7002$' out
  result $? "a file without rounds in bounded memory"
fi
rm -f no_rounds.data

set --
for case in events pipe modes processes branches group old branch_counters; do
  make_case $case
  set -- "$@" $case.data
done
test $has_zstd = no || set -- "$@" zstd.data
"$fuzzer" --damage 5 "$@" >log 2>&1
result $? "damaged files are refused or imported"
done_testing
