#!/bin/sh
# What make install puts in place is enough: a program is compiled and run
# with what pkg-config says, against the shared and the static library.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
pkg-config --version >/dev/null 2>&1 || skip_all "there is no pkg-config"
. "${srcdir-.}/tests/support/installed.sh"

pc=$(find "$dest" -name cgw.pc)
test -f "$pc"
result $? "cgw.pc is installed"
PKG_CONFIG_LIBDIR=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$dest
PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
pkg-config --exists --print-errors cgw >"$dir/log" 2>&1
result $? "pkg-config reads it" "$dir/log"

test -f "$(find "$dest" -name cgw.h)" \
  && test -f "$(find "$dest" -name cgw.hpp)" \
  && test -f "$(find "$dest" -name cgw_mpi.h)" \
  && test "$(find "$dest" -name '*.h*' -path '*include*' -type f | wc -l)" = 3
result $? "cgw.h, cgw.hpp and cgw_mpi.h are the only headers"
if command -v python3 >/dev/null && test -f "$libdir/libcgw.so"; then
  python=$(pkg-config --variable=pythondir cgw)
  case $python in
    "$dest"*) ;;
    *) python=$dest$python ;;
  esac
  case " ${CFLAGS-} " in
    *-fsanitize*) skip "Python imports cgw" "Python has no sanitizer" ;;
    *)
      PYTHONPATH=$python LD_LIBRARY_PATH=$libdir PYTHONDONTWRITEBYTECODE=1 \
        python3 -c 'import cgw; print (cgw.version ())' >"$dir/log" 2>&1 \
        && pkg-config --modversion cgw | diff - "$dir/log"
      result $? "Python imports cgw" "$dir/log" ;;
  esac
else
  skip "Python imports cgw" "there is no python3, or no shared library"
fi
man3=$(dirname "$(find "$dest" -name cgw.3)")
for page in lib/man3/*.3 "$srcdir"/lib/*.3; do
  cmp "$page" "$man3/${page##*/}"
done >"$dir/log" 2>&1
test ! -s "$dir/log" && test "$(find "$man3" -name 'cgw_*.3' | wc -l)" -ge 80
result $? "the manual pages are installed, one for each function and struct"

# A program that names the version of the header writes that of the library, too.
version=$(pkg-config --modversion cgw)
sed "s/\"mine.c\"/CGW_VERSION_STRING/" "$srcdir/examples/first.c" \
  >"$dir/program.c"
cd "$dir" || exit 1

try () # KIND LIBRARIES...
{
  kind=$1
  shift
  # shellcheck disable=SC2046,SC2086 # flags are words
  ${CC-cc} $CFLAGS $LDFLAGS $(pkg-config --cflags cgw) -o $kind program.c "$@" \
    >log 2>&1
  result $? "a program compiles with the $kind library" log
  ./$kind >log 2>&1 && grep -qx 'totals: 100' callgrind.out.first \
    && grep -qx "creator: libcgw-$version" callgrind.out.first \
    && grep -qx "fl=(1) $version" callgrind.out.first
  result $? "it runs" log
}

if test -f "$libdir/libcgw.so"; then
  # shellcheck disable=SC2046
  try shared $(pkg-config --libs cgw)
  readelf -d shared | grep -q 'NEEDED.*libcgw\.so\.1'
  result $? "it uses the shared library"
else
  skip "the shared library" "it was not built"
fi
if test -f "$libdir/libcgw.a"; then
  # In a folder without the shared library, -lcgw is the static one.
  mkdir lib && cp "$libdir/libcgw.a" lib
  unset LD_LIBRARY_PATH
  # shellcheck disable=SC2046
  try static -Llib $(pkg-config --libs --static cgw)
else
  skip "the static library" "it was not built"
fi
done_testing
