#!/bin/sh
# consumers.sh - projects that are built by CMake and by Meson find what make
# install puts in place, the shared library and the static one; and CMake builds
# the one file by the lines of cgw(3).
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS, MAKE.  In the build folder:
# Makefile.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/support/installed.sh"
cmake_dir=$(dirname "$(find "$dest" -name cgw-config.cmake)")
pc=$(find "$dest" -name cgw.pc)
CC=${CC-cc}
build=$PWD
export CC CFLAGS LDFLAGS

mkdir "$dir/project" && cp "$srcdir/examples/first.c" "$dir/project" \
  && cd "$dir/project" || exit 1

# The program must write its profile, and be linked with what it asked for.
check () # NAME PROGRAM KIND
{
  rm -f callgrind.out.first
  "$2" >>"$log" 2>&1 && grep -q '^totals: 100$' callgrind.out.first
  result $? "$1: the program runs" "$log"
  case $3 in
    shared) readelf -d "$2" | grep -q 'NEEDED.*libcgw\.so' ;;
    static) ! readelf -d "$2" | grep -q 'NEEDED.*libcgw\.so' ;;
  esac
  result $? "$1: it is linked with the $3 library"
}
has () # KIND
{
  case $1 in
    shared) test -f "$libdir/libcgw.so" ;;
    static) test -f "$libdir/libcgw.a" ;;
  esac
}

for kind in shared static; do
  target=cgw::cgw
  test $kind = shared || target=cgw::static
  if ! has $kind; then
    skip "CMake and Meson, $kind" "it was not built"
    continue
  fi
  cat >CMakeLists.txt <<END
cmake_minimum_required (VERSION 3.5)
project (consumer C)
find_package (cgw 0.1 REQUIRED CONFIG)
add_executable (first first.c)
target_link_libraries (first PRIVATE $target)
END
  if command -v cmake >/dev/null; then
    cmake -S . -B cmake-$kind -Dcgw_DIR="$cmake_dir" >"$log" 2>&1 \
      && cmake --build cmake-$kind >>"$log" 2>&1
    result $? "CMake, $kind: the project is built" "$log"
    check "CMake, $kind" cmake-$kind/first $kind
  else
    skip "CMake, $kind" "there is no cmake"
  fi

  cat >meson.build <<END
project ('consumer', 'c')
cgw = dependency ('cgw', version: '>= 0.1', static: $(
  test $kind = static && echo true || echo false))
executable ('first', 'first.c', dependencies: cgw)
END
  if command -v meson >/dev/null && command -v pkg-config >/dev/null; then
    PKG_CONFIG_LIBDIR=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$dest \
      meson setup meson-$kind >"$log" 2>&1 \
      && meson compile -C meson-$kind >>"$log" 2>&1
    result $? "Meson, $kind: the project is built" "$log"
    check "Meson, $kind" meson-$kind/first $kind
  else
    skip "Meson, $kind" "there is no meson"
  fi
done

if command -v cmake >/dev/null; then
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
  mkdir one && cp first.c one/myprofiler.c \
    && ${MAKE-make} -C "$build" amalgamation AMALGAMATION="$PWD/one" >"$log" 2>&1
  {
    echo 'cmake_minimum_required (VERSION 3.5)'
    echo 'project (myprofiler C)'
    echo 'add_executable (myprofiler myprofiler.c)'
    sed -n '/^add_library/,/^\.Ed$/{/^\.Ed$/!p;}' "$srcdir/lib/cgw.3"
  } >one/CMakeLists.txt
  cmake -S one -B one/build >>"$log" 2>&1 && cmake --build one/build >>"$log" 2>&1
  result $? "CMake: the one file, by the lines of cgw(3)" "$log"
  check "CMake, the one file" one/build/myprofiler static

  # As where /lib is a link to /usr/lib.
  ln -s "$(dirname "$(dirname "$cmake_dir")")" "$dir/link"
  cat >CMakeLists.txt <<'END'
cmake_minimum_required (VERSION 3.5)
project (consumer C)
find_package (cgw REQUIRED CONFIG)
if (NOT TARGET cgw::cgw AND NOT TARGET cgw::static)
  message (FATAL_ERROR "no target")
endif ()
END
  cmake -S . -B cmake-link -Dcgw_DIR="$dir/link/cmake/cgw" >"$log" 2>&1
  result $? "CMake: the libraries are found through a symbolic link" "$log"
  cat >CMakeLists.txt <<'END'
cmake_minimum_required (VERSION 3.5)
project (consumer C)
find_package (cgw 99 REQUIRED CONFIG)
END
  ! cmake -S . -B cmake-new -Dcgw_DIR="$cmake_dir" >"$log" 2>&1 \
    && grep -q '"99"' "$log"
  result $? "CMake: a version that is too old is refused" "$log"
else
  skip "CMake: a link, and a version that is too old" "there is no cmake"
fi
done_testing
