#!/bin/sh
# sample.sh - cgw-sample on programs that take known shares of processor
# time in known functions: what it finds hottest, inclusive costs, threads,
# fork, exec, dlopen, ends of all kinds, both clocks, programs that do odd
# things, and what it says when it cannot.
# Nothing depends on speed: the programs measure processor time, and 90 % of
# it is in one function.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder: examples/sample/cgw-sample,
# tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
ulimit -S -v unlimited # Go needs more.
log=err

# is CONDITION... -- TEXT: a result from a test.
is () {
  text=
  for text; do :; done
  condition=
  while test "$1" != --; do
    condition="$condition $1"
    shift
  done
  # The words have no blanks.
  # shellcheck disable=SC2086
  test $condition
  result $? "$text"
}

# readable FILE TEXT: the strict reader takes it, callgrind_annotate opens it
# without a message.
readable () {
  "$cgread" "$1" >counts 2>&1
  status=$?
  sed 's/^/# /' counts >&2
  if test "$status" -eq 0 && command -v callgrind_annotate >/dev/null; then
    callgrind_annotate --auto=no --tree=both "$1" >annotated 2>complaints
    status=$?
    sed 's/^/# /' complaints >&2
    test ! -s complaints || status=1
  fi
  result "$status" "$2: the reader and callgrind_annotate take it"
}

# What a profile says of processor time.  Lines of a dump: "cost", object,
# file, function, ... and "call", the same of the caller, "->", object, file,
# function of the callee, ...; the first number of the last field is the time.
dump () { "$cgread" --dump "$1"; }

total () { sed -n 's/^total CPU //p' counts; }

# hottest FILE: the function with the highest self cost.
hottest () {
  dump "$1" | awk -F '\t' '
    $1 == "cost" { split ($NF, c, " "); sum[$4] += c[1] }
    END { for (f in sum) if (sum[f] > most) { most = sum[f]; name = f }
          print name }'
}

# inclusive FILE FUNCTION: what its stacks cost: its self cost and its calls,
# those of itself aside.
inclusive () {
  dump "$1" | awk -F '\t' -v f="$2" '
    { split ($NF, c, " ") }
    $1 == "cost" && $4 == f { sum += c[1] }
    $1 == "call" && $4 == f {
      for (i = 5; $i !~ /^->/; i++) ;
      if ($(i + 2) != f) { split ($NF, c, " "); sum += c[2] }
    }
    END { print sum + 0 }'
}

# called FILE FUNCTION: what the calls of it cost, those of itself aside.
called () {
  dump "$1" | awk -F '\t' -v f="$2" '
    $1 == "call" {
      for (i = 5; $i !~ /^->/; i++) ;
      if ($(i + 2) == f && $4 != f) { split ($NF, c, " "); sum += c[2] }
    }
    END { print sum + 0 }'
}

# self_in FILE FUNCTION SOURCE: its self cost in lines of that file.
self_in () {
  dump "$1" | awk -F '\t' -v f="$2" -v source="$3" '
    $1 == "cost" && $4 == f && $5 ~ (source "$") {
      split ($NF, c, " "); sum += c[1]
    }
    END { print sum + 0 }'
}

# nearly_all PART WHOLE: what is missing is at most a tenth: the dynamic
# linker's work before main.
nearly_all () { test $(($1 * 10)) -ge $(($2 * 9)) && test "$1" -gt 0; }

compile () { ${CC:-cc} -O1 -g -w "$@"; }

compile "$programs/sampled.c" -o sampled -ldl -lpthread \
  && compile -D_GNU_SOURCE "$programs/sampled_odd.c" -o odd -lpthread \
  && compile -no-pie "$programs/sampled.c" -o fixed -ldl -lpthread \
  && compile -shared -fPIC -DFUNCTION=of_library_one \
    "$programs/sampled_library.c" -o one.so \
  && compile -shared -fPIC -DFUNCTION=of_library_two \
    "$programs/sampled_library.c" -o two.so
result $? "the programs compile"

## One thread.

"$sample" -F 1000 -o loop ./sampled loop >out 2>err
is $? -eq 7 -- "the exit status is the program's"
readable loop "a loop"
is "$(hottest loop)" = hot -- "the function with 90 % of the time is hottest"
nearly_all "$(inclusive loop main)" "$(total)"
result $? "main costs all in all what the program costs"
is "$(inclusive loop main)" -eq "$(called loop main)" -- \
  "what main costs is what its callers call"
nearly_all "$(self_in loop hot sampled_inline.h)" "$(inclusive loop hot)"
result $? "the cost of inlined code is in its own file"
is "$(self_in loop mix sampled_inline.h)" -eq 0 -- \
  "and in the function that it is inlined into"
test "$(total)" -gt 450000 && test "$(total)" -lt 900000
result $? "its 600 ms of processor time are there, however few the samples"
grep -Eq '^cgw-sample: [1-9][0-9]* samples taken in [0-9.]* s .* 0 lost$' err \
  && grep -q '^cgw-sample: loop: [1-9][0-9]* samples of ./sampled loop$' err
result $? "it says how many samples were taken, recorded and lost"
grep -q '^cmd: ./sampled loop$' loop && grep -q '^pid: [1-9]' loop
result $? "the profile names the command and the process"
grep -q '^event: CPU : Processor time in us; calls are counts of stacks$' loop \
  && grep -q '^event: Samples : Samples; calls are counts of stacks$' loop \
  && grep -q '^desc: Calls: numbers of different stacks' loop
result $? "the profile says that its calls are none"
# address_is_right PROFILE PROGRAM: where hot costs lies in it.
address_is_right () {
  address=$(dump "$1" | awk -F '\t' '$1 == "cost" && $4 == "hot" {
    print $6; exit }')
  entry=0x$(nm "$2" | awk '$3 == "hot" { print $1 }')
  test $((address)) -ge $((entry)) && test $((address)) -lt $((entry + 1000))
}
address_is_right loop sampled
result $? "addresses are those of the ELF file"

"$sample" -o fixed.out ./fixed loop >out 2>err
readable fixed.out "a program at a fixed address"
is "$(hottest fixed.out)" = hot -- "a fixed address: the hottest function"
address_is_right fixed.out fixed
result $? "a fixed address: addresses are those of the ELF file"

# Code with neither a symbol nor unwinding is named by where the function before
# it ends, not by where that begins.
compile -fno-toplevel-reorder "$programs/unnamed.c" -o named \
  && strip -o unnamed named
result $? "a program with code that nothing describes compiles"
"$sample" -o unnamed.out ./unnamed >out 2>err
readable unnamed.out "code that nothing describes"
end=$(nm -S named | sed -n 's/^\(.*\) \(.*\) T before$/0x\1 + 0x\2/p')
is "$(hottest unnamed.out)" = "$(printf '0x%x' $(($end)))" -- \
  "code that nothing describes is not taken for the function before it"
dump unnamed.out | awk -F '\t' '$1 == "call" && $2 == "???"' >err
test ! -s err
result $? "code that nothing describes has no callers that are not code"

"$sample" --fp -o fp ./sampled loop >out 2>err
readable fp "by frame pointers"
is "$(hottest fp)" = hot -- "by frame pointers: the hottest function"

## The hottest functions, of an own short reader of the same file.

# shown PROFILE: what is printed of it, "cost name" of each function, and "all".
shown () {
  sed -n 's/^ *\([0-9,]*\)  *[0-9.]* %  \([^ ]*\).*/\1 \2/p' err | tr -d ,
}
"$sample" -o "hot test" ./sampled loop >out 2>err
dump "hot test" | awk -F '\t' '
  # The kernel has functions of the same names as libc.
  $1 == "cost" {
    split ($NF, c, " "); sum[$2, $4] += c[1]; name[$2, $4] = $4; all += c[1]
  }
  END { for (f in sum) if (sum[f] > 0) print sum[f], name[f]; print all, "all" }' \
  | sort >expected
shown | sort >got
test "$(wc -l <got)" -le 6 && test "$(shown | head -n 1)" = \
  "$(grep -v ' all$' expected | sort -rn | head -n 1)" \
  && ! comm -13 expected got | grep .
result $? "the hottest functions and their sum are those of the file" err
grep -qx "Open it:  kcachegrind 'hot test'  or  callgrind_annotate 'hot test'" \
  err
result $? "the command that opens the file" err
if command -v callgrind_annotate >/dev/null; then
  callgrind_annotate --auto=no --show-percs=no "hot test" 2>&1 \
    | sed -n 's/^ *\([0-9,]*\) .* PROGRAM TOTALS.*/\1 all/p' | tr -d , >totals
  test -s totals && shown | grep ' all$' | cmp - totals
  result $? "the sum is that of callgrind_annotate" err
else
  skip "the sum is that of callgrind_annotate" "it is not installed"
fi
"$sample" -q -o quiet ./sampled loop >out 2>err
test -s quiet && ! grep -q 'Open it\|%' err
result $? "-q: no hottest functions" err
"$sample" -o - ./sampled loop >out 2>err
! grep -q 'Open it' err
result $? "standard output: no file to open" err
"$sample" -o several sh -c './sampled loop; exit 3' >out 2>err
grep -q "^cgw-sample: several.[0-9]*: the profile of 2 with the highest" err \
  && shown | head -n 1 | grep -q ' hot$'
result $? "of several files, that with the highest cost" err

## Recursion.

"$sample" -o shallow ./sampled recursion 20 >out 2>err
readable shallow "a recursion"
nearly_all "$(inclusive shallow main)" "$(total)"
result $? "a recursion: main costs the whole"
is "$(inclusive shallow main)" -le "$(total)" -- \
  "a recursion: main costs no more than that"
"$sample" -o deep ./sampled recursion 3000 >out 2>err
readable deep "a stack deeper than is recorded"
nearly_all "$(inclusive deep main)" "$(total)"
result $? "a stack deeper than is recorded: main costs the whole"
# A whole stack of before main is none of main.
"$sample" -o deep ./sampled early-recursion 3000 >out 2>err
nearly_all "$(inclusive deep main)" "$(($(total) * 2 / 3))"
result $? "a stack deeper than is recorded, and others before main"

## Threads.

"$sample" -o threads ./sampled threads >out 2>err
readable threads "threads"
is "$(hottest threads)" = hot -- "threads: the hottest function"
nearly_all "$(inclusive threads worker)" "$(total)"
result $? "threads: their routine costs the whole"
test "$(total)" -gt 700000
result $? "threads: all three of 300 ms are there, one with signals blocked"
dump threads | grep sample_agent >err
test ! -s err
result $? "threads: nothing of the profiler itself is in the profile"
is "$(called threads worker)" -eq "$(inclusive threads worker)" -- \
  "threads: what the routine costs is what its callers call"

## Processes.

"$sample" -o forks ./sampled forks >out 2>err
is $? -eq 0 -- "forks: the exit status"
first=$(sed -n 1p out) second=$(sed -n 2p out)
readable forks "forks: the parent"
readable "forks.$first" "forks: the child"
is "$(hottest "forks.$first")" = hot -- "forks: the child's function"
nearly_all "$(inclusive "forks.$first" child_work)" "$(total)"
result $? "forks: the child's work is the whole of it"
readable "forks.$second" "exec: the new program"
nearly_all "$(inclusive "forks.$second" work)" "$(total)"
result $? "exec: the new program's work is the whole of it"
grep -q '^cmd: ./sampled loop$' "forks.$second"
result $? "exec: the profile names the new command"

# What an earlier run left, and what is somebody else's.
cp "forks.$first" forks.1234-2
cp "forks.$first" forks.12.txt
echo mine >forks.9
ln -s "forks.12.txt" forks.8
"$sample" -o forks ./sampled loop >out 2>err
is "$(echo forks* | tr " " ,)" = forks,forks.12.txt,forks.8,forks.9 -- \
  "files of an earlier run are removed, others not"

"$sample" -o masked ./sampled masked >out 2>err
is $? -eq 7 -- "a program that begins with all signals blocked: the status"
readable masked "a program that begins with all signals blocked"
is "$(hottest masked)" = hot -- \
  "a program that begins with all signals blocked: the hottest function"

"$sample" -o script.%p sh -c 'echo $$; ./sampled loop; exit 5' >out 2>err
is $? -eq 5 -- "a script: the exit status"
pid=$(cat out)
readable "script.$pid" "a script: the shell"
other=$(ls script.* | grep -v "^script.$pid\$")
readable "$other" "a script: its program"
is "$(hottest "$other")" = hot -- "a script: its program's hottest function"

## Libraries that come and go.

"$sample" -o load ./sampled load ./one.so ./two.so >out 2>err
readable load "dlopen"
is "$(inclusive load of_library_one)" -gt 0 -- \
  "dlopen: the first library has its name"
is "$(inclusive load of_library_two)" -gt 0 -- \
  "dlopen: the second library has its own"

## Ends.

"$sample" -o killed ./sampled killed >out 2>err
is $? -eq 137 -- "killed: the status"
readable killed "killed"
is "$(hottest killed)" = hot -- "killed: the hottest function"

# interrupt MODE SIGNAL: sends it to sample, when the program has been sampled,
# once a second until sample ends.
interrupt () {
  mkfifo ready
  "$sample" -o interrupted ./sampled "$1" >ready 2>err &
  pid=$!
  read -r program <ready
  while kill "-$2" $pid 2>/dev/null; do sleep 1; done &
  wait $pid
  status=$?
  rm ready
}
interrupt endless TERM
is "$status" -eq 143 -- "SIGTERM to sample: the status"
readable interrupted "SIGTERM to sample"
is "$(hottest interrupted)" = hot -- "SIGTERM to sample: the hottest function"
interrupt endless USR1
is "$status" -eq 138 -- "SIGUSR1 is passed on, too"
readable interrupted "SIGUSR1 to sample"

interrupt stubborn TERM
kill -KILL "$program"
is $? -eq 0 -- "SIGTERM twice: sample does not wait for the program"
is "$status" -eq 143 -- "SIGTERM twice: the status"
readable interrupted "SIGTERM twice"
is "$(hottest interrupted)" = hot -- "SIGTERM twice: the hottest function"

"$sample" -o reset ./sampled all-signals >out 2>err
is $? -eq 7 -- "a program that sets all signals back is not killed"

## Clocks.

# has_events: perf events interrupted every thread of the last run.
has_events () { grep -q 'by perf events: [1-9].*, by timers: 0$' err; }

# samples FILE: how many.
samples () { sed -n 's/^total Samples //p' counts; }

"$sample" -o events ./sampled loop >out 2>err
if has_events; then
  readable events "perf events"
  is "$(hottest events)" = hot -- "perf events: the hottest function"
  test "$(samples)" -gt 300
  result $? "perf events: more samples than a timer takes"
  "$sample" -o cold ./sampled shares >out 2>err
  readable cold "perf events: shares"
  test "$(inclusive cold cold)" -gt $(($(total) * 7 / 100)) \
    && test "$(inclusive cold cold)" -lt $(($(total) * 13 / 100))
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
  for name in "the reader" "the hottest function" "more samples" \
              "the reader" "a tenth of the time" "no system call"; do
    skip "perf events: $name" "they are not allowed here"
  done
fi

"$sample" --timers -o timers ./sampled threads >out 2>err
grep -q 'by perf events: 0, by timers: [1-9]' err
result $? "--timers: timers run"
readable timers "--timers"
is "$(hottest timers)" = hot -- "--timers: the hottest function"

prlimit --sigpending=100 "$sample" -o few ./sampled loop >out 2>err
grep -q 'by perf events: 0, by timers: 1 (too few signals may be queued' err
result $? "a short queue of signals: timers run"

# As any user, if only root may have events.  Nobody else may be able to enter
# the build folder, so that user gets a copy.
mkdir -m 777 theirs
mkdir tool
cp "$sample" "${sample%/*}/sample_agent.so" "$srcdir/tests/lsan.supp" tool
chmod 755 . sampled tool tool/*
as_other () {
  LSAN_OPTIONS=suppressions=$PWD/tool/lsan.supp:print_suppressions=0 \
    setpriv --reuid=65534 --clear-groups "$@"
}
other_user=
if ! as_other true 2>/dev/null; then
  other_user="only root can become one"
elif ! as_other test -x "$PWD/tool/cgw-sample"; then
  other_user="they cannot enter TMPDIR"
fi
if test -z "$other_user"; then
  as_other tool/cgw-sample -o theirs/profile ./sampled loop >out 2>err
  is $? -eq 7 -- "another user: the exit status"
  readable theirs/profile "another user"
  is "$(hottest theirs/profile)" = hot -- "another user: the hottest function"
  has_events || grep -q 'by timers: 1 (perf_event_open: .*)$' err
  result $? "another user: it says why timers run"
  # A server that root starts becomes another user and executes a program.
  tool/cgw-sample -o servant setpriv --reuid=65534 --clear-groups \
    ./sampled loop >out 2>err
  is $? -eq 7 -- "a program as another user: the exit status"
  readable servant "a program as another user"
  is "$(hottest servant)" = hot -- \
    "a program as another user: the hottest function"
  env --ignore-signal=CHLD tool/cgw-sample -o servant setpriv \
    --reuid=65534 --clear-groups ./sampled loop >out 2>err
  is "$(hottest servant)" = hot -- \
    "a program as another user, SIGCHLD ignored"
  # The same where that user cannot open the agent.
  mkdir -m 700 private
  cp tool/* private
  private/cgw-sample -o servant setpriv --reuid=65534 --clear-groups \
    ./sampled loop >out 2>err
  is $? -eq 7 -- "another user, no agent: the exit status"
  grep -q '/sampled: warning: .* it runs as another user' err
  result $? "another user, no agent: said so"
  # Nobody else finds the memory, and it is gone with the tool.
  mkfifo ready
  "$sample" -o shared ./sampled endless >ready 2>err &
  pid=$!
  read -r program <ready
  rm ready
  memory=$(tr '\0' '\n' <"/proc/$program/environ" | sed -n 's/^CGW_SAMPLE=//p')
  test -w "$memory"
  case $memory in
    /dev/shm/*)
      as_other test -w "$memory" && ! as_other ls "${memory%/*}" >out 2>&1
      result $? "the memory can be found by its name only" ;;
    *)
      skip "the memory can be found by its name only" "there is no /dev/shm" ;;
  esac
  kill -9 $pid "$program"
  wait $pid
  for i in 1 2 3 4 5 6 7 8 9; do
    test ! -e "${memory%/*}" && break
    sleep $i
  done
  test ! -e "$memory"
  result $? "kill -9 of sample: nothing is left of the memory"
else
  for name in "the exit status" "the reader" "the hottest function" "why" \
              "a program's exit status" "a program" "a program's function" \
              "SIGCHLD ignored" "no agent" "no agent: said so" "the memory" "the memory's end"; do
    skip "another user: $name" "$other_user"
  done
fi

## Odd programs.

# odd_program OPTION MODE...: it ends as it does without sample, and is sampled.
odd_program () {
  option=$1
  shift
  # No option is no word.
  # shellcheck disable=SC2086
  "$sample" $option -o odd.profile ./odd "$@" >out 2>err
  is $? -eq 7 -- "$* $option: the exit status"
  readable odd.profile "$* $option"
  is "$(hottest odd.profile)" = hot -- "$* $option: the hottest function"
  grep -q ' 0 lost$' err
  result $? "$* $option: no sample is lost"
}
for option in '' --timers; do
  for mode in coroutine alternate threads close limit sandbox; do
    odd_program "$option" "$mode"
  done
  odd_program "$option" exec 40
  "$sample" $option -o kernel ./odd kernel >out 2>err
  is $? -eq 7 -- "long system calls $option: the exit status"
  readable kernel "long system calls $option"
  test "$(inclusive kernel hot)" -gt $(($(total) * 4 / 10)) \
    && test "$(inclusive kernel hot)" -lt $(($(total) * 6 / 10))
  result $? "long system calls $option: they cost half"
  test $(($(samples) * 1100)) -lt "$(total)"
  result $? "long system calls $option: a sample stands for many ticks"
done

if compile -D_GNU_SOURCE -DWITH_LIBUNWIND "$programs/sampled_odd.c" -o odd \
  -lunwind -lpthread 2>/dev/null; then
  "$sample" -o unwind ./odd unwind >out 2>err
  is $? -eq 7 -- "a program that calls libunwind"
else
  skip "a program that calls libunwind" "libunwind is not installed"
fi

cat >own.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t calls;
static volatile unsigned long sum;

static void
handler (int number, siginfo_t *info, void *context)
{
  sigset_t mask;

  (void) context;
  sigprocmask (SIG_BLOCK, NULL, &mask);
  if (info->si_signo == number && sigismember (&mask, SIGUSR1))
    calls++;
}

static __attribute__ ((noinline)) void
turn (void)
{
  for (long i = 0; i < 200000000; i++)
    sum += i;
}

int
main (int argc, char **argv)
{
  struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  struct sigaction old;
  char *none[] = { NULL };

  switch (argc > 1 ? argv[1][0] : 0)
    {
    case 'h':
      sigaddset (&action.sa_mask, SIGUSR1);
      sigaction (SIGRTMAX - 1, &action, &old);
      if (old.sa_handler != SIG_DFL)
        return 1;
      for (int i = 0; i < 3; i++)
        {
          raise (SIGRTMAX - 1);
          turn ();
        }
      sigaction (SIGRTMAX - 1, NULL, &old);
      return calls == 3 && old.sa_sigaction == handler ? 7 : 2;
    case 'd':
      raise (SIGRTMAX - 1);
      return 7;
    case 'i':
      sigaction (SIGIO, NULL, &old);
      return old.sa_handler == SIG_DFL ? 7 : 3;
    case 'l':
      for (long i = 0; i < 20000000; i++)
        sum += i;
      return 7;
    case 's':
      sleep (2);
      return 7;
    case 'r':
      if (fork () == 0)
        execle (argv[0], argv[0], "s", (char *) NULL, none);
      wait (NULL);
      return 7;
    case 'b':
      if (daemon (1, 1) != 0)
        return 4;
      sleep (2);
      return 0;
    }
  return 5;
}
END
compile -D_GNU_SOURCE own.c -o own
result $? "another odd program compiles"
"$sample" -o own.out ./own handler >out 2>err
is $? -eq 7 -- "a handler for the agent's signal is called"
readable own.out "a handler for the agent's signal"
is "$(hottest own.out)" = turn -- \
  "a handler for the agent's signal: the hottest function"
"$sample" -o own.out ./own default >out 2>err
is $? -eq $((128 + $(kill -l RTMAX) - 1)) -- \
  "the agent's signal, sent without a handler, ends the program as ever"
"$sample" -o own.out ./own io >out 2>err
is $? -eq 7 -- "SIGIO: the agent's handler is not seen"
"$sample" -o own.out ./own reexecutes >out 2>err
is $? -eq 7 -- "a program executes itself, without the environment: the status"
grep -q '/own: warning: was started .*: the environment was cleared' err
result $? "a program executes itself, without the environment: said so"
"$sample" -o own.out ./own background >out 2>err
is $? -eq 0 -- "a daemon: the exit status"
grep -q '/own: warning: process [0-9]* outlives the program' err
result $? "a daemon: said so"

# Stacks that take longer to walk than an interval: the program must go on.
cat >slow.c <<'END'
#define UNW_LOCAL_ONLY 1
#include <libunwind.h>
#include <time.h>

unw_addr_space_t unw_local_addr_space;

int
unw_init_local2 (unw_cursor_t *cursor, unw_context_t *context, int flag)
{
  return 0;
}

static long
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

int
unw_step (unw_cursor_t *cursor)
{
  long end = now () + 3000000;

  while (now () < end)
    ;
  return 0;
}

int
unw_get_reg (unw_cursor_t *cursor, int number, unw_word_t *value)
{
  *value = (unw_word_t) unw_step;
  return 0;
}

int
unw_is_signal_frame (unw_cursor_t *cursor)
{
  return 0;
}

void
unw_flush_cache (unw_addr_space_t space, unw_word_t low, unw_word_t high)
{
}

int
unw_backtrace (void **addresses, int n)
{
  return 0;
}
END
mkdir slow
if compile -shared -fPIC slow.c -o slow/libunwind.so.8 2>/dev/null; then
  for option in '' --timers; do
    # Without this, it does not end at all.
    LD_LIBRARY_PATH=$PWD/slow timeout -k 1 100 \
      "$sample" $option -o slow.out ./own little >out 2>err
    is $? -eq 7 -- "slow walks $option: the program goes on"
  done
else
  skip "slow walks: the program goes on" "libunwind's header is missing"
  skip "slow walks --timers: the program goes on" \
    "libunwind's header is missing"
fi

if command -v gdb >/dev/null; then
  "$sample" -o debugged gdb -batch -ex 'handle SIG63 nostop noprint pass' \
    -ex run -ex 'print $_exitcode' --args ./sampled loop >out 2>err
  grep -q '^\$1 = 7$' out
  result $? "gdb: the program runs to its end" out
  file=$(grep -l '^cmd: .*/sampled loop$' debugged.*)
  readable "$file" "gdb"
  is "$(hottest "$file")" = hot -- "gdb: the hottest function"
else
  for name in "the end" "the reader" "the hottest function"; do
    skip "gdb: $name" "there is no gdb"
  done
fi

if command -v go >/dev/null; then
  # Both languages take fixed numbers of turns.  A turn of C writes to memory
  # and reads that back, and some processors are so fast at it that C gets only
  # 15 % of the time.  With twice the turns it gets 30 % there, more elsewhere.
  sed 's/c_hot(2000000)/c_hot(4000000)/' "$programs/sampled.go" >sampled.go
  grep -q 'c_hot(4000000)' sampled.go \
    && GOCACHE=$dir/go GO111MODULE=off CGO_ENABLED=1 \
      CC="${CC:-cc}" CGO_CFLAGS="-O1 -g" go build -o cgo sampled.go 2>err
  result $? "the Go program compiles"
  "$sample" -o go.out ./cgo >out 2>err
  is $? -eq 7 -- "Go: the exit status"
  readable go.out "Go"
  is "$(inclusive go.out main.goHot)" -gt $(($(total) / 5)) -- \
    "Go: its functions are there"
  is "$(inclusive go.out c_hot)" -gt $(($(total) / 5)) -- \
    "Go: those of C are there"
  grep -q ' 0 lost$' err
  result $? "Go: no sample is lost"
  "$sample" -F 10000 -o go.out ./cgo 40 >out 2>err
  is $? -eq 7 -- "Go: no tick outlives an exec without the C library"
else
  for name in "it compiles" "the exit status" "the reader" "its functions" \
              "those of C" "no sample is lost" "exec"; do
    skip "Go: $name" "go is not installed"
  done
fi

## What it cannot do.

"$sample" -o cleared env -i ./sampled loop >out 2>err
is $? -eq 7 -- "a cleared environment: the program runs"
grep -q 'the environment was cleared' err
result $? "a cleared environment: said so"

grep -q '^cgw-sample: 0\.[0-9]* s of 0\.[0-9]* s .* are in no sample' err
result $? "a cleared environment: how much is missing"
"$sample" -o cleared sh -c 'env -i ./sampled loop; exit 3' >out 2>err
is $? -eq 3 -- "a child with a cleared environment: the exit status"
grep -q '/sampled: warning: was started .*: the environment was cleared' err
result $? "a child with a cleared environment: said so"
"$sample" -o whole sh -c './sampled loop; exit 3' >out 2>err
grep -Eq 'warning|in no sample' err
is $? -eq 1 -- "a child with the agent: nothing is missing"

if compile -static "$programs/sampled.c" -o static -ldl -lpthread 2>/dev/null
then
  "$sample" -o outside sh -c './static loop; exit 3' >out 2>err
  is $? -eq 3 -- "a static child: the exit status"
  grep -q '/static: warning: was started .*: is statically linked' err
  result $? "a static child: said so"
  "$sample" -o none ./static loop >out 2>err
  is $? -eq 125 -- "a static program is refused"
  grep -q 'is statically linked' err
  result $? "a static program: said why"
else
  skip "a static program is refused" "there is no static C library"
  skip "a static program: said why" "there is no static C library"
  skip "a static child: the exit status" "there is no static C library"
  skip "a static child: said so" "there is no static C library"
fi
cp sampled setuid
if chown 65534 setuid 2>/dev/null && chmod 4755 setuid && test -u setuid; then
  "$sample" -o outside sh -c './setuid loop; exit 3' >out 2>err
  is $? -eq 3 -- "a setuid child: the exit status"
  grep -q '/setuid: warning: was started .*: is setuid' err
  result $? "a setuid child: said so"
  "$sample" -o none ./setuid loop >out 2>err
  is $? -eq 125 -- "a setuid program is refused"
  grep -q 'is setuid' err
  result $? "a setuid program: said why"
else
  skip "a setuid program is refused" "only root can make one"
  skip "a setuid program: said why" "only root can make one"
  skip "a setuid child: the exit status" "only root can make one"
  skip "a setuid child: said so" "only root can make one"
fi
"$sample" ./there-is-none >out 2>err
is $? -eq 127 -- "a program that is not there"
"$sample" /dev/null >out 2>err
is $? -eq 126 -- "a program that is none"
"$sample" -F 0 ./sampled >out 2>err
is $? -eq 125 -- "a wrong option"
"$sample" -F ./sampled loop >out 2>err
is $? -eq 125 -- "-F without a number"
grep -q '^cgw-sample: -F needs a number from 1 to 10000, not ./sampled$' err
result $? "-F without a number: said so"

## Outputs.

rm -f mark
"$sample" -o /nonexistent/x sh -c ': >mark' >out 2>err
is $? -eq 125 -- "a profile that cannot be written"
grep -q '/nonexistent/x: No such file' err
result $? "a profile that cannot be written: said why"
test ! -e mark
result $? "a profile that cannot be written: the program did not run"
"$sample" -o /dev/full ./sampled recursion 1 >out 2>err
is $? -eq 125 -- "a full device"
grep -q '^cgw-sample: /dev/full: No space left on device$' err
result $? "a full device: said so"
mkfifo pipe
cat pipe >from_pipe &
"$sample" -o pipe ./sampled loop >out 2>err
is $? -eq 7 -- "a FIFO: the exit status"
wait $!
readable from_pipe "a FIFO"
"$sample" -o - ./sampled loop >standard 2>err
readable standard "standard output"
"$sample" -o - sh -c './sampled loop; exit 3' >standard 2>err
is "$(ls callgrind.out.* | wc -l)" -eq 1 -- \
  "standard output: a child's profile has a file"

if unshare -m true 2>/dev/null; then
  mkdir small
  unshare -m sh -c 'mount -t tmpfs -o size=4k none small && echo >small/profile \
    && "$1" -o small/profile ./sampled loop; echo $? >status; ls small >names;
    cat small/profile >kept' - "$sample" >out 2>err
  is "$(cat status)" -eq 125 -- "a full disk: the exit status"
  grep -q 'small/profile: No space left' err
  result $? "a full disk: said so"
  is "$(cat names)" = profile -- "a full disk: nothing is left behind"
  is "$(wc -c <kept)" -eq 1 -- "a full disk: what was there before stays"
else
  for name in "the exit status" "said so" "nothing left" "what was there"; do
    skip "a full disk: $name" "no file system can be mounted"
  done
fi
if can_limit_files; then
  (ulimit -f 1 && "$sample" -o limited ./sampled loop >out) 2>err
  is $? -eq 125 -- "a size limit: the exit status"
  grep -q 'File too large' err
  result $? "a size limit: said so"
  is "$(ls limited* 2>/dev/null | wc -l)" -eq 0 -- \
    "a size limit: nothing is left behind"
else
  skip "a size limit" "coverage is written, too"
fi
"$sample" -o xfsz sh -c 'ulimit -f 1; yes >yes.out' >out 2>err
is $? -eq $((128 + $(kill -l XFSZ))) -- \
  "the program's own size limit ends it as ever"

## What perf does instead.

"$sample" -F 99 -o 'of %p' -p 123456 >out 2>err
is $? -eq 2 -- "-p: the exit status"
test ! -s out && grep -qxF \
  "  perf record --call-graph fp -F 99 -p 123456 -o perf.data.123456" err \
  && grep -qxF "  cgw-import -o 'of 123456' perf.data.123456" err \
  && grep -q -- '--call-graph dwarf' err
result $? "-p prints the commands"
"$sample" --fp -p 123456 2>err
! grep -q dwarf err
result $? "with --fp, none that needs no frame pointers"
"$sample" -p 1 true 2>err
is $? -eq 125 -- "-p and a program"
"$sample" -p x 2>err
is $? -eq 125 -- "-p and no number"
"$sample" -e task-clock,page-faults -o events \
  sh -c 'printf "%s\n" "$@" >words' - "it's" '' '$HOME' 'a b\c' 2>err
is $? -eq 2 -- "-e: the exit status"
is ! -e words -- "-e runs nothing"
if perf record -e task-clock -o tried true >out 2>&1; then
  grep '^  perf' err >command
  sh ./command >out 2>&1
  status=$?
  printf '%s\n' "it's" '' '$HOME' 'a b\c' | cmp - words >>out 2>&1
  result $((status + $?)) "-e: the command runs the program" out
  perf evlist -i perf.data >out 2>&1
  grep -q task-clock out && grep -q page-faults out
  result $? "and records the events" out
else
  skip "-e: the command runs the program" "perf record is missing or fails"
fi
"$sample" -e cycles 2>err
is $? -eq 125 -- "-e without a program"

"$sample" --help | grep -q 'Usage: cgw-sample'
result $? "help"

done_testing
