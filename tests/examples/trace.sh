#!/bin/sh
# cgw-trace: programs whose calls can be counted by hand are traced.  The
# number of calls of each edge, and of those below it, must be exact; times
# must add up; no time itself is looked at.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/trace.sh"

# Each function, and each call, must be in the source and named in its line;
# but main calls through a pointer, handlers and compare are not called from
# traced code, and destructors not by name.
has_lines () # SOURCE
{
  awk -F '\t' -v source="$1" '
    function name(f) {
      sub (/\(.*/, "", f); sub (/.*::/, "", f)
      return f
    }
    function is_wrong(f, file, line) {
      gsub (/\(anonymous namespace\)::/, "", f)
      return file != source || !index (text[line], name(f))
    }
    BEGIN { while ((getline line < source) > 0) text[++n] = line }
    $1 == "cost" && is_wrong($4, $3, $7) { print; bad = 1 }
    $1 == "call" { calls++ }
    $1 == "call" && $4 != "main" && is_wrong($10, $5, $7) &&
      $10 !~ /^(compare|handler|tick)$|~/ { print; bad = 1 }
    END { exit bad || calls == 0 }' dump
}

# small_by NAME FILE FUNCTION: main called it, and it called small.
small_by ()
{
  exactly "$1" "$2" <<END
main $3 1 2
$3 small 1 1
END
}

# traces_small NAME STATUS FILE FUNCTION OPTION...: run, and that.
traces_small ()
{
  name=$1 status=$2 profile=$3 function=$4
  shift 4
  run "$status" "$@"
  # The file may be a pattern.
  # shellcheck disable=SC2086
  small_by "$name" $profile "$function"
}

cat >jumps <<'END'
main jumps 1 26
jumps first 5 15
first second 5 10
second third 5 5
jumps after 5 10
after small 5 5
END
cat >child <<'END'
main forks 1 5
forks divide 1 4
divide child 1 3
child small 2 2
END

# C.

# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -pthread -g -O2 traced.c \
  -o traced >log 2>&1
result $? "the program in C compiles" log

traces "recursion" 0 out ./traced recursion <<'END'
main recursion 1 389
recursion factorial 1 10
factorial factorial 9 0
recursion fibonacci 1 354
fibonacci fibonacci 176 0
fibonacci small 177 177
recursion is_even 3 24
is_even is_odd 12 21
is_odd is_even 9 0
END
has_lines "$source.c" >wrong
result $? "lines of C" wrong

traces "deep recursion" 0 out ./traced deep <<'END'
main deep 1 20002
deep is_even 1 20001
is_even is_odd 10000 20000
is_odd is_even 10000 0
END

traces "calls from a function that is not traced" 0 out ./traced search <<'END'
main search 1 5
search compare 2 4
compare small 2 2
END

traces "inlined functions" 0 out ./traced inlined <<'END'
main inlined 1 7
inlined twice 3 6
twice small 3 3
END
has_lines "$source.c" >wrong
result $? "lines of inlined functions" wrong

if test "$(uname -m)" = x86_64; then
  traces "longjmp out of three functions" 0 out ./traced jumps <jumps

  traces "siglongjmp out of a handler" 0 out ./traced signals <<'END'
main signals 1 21
signals raiser 4 12
raiser handler 4 8
handler small 4 4
signals after 4 8
after small 4 4
END

  traces "a program that survives abort" 0 out ./traced survives <<'END'
main survives 1 5
survives aborts 1 3
aborts small 1 1
aborts survive 1 1
survives small 1 1
END
else
  skip "jumps" "known for x86-64 only"
fi

# A handler interrupts the tracer where it reads the clock.
cat >interrupts.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static sigjmp_buf place;
static volatile sig_atomic_t armed, jumps;
__attribute__ ((no_instrument_function)) int
clock_gettime (clockid_t clock, struct timespec *now)
{
  if (armed)
    {
      armed = 0;
      raise (SIGUSR1);
    }
  return (int) syscall (SYS_clock_gettime, clock, now);
}
static void small (void) { }
static void handler (int number)
{
  small ();
  if (jumps)
    siglongjmp (place, number);
}
int main (int argc, char **argv)
{
  (void) argv;
  jumps = argc > 1;
  signal (SIGUSR1, handler);
  if (sigsetjmp (place, 1) == 0)
    {
      armed = 1;
      small ();
    }
  small ();
  return 0;
}
END
# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -g interrupts.c -o interrupts \
  >log 2>&1 || cat log
traces "a handler that interrupts the tracer" 0 out --cpu ./interrupts <<'END'
main small 2 2
END
grep -qx 'desc: Missing: 2 calls by handlers that interrupted the tracer' out
result $? "what it called is said to be missing" out
if test "$(uname -m)" = x86_64; then
  run 0 --cpu ./interrupts jumps && ! test -e out && grep -qx 'cgw-trace: no '\
'profile: threads that were inside the tracer are missing' log
  result $? "a handler that jumps out of the tracer" log
else
  skip "jumps out of the tracer" "known for x86-64 only"
fi

run 0 ./traced threads
cp out first
exactly "the first thread of five" out <<'END'
main threads 1 1
END
cat out-? >all
for n in 3 5 7 9; do
  file=$(grep -l "^calls=$n " out-?)
  exactly "the thread with $n calls" "$file" <<END
thread factorial $n $((n * n))
factorial factorial $((n * (n - 1))) 0
END
done
test "$(sed -n 's/^thread: //p' out out-2 out-3 out-4 out-5 | tr '\n' ' ')" \
  = "1 2 3 4 5 "
result $? "each thread has its number and file"

traces "pthread_exit, the thread" 0 out-2 ./traced ended <<'END'
early small 1 1
early leave_thread 1 1
END
exactly "pthread_exit, the first thread" out <<'END'
main ended 1 2
ended rest 1 1
END
# The first thread rests when the other has ended.
ended=$(sed -n 's/^totals: \([0-9]*\) .*/\1/p' out-2)
all=$(sed -n 's/^totals: \([0-9]*\) .*/\1/p' out)
rest=$(awk -F '\t' '$1 == "cost" && $4 == "rest" { print $8 }' dump)
test -n "$ended" && test $((ended + ${rest%% *})) -lt "$all"
result $? "a thread ends before the program does" dump

run 0 ./traced ends-late
edges out-2 2 >got 2>>log
status=$?
test "$(sort got | tr '\t\n' ' ;')" \
  = "ending_late small 1 1;late small 1 1;" || status=1
result $status "a thread that calls when it has ended" got

traces "exit while threads run, the first thread" 0 out ./traced running <<'END'
main running 1 1
END
waiting=$(grep -l ' waiting$' out-2 out-3)
busy=$(grep -l ' busy$' out-2 out-3)
exactly "a thread that waits at the exit" "$waiting" <<'END'
waiting factorial 1 4
factorial factorial 3 0
END
edges "$busy" 1 >got 2>>log && grep -q '^busy	factorial	' got
result $? "a thread that is busy at the exit" got

traces "fork, the parent" 0 out ./traced forks <<'END'
main forks 1 3
forks small 1 1
forks divide 1 1
END
exactly "fork, the child, which ends by _exit" out.* <child
has_lines "$source.c" >wrong
result $? "lines of the child" wrong
test "$(sed -n 's/^pid: //p' out.*)" = "$(echo out.* | sed 's/out\.//')"
result $? "the child's file has its process id"

traces "fork in a thread, the child" 0 'out.*' ./traced forks-in-thread <<'END'
dividing divide 1 4
divide child 1 3
child small 2 2
END
grep -qx 'thread: 1' out.*
result $? "the child's only thread is its first" out.*
traces_small "vfork" 0 out vforks -q ./traced vforks
test ! -s log
result $? "vfork: nothing is said of the child" log

traces_small "_exit" 3 out quits ./traced quits
for how in quits exits; do
  run 4 ./traced $how-in-handler && ! test -e out \
    && grep -q '^cgw-trace: no profile: .*a signal handler.*--save-every' log
  result $? "$how in a handler: nothing is written, and that is said" log
done
traces_small "quick_exit" 6 out quits_quickly ./traced quits-quickly
traces_small "abort" 134 out aborts ./traced aborts
grep -q '^cgw-trace: out: is what was saved last: signal 6 ' log
result $? "abort: that is said" log

# C++.  clang's functions do not say that they end by an exception; which of those
# that share a machine's frame it leaves, is then not to be seen.
no_inline=
if ${CXX-c++} --version | grep -q clang; then
  no_inline=-fno-inline
fi
cp traced traced-c
# shellcheck disable=SC2086,SC2046 # flags are words
${CXX-c++} $(echo "$CFLAGS" | sed 's/-W[^ ]*//g') $LDFLAGS \
  -finstrument-functions -g -O2 $no_inline traced.cc -o traced >log 2>&1
result $? "the program in C++ compiles" log
run 0 ./traced
sed 's/(anonymous namespace):://g' out >short
exactly "C++: exceptions" short <<'END'
main outer(int) 6 30
main main::local::twice(int) 6 6
outer(int) guarded(int) 6 24
guarded(int) thrower(int) 6 6
guarded(int) guard::~guard() 6 12
guard::~guard() note() 6 6
main after() 6 6
END
has_lines "$source.cc" >wrong
result $? "lines of C++" wrong
grep -q ') (anonymous namespace)::guard::~guard()$' out
result $? "demangled names" out

# What holds for all programs.

mv traced-c traced

run 0 --parts ./traced threads
status=$?
test "$(echo out*)" = out || status=1
"$cgread" out >counts || status=1
grep -qx 'parts 5' counts && grep -qx 'total Calls 170' counts || status=1
result $status "--parts: one file with a part for each thread" counts

run 0 --cpu ./traced recursion
status=$?
edges out 1 >got || status=1
grep -q '^event: Time : Processor time in ns$' out || status=1
result $status "--cpu" log

traces "--cpu: a forked child" 0 'out.*' --cpu ./traced forks <child
# The child's thread has another clock than the parent's.
grep '^summary: [1-9]' out.* >log
result $? "--cpu: a forked child takes time" log

run 134 ./traced asserts
if grep -q __assert_fail traced; then
  small_by "an assertion that fails" out asserts
else
  skip "an assertion that fails" "libc is not glibc"
fi
# The hottest functions: the first five, and the sum of all, are the file's.
shown ()
{
  sed -n 's/^ *\([0-9,]*\)  *[0-9.]* %  \([^ ]*\).*/\1 \2/p' log | tr -d ,
}
run 0 ./traced recursion
"$cgread" --dump out | awk -F '\t' '
  $1 == "cost" { split ($8, c, " "); sum[$4] += c[1]; all += c[1] }
  END { for (f in sum) print sum[f], f; print all, "all" }' | sort -rn >expected
# Of two with equal costs, any comes first.
shown | sort -rn >got
cut -d ' ' -f 1 got >got.costs
head -n 6 expected | cut -d ' ' -f 1 | diff - got.costs >>log \
  && ! grep -vxFf expected got >>log && test "$(wc -l <got)" = 6 \
  && grep -qx 'Open it:  kcachegrind out  or  callgrind_annotate out' log
result $? "the hottest functions and their sum are those of the file" log
run 0 --parts ./traced threads
grep -qx 'Open it:  kcachegrind out' log && ! grep '^All threads' log
result $? "several parts are not for callgrind_annotate" log
mkdir 'a b'
run 0 -o 'a b/out' ./traced threads
test "$(sed -n '1p; $p' log)" = "cgw-trace: profiles: 'a b/out' 'a b/out-2' \
'a b/out-3' 'a b/out-4' 'a b/out-5'
All threads:  cgw-merge -o SUM 'a b/out' 'a b/out'-[0-9]*"
result $? "the files of all threads, and the command that adds them up" log
# shellcheck disable=SC2016 # for eval
eval "$(sed -n 's#^All threads:  #"$build"/examples/tools/merge/#p' log)" \
  && "$cgread" SUM >counts && grep -qx 'total Calls 170' counts
result $? "that command does it" counts
(cd 'a b' && "$trace" ../traced threads 2>log && set -- callgrind.out.*[0-9] \
  && grep -qx "All threads:  cgw-merge -o SUM $1 $1-\[0-9]\*" log)
result $? "and without -o" 'a b/log'
run 0 ./traced many-threads
test "$(head -n 1 log)" = "cgw-trace: profiles: out out-2 out-3 out-4 out-5 \
out-6 out-7 out-8 out-9 out-10 and 2 more"
result $? "ten files are named" log
run 0 ./traced forks
grep -q '^cgw-trace: out.*: the profile of 2 with the highest cost' log
result $? "of several files, that with the highest cost" log
run 0 -q ./traced recursion
test ! -s log
result $? "-q: only what went wrong is printed" log
run 137 ./traced is-killed && ! test -e out \
  && grep -q '^cgw-trace: no profile: signal 9 .*--save-every' log
result $? "kill -9: there is no profile, and that is said" log
run 0 ./traced executes && ! test -e out \
  && grep -q '^cgw-trace: no profile: the program executed another' log
result $? "exec: likewise" log
run 0 -q ./traced executes-itself
status=$?
test "$(cat log)" = "cgw-trace: out: lacks the calls before the program \
executed another one" || status=1
result $status "exec of a traced program: that calls are missing is said" log
run 137 --save-every 86400 ./traced is-killed \
  && grep -q '^cgw-trace: no profile: signal 9 .* before it was saved$' log \
  && ! grep -q 'save-every' log
result $? "kill -9 before the first --save-every" log

# Modes of files, as the user wants them.
for mask in 022 027; do
  rm -f out out[-.]*
  (umask $mask && "$trace" -o out ./traced threads) >log 2>&1
  : >plain
  (umask $mask && : >expected)
  stat -c %a out out-2 >got
  stat -c '%a
%a' expected | diff - got >>log
  result $? "umask $mask" log
  rm -f expected
done
rm -f out out[-.]*
: >out
chmod 640 out
"$trace" -o out ./traced moves >log 2>&1
stat -c %a out | grep -qx 640
result $? "a file that was there keeps its mode" log
# Somebody else who may rename files here puts a link in the place of the
# profile, as soon as that has its name.
cat >swap.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int
rename (const char *from, const char *to)
{
  int result
    = (int) syscall (SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  const char *name = strrchr (to, '/');

  if (strcmp (name != NULL ? name + 1 : to, "out") == 0)
    result |= unlink (to) | symlink ("secret", to);
  return result;
}
END
rm -f out
: >secret
chmod 600 secret
${CC:-cc} -shared -fPIC -o swap.so swap.c >log 2>&1 \
  && LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD }$dir/swap.so" \
    "$trace" -o out ./traced moves >log 2>&1
test -h out && stat -c %a secret | grep -qx 600
result $? "the mode of a file that a link leads to stays" log
rm -f out

# Functions at two addresses that are one by their names: the destructor that
# deletes calls the other one.
cat >deletes.cc <<'END'
#define PLAIN __attribute__ ((no_instrument_function))
struct base { PLAIN base () { } virtual ~base (); };
struct derived : base { PLAIN derived () { } ~derived (); };
base::~base () { }
derived::~derived () { }
int main () { for (int i = 0; i < 3; i++) { base *b = new derived; delete b; } }
END
# shellcheck disable=SC2086 # flags are words
${CXX-c++} $(echo "$CFLAGS" | sed 's/-W[^ ]*//g') $LDFLAGS \
  -finstrument-functions -g -O0 deletes.cc -o deletes >log 2>&1 || cat log
traces "deleting destructors are recursion without cost" 0 out \
  --for callgrind_annotate ./deletes <<'END'
main derived::~derived() 3 9
derived::~derived() derived::~derived() 3 0
derived::~derived() base::~base() 3 3
END
"$lint" -r callgrind_annotate out >got 2>&1 && ! test -s got
result $? "--for callgrind_annotate: nothing that it misreads" got
traces "--for speedscope: calls of a function by itself are left out" 0 out \
  --for speedscope ./deletes <<'END'
main derived::~derived() 3 9
derived::~derived() base::~base() 3 3
END

# The tables grow.
awk 'BEGIN {
  for (i = 0; i < 1000; i++)
    printf "void f%d (void);\nvoid f%d (void) { }\n", i, i
  print "int main (void)\n{\n  for (int i = 0; i < 3; i++)\n    {"
  for (i = 0; i < 1000; i++)
    printf "      f%d ();\n", i
  print "    }\n}"
}' >many.c
# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -g -O0 many.c -o many \
  >log 2>&1 || cat log
run 0 ./many
awk 'BEGIN { for (i = 0; i < 1000; i++) print "main", "f" i, 3, 3 }' >want
exactly "1000 functions" out <want

rm -f out
# Errors.  ulimit counts in 512 or 1024 bytes, and the profile has more.
if can_limit_files; then
  (
    ulimit -f 1
    "$trace" -o out ./many 2>&1 >/dev/null
    echo "status $?"
  ) | cat >log
  grep -qx 'status 125' log && grep -q 'out: File too large$' log \
    && test ! -s out
  result $? "a limit of the size of files" log
  (
    ulimit -f 1
    "$trace" -o out ./traced moves 2>&1 >/dev/null
    echo "status $?"
  ) | cat >log
  grep -qx 'status 0' log && test -s out
  result $? "a limit that is large enough" log
else
  skip "limits of the size of files" "coverage is written, too"
fi
"$trace" -o missing/out ./traced moves 2>log
test $? = 125 && grep -q '^cgw-trace: missing/out: No such file' log
result $? "a profile that cannot be written" log

mkdir "a %p b"
"$trace" -o "a %p b/out" ./traced moves 2>log
small_by "a program that changes its directory" "a %p b/out" moves

"$trace" ./traced moves 2>log
small_by "without -o" callgrind.out.* moves

traces_small "a program that the command starts" 0 'out.*' moves \
  sh -c './traced moves; :'
test "$(grep -c 'no profile' log)" = 0
result $? "nothing is said of a command that only starts one" log

mkdir below
traces_small "a program that is started in another folder" 0 'out.*' moves \
  sh -c 'cd below && ../traced moves; :'

# What an earlier run left, and what is somebody else's.
run 0 ./traced threads
cp out-2 out-17
cp out-2 out.1234-2
cp out-2 out-2.txt
echo mine >out-9
"$trace" -o out ./traced moves 2>log
echo out* >>log
test "$(echo out*)" = "out out-2.txt out-9" && test "$(cat out-9)" = mine
result $? "files of an earlier run are removed, others not" log

run 0 ls
none='cgw-trace: no profile: no function was called that was compiled with'
none="$none -finstrument-functions"
test "$(cat log)" = "$none" && ! test -e out
result $? "a program that was not compiled for it" log

# A library was.
echo 'int used (void); int used (void) { return 0; }' >library.c
echo 'int used (void); int main (int n, char **a)
{ (void) a; return n > 1 ? used () : 0; }' >user.c
# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -shared -fPIC library.c \
  -o libused.so >log 2>&1 \
  && ${CC-cc} $CFLAGS $LDFLAGS user.c -Wl,-rpath,"$PWD" -L. -lused -o user \
    >>log 2>&1 || cat log
run 0 -q ./user once
test ! -s log && grep -q 'used$' out
result $? "a library alone was compiled for it" log
run 0 -q ./user
test "$(cat log)" = "$none"
result $? "a library that is not called" log

# A sanitizer's runtime cannot be linked statically.
# shellcheck disable=SC2086 # flags are words
if ${CC-cc} $(echo "$CFLAGS $LDFLAGS" | sed 's/-fsanitize[^ ]*//g') -static \
  -finstrument-functions user.c library.c -o static 2>/dev/null; then
  run 125 ./static once
  grep -q '^cgw-trace: ./static: is statically linked' log && ! test -e out
  result $? "a static program" log
  path=$PATH
  PATH=$PWD:$PATH
  run 125 static
  PATH=$path
  grep -q "^cgw-trace: $PWD/static: is statically linked" log
  result $? "a static program that is found by PATH" log
else
  skip "a static program" "there is no static libc"
fi

rm -f out*
ln -s elsewhere out
"$trace" -o out ./traced quits 2>log
grep -q quits elsewhere && test -h out
result $? "a symbolic link of one's own is followed" log
rm out elsewhere

"$trace" -o out ./traced recursion >/dev/null 2>&-
edges out 1 >got && grep -q '^recursion	fibonacci	1	354$' got
result $? "the standard error is closed" got

# Without debug information there are numbers, with symbols their names.
# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -pthread -g0 \
  traced.c -o traced >log 2>&1 || cat log
traces "no debug information" 0 out ./traced jumps <jumps
strip traced
run 0 ./traced jumps
edges out 1 >got
status=$?
awk '{ print $3, $4 }' got | sort | tr '\n' ';' >counts
test "$(cat counts)" = "1 26;5 10;5 10;5 15;5 5;5 5;" || status=1
grep -q '^fn=(1) 0x[0-9a-f]*$' out || status=1
result $status "no symbols" got

# callgrind_annotate.
if command -v callgrind_annotate >/dev/null; then
  # shellcheck disable=SC2086 # flags are words
  ${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -pthread -g \
    traced.c -o traced >log 2>&1 || cat log
  run 0 ./traced recursion
  callgrind_annotate --inclusive=yes --show-percs=no --threshold=100 \
    --auto=no out >annotated 2>log
  status=$?
  main=$(sed -n 's/^ *\([0-9][0-9,]*  *[0-9,]*\)  *.*:main \[.*/\1/p' \
    annotated | tr -s ' ')
  total=$(sed -n 's/^ *\([0-9][0-9,]*  *[0-9,]*\)  *PROGRAM TOTALS.*/\1/p' \
    annotated | tr -s ' ')
  test -n "$total" && test "$main" = "$total" && ! test -s log || status=1
  result $status "callgrind_annotate: main is all, and no message" annotated
else
  skip "callgrind_annotate" "it is not installed"
fi

done_testing
