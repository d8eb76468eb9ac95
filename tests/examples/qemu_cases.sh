#!/bin/sh
# cgw-qemu: programs that print their own calls, on each processor that there is
# a compiler for.
#
# From the environment: srcdir.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/support/qemu.sh"

# Two libraries whose functions have the same code, and a program that loads one
# after the other: to the same address, where there is little memory.
cat >library.c <<'END'
static volatile long sum;
static __attribute__ ((noipa)) void INNER (void) { sum++; }
void OUTER (void) { INNER (); sum++; INNER (); }
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
static __attribute__ ((noipa)) void
use (const char *library, const char *name)
{
  void *l = dlopen (library, RTLD_NOW);
  void (*f) (void) = (void (*) (void)) dlsym (l, name);

  for (int i = 0; i < 10; i++)
    f ();
  dlclose (l);
}
int main (void)
{
  for (int i = 0; i < 3; i++)
    {
      use ("./liba.so", "a");
      use ("./libb.so", "b");
    }
  puts ("use a 30\na inner_a 60\nuse b 30\nb inner_b 60");
}
END

# Whether the calls of each function of a program cost at least what it and its
# callees cost, and those of main the whole of them.  Not so in recursion, where
# the outermost call has it all.
covers_callees () # FILE OBJECT
{
  "$cgread" --dump "$1" | awk -F '\t' -v object="$2" '
    { sub (/.*\//, "", $2) }
    $1 == "cost" && $2 == object { split ($8, c, " "); self[$4] += c[1] }
    $1 == "call" { sub (/@.*/, "", $10); split ($13, c, " ")
                   into[$10] += c[2] }
    $1 == "call" && $2 == object { out[$4] += c[2] }
    END {
      for (f in self)
        if (f !~ /^_/)
          {
            total += self[f]
            if (into[f] < self[f] + out[f])
              { print f, into[f] " is less than", self[f] + out[f]; bad = 1 }
          }
      if (into["main"] < total)
        { print "main", into["main"] " is less than", total; bad = 1 }
      exit bad
    }' >>log
}

# How one case is compiled, run and tested: with the compilers of $prefix, in a
# folder of its own.

compiles () # SOURCE NAME OPTION...
{
  source=$1 program=$2
  shift 2
  "${prefix}gcc" -O2 -g -pthread "$@" "$source" -o "$program" >>log 2>&1
}

runs () # STATUS COMMAND...: profile out; the output in printed
{
  status=$1
  shift
  rm -f out out.*
  "$cgw_qemu" -q -o out "$@" >printed 2>>log
  test $? = "$status"
}

try_known ()
{
  compiles "$programs/qemu_known.c" known && runs 42 ./known \
    && has_calls out printed && adds_up out middle walk outer || return
  # Its child has a profile of its own.
  set -- out.*
  test $# = 1 && calls "$1" | grep -qx 'run_child in_child 7' \
    && ! calls "$1" | grep -q '^main middle'
}

try_dl ()
{
  compiles library.c liba.so -shared -fPIC -DOUTER=a -DINNER=inner_a \
    && compiles library.c libb.so -shared -fPIC -DOUTER=b -DINNER=inner_b \
    && compiles loads.c loads && runs 0 ./loads && has_calls out printed
}

try_tasks ()
{
  compiles "$programs/qemu_tasks.c" tasks && runs 0 ./tasks \
    && has_calls out printed \
    && adds_up out first_task second_task deep_task dive lap work
}

try_execs ()
{
  compiles "$programs/qemu_forks.c" forks \
    && "$cgw_qemu" -o out ./forks executes 2>log && grep -qx \
    'cgw-qemu: out: no profile of the programs that 3 processes executed' log
}

try_exc ()
{
  "${prefix}g++" -O2 -g "$programs/qemu_throws.cc" -o throws >>log 2>&1 \
    && runs 0 ./throws && has_calls out printed
}

# QEMU itself counts some blocks; with --save-every, none.  All lines of the
# profiles are the same.
says_same () # PROGRAM
{
  rm -f out* watched*
  $fixed "$cgw_qemu" -q -o out "$1" >printed 2>>log \
    && $fixed "$cgw_qemu" -q --save-every 1000000000000 -o watched "$1" \
      >printed 2>>log \
    && for file in out*; do "$cgread" --dump "$file"; done | sort >got \
    && for file in watched*; do "$cgread" --dump "$file"; done | sort \
      | diff - got >>log && test -s got
}

try_blocks ()
{
  compiles "$programs/qemu_known.c" alone -DALONE && says_same ./alone
}

try_far ()
{
  "${prefix}g++" -O2 -g "$programs/qemu_far.cc" -o far >>log 2>&1 \
    && says_same ./far && "$cgread" --dump out | grep -q on_fault
}

# Programs of the C library's package, which have no symbols.
try_debian ()
{
  for program in "$libraries"/ld*.so.* "$libraries/libc.so.6"; do
    case $program in
      */libc.*) runs 0 "$program" ;;
      *) runs 0 "$program" --help ;;
    esac && test -s printed && has_one_root out || return
  done
}

# Each function without a symbol has a caller, but for the first one.
try_stripped ()
{
  compiles "$programs/qemu_cases.c" cases -Wl,-z,execstack \
    && "${prefix}strip" cases || return
  for case in co sig tail; do
    runs 0 ./cases $case && has_one_root out || return
  done
}

has_one_root ()
{
  roots "$1" >functions
  cat functions >>log
  test "$(wc -l <functions)" = 1 \
    && "$build/examples/tools/lint/cgw-lint" "$1" >>log 2>&1
}

# A case of qemu_cases.c.
try_case ()
{
  compiles "$programs/qemu_cases.c" cases -Wl,-z,execstack \
    && runs 0 ./cases "$1" && has_calls out printed || return
  case $1 in
    deep | tail | threads) ;; # recursion, and what is not called by main
    *) covers_callees out cases ;;
  esac
}

try () # CASE
{
  case $1 in
    blocks | debian | dl | exc | execs | far | known | stripped | tasks)
      "try_$1" ;;
    *) try_case "$1" ;;
  esac
}

# What a case needs that is not here, or nothing.
missing () # CASE
{
  case $1 in
    exc | far) set -- "${prefix}gcc" "${prefix}g++" ;;
    *) set -- "${prefix}gcc" ;;
  esac
  for compiler; do
    if ! command -v "$compiler" >/dev/null; then
      echo "there is no $compiler"
      break
    fi
  done
}

# The table.  A processor without its compiler is skipped.
#
#   known     recursion, tail calls, longjmp, qsort, threads, signals, a fork
#   stripped  the cases co, sig and tail, without symbols
#   debian    the dynamic linker and the C library, as programs
#   tasks     coroutines that are left in one function
#   dl        libraries that are loaded in turn, to the same address
#   execs     child processes that execute programs
#   blocks    known, counted in two ways
#   exc, far  C++ exceptions; they, signals and jumps, counted in two ways
#   co ...    see tests/programs/qemu_cases.c

cases='known stripped debian tasks dl execs blocks exc far
       co at sig tail deep child threads pushed nested made'

on () # PROCESSOR PREFIX
{
  processor=$1 prefix=$2 libraries=/usr/${2%-}/lib
  test -e "$libraries/libc.so.6" || libraries=/lib/${2%-}
  for name in $cases; do
    : >log
    reason=$(missing "$name")
    if test -n "$reason"; then
      skip "$processor: $name" "$reason"
    else
      try "$name"
      result $? "$processor: $name"
    fi
  done
}

if setarch -R true 2>/dev/null; then fixed="setarch -R"; else fixed=; fi
on x86-64 x86_64-linux-gnu-
on i386 i686-linux-gnu-
on aarch64 aarch64-linux-gnu-
on armhf arm-linux-gnueabihf-
on riscv64 riscv64-linux-gnu-
on s390x s390x-linux-gnu-
on ppc64le powerpc64le-linux-gnu-
on mips64el mips64el-linux-gnuabi64-

done_testing
