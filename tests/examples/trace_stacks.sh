#!/bin/sh
# cgw-trace --to: the stacks of programs whose calls can be counted by hand.  Each
# function's calls, its own and those below it, are those of a callgrind profile
# of the same program.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/trace.sh"
export=$build/examples/tools/export/cgw-export

# Nothing else is there, so that what stays is seen.
mkdir temporary
TMPDIR=$dir/temporary
export TMPDIR

# Lines "STACK CALLS".
stacks () # FILE...
{
  "$export" --event Calls --to folded "$@" 2>>log
}

# Lines "FUNCTION OWN ALL" of such lines: a function counts once per stack.
sums_of_stacks ()
{
  awk '{
      calls = $NF
      sub (/ [0-9]*$/, "")
      n = split ($0, stack, ";")
      own[stack[n]] += calls
      delete is_there
      for (i = 1; i <= n; i++)
        if (stack[i] !~ /^\.?\/?traced/ && !is_there[stack[i]]++)
          all[stack[i]] += calls
    }
    END { for (f in all) print f, own[f] + 0, all[f] }' | sort
}

# The same of profiles.
sums_of_profiles () # FILE...
{
  for profile; do "$cgread" --dump "$profile"; done | awk -F '\t' '
    $1 == "cost" { split ($8, cost, " ")
                   own[$4] += cost[2]; below[$4] += cost[2] }
    $1 == "call" { split ($13, cost, " ")
                   below[$4] += cost[3]; is_called[$10]
                   if ($4 != $10) all[$10] += cost[3] }
    END { for (f in own) print f, own[f], f in is_called ? all[f] : below[f] }
    ' | sort
}

# to_stacks STATUS OPTION...: run, and so with --to, in stacks.out.
to_stacks ()
{
  run "$@" && shift && rm -f stacks.out* \
    && { "$trace" --to pprof -o stacks.out "$@" >printed 2>log
         test $? = "$expected_status"; }
}

# agrees NAME STATUS OPTION...
agrees ()
{
  name=$1
  shift
  to_stacks "$@"
  status=$?
  sums_of_profiles out* >expected
  test -s expected || status=1
  for file in stacks.out*; do stacks "$file"; done | sums_of_stacks \
    | diff expected - >>log || status=1
  ls temporary >>log
  test -z "$(ls temporary)" || status=1
  result $status "$name: as the callgrind profile" log
}

# are NAME FILE: the stacks are those of the standard input.
are ()
{
  sort >expected
  stacks "$2" | sort | diff expected - >>log
  result $? "$1" log
}

# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -pthread -g -O2 traced.c \
  -o traced >log 2>&1
result $? "the program in C compiles" log

cat >recursion.c <<'END'
static int even (int n);
static int odd (int n) { return n == 0 ? 0 : even (n - 1); }
static int even (int n) { return n == 0 ? 1 : odd (n - 1); }
static int fibonacci (int n)
{
  return n < 2 ? n : fibonacci (n - 1) + fibonacci (n - 2);
}
static int twice (int n)
{
  return even (n)
         + even (n);
}
int main (void) { return twice (2) + even (1) + fibonacci (4) - 5; }
END
# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -g -O0 recursion.c \
  -o recursion >log 2>&1
agrees "recursion" 0 ./recursion
are "its stacks" stacks.out <<'END'
main 1
main;twice 1
main;twice;even 2
main;twice;even;odd 2
main;twice;even;odd;even 2
main;even 1
main;even;odd 1
main;fibonacci 1
main;fibonacci;fibonacci 2
main;fibonacci;fibonacci;fibonacci 4
main;fibonacci;fibonacci;fibonacci;fibonacci 2
END

# A frame has the line of its calls, unless several called the same.
if "$export" --to callgrind stacks.out >lines 2>>log; then
  "$cgread" --no-pad --dump lines | awk -F '\t' '
    $1 == "call" && $4 != "(root)" { print $4, $10, $7 }' | sort -u >got
  sort >expected <<'END'
even odd 3
fibonacci fibonacci 6
main even 13
main fibonacci 13
main twice 13
odd even 2
twice even 0
END
  diff expected got >>log
  result $? "the lines of calls" log
else
  result 1 "the lines of calls" log
fi

for way in recursion search inlined ended quits-quickly vforks; do
  status=0
  test $way != quits-quickly || status=6
  agrees "$way" $status ./traced $way
done
if test "$(uname -m)" = x86_64; then
  agrees "longjmp" 0 ./traced jumps
  are "stacks of longjmp" stacks.out <<'END'
main 1
main;jumps 1
main;jumps;first 5
main;jumps;first;second 5
main;jumps;first;second;third 5
main;jumps;after 5
main;jumps;after;small 5
END
  agrees "siglongjmp out of a handler" 0 ./traced signals
else
  skip "jumps" "known for x86-64 only"
fi

agrees "threads" 0 ./traced threads
test "$(echo stacks.out*)" \
  = "stacks.out stacks.out-2 stacks.out-3 stacks.out-4 stacks.out-5" \
  && grep -q '^cgw-trace: profiles: stacks.out stacks.out-2 ' log
result $? "each thread has its file" log
agrees "threads, --parts" 0 --parts ./traced threads
test "$(echo stacks.out*)" = stacks.out
result $? "--parts: one file" log

agrees "fork" 0 ./traced forks
are "stacks of the child" stacks.out.* <<'END'
main 1
main;forks 1
main;forks;divide 1
main;forks;divide;child 1
main;forks;divide;child;small 2
END

to_stacks 0 ./traced deep
stacks stacks.out >got
test "$(awk '{ calls += $NF } END { print calls }' got)" = 20003 \
  && test "$(grep -c '^(cut);is_\(even\|odd\) ' got)" = 2 \
  && test "$(awk -F ';' 'NF > n { n = NF } END { print n }' got)" = 1000 \
  && "$export" --to callgrind stacks.out 2>>log | grep -q ': Cut: '
result $? "deep recursion is cut, and the profile says so" log

# A thread that calls again when it has ended has contexts of its own then.
agrees "a thread that calls when it has ended" 0 ./traced ends-late

"$trace" --to folded --save-every 86400 -o stacks.out ./traced is-killed \
  >printed 2>log
test $? = 137 && test -z "$(ls temporary)"
result $? "kill -9: nothing stays" log
"$trace" --to folded -o none/out ./traced recursion >printed 2>log
test $? = 125 && test -z "$(ls temporary)" \
  && grep -q '^cgw-trace: none/out: ' log
result $? "a file that cannot be written: nothing stays" log
mkdir default && (cd default && "$trace" --to folded ../traced threads) \
  >printed 2>log
ls default >>log
test "$(find default -name 'profile.[0-9]*[0-9].folded' | wc -l)" = 5 \
  && test "$(find default -name 'profile.*-[2-5].folded' | wc -l)" = 4
result $? "the default names" log
"$trace" --to folded --for speedscope ./traced recursion >printed 2>log
test $? = 125 && grep -q 'for is for callgrind profiles, not folded' log
result $? "--for and --to exclude each other" log
"$trace" --to callgrind -o out ./traced recursion >printed 2>log \
  && "$cgread" out >counts && test -z "$(ls temporary)"
result $? "--to callgrind is as without" log

no_inline=
if ${CXX-c++} --version | grep -q clang; then
  no_inline=-fno-inline
fi
# shellcheck disable=SC2086,SC2046 # flags are words
${CXX-c++} $(echo "$CFLAGS" | sed 's/-W[^ ]*//g') $LDFLAGS \
  -finstrument-functions -g -O2 $no_inline traced.cc -o traced >log 2>&1
agrees "C++, with exceptions" 0 ./traced
stacks stacks.out | sed 's/(anonymous namespace):://g' | sort >got
sort <<'END' | diff - got >>log
main 1
main;outer(int) 6
main;outer(int);guarded(int) 6
main;outer(int);guarded(int);thrower(int) 6
main;outer(int);guarded(int);guard::~guard() 6
main;outer(int);guarded(int);guard::~guard();note() 6
main;main::local::twice(int) 6
main;after() 6
END
result $? "stacks of C++" log
done_testing
