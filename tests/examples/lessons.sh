#!/bin/sh
# lessons.sh - the lessons in C: each compiles as its first comment says, and its
# profile has the numbers that are here by hand.  Every lesson is listed and
# installed, and every public call is in a lesson or a tool.  For the others see
# lua.sh, python.sh, ranks.sh and scopes.sh.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS.  In the build folder:
# libcgw.la, cgw-lint.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/examples/annotate.sh"
cp "$srcdir"/examples/*.c "$dir" && cd "$dir" || exit 1

# The commands of a lesson, here with the library as it was built.
# shellcheck disable=SC2086 # flags are words
cc ()
{
  case $1 in
    -c) ${CC-cc} ${CFLAGS-} "$@" ;;
    # libtool knows what else a program needs, under sanitizers too.
    *) "$build/libtool" --quiet --tag=CC --mode=link ${CC-cc} ${CFLAGS-} \
         ${LDFLAGS-} -no-install ${more-} "$@" ;;
  esac
}
mkdir bin
cat >bin/pkg-config <<END
#!/bin/sh
case \$* in
  *--libs*) echo "-I$srcdir/include $build/libcgw.la" ;;
  *) echo "-I$srcdir/include" ;;
esac
END
chmod +x bin/pkg-config
PATH=$dir/bin:$PATH

# compiles LESSON [NAME]: by all commands of its first comment that begin with cc.
# (In a build that counts, what another lesson's program counted is in the way.)
compiles ()
{
  rm -f ./*.gcda
  sed -n '/^     cc /{:a
    /\\$/{N;ba
    }
    p
    }' "$1.c" >commands
  (set -e; . ./commands) >log 2>&1 && test -s commands
  result $? "$1.c compiles as it says${2+: $2}" log
}

# has LESSON FILE TOTAL: the file has the costs and calls of standard input, lines
# "FUNCTION:LINE COST..." and "FUNCTION:LINE CALLED COUNT COST...".
has ()
{
  sort >expected
  "$cgread" --dump "$2" | awk -F '\t' '
    $1 == "cost" { print $4 ":" $7, $8 }
    $1 == "call" { print $4 ":" $7, $10, $13 }
    $1 == "jump" { print $4 ":" $6, $14, $16, $17 }' | sort >got
  { diff expected got \
      && "$build/examples/tools/lint/cgw-lint" --all "$2"; } >log 2>&1
  result $? "$1.c: its profile has the numbers by hand, and no mistake" log
  shows "its total" "$2" "^$3 PROGRAM TOTALS"
}

compiles coroutines
./coroutines >printed 2>log && echo '1 + 4 + 9 = 14' | diff - printed >>log
result $? "coroutines.c runs" log
has coroutines callgrind.out.coroutines 33 <<'END'
squares:0 30
sum:0 3
sum:0 squares 3 30
END

compiles fixture
./fixture >printed 2>log && diff - printed >>log <<'END'
# callgrind format
version: 1
creator: fixture
positions: line
events: Instructions
fl=file1.c
fn=main
16 20
cfn=func1
calls=1 51
16 400
# func1 itself
fn=func1
51 400
totals: 420
END
result $? "fixture.c makes a file in memory" log

compiles fork
./fork >log 2>&1 && test ! -s log
result $? "fork.c runs" log
child=$(grep -l child callgrind.out.[0-9]*)
parent=$(grep -l parent callgrind.out.[0-9]*)
has fork "$child" 20 <<'END'
child:0 20
END
has fork "$parent" 103 <<'END'
before:0 100
parent:0 3
END

compiles handler
./handler >printed 2>log || grep -q 'a record was lost' log
result $? "handler.c runs" log
# samples OPTION...: the samples of the profile, those that were lost as well.
samples ()
{
  "$cgread" --dump "$@" callgrind.out.handler | awk -F '\t' '
    $1 == "cost" { split ($8, c, " "); samples += c[1]; rounds += c[2] }
    END { print samples + 0, rounds + 0; exit samples < 100 || rounds < 1 }'
}
samples >log && "$build/examples/tools/lint/cgw-lint" --all \
  callgrind.out.handler >lint
result $? "handler.c: its profile has samples and rounds" lint
shows "the same" callgrind.out.handler "^$(cat log) PROGRAM TOTALS"
rm callgrind.out.handler
(ulimit -c 0; ./handler crash; exit $?) >log 2>&1
test $? = 139 && samples --allow-unfinished >>log \
  && ! grep -q '^totals: ' callgrind.out.handler
result $? "handler.c: a crash leaves all samples" log

compiles jumps
./jumps >log 2>&1 && test ! -s log
result $? "jumps.c runs" log
"$cgread" --dump callgrind.out.jumps | cut -f 1,6,8- | tr '\t' ' ' >got
diff - got >log <<'END'
cost 0x8000 9
cost 0x8004 9
cost 0x8008 1
cost 0x8010 1
jump 0x8004 -> firmware.elf ??? loop ??? 0x8000 0 conditional 9 8
jump 0x8008 -> firmware.elf ??? loop ??? 0x8010 0 always 1 0
END
result $? "jumps.c: instructions and jumps are those by hand" log
shows "its total" callgrind.out.jumps '^20 PROGRAM TOTALS'

compiles pipe
./pipe >log 2>&1 && test ! -s log && zcat callgrind.out.pipe.gz >piped
result $? "pipe.c writes to gzip" log
shows "its total" piped '^333833500 PROGRAM TOTALS'

compiles stacks
./stacks >printed 2>log && test ! -s log
result $? "stacks.c runs" log
# Of 70 lines each 7th: once each of the ten that main executes in a round.
has stacks callgrind.out.stacks 70 <<'END'
main:1 work 1 7
main:2 work 1 7
main:3 7
main:3 work 1 7
main:4 work 1 7
main:5 work 2 14
main:6 work 1 7
main:7 work 2 14
print(Ljava/lang/String;)V:1 7
print(Ljava/lang/String;)V:2 7
print(Ljava/lang/String;)V:3 7
print(Ljava/lang/String;)V:4 7
print(Ljava/lang/String;)V:5 7
work:1 7
work:2 7
work:3 7
work:3 print(Ljava/lang/String;)V 5 35
work:4 7
END
# graph: the sums of equal lines in `printed`, as flamegraph.pl has them.
graph ()
{
  awk '{ cost = $NF; sub (/ [0-9]*$/, ""); sum[$0] += cost }
    END { for (stack in sum) print stack, sum[stack] }' printed | sort
}
graph >got
diff - got >log <<'END'
main 7
main;work 28
main;work;print(Ljava/lang/String:)V 35
END
result $? "stacks.c: the flame graph has the numbers by hand" log
sed 's/"work"/"wo;\\nrk"/' stacks.c >odd.c
cc odd.c -o odd $(pkg-config --cflags --libs cgw) >log 2>&1 \
  && ./odd >printed 2>log && graph >got && diff - got >log <<'END'
main 7
main;wo:\x0ark 28
main;wo:\x0ark;print(Ljava/lang/String:)V 35
END
result $? "stacks.c: no name is two, or two lines" log
for add in 'cost (profile, \&stack[19], (uint64_t[]){ 1 }, 1)' \
  'call (profile, \&stack[19], \&stack[18], 1, NULL, 0)'; do
  sed "s/^  run ('m');/& cgw_profile_$add;/" stacks.c >more.c
  cc more.c -o more $(pkg-config --cflags --libs cgw) >log 2>&1 \
    && { ./more >printed 2>log; test $? = 1; } && test ! -s printed \
    && grep -q '^stacks: .*the visitor stopped it' log
  result $? "stacks.c: refuses ${add%% *} without a stack" log
done

compiles threads
./threads >log 2>&1 && test ! -s log
result $? "threads.c runs" log
line=$(grep -n '3 \* n + 1 : n / 2' threads.c | cut -d : -f 1)
awk -v line="$line" 'BEGIN { for (t = 1; t <= 4; t++)
    for (i = 1; i < 1000 * t; i++)
      for (n = i; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
        if (n % 2) triple++; else halve++
    print "halve:" line, halve; print "triple:" line, triple
    print "search:" line, "halve", halve, halve
    print "search:" line, "triple", triple, triple }' >known
has threads callgrind.out.threads \
  "$(awk 'NF == 2 { sum += $2 } END { print sum }' known)" <known

compiles tracers
./tracers >log 2>&1 && test ! -s log
result $? "tracers.c runs" log
has tracers callgrind.out.tracers 125 <<'END'
step:0 100
work:0 25
work:0 step 5 100
END
cp callgrind.out.tracers whole
sed 's/, work, NULL/, work, \&key/
  s/^  steps += 5;/& if (unused) pthread_exit (NULL);/' tracers.c >exits.c
cc -pthread exits.c -o exits $(pkg-config --cflags --libs cgw) >log 2>&1 \
  && ./exits >log 2>&1 && test ! -s log && grep -q pthread_exit exits.c \
  && sed s/exits.c/tracers.c/ callgrind.out.tracers | cmp - whole >log
result $? "tracers.c: pthread_exit in an open call loses nothing" log
sed '/end_thread (pthread_getspecific/d' tracers.c >runs.c
cc -pthread runs.c -o runs $(pkg-config --cflags --libs cgw) >log 2>&1 \
  && ./runs >log 2>&1 \
  && echo 'tracers: 1 thread(s) still run: left out' | cmp - log \
  && grep -q '^totals: 100$' callgrind.out.tracers
result $? "tracers.c: says that a thread still runs" log

compiles tree
sed -n '/^     printf /,/| /p' tree.c >commands
(. ./commands) >log 2>&1 && test ! -s log
result $? "tree.c reads the lines of its comment" log
has tree callgrind.out.tree 100 <<'END'
(root):0 main 1 100
main:0 10
main:0 work 3 90
work:0 90
END
./tree </dev/null 2>log
test $? = 1 && grep -q '^tree: cgw_profile_new: n_events is 0' log
result $? "tree.c: without events it says what is wrong" log

compiles vm
./vm >log 2>&1 && test ! -s log
result $? "vm.c runs" log
has vm callgrind.out.vm 9 <<'END'
down:4 4
down:5 3
down:5 down 3 0
main:1 1
main:1 down 1 7
main:3 1
END

# Those that are linked to a program.

glibc=
ldd --version 2>&1 | grep -qi 'glibc\|gnu libc' && glibc=yes

cat >program.c <<'END'
#include <stdlib.h>
#include <time.h>

void leaf (void);
int factorial (int n);
void hot (void);

void
leaf (void)
{
}

int
factorial (int n)
{
  leaf ();
  return n < 2 ? 1 : n * factorial (n - 1);
}

/* For 10 ms or more, at the end of which there is no event.  */
void
hot (void)
{
  struct timespec begin, now;

  leaf ();
  clock_gettime (CLOCK_MONOTONIC, &begin);
  do
    clock_gettime (CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000
             + (now.tv_nsec - begin.tv_nsec) < 10000000);
  exit (0);
}

int
main (void)
{
  if (factorial (9) == 362880)
    hot ();
  return 1;
}
END
compiles instrument
./program >log 2>&1 && test ! -s log
result $? "instrument.c: the program runs" log
"$cgread" --dump callgrind.out.instrument >dump
awk -F '\t' '
  $1 == "call" { split ($13, c, " "); print $4, $10, c[1] }
  $1 == "cost" && $4 == "hot" && $8 >= 10000000 { print "hot" }' dump \
  | sort >got
diff - got >log <<'END'
factorial factorial 8
factorial leaf 9
hot
hot leaf 1
main factorial 1
main hot 1
END
result $? "instrument.c: calls, and the time of one that exit ended" log

cat >program.c <<'END'
#include <stddef.h>

void *counted_malloc (size_t n);
void counted_free (void *p);
void *keep (size_t n);
void give_up (void *p);
void both (void);
static void *volatile last; /* set after calls: none is a tail call */
static void *volatile kept;

__attribute__ ((noinline)) void *
keep (size_t n)
{
  return last = counted_malloc (n);
}

__attribute__ ((noinline)) void
give_up (void *p)
{
  counted_free (p);
  last = NULL;
}

__attribute__ ((noinline)) void
both (void)
{
  last = counted_malloc (7);
  give_up (last);
}

int
main (void)
{
  void *p = keep (100);
  kept = keep (20);
  both ();
  give_up (p);
  counted_free (NULL);
  return 0;
}
END
if test $glibc; then
  compiles memory
  ./program >log 2>&1 && test ! -s log
  result $? "memory.c: the program runs" log
  "$cgread" --dump callgrind.out.memory | awk -F '\t' '
    $1 == "call" && $10 == "counted_malloc" { print $4, $13 }
    $1 == "call" && $4 == "main" { print $4, $10, $13 }' | sort >got
  diff - got >log <<'END'
both 1 0 7
keep 2 20 120
main both 1 0 7
main keep 2 20 120
END
  result $? "memory.c: no stack has less than 0 in use" log
  ! grep 'below 0' callgrind.out.memory >log
  result $? "memory.c: no cost is left out" log
  shows "what is in use" callgrind.out.memory '^20 127 PROGRAM TOTALS'
else
  skip "memory.c" "it is for glibc"
fi

# Each thread works for 200 ms of its processor time, of which the timer's are.
cat >program.c <<'END'
#include <pthread.h>
#include <stddef.h>
#include <time.h>

void burn (void);
void *work (void *unused);

__attribute__ ((noinline)) void
burn (void)
{
  for (volatile int i = 0; i < 1000000; i++)
    ;
}

void *
work (void *unused)
{
  struct timespec now;

  do
    {
      burn ();
      clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    }
  while (now.tv_sec == 0 && now.tv_nsec < 200000000);
  return unused;
}

int
main (void)
{
  pthread_t thread;

  if (pthread_create (&thread, NULL, work, NULL) != 0)
    return 1;
  work (NULL);
  return pthread_join (thread, NULL);
}
END
for more in '-fPIE -pie' '-fno-pie -no-pie'; do
  if test ! $glibc || test "$(uname -m)" != x86_64; then
    skip "sampler.c, $more" "it is for glibc on x86-64"
    continue
  fi
  compiles sampler "$more"
  ./program >log 2>&1 && test ! -s log
  result $? "sampler.c: the program runs" log
  "$cgread" --dump callgrind.out.sampler | awk -F '\t' '
    $1 == "cost" && $4 ~ /^(burn|work|main)$/ { print $4, $6 }' >found
  while read -r function address; do
    test "$(addr2line -f -e program "$address" | head -n 1)" = "$function" \
      || echo "$address is not in $function"
  done <found >log
  grep -q '^burn ' found && test ! -s log
  result $? "sampler.c: functions and addresses are those of the program" log
done

# Every lesson is in the lists.

for lesson in "$srcdir"/examples/*.c "$srcdir"/examples/*.cc \
  "$srcdir"/examples/*.py; do
  name=${lesson##*/}
  grep -q "^  $name " "$srcdir/examples/README" \
    || echo "examples/README does not list $name"
  for list in lib/local.am debian/libcgw-dev.examples; do
    test ! -f "$srcdir/$list" || grep -qw "examples/$name" "$srcdir/$list" \
      || echo "$list does not list $name"
  done
done >log
test ! -s log
result $? "every lesson is listed and installed" log

sed -n 's/^ *\(cgw_[a-z_]*\);$/\1/p' "$srcdir/lib/libcgw.map" >calls
while read -r call; do
  grep -qrF "$call (" "$srcdir/examples" || echo "$call"
done <calls >log
test -s calls && test ! -s log
result $? "every public call is in a lesson or a tool" log
done_testing
