#!/bin/sh
# cgw.h, and cgw.hpp without exceptions, compile alone, and without a warning, in
# each version of C and C++ that the compilers know; a file passed for a function
# does not compile; and each member of a struct can be set in cgw.hpp's struct.
#
# SPDX-License-Identifier: MIT
#
# shellcheck disable=SC2086 # a compiler may come with flags

include=${srcdir-.}/include
. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/standards.sh"

compile () # COMPILER-AND-FLAGS... FILE
{
  "$@" -fsyntax-only -I"$include" >"$dir/messages" 2>&1
}

# A file that uses cgw.h and nothing else, in both languages.
cat >"$dir/alone.c" <<'END'
#include <cgw.h>
#include <cgw.h>
int use (struct cgw_writer **w, int fd);
int
use (struct cgw_writer **w, int fd)
{
  struct cgw_names_options names_options = CGW_NAMES_OPTIONS_INIT;
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_stats stats = CGW_STATS_INIT;
  struct cgw_names *names;
  struct cgw_file file;
  struct cgw_object object;
  struct cgw_fn fn;
  struct cgw_pos pos;
  uint64_t cost = 1;
  options.flags = CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_KEEP_ZEROS
                  | CGW_NO_PAD | CGW_ZERO_CALLS | CGW_THREADS
                  | CGW_CACHEGRIND;
  part.positions = CGW_INSTR_LINE & (CGW_LINE | CGW_INSTR);
  if (cgw_names_new (&names, &names_options) != CGW_OK
      || cgw_open_fd (w, names, fd, &options) != CGW_OK
      || cgw_open (w, names, "", &options) != CGW_EIO)
    return 1;
  object = cgw_add_object (names, "o");
  file = cgw_add_file (names, "f");
  fn = cgw_add_fn (names, "m", file, object);
  pos.fn = fn;
  pos.file = file;
  pos.line = CGW_NAME_MAX % CGW_EVENTS_MAX;
  pos.instr = 0;
  return cgw_begin_part (*w, &part) != CGW_OK
         || cgw_cost (*w, &pos, &cost, 1) != CGW_OK
         || cgw_call (*w, &pos, &pos, 1, &cost, 1) != CGW_OK
         || cgw_jump (*w, &pos, &pos, 1) != CGW_OK
         || cgw_cond_jump (*w, &pos, &pos, 1, 1) != CGW_OK
         || cgw_get_stats (*w, &stats) != CGW_OK;
}
END
# The same with handles of the wrong kind.  RIGHT is put in for what is wrong.
cat >"$dir/kinds.in" <<'END'
#include <cgw.h>
struct cgw_fn use (struct cgw_names *names, struct cgw_pos *pos);
struct cgw_fn
use (struct cgw_names *names, struct cgw_pos *pos)
{
  struct cgw_file file = cgw_add_file (names, "f");
  struct cgw_object object = cgw_add_object (names, "o");
  struct cgw_fn fn = cgw_add_fn (names, "m", @FILE@, @OBJECT@);
  pos->fn = @FN@;
  pos->file = @POS_FILE@;
  (void) file;
  (void) object;
  return fn;
}
END

put_in () # FILE OBJECT FN POS_FILE
{
  sed -e "s/@FILE@/$1/" -e "s/@OBJECT@/$2/" -e "s/@FN@/$3/" \
      -e "s/@POS_FILE@/$4/" "$dir/kinds.in" >"$dir/kinds.c"
}

check_kinds () # COMPILER LANGUAGE
{
  put_in file object fn file
  compile $1 -x $2 "$dir/kinds.c"
  result $? "$1: handles of the right kinds compile"
  for wrong in "object object fn file" "fn object fn file" \
               "file file fn file" "file object file file" \
               "file object object file" "file object fn fn" \
               "file object fn object" "file object 1 file"; do
    put_in $wrong
    ! compile $1 -x $2 "$dir/kinds.c"
    result $? "$1: the kinds $wrong do not"
  done
}

CC=${CC-cc} CXX=${CXX-c++}
in_standards cgw.h "$CC -I$include" "$dir/alone.c" c99 c11 c17 c2x c23
in_standards cgw.h "$CXX -I$include" "$dir/alone.c" \
  c++98 c++11 c++14 c++17 c++20
# A function for each member of the structs that cgw.hpp initializes.
wrapped=$(sed -n 's/^struct \([a-z_]*\) : cgw_\1$/\1/p' "$include/cgw.hpp" \
  | tr '\n' ' ')
{
  echo '#include <cgw.hpp>'
  $CC -E -P -I"$include" "$include/cgw.h" | tr '\n' ' ' | tr ';' '\n' \
    | awk -v wrapped=" $wrapped" '
      match ($0, /struct cgw_[a-z_]* *\{/) {
        name = substr ($0, RSTART + 11, RLENGTH - 12)
        sub (/ *$/, "", name)
        $0 = substr ($0, RSTART + RLENGTH)
      }
      /^ *\}/ { name = "" }
      name != "" && index (wrapped, " " name " ") {
        sub (/^[^(]*\(\*/, "") # a hook
        sub (/\).*/, "")
        sub (/.*[ *]/, "")
        print "inline void " name "_" $0 " (cgw::" name " &x)"
        print "{ x." $0 " = {}; }"
      }'
} >"$dir/hpp.cc"
test "$(grep -c . "$dir/hpp.cc")" -gt 80
result $? "the structs of cgw.hpp have members" "$dir/hpp.cc"
in_standards cgw.hpp "$CXX -I$include -fno-exceptions -fno-rtti" "$dir/hpp.cc" \
  c++11 c++14 c++17 c++20
check_kinds "$CC" c
check_kinds "$CXX" c++
done_testing
