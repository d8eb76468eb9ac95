#!/bin/sh
# The library's layers, one folder each: calls and includes go down, and never
# in a circle, as the object files and the sources say.  The library calls only
# those functions of libc that it may: no stdio, locale, clock or environment;
# write.c alone writes; what runs in handlers calls write(2) and mem* alone.
# All of it is one file, too, where no two private names are the same.
# The tools' layers are those that examples/tools/README lists.  And shell tests
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

# Lines "user used", of FOLDER/UNIT, that break the layers.
against_layers () # FILE LAYERS
{
  awk 'FNR == NR { for (i = 2; i <= NF; i++) may[$1, $i] = 1; next }
    {
      user = $1
      used = $2
      sub (/\/.*/, "", user)
      sub (/\/.*/, "", used)
      if (!((user, used) in may))
        print $1, "uses", $2
    }' "$2" "$1"
}

# Lines "user used", of FOLDER/UNIT, for the includes below a folder.
includes () # FOLDER
{
  (cd "$1" && find . -name '*.[ch]' -exec awk -F '"' '
    function unit (path) {
      sub (/\.[^.\/]*$/, "", path)
      return path ~ /\// ? path : "base/" path
    }
    FNR == 1 { user = substr (FILENAME, 3); folder = user }
    FNR == 1 && !sub (/\/[^\/]*$/, "/", folder) { folder = "" }
    /^# *include *".*\.(h|def)"/ && $2 != "cgw.h" {
      print unit (user), unit (sub (/^\.\.\//, "", $2) ? $2 : folder $2)
    }' {} +) | sort -u
}

# Lines "user used", from lines "FOLDER/UNIT type symbol".  A symbol is that of
# the folder, or else of one of the layers, or else of any folder.
calls () # LAYERS <FILE
{
  awk 'FILENAME != "-" { is_layer[$1] = 1; next }
    { folder = $1; sub (/\/.*/, "", folder) }
    $2 ~ /^[A-TV-Z]$/ {
      definer[folder, $3] = $1
      if (folder in is_layer || !($3 in definer))
        definer[$3] = $1
    }
    $2 == "U" { n++; user[n] = $1; from[n] = folder; used[n] = $3 }
    END {
      for (i = 1; i <= n; i++)
        {
          s = (from[i], used[i]) in definer ? from[i] SUBSEP used[i] : used[i]
          if (s in definer && definer[s] != user[i])
            print user[i], definer[s]
        }
    }' "$1" - | sort -u
}

no_circle () # NAME FILE of lines "user used"
{
  awk '$1 != $2' "$2" | tsort 2>"$dir/circle" >"$dir/order"
  empty "$1" "$dir/circle"
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
against_layers "$dir/includes" "$dir/layers" >"$dir/wrong"
empty "includes go down" "$dir/wrong"
no_circle "no includes go in a circle" "$dir/includes"

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

# The tools.  In README, a heading is "FOLDER (uses FOLDER...)", and a file's line
# begins with its unit.  The other folders are tools: each uses these folders, and
# no other tool.

tools=${srcdir-.}/examples/tools
sed -n 's/^\([a-z]*\) (uses \([a-z ]*\)).*/\1 \1 \2/p' "$tools/README" \
  >"$dir/tools.layers"
cut -d ' ' -f 1 "$dir/tools.layers" >"$dir/shared"
shared=$(tr '\n' ' ' <"$dir/shared")
for tool in "$tools"/*/; do
  tool=$(basename "$tool")
  case " $shared" in *" $tool "*) ;; *) echo "$tool $tool $shared" ;; esac
done >>"$dir/tools.layers"
awk '/^Where/ { exit }
  /^[a-z]+ \(uses / { layer = $1 }
  /^  [a-z]/ { print layer "/" $1 }' "$tools/README" | sort >"$dir/listed"
# shellcheck disable=SC2086 # words
(cd "$tools" && find $shared -name '*.[ch]' -o -name '*.def') \
  | sed 's/\.[a-z]*$//' | sort -u \
  | diff "$dir/listed" - >"$dir/unlisted"
empty "examples/tools/README has a line for each file" "$dir/unlisted"
find "$tools" -name '*.h' | sed 's/.*\///' | sort | uniq -d >"$dir/twice"
empty "no two headers of the tools have one name" "$dir/twice"
includes "$tools" >"$dir/includes"
against_layers "$dir/includes" "$dir/tools.layers" >"$dir/wrong"
test "$(wc -l <"$dir/includes")" -gt 400 \
  || echo "few includes were found" >>"$dir/wrong"
empty "the tools' includes go down" "$dir/wrong"
no_circle "no includes of the tools go in a circle" "$dir/includes"

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
grep ' cgw' "$dir/symbols" | awk 'FNR == NR { folder[$1] = $2 "/"; next }
  { print folder[$1] $0 }' "$dir/units" - | calls "$dir/layers" >"$dir/calls"
against_layers "$dir/calls" "$dir/layers" >"$dir/wrong"
test "$(wc -l <"$dir/calls")" -gt 30 \
  || echo "few calls were found" >>"$dir/wrong"
empty "calls go down" "$dir/wrong"
no_circle "no calls go in a circle" "$dir/calls"

# The tools' objects, of which each name ends with the unit.  What an agent or the
# tracer replaces of libc, as their maps say, is no call.
find examples/tools -name '*.o' ! -path '*/.libs/*' -exec nm -A {} + \
  | sed -e 's#^examples/tools/\([a-z]*\)/\([^:]*\)\.o:[0-9a-f]* *#\1/\2 #' \
    -e 's#^\([a-z]*\)/[^ ]*-#\1/#' | sort -u >"$dir/objects"
cat "$tools"/*/*.map \
  | sed -n -e 's/^ *\([A-Za-z_0-9]\{2,\}\);$/ \1$/p' \
    -e 's/^ *\([A-Za-z_0-9]\{2,\}\)\*;$/ \1/p' >"$dir/replaced"
grep -vf "$dir/replaced" "$dir/objects" | calls "$dir/shared" >"$dir/calls"
if test -s "$dir/objects"; then
  against_layers "$dir/calls" "$dir/tools.layers" >"$dir/wrong"
  test "$(wc -l <"$dir/calls")" -gt 200 \
    || echo "few calls were found" >>"$dir/wrong"
  empty "the tools' calls go down" "$dir/wrong"
  no_circle "no calls of the tools go in a circle" "$dir/calls"
else
  skip "the tools' calls" "no tools were built"
fi

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
