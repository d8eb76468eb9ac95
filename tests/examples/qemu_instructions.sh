#!/bin/sh
# cgw-qemu: the instructions of each processor that call, return or jump, against
# what objdump calls them.
#
# From the environment: srcdir.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
instructions=$PWD/tests/examples/qemu_instructions
names=$(cd "${srcdir-.}" && pwd -P)/tests/examples/qemu_instructions.awk
tab=$(printf '\t')
cd "$dir" || exit 1

# of PROCESSOR OBJDUMP LIBRARY...: the first that there is.
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
  "$objdump" -dw -j .text "$1" 2>log | head -n 60000 \
    | grep -v "$tab[.][a-z]" >code # data
  awk -v processor="$processor" -f "$names" code >wanted 2>>log
  "$instructions" "$processor" <code >got 2>>log
  diff wanted got >>log && test "$(wc -l <wanted)" -ge 1000
  result $? "$processor: calls, returns and jumps" log
}

of x86_64 x86_64-linux-gnu-objdump /lib/x86_64-linux-gnu/libc.so.6 \
  /usr/x86_64-linux-gnu/lib/libc.so.6
of i386 i686-linux-gnu-objdump /usr/i686-linux-gnu/lib/libc.so.6 \
  /lib/i386-linux-gnu/libc.so.6
of aarch64 aarch64-linux-gnu-objdump /usr/aarch64-linux-gnu/lib/libc.so.6 \
  /lib/aarch64-linux-gnu/libc.so.6
# Only symbols say what of Arm's code is data, and libc.so has lost these.
echo 'int main (void) { return 0; }' >program.c
arm-linux-gnueabihf-gcc -static program.c -o program >/dev/null 2>&1
of arm arm-linux-gnueabihf-objdump ./program
of riscv64 riscv64-linux-gnu-objdump /usr/riscv64-linux-gnu/lib/libc.so.6 \
  /lib/riscv64-linux-gnu/libc.so.6
of s390x s390x-linux-gnu-objdump /usr/s390x-linux-gnu/lib/libc.so.6 \
  /lib/s390x-linux-gnu/libc.so.6
of ppc64le powerpc64le-linux-gnu-objdump \
  /usr/powerpc64le-linux-gnu/lib/libc.so.6 \
  /lib/powerpc64le-linux-gnu/libc.so.6
of mips64el mips64el-linux-gnuabi64-objdump \
  /usr/mips64el-linux-gnuabi64/lib/libc.so.6 \
  /lib/mips64el-linux-gnuabi64/libc.so.6

done_testing
