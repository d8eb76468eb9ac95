#!/bin/sh
# cgw-qemu --to: stacks.  The instructions of each function, its own and those of
# all that it called, are those of a callgrind profile of the same run.
#
# From the environment: srcdir.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/support/qemu.sh"
export=$build/examples/tools/export/cgw-export
# A program does the same again if its addresses are the same.
fixed=
if setarch -R true 2>log; then
  fixed="setarch -R"
fi
test -n "$fixed" || skip_all "addresses cannot be fixed"
mkdir temporary
TMPDIR=$dir/temporary
export TMPDIR

# Lines "FUNCTION TAB OWN TAB ALL" of stacks, a function once in each.  "-": it is
# the outermost one somewhere, which no calls of it have counted.
sums_of_stacks () # FILE
{
  "$export" --to folded "$1" 2>>log | awk '{
      cost = $NF
      sub (/ [0-9]*$/, "")
      n = split ($0, stack, ";")
      first = stack[1] ~ /, process [0-9]*, thread.[0-9]*$/ ? 2 : 1
      own[stack[n]] += cost
      is_root[stack[first]]
      delete is_there
      for (i = first; i <= n; i++)
        if (!is_there[stack[i]]++)
          all[stack[i]] += cost
    }
    END { for (f in all)
            print f "\t" own[f] + 0 "\t" (f in is_root ? "-" : all[f]) }'
}

# The same of a profile.  "-": functions of several objects have this name, or no
# call of it was counted.
sums_of_profile () # FILE
{
  "$cgread" --dump "$1" | awk -F '\t' '
    function see (f, object) {
      if (f in objects && objects[f] != object)
        is_several[f]
      objects[f] = object
      all[f] += 0
    }
    $1 == "cost" { split ($8, cost, " "); see($4, $2); own[$4] += cost[1] }
    $1 == "call" { sub (/@.*/, "", $10); sub (/^-> /, "", $8)
                   split ($13, cost, " "); see($10, $8); all[$10] += cost[2]
                   is_called[$10] }
    END { for (f in all)
            print f "\t" own[f] + 0 "\t" \
                  (f in is_several || !(f in is_called) ? "-" : all[f]) }'
}

# What is known in both must be the same, of functions that match $only.
only=.
same_sums () # PROFILE STACKS
{
  sums_of_profile "$1" | grep "$only" >expected
  sums_of_stacks "$2" | grep "$only" >got
  awk -F '\t' 'FNR == NR { own[$1] = $2; all[$1] = $3; next }
    own[$1] != $2 \
      || ($1 in all && all[$1] != "-" && $3 != "-" && all[$1] != $3) {
      print $0, "instead of", own[$1], all[$1]; bad = 1 }
    { sum += $2; n++; delete own[$1] }
    END {
      for (f in own)
        if (own[f] != 0) { print f, "is missing"; bad = 1 }
      exit bad || n < 2 || sum == 0
    }' expected got >>log
}

# agrees NAME STATUS OPTION...
agrees ()
{
  name=$1 expected_status=$2
  shift 2
  : >log
  rm -f out* stacks*
  $fixed "$cgw_qemu" -q -o out "$@" >printed 2>>log
  test $? = "$expected_status"
  status=$?
  $fixed "$cgw_qemu" -q --to pprof -o stacks "$@" >printed 2>>log
  test $? = "$expected_status" || status=1
  same_sums out stacks || status=1
  test -z "$(ls temporary)" || status=1
  result $status "$name" log
}

compiles () # SOURCE NAME OPTION...
{
  source=$1 program=$2
  shift 2
  "${CC-cc}" -O2 -g -pthread "$@" "$source" -o "$program" >>log 2>&1
}

cat >known.c <<'END'
#include <setjmp.h>
#define APART __attribute__ ((noipa))
static volatile long sink;
static jmp_buf place;
APART int odd (int n);
APART int even (int n)
{
  int result = n == 0 ? 1 : odd (n - 1);
  sink++;
  return result;
}
APART int odd (int n)
{
  int result = n == 0 ? 0 : even (n - 1);
  sink++;
  return result;
}
APART int fibonacci (int n)
{
  return n < 2 ? n : fibonacci (n - 1) + fibonacci (n - 2);
}
APART void inner (void) { longjmp (place, 1); }
APART void outer (void) { inner (); sink++; }
APART void jumps (void)
{
  if (setjmp (place) == 0)
    outer ();
  sink++;
}
APART void tail (void) { sink++; }
APART void calls_tail (void) { sink++; tail (); }
int main (void)
{
  jumps ();
  jumps ();
  calls_tail ();
  return even (3) + fibonacci (5) - 5;
}
END
compiles known.c known
result $? "a program compiles" log
agrees "recursion, tail calls and longjmp" 0 ./known
"$export" --to folded stacks 2>>log | sed -n 's/ [0-9]*$//; s/.*;main/main/p' \
  | grep -v 'dl_\|setjmp\|longjmp;' | sort -u >got
sort <<'END' | diff - got >log
main
main;calls_tail
main;calls_tail;tail
main;even
main;even;odd
main;even;odd;even
main;even;odd;even;odd
main;fibonacci
main;fibonacci;fibonacci
main;fibonacci;fibonacci;fibonacci
main;fibonacci;fibonacci;fibonacci;fibonacci
main;fibonacci;fibonacci;fibonacci;fibonacci;fibonacci
main;jumps
main;jumps;outer
main;jumps;outer;inner
main;jumps;outer;inner;longjmp
END
result $? "its stacks" log

# Calls from two lines of main, and from one.
"$cgw_qemu" -q --from main --to pprof -o stacks ./known >printed 2>log
"$export" --to callgrind -o again stacks 2>>log \
  && "$cgread" --no-pad --dump again | awk -F '\t' '
    $1 == "call" && $4 == "main" { print $10, $7 }' \
    | sed 's/@.* / /' | grep '^\(jumps\|calls_tail\) ' | sort >got
line=$(grep -n '^  calls_tail' known.c | cut -d : -f 1)
printf '%s\n' "calls_tail $line" 'jumps 0' | diff - got >>log
result $? "the lines of calls" log

agrees "--mem" 0 --mem ./known
agrees "--from, --until" 0 --from fibonacci --until exit ./known
agrees "ls" 0 ls -l known known.c
PERL_HASH_SEED=0
export PERL_HASH_SEED
agrees "perl" 0 perl -e 'print join ",", sort 1 .. 100'
compiles "$programs/qemu_tasks.c" tasks && agrees "coroutines" 0 ./tasks
g++ -O2 -g "$programs/qemu_throws.cc" -o throws >log 2>&1 \
  && agrees "exceptions" 0 ./throws
compiles "$programs/qemu_known.c" alone -DALONE && agrees "all" 0 ./alone

cat >deep.c <<'END'
__attribute__ ((noipa)) int deep (int n)
{
  return n == 0 ? 0 : 1 + deep (n - 1);
}
int main (void) { return deep (5000) - 5000; }
END
compiles deep.c deep -O1
"$cgw_qemu" -q -o out ./deep >printed 2>>log \
  && "$cgw_qemu" -q --to folded -o stacks ./deep >printed 2>>log \
  && test "$(awk '{ sum += $NF } END { print sum }' stacks)" \
    = "$(sed -n 's/^summary: //p' out)" \
  && grep -q '^(cut);deep [0-9]*$' stacks
result $? "deep recursion is cut" log

cat >threads.c <<'END'
#include <pthread.h>
static volatile long sink;
__attribute__ ((noipa)) void work (void) { sink++; }
static void *thread (void *n)
{
  for (int i = 0; i < *(int *) n; i++)
    work ();
  return n;
}
int main (void)
{
  int n[2] = { 1000, 2000 };
  for (int i = 0; i < 2; i++)
    {
      pthread_t t;
      pthread_create (&t, NULL, thread, &n[i]);
      pthread_join (t, NULL);
    }
}
END
compiles threads.c threads
only='^\(thread\|work\)	' # How threads wait depends on time.
agrees "threads" 0 ./threads
agrees "--threads" 0 --threads ./threads
only=.
"$export" --threads --to folded stacks 2>log | grep ';thread;work ' >got
test "$(sed 's/.*thread.\([0-9]*\);clone;.*/\1/' got | tr '\n' ' ')" = "2 3 "
result $? "--threads: the stacks of each" got

cat >forks.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
static volatile long sink;
__attribute__ ((noipa)) void in_child (void) { sink++; }
__attribute__ ((noipa)) void parts (void)
{
  if (fork () == 0)
    in_child ();
  else
    wait (NULL);
}
int main (void) { parts (); }
END
compiles forks.c forks
rm -f stacks*
"$cgw_qemu" --to folded -o stacks ./forks >printed 2>log
ls >>log
grep -q 'main;parts;in_child [0-9]*$' stacks.[0-9]* \
  && ! grep -q in_child stacks && test -z "$(ls temporary)" \
  && grep -q '^Open it:  flamegraph.pl stacks' log
result $? "a forked process has stacks of its own" log
mkdir default && (cd default && "$cgw_qemu" --to speedscope ../forks) \
  >printed 2>log
test "$(find default -name 'profile.*[0-9].speedscope.json' | wc -l)" = 2
result $? "the default names" log

"$cgw_qemu" --to folded --jumps ./known >printed 2>log
test $? = 125 && grep -q 'jumps is for callgrind profiles, not stacks' log
result $? "--jumps and --to exclude each other" log
"$cgw_qemu" --to folded -o none/out ./known >printed 2>log
test $? = 125 && grep -q '^cgw-qemu: none/out: ' log
result $? "a file that cannot be written" log
"$cgw_qemu" -q --to folded --save-every 100000 -o stacks \
  sh -c 'kill -9 $$' >printed 2>log
status=$?
test $status = 137 && test -z "$(ls temporary)" && grep -q '^_start' stacks
result $? "what was saved before kill -9" log
done_testing
