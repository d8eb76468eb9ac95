# libraries.sh - for tests of instructions: the C library of each processor that
# is installed, disassembled.
#
# The test defines agrees PROCESSOR FILE, which says whether it agrees with the
# disassembly of FILE that is in the file code, and may write to the file log.
#
# SPDX-License-Identifier: MIT

# libraries OPTIONS NAME: a result for each processor, with these of objdump's
# options.
libraries ()
{
  options=$1 name=$2
  of x86_64 x86_64-linux-gnu /lib/x86_64-linux-gnu/libc.so.6
  of i386 i686-linux-gnu /lib/i386-linux-gnu/libc.so.6
  of aarch64 aarch64-linux-gnu /lib/aarch64-linux-gnu/libc.so.6
  # Only symbols say what of Arm's code is data, and libc.so has lost these.
  echo 'int main (void) { return 0; }' >program.c
  arm-linux-gnueabihf-gcc -static program.c -o program >/dev/null 2>&1
  of arm arm-linux-gnueabihf "$PWD/program"
  of riscv64 riscv64-linux-gnu /lib/riscv64-linux-gnu/libc.so.6
  of s390x s390x-linux-gnu /lib/s390x-linux-gnu/libc.so.6
  of ppc64le powerpc64le-linux-gnu /lib/powerpc64le-linux-gnu/libc.so.6
  of mips64el mips64el-linux-gnuabi64 /lib/mips64el-linux-gnuabi64/libc.so.6
}

# of PROCESSOR SYSTEM FILE: or that of the cross compiler.
of ()
{
  if ! command -v "$2-objdump" >/dev/null; then
    skip "$1" "there is no $2-objdump"
    return
  fi
  file=/usr/$2/lib/libc.so.6
  test "$1" != arm && test -e "$file" || file=$3
  if ! test -e "$file"; then
    skip "$1" "its C library is not installed"
    return
  fi
  "$2-objdump" "$options" -j .text "$file" 2>log | head -n 60000 >code
  agrees "$1" "$file"
  result $? "$1: $name" log
}
