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
test -f "$(find "$dest" -name cgw.3)"
result $? "the manual page is installed"
# man reads ".so man3/cgw_jump.3" from the folder above.  Each name leads to the
# page that has it.
man3=$(dirname "$(find "$dest" -name cgw.3)")
functions=$(${AWK-awk} -f "$srcdir/tests/gate/functions.awk" \
  "$srcdir/include/cgw.h" | sed 's/^FUNCTION *(\(.*\), .)$/\1/')
status=0
test "$(echo "$functions" | wc -l)" -ge 30 || status=1
for name in $functions cgw_writer cgw_pos cgw_profile cgw_tracer; do
  page=$man3/$name.3
  if test "$(wc -l <"$page")" = 1; then
    page=$(dirname "$man3")/$(sed -n 's/^\.so //p' "$page")
  fi
  grep -q "^\\.Nm $name\>" "$page" || { status=1; echo "# $name"; }
done
grep -qx '.so man3/cgw.3' "$man3/libcgw.3" || status=1
result $status "and one for each function and struct"

cat >"$dir/program.c" <<'END'
#include <cgw.h>
#include <string.h>

int
main (int argc, char **argv)
{
  struct cgw_event event = { "Ir", NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_pos pos = { { 0 }, { 0 }, 16, 0 };
  struct cgw_options options = CGW_OPTIONS_INIT;
  uint64_t cost = 20;
  struct cgw_names *names;
  struct cgw_writer *w;

  if (argc != 2 || strcmp (argv[1], cgw_version ()) != 0
      || strcmp (argv[1], CGW_VERSION_STRING) != 0)
    return 2;
  part.events = &event;
  part.n_events = 1;
  options.creator = "program";
  if (cgw_names_new (&names, NULL) != CGW_OK
      || cgw_new (&w, names, 1, &options) != CGW_OK
      || cgw_begin_part (w, &part) != CGW_OK)
    return 3;
  pos.fn = cgw_add_fn (names, "main", cgw_add_file (names, "program.c"),
                       cgw_add_object (names, "program"));
  if (cgw_cost (w, &pos, &cost, 1) != CGW_OK || cgw_finish (w) != CGW_OK)
    return 4;
  cgw_free (w);
  cgw_names_free (names);
  return 0;
}
END
cat >"$dir/expected" <<'END'
# callgrind format
version: 1
creator: program
positions: line
events: Ir
ob=(1) program
fl=(1) program.c
fn=(1) main
16 20
totals: 20
END
version=$(pkg-config --modversion cgw)

compile () # OUTPUT LIBRARIES...
{
  output=$1
  shift
  # shellcheck disable=SC2046,SC2086 # flags are words
  ${CC-cc} $CFLAGS $LDFLAGS $(pkg-config --cflags cgw) -o "$output" \
    "$dir/program.c" "$@" >"$dir/log" 2>&1
}

# The program must write what is expected.
run () # NAME PROGRAM
{
  "$2" "$version" >"$dir/got" 2>"$dir/log" \
    && diff "$dir/expected" "$dir/got" >"$dir/log"
  result $? "$1" "$dir/log"
}

if test -f "$libdir/libcgw.so"; then
  # shellcheck disable=SC2046
  compile "$dir/shared" $(pkg-config --libs cgw)
  result $? "a program compiles with the shared library" "$dir/log"
  run "it runs" "$dir/shared"
  readelf -d "$dir/shared" | grep -q 'NEEDED.*libcgw\.so\.1'
  result $? "it uses the shared library"
else
  for name in "a program compiles with the shared library" "it runs" \
              "it uses the shared library"; do
    skip "$name" "no shared library was built"
  done
fi

if test -f "$libdir/libcgw.a"; then
  # In a folder without the shared library, -lcgw is the static one.
  mkdir "$dir/lib" && cp "$libdir/libcgw.a" "$dir/lib"
  unset LD_LIBRARY_PATH
  # shellcheck disable=SC2046
  compile "$dir/static" -L"$dir/lib" $(pkg-config --libs --static cgw)
  result $? "a program compiles with the static library" "$dir/log"
  run "it runs without the shared one" "$dir/static"
else
  for name in "a program compiles with the static library" \
              "it runs without the shared one"; do
    skip "$name" "no static library was built"
  done
fi
done_testing
