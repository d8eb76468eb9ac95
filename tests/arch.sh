#!/bin/sh
# make check-arch: the library's own tests on other processors, under qemu's
# emulation of user programs; for 32-bit x86; with musl; as on a system that
# cannot wipe a page in a forked child; and for Windows, with mingw-w64 and wine.
# The tests are those of make check, with tests/arch/criterion.c in place of
# Criterion.  A profile of all kinds of records has the same bytes everywhere.
#
# On aarch64 and ppc64le, cgw-mpi profiles a program, too: with the libraries of
# that Debian, which are unpacked in arch.out.
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
long='tests/api/test_allocations
  tests/output/test_faults tests/output/test_faults_fd tests/gate/model'

# For Windows: what is about handlers, fork, limits and mounts, or opens a file
# twice; the model is the same everywhere.  test_tracer needs test_step's instructions.
posix='tests/api/test_allocations tests/api/test_stack tests/gate/test_gate
  tests/gate/test_step tests/gate/test_storm tests/gate/model
  tests/output/test_create tests/output/test_descriptors
  tests/output/test_faults_fd tests/output/test_kill tests/output/test_no_wipe
  tests/output/test_paths tests/output/test_replace tests/output/test_system
  tests/test_recorder
  tests/tracer/test_tracer'

# total NAME: the number of results of that kind in automake's summary.
total () { sed -n "s/^# $1: *\([0-9]*\)\$/\1/p" test-suite.log; }

# Configures and makes everything, and the tests that are to run.
build () # HOST CPPFLAGS COMPILER EMULATOR
{
  $3 -O2 -Wall -Wextra -Werror -I"$srcdir/tests/arch" \
    -c "$srcdir/tests/arch/criterion.c" -o criterion.o || return
  # No pkg-config, and no C++: they know this machine's processor and libc.
  "$srcdir/configure" --host="$1" --disable-shared --enable-werror CC="$3" \
    CFLAGS='-O2 -Wno-format-zero-length' \
    CPPFLAGS="-I$srcdir/tests/arch $2" PKG_CONFIG=false CXX=false \
    CRITERION_CFLAGS=-DARCH CRITERION_LIBS="$(pwd)/criterion.o -lpthread" || return
  $MAKE all || return
  # shellcheck disable=SC2046 # words
  case $4 in
    # The library as it is; only the tests know posix.h.
    wine)
      $MAKE LDFLAGS=-all-static CPPFLAGS="-D_GNU_SOURCE -I$srcdir/tests/arch \
        -I$srcdir/tests/arch/windows -include posix.h" \
        tests/api/same_bytes.exe $(programs wine) ;;
    *) $MAKE LDFLAGS=-all-static tests/api/same_bytes $(programs "$4") ;;
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

# Whether the compiler's programs run without an emulator: not every kernel for
# x86-64 runs programs of 32 bits.
runs_here () # COMPILER
{
  echo 'int main (void) { return 0; }' >"$top/arch.out/empty.c"
  "$1" -static "$top/arch.out/empty.c" -o "$top/arch.out/empty" \
    && "$top/arch.out/empty" 2>/dev/null
}

# One system.  WORDS: what tests/arch/skip is asked for.
try () # NAME HOST CPPFLAGS WORDS EMULATOR COMPILER
{
  mkdir -p "$top/arch.out/$1" && cd "$top/arch.out/$1" || return
  if ! build "$2" "$3" "$6" "$5" >build.log 2>&1; then
    tail -n 20 build.log
    echo "$1: the build failed, see $(pwd)/build.log"
    return 1
  fi
  # shellcheck disable=SC2086 # words
  skips $4 >skip
  rm -f test-suite.log
  CGW_SKIP=$(pwd)/skip $MAKE check-TESTS LDFLAGS=-all-static \
    LOG_COMPILER="$5" TESTS="$(programs "$5")" >check.log 2>&1
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

# Unpacks packages for another processor, with all that they depend on, from where
# this system has its own.
unpack () # DEBIAN-ARCHITECTURE FOLDER PACKAGE...
{
  debian=$1
  root=$2
  shift 2
  mkdir -p "$root.apt/lists/partial" "$root.apt/archives/partial" || return
  : >"$root.apt/status"
  cat >"$root.apt/conf" <<EOF || return
APT::Architecture "$debian";
APT::Architectures { "$debian"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dir::State "$root.apt";
Dir::State::status "$root.apt/status";
Dir::Cache "$root.apt";
Dir::Cache::archives "$root.apt/archives";
EOF
  # A list that the mirror has not in full just now may not be needed.
  APT_CONFIG=$root.apt/conf apt-get -q update
  APT_CONFIG=$root.apt/conf apt-get -q -y --download-only install "$@" \
    </dev/null || return
  mkdir -p "$root" || return
  for package in "$root.apt"/archives/*.deb; do
    dpkg -x "$package" "$root" || return
  done
  # They lead out of the folder.
  find "$root"/lib* -type l -lname '/*' | while read -r link; do
    ln -sf "$root$(readlink "$link")" "$link"
  done
}

# Configures and makes cgw-mpi, with the packages in $root.
build_mpi () # HOST
{
  PKG_CONFIG_SYSROOT_DIR=$root \
  PKG_CONFIG_LIBDIR=$root/usr/lib/$1/pkgconfig:$root/usr/share/pkgconfig \
  "$srcdir/configure" --host="$1" --disable-shared --enable-werror \
    CC="$1-gcc --sysroot=$root" CFLAGS=-O2 PKG_CONFIG=pkg-config CXX=false \
    || return
  $MAKE examples/tools/mpi/cgw-mpi examples/tools/mpi/mpi_mpich.so || return
  "$1-gcc" --sysroot="$root" -g -O1 -I"$root/usr/include/$1/mpich" \
    "$srcdir/tests/programs/mpi_arch.c" -L"$root/usr/lib/$1" \
    -Wl,-rpath-link,"$root/usr/lib/$1" -lmpich -o program
}

# cgw-mpi there, in a run of one process.
try_mpi () # NAME HOST EMULATOR DEBIAN-ARCHITECTURE
{
  mkdir -p "$top/arch.out/$1-mpi" && cd "$top/arch.out/$1-mpi" || return
  root=$top/arch.out/$1-root
  if ! test -e "$root.unpacked"; then
    if ! unpack "$4" "$root" libc6-dev libdw-dev libmpich-dev >unpack.log 2>&1
    then
      tail -n 5 unpack.log
      echo "$1: no packages of MPICH, see $(pwd)/unpack.log"
      return 1
    fi
    touch "$root.unpacked"
  fi
  if ! build_mpi "$2" >build.log 2>&1; then
    tail -n 20 build.log
    echo "$1: cgw-mpi was not built, see $(pwd)/build.log"
    return 1
  fi
  # The emulator executes no programs for its processor, but a script, which
  # keeps the agent from the programs of this processor.
  cat >emulate <<EOF || return
agent=\$LD_PRELOAD
unset LD_PRELOAD
exec $3 -E LD_PRELOAD="\$agent" -L "$root" ./program
EOF
  chmod +x emulate
  # The emulator lacks what UCX wants of a network.
  if ! UCX_TLS=self $3 -L "$root" examples/tools/mpi/cgw-mpi -o out ./emulate \
    >run.log 2>&1; then
    cat run.log
    echo "$1: cgw-mpi failed"
    return 1
  fi
  # The places by the table at the end, and the callers above them.
  awk '/^ +[0-9.]+ s +[0-9]+  MPI_/ { print $3, $4, $5, $6 }' run.log >calls
  awk -F '[()]' '
    /^c?fn=/ && $3 != "" { name[$2] = substr ($3, 2) }
    /^fn=/ { caller = name[$2] }
    /^cfn=/ { print caller, "calls", name[$2] }' out \
    | sed -n '/^\(main\|work\) calls [a-z]/p' | sort -u >>calls
  sort calls -o calls
  sort >expected <<'EOF'
20 MPI_Allreduce share (mpi_arch.c:12)
10 MPI_Barrier work (mpi_arch.c:22)
1 MPI_Barrier main (mpi_arch.c:31)
main calls work
work calls share
EOF
  if ! diff expected calls; then
    cat run.log
    echo "$1: cgw-mpi saw other calls"
    return 1
  fi
  if $3 -L "$root" examples/tools/mpi/cgw-mpi --sample ./emulate >refused 2>&1 \
    || ! grep -q 'built without samples' refused; then
    echo "$1: cgw-mpi took --sample"
    return 1
  fi
  echo "$1: cgw-mpi saw all calls, at their places"
}

cross='aarch64 armhf ppc64le riscv64 s390x'
all="no-wipe musl i686 $cross windows"
systems=${*:-$all}
wanted=
for system in $systems; do
  case $system in
    no-wipe) ;;
    musl) wanted="$wanted musl-tools" ;;
    i686)
      wanted="$wanted gcc-i686-linux-gnu libc6-dev-i386-cross qemu-user" ;;
    aarch64) wanted="$wanted gcc-aarch64-linux-gnu libc6-dev-arm64-cross" ;;
    armhf) wanted="$wanted gcc-arm-linux-gnueabihf libc6-dev-armhf-cross" ;;
    ppc64le)
      wanted="$wanted gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross" ;;
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
    i686)
      if runs_here i686-linux-gnu-gcc; then
        try i686 i686-linux-gnu '' i686 '' i686-linux-gnu-gcc
      else
        try i686 i686-linux-gnu '' 'qemu no-wipe qemu-tls' qemu-i386 \
          i686-linux-gnu-gcc
      fi ;;
    aarch64)
      try aarch64 aarch64-linux-gnu '' 'qemu no-wipe' qemu-aarch64 \
        aarch64-linux-gnu-gcc
      tried=$?
      try_mpi aarch64 aarch64-linux-gnu qemu-aarch64 arm64 && test $tried = 0 ;;
    ppc64le)
      try_mpi ppc64le powerpc64le-linux-gnu qemu-ppc64le ppc64el ;;
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
