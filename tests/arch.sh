#!/bin/sh
# make check-arch: the library's own tests on other processors, under qemu's
# emulation of user programs; for 32-bit x86; with musl; as on a system that
# cannot wipe a page in a forked child; and for Windows, with mingw-w64 and wine.  The tests are those of make check,
# with tests/arch/criterion.c in place of Criterion.  A profile of all kinds of
# records has the same bytes everywhere.
#
# It runs in the build folder and writes to arch.out there.  Arguments: the
# systems to try; without any, all.  Debian packages that are missing are
# installed.
#
# From the environment: srcdir, MAKE.
# SPDX-License-Identifier: MIT

me=check-arch
srcdir=$(cd "${srcdir-.}" && pwd) || exit 1
top=$(pwd)
. "$srcdir/examples/install-packages.sh"

# For the emulator: what takes minutes there, and hardly depends on the
# processor, or is not the library.
long='tests/output/test_faults tests/output/test_faults_fd
  tests/output/test_kill tests/gate/model'

# For Windows: what is about handlers, fork, limits and mounts; the model is the
# same everywhere.  test_tracer needs test_step's instructions.
posix='tests/gate/test_gate tests/gate/test_stack tests/gate/test_step
  tests/gate/test_storm tests/gate/model
  tests/output/test_create tests/output/test_descriptors
  tests/output/test_faults_fd tests/output/test_kill tests/output/test_no_wipe
  tests/output/test_recreate tests/output/test_replace tests/test_recorder
  tests/tracer/test_tracer'

# total NAME: the number of results of that kind in automake's summary.
total () { sed -n "s/^# $1: *\([0-9]*\)\$/\1/p" test-suite.log; }

# Makes the tests, and runs some.
check () # VARIABLE...
{
  if grep -q '^EXEEXT = \.exe$' Makefile; then
    set -- "check_PROGRAMS=tests/api/same_bytes.exe $(programs wine)" "$@"
  fi
  $MAKE check LDFLAGS=-all-static "$@"
}

# Configures and makes everything; leaves the tests unlinked.
build () # HOST CPPFLAGS COMPILER
{
  $3 -O2 -Wall -Wextra -Werror -I"$srcdir/tests/arch" \
    -c "$srcdir/tests/arch/criterion.c" -o criterion.o || return
  # No pkg-config, and no C++: they know this machine's processor and libc.
  "$srcdir/configure" --host="$1" --disable-shared --enable-werror CC="$3" \
    CFLAGS='-O2 -Wno-format-zero-length' \
    CPPFLAGS="-I$srcdir/tests/arch $2" PKG_CONFIG=false CXX=false \
    CRITERION_CFLAGS=-DARCH CRITERION_LIBS="$(pwd)/criterion.o -lpthread" || return
  $MAKE all || return
  case $1 in
    *mingw*)
      # The library as it is; only the tests know posix.h.
      $MAKE libcgw-all.la libcgw-no-wipe.la || return
      check TESTS= CPPFLAGS="-D_GNU_SOURCE -I$srcdir/tests/arch \
        -I$srcdir/tests/arch/windows -include posix.h" ;;
    *) check TESTS= ;;
  esac
}

# The lines of tests/arch/skip for these words, as criterion.c wants them.
skips () # WORD...
{
  for word; do
    sed -n "s/^$word: //p" "$srcdir/tests/arch/skip"
  done
}

# The programs that a system leaves out.
left_out () # EMULATOR
{
  case $1 in
    '') ;;
    wine) echo "$posix" ;;
    *) echo "$long" ;;
  esac
}

# The programs to run: make's list, without those that the system leaves out.
programs () # EMULATOR
{
  printf 'list:\n\t@echo $(criterion_tests) $(model_tests)\n' >list.mk
  $MAKE -s -f Makefile -f list.mk list | tr -s ' ' '\n' \
    | sed 's/\.exe$//' >programs
  for program in $(left_out "$1"); do
    sed -i "\\#^$program\$#d" programs
  done
  test "$1" != wine || sed -i 's/$/.exe/' programs
  tr '\n' ' ' <programs
}

# One system.  WORDS: what tests/arch/skip is asked for.
try () # NAME HOST CPPFLAGS WORDS EMULATOR COMPILER
{
  mkdir -p "$top/arch.out/$1" && cd "$top/arch.out/$1" || return
  if ! build "$2" "$3" "$6" >build.log 2>&1; then
    tail -n 20 build.log
    echo "$1: the build failed, see $(pwd)/build.log"
    return 1
  fi
  # shellcheck disable=SC2086 # words
  skips $4 >skip
  rm -f test-suite.log
  CGW_SKIP=$(pwd)/skip check LOG_COMPILER="$5" TESTS="$(programs "$5")" \
    >check.log 2>&1
  status=$?
  grep -E '^(FAIL|XPASS|ERROR):' check.log
  # A name that stands there for nothing would hide the test when it is new.
  while read -r test reason; do
    grep -q -- "- $test # SKIP $reason" check.log && continue
    echo "$1: tests/arch/skip names $test, which was not there"
    status=1
  done <skip
  left="$(total SKIP) skipped"
  test -z "$5" || left="$left, $(left_out "$5" | wc -w) programs left out"
  echo "$1: $(total PASS) passed, $(($(total FAIL) + $(total ERROR))) failed," \
    "$left"
  program=tests/api/same_bytes
  test -f $program || program=$program.exe
  $5 $program >bytes || status=1
  if cmp "$top/arch.out/bytes" bytes; then
    echo "$1: same bytes"
  else
    status=1
  fi
  return $status
}

cross='aarch64 armhf riscv64 s390x'
all="no-wipe musl i686 $cross windows"
systems=${*:-$all}
wanted=
for system in $systems; do
  case $system in
    no-wipe) ;;
    musl) wanted="$wanted musl-tools" ;;
    i686) wanted="$wanted gcc-i686-linux-gnu libc6-dev-i386-cross" ;;
    aarch64) wanted="$wanted gcc-aarch64-linux-gnu libc6-dev-arm64-cross" ;;
    armhf) wanted="$wanted gcc-arm-linux-gnueabihf libc6-dev-armhf-cross" ;;
    riscv64) wanted="$wanted gcc-riscv64-linux-gnu libc6-dev-riscv64-cross" ;;
    windows) wanted="$wanted gcc-mingw-w64-x86-64 wine64 wine" ;;
    s390x) wanted="$wanted gcc-s390x-linux-gnu libc6-dev-s390x-cross" ;;
    *) die "no such system: $system (there are $all)" ;;
  esac
  case " $cross " in
    *" $system "*) wanted="$wanted qemu-user" ;;
  esac
done
# shellcheck disable=SC2086 # words
install_packages $wanted

mkdir -p arch.out
tests/api/same_bytes >arch.out/bytes || exit
test -s arch.out/bytes || exit
sha256sum arch.out/bytes
failed=0
native=$(cc -dumpmachine)
for system in $systems; do
  case $system in
    no-wipe)
      try no-wipe "$native" -DCGWI_NO_WIPEONFORK 'no-wipe stepping' '' gcc ;;
    musl) try musl "$native" '' musl '' musl-gcc ;;
    i686) try i686 i686-linux-gnu '' i686 '' i686-linux-gnu-gcc ;;
    aarch64)
      try aarch64 aarch64-linux-gnu '' 'qemu no-wipe' qemu-aarch64 \
        aarch64-linux-gnu-gcc ;;
    armhf)
      try armhf arm-linux-gnueabihf '' 'qemu no-wipe qemu-reservation' \
        qemu-arm arm-linux-gnueabihf-gcc ;;
    riscv64)
      try riscv64 riscv64-linux-gnu '' 'qemu no-wipe qemu-reservation' \
        qemu-riscv64 riscv64-linux-gnu-gcc ;;
    s390x)
      try s390x s390x-linux-gnu '' 'qemu no-wipe' qemu-s390x \
        s390x-linux-gnu-gcc ;;
    windows)
      # Wine is quiet, and has a home of its own.
      export WINEDEBUG=-all WINEPREFIX="$top/arch.out/wine"
      try windows x86_64-w64-mingw32 '' windows wine \
        x86_64-w64-mingw32-gcc ;;
  esac || failed=1
done
exit $failed
