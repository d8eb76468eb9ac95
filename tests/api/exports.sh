#!/bin/sh
# The shared library exports what lib/libcgw.map, cgw.h and Debian's package say,
# and nothing else; it needs libc alone; the static library's symbols all begin
# with cgw.  Names of one copy of the library are foreign to another copy in the
# program.
#
# SPDX-License-Identifier: MIT

top=${srcdir-.}
shared=.libs/libcgw.so
static=.libs/libcgw.a
. "${srcdir-.}/tests/support/tap.sh"

# Two sorted lists of words are equal.
same () # NAME FILE FILE
{
  diff "$2" "$3" >"$dir/diff"
  result $? "$1" "$dir/diff"
}

# What a sanitizer adds is not ours.
without_sanitizers ()
{
  tools='asan|ubsan|tsan|msan|lsan|sancov|sanitizer|gcov|llvm'
  grep -Ev "^(__?(odr_)?($tools)|asan\.)"
}

# The names of the functions that cgw.h declares.
${CC-cc} -E -P -I"$top/include" "$top/include/cgw.h" | tr '\n' ' ' \
  | tr ';' '\n' | sed -n 's/^[^(]*[ *]\(cgw_[a-z_]*\) *([^*].*/\1/p
    s/.*visibility *("default")))[^(]*[ *]\(cgw_[a-z_]*\) *([^*].*/\1/p' \
  | sort -u >"$dir/declared"

# The names that the map exports.
sed -n '/global:/,/local:/s/^ *\(cgw_[a-z_]*\);.*/\1/p' "$top/lib/libcgw.map" \
  | sort >"$dir/mapped"

: >"$dir/none"

test "$(wc -l <"$dir/declared")" -ge 20
result $? "cgw.h declares functions"
same "lib/libcgw.map lists the functions of cgw.h" \
  "$dir/declared" "$dir/mapped"
what="and so does debian/libcgw1.symbols"
if test -f "$top/debian/libcgw1.symbols"; then
  sed -n 's/^ \(cgw_[a-z_]*\)@.*/\1/p' "$top/debian/libcgw1.symbols" \
    | sort >"$dir/packaged"
  same "$what" "$dir/mapped" "$dir/packaged"
else
  skip "$what" "the release tarball has no debian/"
fi

if test -f $shared; then
  # The version itself is a symbol of type A.
  nm -D --defined-only $shared | awk '$2 != "A" { print $3 }' \
    | sed 's/@.*//' | without_sanitizers | sort -u >"$dir/exported"
  same "the shared library exports them alone" "$dir/mapped" "$dir/exported"
  version=$(sed -n 's/^\([A-Z0-9_.]*\) {$/\1/p' "$top/lib/libcgw.map")
  nm -D --defined-only $shared | without_sanitizers \
    | sed -n "s/.* \(cgw_[a-z_]*\)@@$version\$/\1/p" | sort \
    >"$dir/versioned"
  same "and each with the version $version" "$dir/mapped" "$dir/versioned"
  readelf -d $shared >"$dir/dynamic"
  grep -q BIND_NOW "$dir/dynamic"
  result $? "no function is bound at its first call" "$dir/dynamic"
  grep '^cgwi_' "$dir/exported" >"$dir/internal"
  same "no internal name is exported" "$dir/none" "$dir/internal"
  sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' "$dir/dynamic" \
    | grep -Ev '^(libc|ld-.*)\.so' >"$dir/more"
  if nm -D $shared | grep -Eq ' __(asan|ubsan|tsan|msan)_'; then
    skip "the shared library needs libc alone" "built with sanitizers"
  else
    same "the shared library needs libc alone" "$dir/none" "$dir/more"
  fi
else
  for name in "the shared library exports them alone" \
              "and each with the version" \
              "no function is bound at its first call" \
              "no internal name is exported" \
              "the shared library needs libc alone"; do
    skip "$name" "no shared library was built"
  done
fi

if test -f $static; then
  nm -g --defined-only $static | awk 'NF == 3 { print $3 }' \
    | without_sanitizers | grep -v '^cgw' | sort -u >"$dir/foreign"
  same "the static library's symbols begin with cgw" \
    "$dir/none" "$dir/foreign"
else
  skip "the static library's symbols begin with cgw" \
    "no static library was built"
fi

# A program that has the static library loads the shared one.
cat >"$dir/copies.c" <<'END'
#include <cgw.h>
#include <dlfcn.h>
#include <stdio.h>
static int
fail (const char *why)
{
  puts (why);
  return 1;
}
int
main (int argc, char **argv)
{
  void *copy = dlopen (argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  __typeof__ (cgw_names_new) *copied_new;
  __typeof__ (cgw_add_file) *copied_add_file;
  struct cgw_names *names, *copied;
  const struct cgw_object none = { 0 };
  struct cgw_file own, other;
  if (copy == NULL)
    return fail (dlerror ());
  *(void **) &copied_new = dlsym (copy, "cgw_names_new");
  *(void **) &copied_add_file = dlsym (copy, "cgw_add_file");
  if (copied_new == cgw_names_new || cgw_names_new (&names, NULL) != CGW_OK
      || copied_new (&copied, NULL) != CGW_OK)
    return fail ("there are no two copies");
  own = cgw_add_file (names, "f");
  other = copied_add_file (copied, "f");
  if (cgw_add_fn (names, "g", own, none).handle == 0 || other.handle == 0)
    return fail ("a handle is missing");
  if (cgw_add_fn (names, "h", other, none).handle != 0)
    return fail ("a handle of the copy is taken");
  return 0;
}
END
if test -f $shared && test -f $static; then
  # shellcheck disable=SC2086 # flags are words
  ${CC-cc} $CFLAGS $LDFLAGS -I"$top/include" "$dir/copies.c" $static \
    -pthread -ldl -o "$dir/copies" >"$log" 2>&1 \
    && "$dir/copies" "$build/$shared" >"$log" 2>&1
  result $? "two copies of the library refuse each other's handles"
else
  skip "two copies of the library refuse each other's handles" \
    "no two libraries were built"
fi
done_testing
