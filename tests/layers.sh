#!/bin/sh
# The library's layers: its files include only what is below them, and call
# only those functions of libc that they may.  No stdio, locale, clock or
# environment; buffer.c alone writes; what runs in handlers calls write(2) and
# mem* alone.
#
# SPDX-License-Identifier: MIT

lib=${srcdir-.}/lib
archive=.libs/libcgw.a
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
number=0

# Succeeds when the file is empty; else shows it.
empty () # NAME FILE
{
  number=$((number + 1))
  if test -s "$2"; then
    sed 's/^/# /' "$2"
    echo "not ok $number - $1"
  else
    echo "ok $number - $1"
  fi
}

# Includes.

# What the files of one name may include beside their own header: a file that
# is not listed, cgw.h alone, as any user could.
may_include () # NAME
{
  case $1 in
    memory | number | guard | whole) ;;
    text) echo cgw.h ;;
    buffer | ring | sort | table) echo memory.h ;;
    subposition) echo number.h ;;
    names) echo memory.h cgw.h number.h text.h ;;
    writer) echo buffer.h cgw.h guard.h memory.h names.h number.h ring.h \
                 subposition.h whole.h text.h ;;
    body | comment | cut | flush | handles | header | open | stats | usual)
      echo writer.h text.h ;;
    record) echo usual.h ;;
    ranks) echo writer.h sort.h ;;
    profile) echo table.h writer.h ;;
    stack) echo profile.h ;;
    sorted) echo profile.h ranks.h sort.h ;;
    *) echo cgw.h ;;
  esac
}

sed -n 's/^# *include *"\(.*\)".*/\1/p' "$lib"/*.[ch] >"$dir/all"
for file in "$lib"/*.[ch]; do
  unit=$(basename "$file" | sed 's/\..*//')
  allowed=" $unit.h $(may_include "$unit" | tr '\n' ' ') "
  sed -n 's/^# *include *"\(.*\)".*/\1/p' "$file" | while read -r header; do
    case $allowed in
      *" $header "*) ;;
      *) echo "$(basename "$file") includes $header" ;;
    esac
  done
done >"$dir/wrong"

unwanted='stdio|locale|langinfo|w?ctype|wchar|sys/time|p?threads?|signal'
grep -E "^# *include *<($unwanted)\\.h>" "$lib"/*.[ch] >"$dir/system"

echo 1..7
if test "$(wc -l <"$dir/all")" -gt 20; then
  number=1
  echo "ok 1 - the library's files include each other"
else
  number=1
  echo "not ok 1 - the library's files include each other"
fi
empty "includes go down" "$dir/wrong"
empty "no stdio, locale, clock, threads or signals are included" \
  "$dir/system"

# Calls.  Lines "object function"; without what compilers, sanitizers and
# variants of libc's names add.

if test ! -f $archive; then
  for name in "only buffer.c writes" "no function beyond the library's few" \
              "only normal code allocates" "handlers call write and mem*"; do
    number=$((number + 1))
    echo "ok $number - $name # SKIP no static library was built"
  done
  exit 0
fi

added='(odr_)?(asan|ubsan|tsan|msan|lsan|sancov|sanitizer|gcov|llvm)'
nm -A -u $archive | sed -e 's/^[^:]*:\([^:]*\)\.o: *U */\1 /' \
    -e 's/^libcgw_la-//' \
  | grep -Ev " (__?$added|_GLOBAL_OFFSET_TABLE_\$|__stack_chk_fail|cgw)" \
  | sed -e 's/ bcmp$/ memcmp/' -e 's/ __\(.*\)_chk$/ \1/' \
        -e 's/64\(_2\)*$//' | sort -u >"$dir/calls"

grep ' write$' "$dir/calls" | grep -v '^buffer ' >"$dir/writes"
grep -q '^buffer write$' "$dir/calls" \
  || echo "buffer.c does not write" >>"$dir/writes"
empty "only buffer.c writes" "$dir/writes"

# Whatever is not here, a new use of printf, getenv, setlocale, time, ...,
# must be thought about.
memory='mem(chr|cmp|cpy|move|set)|realloc|free|mmap|munmap|madvise'
strings='str(chr|cmp|cpy|len|ncmp|spn)'
files='open|close|write|poll|lseek|fcntl|f?stat|ftruncate'
others='getpid|geteuid|nanosleep|__errno_location'
grep -Ev " ($memory|$strings|$files|$others)\$" "$dir/calls" >"$dir/others"
empty "no function beyond the library's few" "$dir/others"

grep -E ' (malloc|calloc|realloc|free)$' "$dir/calls" \
  | grep -Ev '^(writer|profile) ' >"$dir/allocations"
empty "only normal code allocates" "$dir/allocations"

in_handlers='record|recorder|body|flush|buffer|names|whole|ring'
in_handlers="$in_handlers|subposition|number"
grep -E "^($in_handlers) " "$dir/calls" \
  | grep -Ev ' (mem(chr|cmp|cpy|move|set)|write|__errno_location)$' \
  >"$dir/handlers"
empty "handlers call write and mem* alone" "$dir/handlers"
