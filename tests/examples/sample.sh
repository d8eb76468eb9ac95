#!/bin/sh
# sample.sh - cgw-sample with its clocks, perf events and timers, on programs
# that measure their processor time.  See sample_ticks.sh for what needs none.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
ulimit -S -v unlimited # Go needs more.

total () { sed -n 's/^total CPU //p' counts; }
samples () { sed -n 's/^total Samples //p' counts; }

# hottest FILE FUNCTION TEXT: it has the highest self cost.
hottest ()
{
  "$cgread" --no-pad "$1" >counts && "$cgread" --no-pad --dump "$1" | awk -F '\t' '
    $1 == "cost" { split($NF, c, " "); sum[$4] += c[1] }
    END { for (f in sum) if (sum[f] > most) { most = sum[f]; name = f }
          print name }' >name
  test "$(cat name)" = "$2"
  result $? "$3: the hottest function is $2"
}

# self FILE FUNCTION
self ()
{
  "$cgread" --no-pad --dump "$1" | awk -F '\t' -v f="$2" '
    $1 == "cost" && $4 == f { split($NF, c, " "); sum += c[1] }
    END { print sum + 0 }'
}

compile "$programs/sampled.c" -o sampled -ldl \
  && compile "$programs/sampled_odd.c" -o odd
result $? "the programs compile"

## Each clock.

# has_clock REGEX TEXT
has_clock ()
{
  grep -Eq "threads interrupted by perf events: $1" err
  result $? "$2"
}

ends 7 "600 ms" "$sample" -o events ./sampled loop
if grep -q 'by perf events: 1, by timers: 0$' err; then
  hottest events hot "perf events"
  test "$(samples)" -gt 300 && test "$(total)" -lt 900000
  result $? "perf events: more samples than a timer takes"
  ! grep 'in no sample' err
  result $? "perf events: no time is missing"
  "$sample" -o cold ./sampled shares >out 2>err
  "$cgread" --no-pad cold >counts
  test "$(self cold cold)" -gt $(($(total) * 7 / 100)) \
    && test "$(self cold cold)" -lt $(($(total) * 13 / 100))
  result $? "perf events: a tenth of the time is a tenth of the cost"
  if command -v strace >/dev/null; then
    strace -f -o calls "$sample" -o traced ./sampled loop >out 2>err
    # Between a tick and the end of its handler; the first sample of a place
    # finds out what is mapped there.
    awk '/si_signo=SIGRT_31, si_code=(POLL_IN|0x1),/ {
           ticks++; inside[$1] = 1; next }
         /rt_sigreturn/ { inside[$1] = 0 }
         inside[$1] { calls++; print >"made" }
         END { exit !(ticks > 100 && calls * 10 < ticks) }' calls
    result $? "perf events: a sample takes no system call" made
  else
    skip "perf events: a sample takes no system call" "there is no strace"
  fi
else
  skip "perf events" "they are not allowed here"
fi
"$sample" --timers -o timers ./sampled threads >out 2>err
has_clock '0, by timers: [1-9]' "--timers: timers run"
hottest timers hot "--timers"
prlimit --sigpending=100 "$sample" -o few ./sampled loop >out 2>err
has_clock '0, by timers: 1 \(too few signals may be queued' \
  "a short queue of signals: timers run"

## What depends on how a tick comes.

for option in '' --timers; do
  for mode in limit sandbox; do
    # No option is no word.
    # shellcheck disable=SC2086
    ends 7 "$mode $option" "$sample" $option -o odd.profile ./odd $mode
    grep -q ' 0 lost$' err
    result $? "$mode $option: no sample is lost"
    hottest odd.profile hot "$mode $option"
  done
  # shellcheck disable=SC2086
  ends 7 "long system calls $option" "$sample" $option -o kernel ./odd kernel
  "$cgread" --no-pad kernel >counts && test $(($(samples) * 1100)) -lt "$(total)"
  result $? "long system calls $option: a sample stands for many ticks" counts
done

if compile -DWITH_LIBUNWIND "$programs/sampled_odd.c" -o odd -lunwind \
  2>/dev/null; then
  ends 7 "a program that calls libunwind" "$sample" -o unwind ./odd unwind
else
  skip "a program that calls libunwind" "libunwind is not installed"
fi

## Other programs.

if command -v gdb >/dev/null; then
  "$sample" -o debugged gdb -batch -ex 'handle SIG63 nostop noprint pass' \
    -ex run -ex 'print $_exitcode' --args ./sampled loop >out 2>err
  grep -q '^\$1 = 7$' out
  result $? "gdb: the program runs to its end" out
  hottest "$(grep -l '^cmd: .*/sampled loop$' debugged.*)" hot "gdb"
else
  skip "gdb" "it is not installed"
fi

if command -v go >/dev/null; then
  GOCACHE=$dir/go GO111MODULE=off CGO_ENABLED=1 CC="${CC:-cc}" \
    CGO_CFLAGS="-O1 -g" go build -o cgo "$programs/sampled.go" 2>err
  result $? "the Go program compiles"
  ends 7 "Go" "$sample" -o go.out ./cgo
  grep -q ' 0 lost$' err
  result $? "Go: no sample is lost"
  readable go.out "Go"
  test "$(self go.out main.goHot)" -gt 0 && test "$(self go.out c_hot)" -gt 0
  result $? "Go: its functions are there, and those of C"
  ends 7 "Go: no tick outlives an exec without the C library" \
    "$sample" -F 10000 -o go.out ./cgo 40
else
  skip "Go" "it is not installed"
fi

done_testing
