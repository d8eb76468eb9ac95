#!/bin/sh
# The library's layers, one folder each: calls and includes go down, and never
# in a circle, as the object files and the sources say.  The library calls only
# those functions of libc that it may: no stdio, locale, clock or environment;
# write.c alone writes; what runs in handlers calls write(2) and mem* alone.
# All of it is one file, too, where no two private names are the same.
# The tools' layers are those that examples/common/README lists.  And shell tests
# leave to tap.sh what is its own.
#
# From the environment: srcdir, CC, MAKE.  Reads .libs/libcgw.a.
# SPDX-License-Identifier: MIT

lib=${srcdir-.}/lib
archive=.libs/libcgw.a
. "${srcdir-.}/tests/support/tap.sh"

empty () # NAME FILE
{
  test ! -s "$2"
  result $? "$1" "$2"
}

# The layers: each folder, and the folders that it may use.  What lies in lib
# itself, "base", all may use.
cat >"$dir/layers" <<'END'
base base text
text text base
names names text base
format format names text base
output output text base
core core format output names text base
gate gate core format output names text base
writer writer gate core format output names text base
profile profile names text base
tracer tracer profile names text base
bridge bridge tracer profile writer gate core format output names text base
END

# Lines "unit folder" for each .c and .h file; a unit is a file's name without
# its ending.
(cd "$lib" && find . -name '*.[ch]') | sed -e 's#^\./##' -e 's/\.[ch]$//' \
  | awk -F/ '{ print $NF, (NF > 1 ? $1 : "base") }' | sort -u >"$dir/units"

# Lines "user used", of units, that break the layers.
against_layers () # FILE [PREFIX of layers and units]
{
  awk 'FILENAME ~ /layers$/ { for (i = 2; i <= NF; i++) may[$1, $i] = 1; next }
    FILENAME ~ /units$/ { folder[$1] = $2; next }
    !(($1 in folder) && ($2 in folder)) { print "which layer?", $0; next }
    !((folder[$1], folder[$2]) in may) {
      print folder[$1] "/" $1, "uses", folder[$2] "/" $2
    }' "$dir/${2-}layers" "$dir/${2-}units" "$1"
}

# Lines "user used", of units, for the includes in a folder.
includes () # FOLDER
{
  find "$1" -name '*.[ch]' -exec awk -F '"' '
    FNR == 1 { user = FILENAME; sub (/.*\//, "", user); sub (/\..*/, "", user) }
    /^# *include *".*\.h"/ {
      sub (/.*\//, "", $2)
      if (sub (/\.h$/, "", $2) && $2 != "cgw")
        print user, $2
    }' {} + | sort -u
}

# One file.

(unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
  ${MAKE-make} amalgamation AMALGAMATION="$dir/one" ONLY= \
    && ${CC-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
      "$dir/one/cgw.c") >"$log" 2>&1
result $? "each private name stands in one file alone" "$log"

# Includes.

includes "$lib" >"$dir/includes"
cut -d ' ' -f 1 "$dir/units" | sort | uniq -d \
  | sed 's/$/: two files have this name/' >"$dir/twice"
test "$(wc -l <"$dir/includes")" -gt 40 \
  || echo "few includes were found" >>"$dir/twice"
empty "each unit has a name of its own" "$dir/twice"
against_layers "$dir/includes" >"$dir/wrong"
empty "includes go down" "$dir/wrong"
awk '$1 != $2' "$dir/includes" | tsort 2>"$dir/circle" >"$dir/order"
empty "no includes go in a circle" "$dir/circle"

unwanted='stdio|locale|langinfo|w?ctype|wchar|sys/time|signal'
find "$lib" -name '*.[ch]' -exec \
  grep -E "^# *include *<($unwanted)\\.h>" {} + \
  | grep -v '/platform\.c:# include <stdio.h>$' >"$dir/system"
empty "stdio, for rename, is included; no locale, clock or signals" \
  "$dir/system"

# Without configure: the sources that lib/local.am lists are those that are there,
# and all but platform.c compile with POSIX alone.  (The guard of system.h is
# defined, so that it asks for nothing more.)  With -Ilib, as of a project that
# compiles copies, no header of lib/ hides one of the system.

find "$lib" -name '*.c' | sed "s#^$lib/#lib/#" | sort >"$dir/sources"
awk '/^(ground|writer|profile)_sources = / { on = 1 }
  on { for (i = 1; i <= NF; i++) if ($i ~ /\.c$/) print $i }
  !/\\$/ { on = 0 }' "$lib/local.am" | sort | diff - "$dir/sources" \
  >"$dir/unlisted"
empty "lib/local.am lists the sources" "$dir/unlisted"
find "$lib" -name '*.c' ! -name platform.c -exec ${CC-cc} -std=c11 -Wall -Wextra \
  -DCGWI_SYSTEM_H -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 \
  -I"$lib" -I"${srcdir-.}/include" -fsyntax-only {} + >"$dir/messages" 2>&1
empty "each source but platform.c uses POSIX alone" "$dir/messages"

# The tools.  A heading is "LAYER (uses LAYER...)", and a file's line begins
# with its unit.  What the reader cgin consists of is one.

examples=${srcdir-.}/examples
sed '/^Where/,$d' "$examples/common/README" >"$dir/page"
sed -n 's/^\([a-z]*\) (uses \([a-z ]*\)).*/\1 \1 \2/p' "$dir/page" \
  >"$dir/tools.layers"
awk '/^[a-z]+ \(uses / { layer = $1 } /^  [a-z]/ { print $1, layer }' \
  "$dir/page" >"$dir/tools.units"
(cd "$examples/common" && find . -name '*.[ch]') \
  | sed -e 's#^\./##' -e 's/\.[ch]$//' | sort -u >"$dir/there"
cut -d ' ' -f 1 "$dir/tools.units" | sort | diff - "$dir/there" >"$dir/unlisted"
empty "examples/common/README has a line for each file" "$dir/unlisted"
includes "$examples/common" >"$dir/includes"
against_layers "$dir/includes" tools. >"$dir/wrong"
test "$(wc -l <"$dir/includes")" -gt 40 \
  || echo "few includes were found" >>"$dir/wrong"
empty "examples/common: includes go down" "$dir/wrong"
sed 's/cgin_[a-z]*/cgin/g' "$dir/includes" | awk '$1 != $2' \
  | tsort 2>"$dir/circle" >"$dir/order"
empty "examples/common: no includes go in a circle" "$dir/circle"
for tool in "$examples"/*/; do
  includes "$tool" | while read -r user used; do
    test -f "$tool$used.h" || test -f "$examples/common/$used.h" \
      || echo "$tool: $user includes $used.h"
  done
done >"$dir/foreign"
empty "a tool includes its own headers and those of examples/common" \
  "$dir/foreign"

# The shell tests.

tests=${srcdir-.}/tests
find "$tests" -name '*.sh' ! -name tap.sh -exec \
  grep -nE 'echo.{0,2}1[.][.]' {} + >"$dir/plans"
find "$tests" -name '*.sh' ! -path '*/support/*' -exec awk '
  function check() {
    if (is_test && last != "done_testing")
      print file, "does not end with done_testing"
  }
  FNR == 1 { check(); file = FILENAME; is_test = 0 }
  /^\. .*\/(tap|cgw_mpi)\.sh"/ { is_test = 1 }
  { last = $0 }
  END { check() }' {} + >>"$dir/plans"
empty "a shell test ends with done_testing, which prints the plan" "$dir/plans"
sed -n 's/^\([a-z_]*\) ()$/^\1 *()/p' "$tests/support/tap.sh" >"$dir/names"
test -s "$dir/names" || echo "tap.sh has no functions" >"$dir/again"
find "$tests" -name '*.sh' ! -name tap.sh -exec \
  grep -nf "$dir/names" {} + >>"$dir/again"
empty "no shell test replaces a function of tap.sh" "$dir/again"

# Calls.

if test ! -f $archive; then
  skip "calls" "no static library was built"
  done_testing
fi

# Two objects share variables alone: numbers that count up, and empty tables.
nm -f sysv $archive | awk -F '|' '
  $7 ~ /^\.t?(bss|data)( |$)/ && $1 !~ /^_/ { sub (/[. ].*/, "", $1); print $1 }
  ' | sort -u | tr '\n' ' ' >"$dir/variables"
test "$(cat "$dir/variables")" = "last made no_slots no_stack_slots "
result $? "objects share no other variables" "$dir/variables"

# Lines "unit type symbol"; the last part of an object's name is its unit.
nm -A $archive | sed -e 's/^[^:]*:\([^:]*\)\.o:[0-9a-f]* */\1 /' \
  -e 's/^[^ ]*-//' >"$dir/symbols"
find "$lib" -name '*.h' -exec awk '
  FILENAME ~ /units$/ { folder[$1] = $2 == "base" ? "lib" : $2; next }
  FILENAME ~ /symbols$/ {
    if ($2 ~ /^[A-TV-Z]$/ && $3 ~ /^cgwi_/)
      defined[folder[$1], $3] = $1
    next
  }
  {
    n = split (FILENAME, part, "/")
    while (match ($0, /cgwi_[A-Za-z0-9_]+/)) {
      delete defined[part[n - 1], substr ($0, RSTART, RLENGTH)]
      $0 = substr ($0, RSTART + RLENGTH)
    }
  }
  END {
    for (d in defined) {
      split (d, name, SUBSEP)
      print "no header beside " defined[d] ".c declares " name[2]
    }
  }' "$dir/units" "$dir/symbols" {} + >"$dir/declared"
empty "the headers of a folder declare what it defines" "$dir/declared"
awk '$2 ~ /^[A-TV-Z]$/ && $3 ~ /^cgw/ { defined[$3] = $1 }
  $2 == "U" && $3 ~ /^cgw/ { n++; user[n] = $1; used[n] = $3 }
  END {
    for (i = 1; i <= n; i++)
      if (used[i] in defined && defined[used[i]] != user[i])
        print user[i], defined[used[i]]
  }' "$dir/symbols" | sort -u >"$dir/calls"
against_layers "$dir/calls" >"$dir/wrong"
test "$(wc -l <"$dir/calls")" -gt 30 \
  || echo "few calls were found" >>"$dir/wrong"
empty "calls go down" "$dir/wrong"
tsort <"$dir/calls" 2>"$dir/circle" >"$dir/order"
empty "no calls go in a circle" "$dir/circle"

# Lines "unit function", without what compilers, sanitizers and variants of
# libc's names add.
added='(odr_)?(asan|ubsan|tsan|msan|lsan|sancov|sanitizer|gcov|llvm)'
awk '$2 == "U" { print $1, $3 }' "$dir/symbols" \
  | grep -Ev " (__?$added|_GLOBAL_OFFSET_TABLE_\$|__stack_chk_fail|cgw)" \
  | sed -e 's/ bcmp$/ memcmp/' -e 's/ __\(.*\)_chk$/ \1/' \
        -e 's/64\(_2\)*$//' | sort -u >"$dir/libc"

grep -E ' writev?$' "$dir/libc" | grep -v '^write ' >"$dir/writes"
grep -q '^write writev\{0,1\}$' "$dir/libc" \
  || echo "write.c does not write" >>"$dir/writes"
empty "only write.c writes" "$dir/writes"

# Whatever is not here, a new use of printf, getenv, setlocale, time, ...,
# must be thought about.
memory='mem(chr|cmp|cpy|move|set)|realloc|free|mmap|munmap|madvise'
strings='str(r?chr|cmp|cpy|len|ncmp|spn)'
files='open|close|writev?|poll|lseek|fcntl|[fl]?stat|ftruncate'
files="$files|fchmod|getcwd|unlink"
others='getpid|geteuid|syscall|getentropy|nanosleep|sched_yield'
others="$others|rename|pthread_self|pthread_setcancelstate|__errno_location"
grep -Ev " ($memory|$strings|$files|$others)\$" "$dir/libc" >"$dir/others"
grep -E ' (malloc|calloc|realloc|free)$' "$dir/libc" | grep -v '^add ' \
  >>"$dir/others"
empty "no function beyond the library's few" "$dir/others"

# What the calls for handlers run, write.c aside, which may call what POSIX calls
# async-signal-safe for descriptors, too.
in_handlers='records|submit|gate|record|room|accounts|buffer|lines'
in_handlers="$in_handlers|compression|cachegrind|subposition|number|refusal"
in_handlers="$in_handlers|recorder"
grep -E "^($in_handlers) " "$dir/libc" \
  | grep -Ev ' (mem(chr|cmp|cpy|move|set)|strlen|pthread_self|__errno_location)$' \
  >"$dir/handlers"
grep '^write ' "$dir/libc" \
  | grep -Ev ' (writev?|poll|fcntl|lseek|fstat|ftruncate|getpid)$' \
  | grep -v ' __errno_location$' \
  >>"$dir/handlers"
empty "handlers call write and mem*" "$dir/handlers"
done_testing
