#!/bin/sh
# symbols.sh - the names of code: the tools' sorted tables agree with libdw's
# search through all symbols, and of several names of a function they choose
# the one that programs call it by.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# tests/tools/symbols_agree.

. "${srcdir-.}/tests/support/tap.sh"
agree=$(pwd)/tests/tools/symbols_agree
test -x "$agree" \
  || skip_all "the tools with symbols are not built: there is no libdw"
cd "$dir" || exit 1
log=out

# Sizes and none, inside each other, with gaps, over the ends of sections; only
# addresses of code are looked up.
cat >made.s <<'S'
        .macro function name, bind, size
        .\bind \name
        .type \name, %function
        .size \name, \size
\name:
        .endm
        .macro code
        .fill 16, 1, 0
        .endm
        .text
        code
        function first, globl, 48
        code
        function inner, globl, 16
        code
label_in_first:
        code
        code
        .globl label
label:
        code
other_label:
        code
        function __GI_locally, local, 32
        function locally, local, 32
        code
label_in_local:
        code
        code
        .globl around
        function around, globl, 64
        code
        function local_inside, local, 16
        code
        function global_inside, globl, 16
        code
        code
        function same_long, globl, 32
        function same_short, globl, 16
        function weak_name, weak, 16
        code
        code
        .globl aged
        .symver aged, old@V1, remove
        function aged, globl, 16
        function current, globl, 16
        code
        function _reserved, globl, 16
        function longer_name, globl, 16
        function short_name, globl, 16
        code
        function name_for_c, globl, 16
        function _Z3cxxv, globl, 16
        code
last_label:
        code
        .section .text.second, "ax", %progbits
        code
second_label:
        code
        .globl absolute
        .set absolute, 0x401000
S
echo 'V1 { }; V2 { } V1;' >versions
${CC:-cc} -nostdlib -shared -Wl,--version-script,versions made.s -o made \
  >out 2>&1
result $? "a library with all kinds of symbols is made"
"$agree" made >out
result $? "a library with all kinds of symbols: libdw agrees"
grep -q ' [1-9][0-9]* without a name' out
result $? "it has code without a name, too"
"$agree" -n made label_in_first label_in_local label last_label inner \
  global_inside local_inside __GI_locally same_long \
  weak_name current _reserved longer_name name_for_c >out
cat >expected <<'S'
label_in_first is first
label_in_local is locally
label is label
last_label is last_label
inner is inner
global_inside is global_inside
local_inside is around
__GI_locally is locally
same_long is same_short
weak_name is same_short
current is current
_reserved is short_name
longer_name is short_name
name_for_c is _Z3cxxv
S
diff expected out >differences
result $? "each has the name that it should have" differences

libc=$(ldd "$agree" | sed -n 's/.* => \(.*\/libc\.[^ ]*\) .*/\1/p')
for object in "$agree" "$libc" \
  "$(${CC:-cc} -print-file-name=libstdc++.so.6 2>/dev/null)"; do
  if test -r "$object"; then
    "$agree" "$object" >out
    result $? "libdw agrees on $(basename "$object")"
    sed 's/^/# /' out | tail -n 1
  else
    skip "libdw agrees on $(basename "$object")" "it is not there"
  fi
done

# Without debugging information there are no versions in names.
objcopy -S -R .note.gnu.build-id -R .gnu_debuglink "$libc" stripped.so \
  2>/dev/null || rm -f stripped.so
for object in "$libc" stripped.so; do
  if ! "$agree" -n "$object" __libc_malloc >out || ! test -s out; then
    skip "functions have public names" "not in this C library"
    continue
  fi
  "$agree" -n "$object" malloc free calloc realloc __libc_malloc __libc_free \
    __libc_calloc __libc_realloc read __write fork __fork printf >out
  cat >expected <<'S'
malloc is malloc
free is free
calloc is calloc
realloc is realloc
__libc_malloc is malloc
__libc_free is free
__libc_calloc is calloc
__libc_realloc is realloc
read is read
__write is write
fork is fork
__fork is fork
printf is printf
S
  diff expected out >differences
  result $? "functions have public names in $(basename "$object")" differences
done

done_testing
