#!/bin/sh
# sample_run.sh - how cgw-sample runs a program: signals and ends, other users,
# what it says when it cannot sample, and where the profile goes.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
needs_ticks

ticking "$programs/sampled.c" -o sampled -ldl \
  && ticking "$programs/sampled_odd.c" -o odd && cp odd other
result $? "the programs compile"
echo "$loop_ticks" >loop.ticks

# said TEXT REGEX...: each is in what the last run said.
said ()
{
  said_text=$1
  shift
  for regex; do
    grep -Eq -- "$regex" err || break
    shift
  done
  test $# = 0
  result $? "$said_text"
}

## Signals to cgw-sample.

# interrupted MODE SIGNAL STATUS: sends it, when the program has been sampled,
# and once more when the program says that it got it.
interrupted ()
{
  mkfifo ready
  "$sample" -F 1 -o interrupted ./sampled "$1" >ready 2>err &
  pid=$!
  exec 3<ready
  rm ready
  read -r program <&3
  kill "-$2" $pid
  ! read -r _ <&3 || kill "-$2" $pid
  wait $pid
  test $? -eq "$3"
  result $? "$1, signal $2: the status is $3"
  exec 3<&-
  has_ticks interrupted "$1, signal $2" <endless.ticks
}
{ cat loop.ticks; echo '0 600 600 endless'; } >endless.ticks
interrupted endless TERM 143
interrupted endless USR1 138
interrupted stubborn TERM 143
kill -KILL "$program"
result $? "a program that SIGTERM does not end is not waited for"

# A daemon that lives until the test closes its input.
mkfifo held
"$sample" -F 1 -o daemon ./odd background <held >out 2>err &
exec 3>held
wait $!
result $? "a daemon: the exit status"
exec 3>&-
said "a daemon: said so" '/odd: warning: process [0-9]* outlives the program'

## Other users.  Nobody else may be able to enter the build folder, so that user
## gets a copy.

mkdir -m 777 theirs
mkdir tool
cp "$sample" "${sample%/*}/sample_agent.so" "$srcdir/tests/lsan.supp" tool
chmod 755 . sampled odd other tool tool/*
become='setpriv --reuid=65534 --clear-groups'
as_other ()
{
  LSAN_OPTIONS=suppressions=$PWD/tool/lsan.supp:print_suppressions=0 \
    $become "$@"
}
other_user=
if ! as_other true 2>/dev/null; then
  other_user="only root can become one"
elif ! as_other test -x "$PWD/tool/cgw-sample"; then
  other_user="they cannot enter TMPDIR"
fi
if test -n "$other_user"; then
  skip "another user" "$other_user"
else
  ends 7 "another user" as_other tool/cgw-sample -F 1 -o theirs/profile \
    ./sampled loop
  has_ticks theirs/profile "another user" <loop.ticks
  said "another user: it says why timers run" \
    'by perf events: 1, by timers: 0$|by timers: 1 \(perf_event_open: .*\)$'
  # A server that root starts becomes another user and executes a program.
  for way in '' 'env --ignore-signal=CHLD'; do
    # shellcheck disable=SC2086 # words
    ends 7 "a program as another user $way" \
      $way tool/cgw-sample -F 1 -o servant $become ./sampled loop
    has_ticks servant "a program as another user $way" <loop.ticks
  done
  # The same where that user cannot open the agent.
  mkdir -m 700 private
  cp tool/* private
  # shellcheck disable=SC2086 # words
  ends 3 "another user, no agent" \
    private/cgw-sample -F 1 -o none ./odd start $become ./other stay
  said "another user, no agent: said so" 'in no sample: .*such as /.*/other)'
  # Nobody else finds the memory, and it is gone with the tool.
  mkfifo ready
  "$sample" -F 1 -o shared ./sampled endless >ready 2>err &
  pid=$!
  read -r program <ready
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
  wait $pid 2>/dev/null
  tries=0
  while test -e "${memory%/*}" && test $((tries += 1)) -lt 600; do
    sleep 0.1
  done
  test ! -e "$memory"
  result $? "kill -9 of cgw-sample: nothing is left of the memory"
fi

## What it cannot do.

# refused STATUS REGEX ARGUMENT...
refused ()
{
  refused_status=$1
  refused_regex=$2
  shift 2
  ends "$refused_status" "$*" "$sample" "$@"
  said "said why: $refused_regex" "^cgw-sample: .*$refused_regex"
}
ends 7 "a cleared environment" "$sample" -F 1 -o cleared env -i ./odd unseen
missing='^cgw-sample: 0\.[3-9][0-9]* s of [0-9.]* s .* are in no sample: '
said "a cleared environment: said so" "$missing.*such as /.*/odd)"
! grep 'between two ticks' err
result $? "a cleared environment: there are no timers"
ends 7 "a cleared environment, and timers" \
  "$sample" --timers -F 1 -o cleared env -i ./odd unseen
said "a cleared environment, and timers: ticks are said" \
  "$missing.*, threads without a clock or between two ticks of their timers,"
ends 3 "a child without the environment" \
  "$sample" -q -F 1 -o cleared ./odd start env -i ./other stay
said "a child without the environment: said so" "$missing.*such as /.*/other)"
ends 3 "a child with the agent" "$sample" -F 1 -o whole ./odd start ./odd stay
! grep 'such as' err
result $? "a child with the agent: it is not named"
ends 7 "memory that is overwritten" "$sample" -F 1 -o scribbled ./odd scribble
said "memory that is overwritten: said so" \
  '/odd: warning: it wrote to memory of cgw-sample'
"$sample" -F 1 -o all ./odd 'scribble at once' >out 2>err
status=$? # cgw-sample may have taken samples before
if test -e all; then test $status = 7; else test $status = 125; fi
result $? "all memory is overwritten at once: status $status"
said "all memory is overwritten at once: said so" \
  '/odd: .*it wrote to memory of cgw-sample'

ends 5 "code without tables: its frame register leads to unmapped memory" \
  "$sample" -F 1 -o lost ./odd 'lose frame'
ends 5 "code with tables: its frame register is not followed" \
  "$sample" -F 1 -o kept ./odd 'keep frame'
ends 5 "a program that waits for all signals gets no tick" \
  "$sample" -F 1 -o waited ./odd 'wait for all'

if ticking -static "$programs/sampled_odd.c" -o static 2>/dev/null; then
  refused 125 'is statically linked' ./static 'a b'
  said "and says what perf would do" \
    "^Try:  perf record -F 1000 -g -- ./static 'a b'  and  cgw-import "
else
  skip "static programs" "there is no static C library"
fi
cp odd setuid
if chown 65534 setuid 2>/dev/null && chmod 4755 setuid && test -u setuid; then
  refused 125 'is setuid' ./setuid nothing
else
  skip "setuid programs" "only root can make one"
fi
refused 127 'No such file' ./there-is-none
refused 126 'Permission denied' /dev/null
refused 125 '-F needs a number from 1 to 10000, not 0$' -F 0 ./sampled
refused 125 '-F needs a number from 1 to 10000, not ./sampled$' \
  -F ./sampled loop
refused 125 'a % must be followed by p or another %, not as in a%b' -o a%b true
refused 127 'not in PATH; ./sampled\?' sampled

## Outputs.

ends 0 "many processes" "$sample" -F 1 -o many sh -c '
  for i in 1 2 3 4 5 6 7 8 9 10 11; do ./sampled recursion 1; done'
test "$(grep -c '^cgw-sample: many[.0-9]*: [0-9]* samples of ' err)" = 10 \
  && grep -qx 'cgw-sample: and 2 more' err && test "$(ls many* | wc -l)" = 12
result $? "many processes: ten are named" err

refused 125 '/nonexistent/x: No such file' -o /nonexistent/x touch mark
test ! -e mark
result $? "a profile that cannot be written: the program did not run"
refused 125 '/dev/full: No space left on device$' -F 1 -o /dev/full \
  ./sampled recursion 1
mkfifo pipe
cat pipe >from_pipe &
ends 7 "a FIFO" "$sample" -F 1 -o pipe ./sampled loop
wait $!
has_ticks from_pipe "a FIFO" <loop.ticks
"$sample" -F 1 -o - ./sampled loop >standard 2>err
has_ticks standard "standard output" <loop.ticks
"$sample" -F 1 -o - sh -c './sampled loop; exit 3' >standard 2>err
test "$(ls callgrind.out.* | wc -l)" -eq 1
result $? "standard output: a child's profile has a file"

if unshare -m true 2>/dev/null; then
  mkdir small
  unshare -m sh -c 'mount -t tmpfs -o size=4k none small \
    && echo >small/profile && "$1" -F 1 -o small/profile ./sampled loop
    echo $?; ls small; wc -c <small/profile' - "$sample" >out 2>err
  printf '125\nprofile\n1\n' | cmp - out && grep -q 'small/profile: No sp' err
  result $? "a full disk: what was there before stays, and nothing else"
else
  skip "a full disk" "no file system can be mounted"
fi
if can_limit_files; then
  (ulimit -f 1 && "$sample" -F 1 -o limited ./sampled loop >out) 2>err
  test $? -eq 125 && ! ls limited* 2>/dev/null
  result $? "a size limit: nothing is left behind"
  said "a size limit: said so" 'File too large'
else
  skip "a size limit" "coverage is written, too"
fi
ends $((128 + 25)) "the program's own size limit ends it as ever" \
  "$sample" -F 1 -o xfsz sh -c 'ulimit -f 1; yes >yes.out'

"$sample" --help | grep -q 'Usage: cgw-sample'
result $? "help"

done_testing
