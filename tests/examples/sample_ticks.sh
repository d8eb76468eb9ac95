#!/bin/sh
# sample_ticks.sh - cgw-sample on programs that send themselves known numbers of
# ticks in known functions: inclusive costs, threads, fork, exec, dlopen, deep
# stacks, and programs that do odd things.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
needs_ticks

ticking "$programs/sampled.c" -o sampled -ldl \
  && ticking -no-pie "$programs/sampled.c" -o fixed -ldl \
  && ticking -fno-omit-frame-pointer "$programs/sampled.c" -o framed -ldl \
  && ticking "$programs/sampled_odd.c" -o odd \
  && ticking -shared -fPIC -DFUNCTION=of_library_one \
    "$programs/sampled_library.c" -o one.so \
  && ticking -shared -fPIC -DFUNCTION=of_library_two \
    "$programs/sampled_library.c" -o two.so \
  && ticking "$programs/unnamed.c" -o named \
  && strip -o unnamed named
result $? "the programs compile"

## One thread.

{ echo '600 samples, 600 ticks, clocks: 1'; echo "$loop_ticks"; } >loop.all

sampled loop 7 ./sampled loop <loop.all
readable loop "a loop"
awk -F '\t' '$1 == "cost" && $4 == "hot" { split($NF, c, " "); n[$5] += c[2] }
  END { for (f in n) print f, n[f] }' dump >err
echo "$programs/tick.h 540" | cmp - err
result $? "the cost of inlined code is in its own file"
for line in 'cmd: ./sampled loop' 'pid: [1-9][0-9]*' \
  'event: CPU : Processor time in us; calls are counts of stacks' \
  'event: Samples : Samples; calls are counts of stacks' \
  'desc: Calls: numbers of different stacks, .*'; do
  grep -qx "$line" loop
  result $? "the profile says $line" loop
done

# address_is_right PROFILE PROGRAM: where hot costs lies in it.
address_is_right ()
{
  address=$("$cgread" --no-pad --dump "$1" | awk -F '\t' '
    $1 == "cost" && $4 == "hot" { print $6; exit }')
  entry=0x$(nm "$2" | awk '$3 == "hot" { print $1 }')
  test $((address)) -ge $((entry)) && test $((address)) -lt $((entry + 1000))
  result $? "$1: addresses are those of the ELF file"
}
address_is_right loop sampled
sampled fixed.out 7 ./fixed loop <loop.all
address_is_right fixed.out fixed
options=--fp
sampled framed.out 7 ./framed loop <loop.all
options=

# Code with neither a symbol nor unwinding is named by where the function before
# it ends, not by where that begins, and has no callers that are not code:
# they are missing.
end=$(nm -S named | sed -n 's/^\(.*\) \(.*\) T before$/0x\1 + 0x\2/p')
sampled unnamed.out 0 ./unnamed <<END
30 samples, 30 ticks, clocks: 1
30 0 30 $(printf '0x%x' $(($end)))
0 30 0 (cut)
END

## Other formats.

if command -v python3 >/dev/null; then
  for format in pprof folded speedscope; do
    "$sample" -F 1 -q --to $format -o loop.$format ./sampled loop 2>err
    test $? = 7 && test ! -s err
    result $? "--to $format: its status"
    python3 "$srcdir/tests/examples/export_show.py" self $format loop.$format \
      2>&1 | grep ' \(hot\|cold\)$' >got
    case $format in
      folded) printf '60000000 cold\n540000000 hot\n' ;;
      *) printf '60000000 60 cold\n540000000 540 hot\n' ;;
    esac | diff - got >differences
    result $? "--to $format: self costs" differences
  done
else
  skip "--to" "there is no python3"
fi
mkdir other && (cd other && "$sample" -F 1 --to pprof ../sampled loop 2>../err)
echo other/* >got
grep -q '^other/profile\.[0-9]*\.pb\.gz$' got \
  && grep -q '^Open it:  go tool pprof -http=: profile\.[0-9]*\.pb\.gz$' err
result $? "--to: the default name, and what opens it" err
"$sample" -F 1 -q --to folded -o - ./sampled loop 2>err | cmp -s - loop.folded \
  && test ! -s err
result $? "--to: to standard output"

## The hottest functions, of an own short reader of the same file.

hottest='       540,000,000   90.0 %  hot  (FILE)
        60,000,000   10.0 %  cold  (FILE)
       600,000,000  100.0 %  all functions: 2'
# says OUT TEXT COMMAND...: the last lines on the standard error, those of the
# hottest functions left out.
says ()
{
  says_out=$1
  says_text=$2
  shift 2
  "$sample" -F 1 -o "$says_out" "$@" >out 2>err
  sed "s|($programs/sampled.c)|(FILE)|; 1,/^cgw-sample: threads/d
       s/\.[1-9][0-9]*/.PID/g" err | diff - expected >differences
  result $? "$says_text" differences
}
costs='costs, Processor time in us; calls are counts of stacks:'
cat >expected <<END
cgw-sample: hot test: 600 samples of ./sampled loop
cgw-sample: hot test: self $costs
$hottest
Open it:  kcachegrind 'hot test'  or  callgrind_annotate 'hot test'
END
says "hot test" "the hottest functions, and the command that opens the file" \
  ./sampled loop
cat >expected <<END
cgw-sample: standard output: 600 samples of ./sampled loop
END
says - "standard output: no file to read or open" ./sampled loop
ends 7 "-q" "$sample" -q -F 1 -o quiet ./sampled loop
test ! -s err
result $? "-q: nothing is said"
cat >expected <<END
cgw-sample: several: 0 samples of sh -c ./sampled loop; exit 3
cgw-sample: several.PID: 600 samples of ./sampled loop
cgw-sample: several.PID: the profile of 2 with the highest cost.  Self $costs
$hottest
Open it:  kcachegrind several.PID  or  callgrind_annotate several.PID
END
says several "of several files, that with the highest cost" \
  sh -c './sampled loop; exit 3'

## Recursion.

cat >recursion.all <<'END'
200 samples, 200 ticks, clocks: 1
200 0 200 hot
0 200 200 recursion
0 200 200 main
END
sampled shallow 0 ./sampled recursion 20 <recursion.all
# What is missing is a function between main and what is known.
cat >recursion.cut <<'END'
200 samples, 200 ticks, clocks: 1
200 0 200 hot
0 200 200 recursion
0 200 200 main
0 200 200 (cut)
END
sampled deeper_than_is_recorded 0 ./sampled recursion 3000 <recursion.cut
readable deeper_than_is_recorded "a deep stack"
# A whole stack of before main is none of main.
sampled deep_and_early 0 ./sampled early-recursion 3000 <<'END'
300 samples, 300 ticks, clocks: 1
300 0 300 hot
0 100 100 early
0 200 200 recursion
0 200 200 main
0 200 200 (cut)
END

## Threads, one of which blocks all signals.

sampled threads 0 ./sampled threads <<'END'
900 samples, 900 ticks, clocks: 4
810 0 810 hot
90 0 90 cold
0 900 900 work
0 900 900 worker
0 300 300 c11_worker
END
readable threads "threads"
! grep sample_agent dump >err
result $? "threads: nothing of the profiler itself is in the profile"

## Processes.

sampled forks 0 ./sampled forks <<'END'
900 samples, 900 ticks, clocks: 4
135 0 135 hot
15 0 15 cold
0 150 150 work
0 150 150 forks
0 150 150 main
END
first=$(sed -n 1p out) second=$(sed -n 2p out)
has_ticks "forks.$first" "a forked child" <<'END'
150 0 150 hot
0 150 150 child_work
0 150 150 forks
0 150 150 main
END
sed 1d loop.all >loop.ticks
has_ticks "forks.$second" "a program that a child executes" <loop.ticks
grep -q '^cmd: ./sampled loop$' "forks.$second"
result $? "exec: the profile names the new command"

# What an earlier run left, and what is somebody else's.
cp "forks.$first" forks.1234-2
cp "forks.$first" forks.12.txt
echo mine >forks.9
ln -s forks.12.txt forks.8
sampled forks 7 ./sampled loop <loop.all
test "$(echo forks* | tr " " ,)" = forks,forks.12.txt,forks.8,forks.9
result $? "files of an earlier run are removed, others not"

sed s/1$/2/ loop.all >masked.all
sampled masked 7 ./sampled masked <masked.all
ends 5 "a script" "$sample" -F 1 -o script.%p \
  sh -c 'echo $$; ./sampled loop; exit 5'
pid=$(cat out)
has_ticks "script.$pid" "a script: the shell" </dev/null
has_ticks "$(ls script.* | grep -v "^script.$pid\$")" "a script: its program" \
  <loop.ticks

## Libraries that come and go: the second may lie where the first did.

sampled load 0 ./sampled load ./one.so ./two.so <<'END'
300 samples, 300 ticks, clocks: 1
150 0 150 of_library_one
150 0 150 of_library_two
0 300 300 load
0 300 300 run
0 300 300 main
END

## Odd programs: they end as without cgw-sample.

sampled killed 137 ./sampled killed <loop.all
sampled all_signals_reset 7 ./sampled all-signals <loop.all
cat >odd.all <<'END'
300 samples, 300 ticks, clocks: 1
300 0 300 hot
0 300 300 work
END
{ cat odd.all; echo '0 300 0 (cut)'; } >coroutine.all
sampled coroutine 7 ./odd coroutine <coroutine.all
sampled closes_all 7 ./odd close <coroutine.all
{ cat odd.all; echo '0 300 300 alternate'; echo '0 300 300 main'; } \
  >alternate.all
sampled small_alternate_stack 7 ./odd alternate <alternate.all
sed s/alternate/limit_signals/ alternate.all >limit.all
sampled no_signal_can_wait 7 ./odd limit <limit.all
sed 's/300/900/g; s/1$/4/' odd.all >threads.all
echo '0 900 900 thread' >>threads.all
sampled small_stacks_of_threads 7 ./odd threads <threads.all
# All that the process executes, 15 times in all.
sampled executes_in_all_ways 7 ./odd exec 14 <<'END'
150 samples, 150 ticks, clocks: 15
150 0 150 hot
0 150 150 execute
0 150 150 main
END
# Ticks that wait come where the first one came, so one sample stands for them.
sampled long_system_call 7 ./odd kernel <<'END'
2 samples, 100 ticks, clocks: 1
0 100 100 in_kernel
0 100 100 main
END
# It handles what it sends itself by raise.
sampled handles_the_signal 7 ./odd handler <<'END'
300 samples, 300 ticks, clocks: 1
300 0 300 hot
0 300 300 handle
0 300 300 main
END
sampled signal_without_a_handler 191 \
  ./odd default <<'END'
0 samples, 0 ticks, clocks: 1
END
sampled handler_of_SIGIO_is_not_seen 7 ./odd io <<'END'
0 samples, 0 ticks, clocks: 1
END

# Where a tick comes while a stack is walked, the next sample is at the same
# place, without end if it were not given up.
cat >slow.c <<'END'
#define UNW_LOCAL_ONLY 1
#include <libunwind.h>
#include "tick.h"

unw_addr_space_t unw_local_addr_space;
int unw_init_local2 (unw_cursor_t *c, unw_context_t *u, int f) { return 0; }
int unw_step (unw_cursor_t *c) { tick (); return 0; }
int unw_get_reg (unw_cursor_t *c, int n, unw_word_t *value)
{
  *value = (unw_word_t) unw_step;
  return 0;
}
int unw_is_signal_frame (unw_cursor_t *c) { return 0; }
void unw_flush_cache (unw_addr_space_t s, unw_word_t a, unw_word_t b) {}
int unw_backtrace (void **addresses, int n) { return 0; }
END
mkdir slow
if ticking -I"$programs" -shared -fPIC slow.c -o slow/libunwind.so.8 2>err; then
  ends 7 "slow walks: the program goes on" \
    env LD_LIBRARY_PATH="$PWD/slow" timeout -k 1 60 \
    "$sample" -F 1 -o slow.out ./odd little
else
  skip "slow walks: the program goes on" "libunwind's header is missing"
fi

done_testing
