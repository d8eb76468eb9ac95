#!/bin/sh
# cgw-qemu: its options, programs without an operating system, what it refuses.
# What it counts on each processor is in qemu_cases.sh.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/support/qemu.sh"
sources=$srcdir/examples/programs/firmware
machine=$(uname -m)

# Instructions of a profile: "OBJECT FUNCTION COUNT".
instructions () # FILE
{
  "$cgread" --dump "$1" | awk -F '\t' '
    $1 == "cost" { split ($8, cost, " "); sub (/.*\//, "", $2)
                   n[$2 " " $4] += cost[1] }
    END { for (f in n) print f, n[f] }'
}

if ! "${CC-cc}" -O2 -g -pthread "$programs/qemu_known.c" -o known 2>log \
   || ! "$cgw_qemu" -q -o out ./known >printed 2>>log; then
  if test "$machine" != x86_64; then
    skip "options" "the processor is another one"
    done_testing
  fi
fi

"$cgread" --dump out | awk -F '\t' -v line="$(sed -n '/inlined \*\//=' \
  "$programs/qemu_known.c")" '
  $1 == "cost" && $5 ~ /qemu_known[.]c$/ && $7 == line { print $4 }' \
  | sort -u >got
test "$(cat got)" = step
result $? "an inlined function is not called" got

# Threads, and memory that is shared.
cat >spin.c <<'END'
#include <pthread.h>
#include <sys/mman.h>
static __attribute__ ((noipa)) void *
spin (void *data)
{
  volatile long sum = 0;

  for (long i = 0; i < 2000000; i++)
    sum = sum % 3 != 0 ? sum + i : sum + 1;
  return data;
}
int main (int argc, char **argv)
{
  pthread_t threads[4];

  (void) argv;
  if (argc > 1)
    mmap (NULL, 1, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  spin (NULL);
  for (int i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, spin, NULL);
  spin (NULL);
  for (int i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
}
END
"${CC-cc}" -O2 -g -pthread spin.c -o spin 2>log \
  && "$cgw_qemu" -q -o out ./spin 2>>log \
  && "$cgw_qemu" -q -o shared ./spin shared 2>>log \
  && "$cgw_qemu" -q --blocks -o watched ./spin 2>>log
for file in out shared watched; do
  "$cgread" --dump $file | awk -F '\t' '
    $1 == "cost" && $4 == "spin" { split ($8, c, " "); sum += c[1] }
    END { print sum }'
done >got
test "$(uniq got | wc -l)" = 1 && test "$(head -n 1 got)" -gt 80000000
result $? "blocks that QEMU counts, and threads" got

# An instruction crosses the end of a page: QEMU shows it with the block before,
# and does not execute it there.
cat >crosses.c <<'END'
#include <pthread.h>
void hot (long n);
__asm__ (".text\n.p2align 12\n.skip 4096 - 16\n"
         ".globl hot\n.type hot, @function\n"
         "hot: dec %rdi\n.rept 10\nnop\n.endr\n"
         "lea 0x12345678(%rsi), %rax\n"
         "test %rdi, %rdi\njne hot\nret\n.size hot, . - hot\n");
static void *run (void *p) { hot (1000); return p; }
int main (void)
{
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create (&threads[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join (threads[i], 0);
}
END
if test "$machine" != x86_64; then
  skip "an instruction that crosses pages" "the processor is another one"
else
  "${CC-cc}" -O2 -pthread crosses.c -o crosses 2>log \
    && "$cgw_qemu" -q -o out ./crosses 2>>log \
    && "$cgread" --dump out | awk -F '\t' '
      $1 == "cost" && $4 == "hot" { split ($8, c, " "); self += c[1] }
      $1 == "call" && $10 == "hot" { split ($13, c, " "); all += c[2] }
      END { print self, all }' >got
  test "$(cat got)" = '56004 56004'
  result $? "an instruction that crosses pages" got
fi

# What is at an address changes: files, a file that is removed, no file.  The maps
# are read when something was mapped, not for each function that is in no file.
cat >opens.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
FILE *fopen (const char *name, const char *mode)
{
  FILE *(*next) (const char *, const char *)
    = (FILE * (*) (const char *, const char *)) dlsym (RTLD_NEXT, "fopen");
  FILE *opens = strcmp (name, "/proc/self/maps") == 0 ? next ("opens", "a") : 0;

  if (opens != NULL)
    {
      fputs ("maps\n", opens);
      fclose (opens);
    }
  return next (name, mode);
}
END
# mapped FUNCTIONS: prints how often the maps are read.
mapped ()
{
  rm -f opens
  LD_PRELOAD=$PWD/opens.so "$cgw_qemu" -q -o out ./mapped "$1" >printed 2>log
  grep -c maps opens
}
if test "$machine" != x86_64; then
  skip "code of several files and of none at one address" \
    "the processor is another one"
else
  "${CC-cc}" -O2 -g "$programs/qemu_mapped.c" -o mapped 2>log \
    && "${CC-cc}" -O2 -shared -fPIC opens.c -o opens.so 2>>log
  few=$(mapped 10) many=$(mapped 99)
  test "$(wc -l <printed)" = 102 && instructions out | sort >all \
    && sort printed >wanted && grep -Fxf wanted all | diff wanted - >>log
  result $? "code of several files and of none at one address" log
  echo "the maps were read $few times, with more functions $many" >>log
  test "$few" -gt 0 && test "$many" = "$few"
  result $? "the maps are not read for each function that is in no file" log
fi

# The parts of threads add up to the profile without parts.
"$cgw_qemu" -q --threads --mem --blocks -o out ./known >printed 2>log
test $? = 42 && test "$(grep -c '^thread:' out)" = 5 \
  && test "$(grep -c '^events: Ir Dr Dw Bl$' out)" = 5
result $? "--threads: a part for each" log
has_calls out printed
result $? "--threads: every call is counted once"
"$cgread" --dump out | awk -F '\t' '
  $1 == "cost" && $4 == "step" { split ($8, c, " ")
    for (i = 1; i <= 4; i++) sum[i] += c[i] }
  END { exit !(sum[1] >= 2000 && sum[2] >= 2000 && sum[3] == 1000 \
               && sum[4] == 1000) }'
result $? "--mem, --blocks: what a function reads and writes" out

"$cgw_qemu" -q --from fibonacci --until visit -o out ./known >printed 2>log
calls out >got
grep -qx 'fibonacci fibonacci 176' got && grep -qx 'main walk 1' got \
  && ! grep -q 'middle\|visit\|compare' got
result $? "--from, --until" got
# Counting begins and ends again and again, and a longjmp goes to a function that
# was called before: only what is executed in between counts.
cat >rounds.c <<'END'
#include <setjmp.h>
#define APART __attribute__ ((noipa))
static volatile long sink;
static jmp_buf place;
APART void on (void) { sink++; }
APART void work (void) { sink++; }
APART void off (void) { sink++; }
APART void first (void) { on (); work (); }
APART void second (void) { work (); off (); work (); }
APART void back (void) { on (); longjmp (place, 1); }
int main (void)
{
  for (volatile int i = 0; i < 3; i++) { first (); second (); }
  for (volatile int i = 0; i < 5; i++)
    if (setjmp (place) == 0) back (); else work ();
}
END
"${CC-cc}" -O2 rounds.c -o rounds 2>log \
  && "$cgw_qemu" -q --from on --until off -o out ./rounds 2>>log
calls out \
  | grep -x '[*a-z]* \(on\|work\|off\|first\|second\|back\|longjmp\) [0-9]*' \
  | sort >got
printf '%s\n' '* back 4' '* longjmp 5' '* on 8' '* second 3' '* work 11' \
  'back longjmp 5' 'back on 5' 'first on 3' 'first work 3' 'main back 4' \
  'main second 3' 'main work 5' 'second work 3' | diff - got >log
result $? "--from, --until: counting begins again" log

cat >again.c <<'END'
#define APART __attribute__ ((noipa))
APART int leaf (int n) { volatile int sum = 0; while (n > 0) sum += n--; return sum; }
APART int f (int n);
APART int g (int n) { return f (n - 1) + 1; }
APART int f (int n) { return n == 0 ? leaf (1000) + 1 : g (n) + 1; }
int main (void) { return f (1) & 1; }
END
"${CC-cc}" -O2 again.c -o again 2>log \
  && "$cgw_qemu" -q --from g -o out ./again 2>>log
"$cgread" --dump out | awk -F '\t' '
  $1 == "call" { split ($13, cost, " "); of[$4 " " $10] = cost[2] }
  END { print of["g f"], of["f leaf"]; exit of["g f"] <= of["f leaf"] }' >>log
result $? "--from: a function that was open before is called again" log
cat >accesses.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#define APART __attribute__ ((noipa))
static char from[1000], to[1000];
static long count;
APART void copy (void)
{
#if defined __x86_64__ || defined __i386__
  char *d = to, *s = from;
  long n = 1000;
  __asm__ volatile ("rep movsb" : "+D" (d), "+S" (s), "+c" (n) : : "memory");
#else
  for (volatile int i = 0; i < 1000; i++) to[i] = from[i];
#endif
}
APART void add (void)
{
  for (int i = 0; i < 1000; i++)
    __atomic_fetch_add (&count, 1, __ATOMIC_SEQ_CST);
}
APART int linked (void)
{
  int sum = 0;
  for (int i = 0; i < 1000; i++) sum += atoi ("7");
  return sum;
}
static void *run (void *data) { add (); return data; }
int main (void)
{
  pthread_t thread;
  copy ();
  linked ();
  pthread_create (&thread, NULL, run, NULL);
  pthread_join (thread, NULL);
}
END
"${CC-cc}" -O2 -fno-builtin -pthread accesses.c -o accesses 2>log \
  && "$cgw_qemu" -q --mem --blocks -o out ./accesses 2>>log \
  && adds_up out copy linked
result $? "--mem, --blocks: repetitions, linkage" log
awk -F '\t' '
  $1 == "cost" && $4 ~ /^(copy|add)$/ {
    split ($8, c, " ")
    reads[$4] += c[2]
    writes[$4] += c[3]
  }
  END { for (f in reads) print f, (reads[f] >= 1000), (writes[f] >= 1000) }' dump \
  | sort >got
printf '%s 1 1\n' add copy | diff - got >log
result $? "--mem: repetitions, atomic accesses beside another thread" log
address=$(nm known | sed -n 's/^0*\([0-9a-f]*\) T fibonacci$/0x\1/p')
"$cgw_qemu" -q --from "$address" -o out ./known >printed 2>log
calls out >got
grep -qx 'fibonacci fibonacci 176' got && grep -q '^[*] compare' got \
  && ! grep -q middle got
result $? "--from an address" got

# A profile is there before the end, and whole.
cat >endless.c <<'END'
int main (void) { for (volatile long i = 0;; i++); }
END
"${CC-cc}" -g endless.c -o endless
"$cgw_qemu" -q --save-every 100000 -o saved ./endless >log 2>&1 &
running=$!
for _ in $(seq 600); do
  test -s saved && break
  sleep 0.1
done
pkill -9 -P $running
wait $running
test $? = 137 && "$cgread" --dump saved >dump 2>>log && grep -q main dump \
  && grep -qx 'cgw-qemu: saved: is what was saved last: signal 9 (Killed) ended the program' \
    log
result $? "--save-every: a whole profile after kill -9" log

cp known known-copy && strip known-copy
"$cgw_qemu" -q -o out ./known-copy >printed 2>log
test "$("$cgread" --dump out \
  | awk -F '\t' '$1 == "call" && $9 != "" && $10 ~ /^0x/ {
      split ($13, c, " "); n[$10] += c[1] }
    END { for (f in n) if (n[f] == 1000) many++; print (many > 0) }')" = 1
result $? "stripped code: functions by their addresses" log

"${CC-cc}" -O2 -DALONE "$programs/qemu_known.c" -o moved 2>log \
  && nm moved | sed 's/^0*\([0-9a-f]*\) ./0x\1/' >symbols && strip moved \
  && "$cgw_qemu" -q -o out ./moved >printed 2>>log
address_of () { sed -n "s/ $1\$//p" symbols; }
if grep -q ' usual[.]cold$' symbols; then
  calls out | grep "^$(address_of usual) " >got
  test "$(cat got)" = "$(address_of usual) $(address_of rare) 13"
  result $? "stripped code: what was moved away is no function" got
else
  skip "stripped code: what was moved away is no function" \
    "the compiler moved nothing"
fi

"$cgw_qemu" -o out ./known >printed 2>log
grep -q 'Instructions:$' log && grep -q '^Open it:  kcachegrind out' log
result $? "the hottest functions, and what opens the profile" log
(umask 027 && rm -f out && "$cgw_qemu" -q -o out ./known >printed 2>log)
test "$(ls -l out | cut -c 1-10)" = -rw-r-----
result $? "the file's mode is the user's" log
"$cgw_qemu" -q -o 'a, b=c' ./known 'x,y' >printed 2>log
has_calls 'a, b=c' printed && grep -qx 'cmd: ./known x,y' 'a, b=c'
result $? "commas" log
"$cgw_qemu" -q -o out "qemu-$machine" ./known >printed 2>log
has_calls out printed
result $? "a QEMU command" log
PATH=$PWD:$PATH "$cgw_qemu" -q -o out known >printed 2>log
has_calls out printed
result $? "a program in PATH" log
"$cgw_qemu" -q -o out true >log 2>&1 && "$cgread" --dump out >dump 2>>log
result $? "a program of the system" log

# The dynamic linker looks up functions of its own, too.
cat >place.c <<'END'
static __thread int n;
__attribute__ ((noinline)) int *place (void) { return &n; }
END
cat >uses_place.c <<'END'
int *place (void);
int main (void) { for (int i = 0; i < 10; i++) ++*place (); return *place (); }
END
"${CC-cc}" -O2 -shared -fPIC -Wl,-z,lazy place.c -o libplace.so 2>log \
  && "${CC-cc}" -O2 -Wl,-z,lazy uses_place.c ./libplace.so -o uses_place 2>>log
"$cgw_qemu" -q -o out ./uses_place 2>>log
calls out >got
if grep -q _dl_runtime_resolve got && grep -q __tls_get_addr got; then
  grep -qx 'place __tls_get_addr 11' got
  result $? "a first call of a function of the dynamic linker" got
else
  skip "a first call of a function of the dynamic linker" "it has no symbols"
fi

# A copy of a system comes before this machine's.
interpreter=$(readelf -l known | sed -n 's/.*interpreter: \(.*\)]/\1/p')
mkdir -p "system/bin" "system${interpreter%/*}"
cp known system/bin/known && cp -L "$interpreter" "system$interpreter"
"$cgw_qemu" -q -o out system/bin/known >printed 2>log
has_calls out printed && grep -q "ob=.*/system$interpreter\$" out
result $? "a program in a copy of a system: its dynamic linker" log

# Programs without an operating system: the commands in their first comments.
cp -r "$sources" firmware
firmware () # NAME COMPILER QEMU FUNCTION...
{
  if ! command -v "$2" >/dev/null || ! command -v "$3" >/dev/null; then
    skip "$1" "there is no $2, or no $3"
    return
  fi
  sed -n '/^     '"$2"' /{N;s/\\\n//;p;}' "firmware/$1.c" >command
  (cd firmware && sh ../command) >log 2>&1
  result $? "$1: it compiles as it says"
  sed -n '/^     cgw-qemu /{N;s/\\\n//;s/cgw-qemu -o [^ ]*/"$cgw_qemu" -o out/;p;}' \
    "firmware/$1.c" >command
  (cd firmware && timeout 120 sh -e ../command) \
    </dev/null >printed 2>log
  result $? "$1: it runs to its end" log
  cat log >>printed # where semihosting prints
  tr -d '\r' <printed | grep '^[a-z*_]* [a-z_]* [0-9]*$' >lines
  has_calls firmware/out lines
  result $? "$1: every call is counted once" log
  name=$1
  shift 3
  adds_up firmware/out "$@"
  result $? "$name: inclusive costs" log
}

export cgw_qemu
firmware cortex-m arm-none-eabi-gcc qemu-system-arm \
  first_task step add turn mix yield tick count alarm ring change_task
firmware riscv riscv64-unknown-elf-gcc qemu-system-riscv64 \
  first_task step add turn mix yield trap serve count alarm ring
if test -f firmware/cortex-m.elf && test -f firmware/out; then
  arm-none-eabi-objcopy -O binary firmware/cortex-m.elf raw
  timeout 120 "$cgw_qemu" -q -o out --symbols firmware/cortex-m.elf \
    qemu-system-arm -M mps2-an385 -display none -semihosting -kernel raw \
    </dev/null >printed 2>&1
  tr -d '\r' <printed >lines && has_calls out lines
  result $? "--symbols: those of another file than that which runs" log
fi

# Where the profile goes.
rm -f out*
"$cgw_qemu" -q -o 'a%p%' ./known >printed 2>log
has_calls 'a%p%' printed
result $? "a percent sign is no pattern" log
"$cgw_qemu" -q -o out sh -c 'cd / && exit 3' >log 2>&1
test $? = 3 && "$cgread" --dump out >dump 2>>log
result $? "a program that changes its folder" log
mkdir folder && rm out && ln -s folder/target out
echo old >folder/target
"$cgw_qemu" -q -o out ./known >printed 2>log
test -L out && has_calls folder/target printed
result $? "a link stays, and what it leads to is written" log
rm -f out*
echo foreign >out.1
printf '# callgrind format\ndesc: Processor under QEMU: x\n' >out.2
"$cgw_qemu" -q -o out ./known >printed 2>log
test -f out.1 && ! test -f out.2 && grep -qx 'desc: Processor under QEMU: '"$machine" out
result $? "what an earlier run left beside it is removed" log

# What becomes of it.
"$cgw_qemu" -o out sh -c '(i=0; while test $i -lt 2000; do i=$((i + 1)); done); :' \
  2>log
grep -q '^cgw-qemu: out[.][0-9]*: the profile of 2 with the highest cost' log
result $? "the hottest functions of the largest of several profiles" log
rm -f out*
"$cgw_qemu" -q -o out sh -c '( (:); :); :' 2>log && set -- out.* && test $# = 2 \
  && ! ls | grep -q '^out[.].*[.]'
result $? "a process that a forked process forks: OUT.PID, too" log
rm -f out*
"${CC-cc}" -O2 -g -pthread "$programs/qemu_forks.c" -o forks 2>log \
  && "$cgw_qemu" -q -o out ./forks >printed 2>log
grep -qx 'cgw-qemu: out: no profile of 3 processes that a signal ended: [0-9]*, [0-9]*, [0-9]*; --save-every N saves profiles before' \
  log && test "$(wc -l <log)" = 1 \
  && sed -n 's/^killed //p' printed >killed \
  && test "$(grep -owFf killed log | wc -l)" = 2
result $? "processes that a signal ended" log
test $(ls out.* | wc -l) = 2
result $? "processes that ended by themselves have profiles" log
rm -f out*
cat >beside.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>
static sem_t ready, ends;
static void *waits (void *data) { sem_post (&ready); sem_wait (&ends); return data; }
static __attribute__ ((noipa)) void works (void) { }
int main (void)
{
  pthread_t thread;
  pthread_create (&thread, NULL, waits, NULL);
  sem_wait (&ready);
  if (fork () == 0)
    {
      works ();
      _exit (0);
    }
  wait (NULL);
  sem_post (&ends);
  pthread_join (thread, NULL);
}
END
"${CC-cc}" -O2 -pthread beside.c -o beside 2>log \
  && "$cgw_qemu" -q --threads -o out ./beside 2>>log
calls out.* >got
grep -qx 'main works 1' got && ! grep -q waits got \
  && test "$(grep -c ^thread: out.*)" = 1
result $? "a child has the thread that forked alone" got
rm -f out*
"$cgw_qemu" -q -o out ./forks executes >log 2>&1 && test ! -s log
result $? "-q: programs that processes execute are not said" log
rm -f out*
mkfifo waits ends
cat ends >/dev/null &
reader=$!
"$cgw_qemu" -o out ./forks stays 3<>waits <&3 >printed 2>log 4>ends
child=$(sed -n 's/^stays //p' printed)
grep -qx "cgw-qemu: out: no profile yet of 1 process, still running: $child" log \
  && ! test -f "out.$child"
result $? "a process that outlives the program" log
echo >waits && wait $reader && "$cgread" --dump "out.$child" >dump 2>log
result $? "its profile comes later" log
rm -f out*
counts_nothing () # MESSAGE OPTION...
{
  message=$1
  shift
  "$cgw_qemu" -o empty "$@" ./known >printed 2>log
  test $? = 125 \
    && test "$(cat log)" = "cgw-qemu: empty: nothing was counted: $message"
  result $? "nothing was counted: $message" log
}
rm -f out*
counts_nothing 'nowhere was not called' -q --from nowhere
counts_nothing 'main was not called, or main was called at once' \
  -q --from main --until main
start=$(readelf -l known | sed -n 's/.*interpreter: \(.*\)]/\1/p')
start=$(readelf -h "$start" | sed -n 's/.*Entry point address: *//p')
counts_nothing "$start was called at once" --until "$start"
rm -f empty*
# says MESSAGE: it is the only line, and there is no profile.
says ()
{
  grep -qx -e "cgw-qemu: $1" log && test "$(wc -l <log)" = 1 && ! test -f out
  result $? "$1" log
}
"$cgw_qemu" -o out sh -c 'kill -9 $$' 2>err
grep '^cgw-qemu: ' err >log # some shells say Killed
says 'no profile: signal 9 (Killed) ended the program; --save-every N saves the profile before'
"$cgw_qemu" -o out --save-every 1000000000 sh -c 'kill -9 $$' 2>err
grep '^cgw-qemu: ' err >log # some shells say Killed
says 'no profile: signal 9 (Killed) ended the program before it was saved'
"$cgw_qemu" -o out sh -c 'exec true' 2>log
ended=$?
says 'no profile: the program executed another one; --save-every N saves the profile before'
test $ended = 125
result $? "its exit status"
"$cgw_qemu" -o out sh -c 'exec sh -c "kill -9 \$\$"' 2>err
grep '^cgw-qemu: ' err >log # some shells say Killed
says 'no profile: the program executed another one; --save-every N saves the profile before'
"$cgw_qemu" -o out "qemu-$machine" -cpu nonsense ./known 2>err
ended=$?
grep '^cgw-qemu: ' err >log
says 'no profile: QEMU ended before the program began'
test $ended = 125
result $? "its exit status"
if can_limit_files; then
  ("$cgw_qemu" -o out sh -c 'ulimit -f 1; :' 2>err; test $? = 125)
  ended=$?
  grep '^cgw-qemu: ' err >log
  says 'out: File too large' && test $ended = 0
  result $? "its exit status"
else
  skip "a size limit" "coverage is written, too"
fi

refused () # STATUS MESSAGE WORD...
{
  status=$1 message=$2
  shift 2
  "$cgw_qemu" "$@" >log 2>&1
  test $? = "$status" && grep -q -e "^cgw-qemu: $message" log \
    && ! grep -v '^cgw-qemu: \|^Usage: \|^    ' log \
    && test "$(grep -c '^cgw-' log)" = 1
  result $? "refused: $message" log
}

cp known forbidden && chmod -x forbidden
refused 126 './forbidden: Permission denied$' ./forbidden
refused 125 "give -L to QEMU itself, behind qemu-$machine\$" -L . "qemu-$machine" known
refused 125 '/nowhere/out: No such file or directory$' -o /nowhere/out ./known
refused 125 'folder: Is a directory$' -o folder ./known
mkfifo fifo
refused 125 'fifo: is no regular file$' -o fifo ./known
test -p fifo
result $? "what is no regular file stays"
PATH=/nowhere "$cgw_qemu" ./known 2>log
test $? = 127 && grep -qx "cgw-qemu: qemu-$machine: was not found: install QEMU for programs (Debian's package qemu-user)" log
result $? "there is no QEMU" log
# As a program of another processor, whose dynamic linker is not here.
printf '\363' | dd of=known bs=1 seek=18 conv=notrunc 2>/dev/null
interpreter=$(readelf -l known | sed -n 's/.*interpreter: \(.*\)]/\1/p')
refused 126 "folder: has no $interpreter for ./known\$" \
  -L folder ./known
refused 126 "./known: needs $interpreter of its own system: name the system's folder with -L, or install Debian's libc6-riscv64-cross\$" \
  ./known

done_testing
