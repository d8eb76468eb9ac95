#!/bin/sh
# calls.sh - where the tools say that a call is of which they know the address
# that it returns to: at the call, as objdump shows it, on each processor whose
# C library is there.
#
# From the environment: srcdir.  In the build folder: tests/tools/resolved,
# tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
resolved=$(pwd)/tests/tools/resolved
names=$(cd "${srcdir-.}" && pwd -P)/tests/examples/qemu_instructions.awk
test -x "$resolved" \
  || skip_all "the tools with symbols are not built: there is no libdw"
cd "$dir" || exit 1

# of PROCESSOR OBJDUMP LIBRARY...: the first that there is.  Compilers write
# calls with prefixes for x86's dynamic linker to rewrite.
of ()
{
  processor=$1 objdump=$2
  shift 2
  if ! command -v "$objdump" >/dev/null; then
    skip "$processor" "there is no $objdump"
    return
  fi
  while test $# != 0 && ! test -e "$1"; do shift; done
  if test $# = 0; then
    skip "$processor" "its C library is not installed"
    return
  fi
  "$objdump" -dzw -j .text "$1" 2>log | head -n 60000 >code
  grep -v 'data16.*call' code | awk -v processor="$processor" -f "$names" \
    | sed -n 's/ call .*//p' >calls
  # The address of the next instruction; with a delay slot, of the one after it.
  awk -v slots="$slots" 'FNR == NR { is_call[$1]; next }
    /^ *[0-9a-f]+:\t/ {
      at = $1; sub (/:$/, "", at)
      if (due && --due == 0)
        print call, at
      if (at in is_call) { call = at; due = 1 + slots }
    }' calls code >pairs
  cut -d ' ' -f 1 pairs | sed 's/^/0x/' | sort >wanted
  cut -d ' ' -f 2 pairs | sed "s#.*#-c $1 0x&#" | xargs "$resolved" >profile \
    2>>log && "$cgread" --dump profile 2>>log | sed -n 's/^cost	//p' \
    | cut -f 5 | sort >got
  diff wanted got >>log && test "$(wc -l <wanted)" -ge 1000
  result $? "$processor: calls" log
}

slots=0
of x86_64 x86_64-linux-gnu-objdump /lib/x86_64-linux-gnu/libc.so.6 \
  /usr/x86_64-linux-gnu/lib/libc.so.6
of i386 i686-linux-gnu-objdump /usr/i686-linux-gnu/lib/libc.so.6 \
  /lib/i386-linux-gnu/libc.so.6
of aarch64 aarch64-linux-gnu-objdump /usr/aarch64-linux-gnu/lib/libc.so.6 \
  /lib/aarch64-linux-gnu/libc.so.6
# Only symbols say what of Arm's code is data, and libc.so has lost these.
echo 'int main (void) { return 0; }' >program.c
arm-linux-gnueabihf-gcc -static program.c -o program >/dev/null 2>&1
of arm arm-linux-gnueabihf-objdump "$PWD/program"
of riscv64 riscv64-linux-gnu-objdump /usr/riscv64-linux-gnu/lib/libc.so.6 \
  /lib/riscv64-linux-gnu/libc.so.6
of s390x s390x-linux-gnu-objdump /usr/s390x-linux-gnu/lib/libc.so.6 \
  /lib/s390x-linux-gnu/libc.so.6
of ppc64le powerpc64le-linux-gnu-objdump \
  /usr/powerpc64le-linux-gnu/lib/libc.so.6 \
  /lib/powerpc64le-linux-gnu/libc.so.6
slots=1
of mips64el mips64el-linux-gnuabi64-objdump \
  /usr/mips64el-linux-gnuabi64/lib/libc.so.6 \
  /lib/mips64el-linux-gnuabi64/libc.so.6

done_testing
