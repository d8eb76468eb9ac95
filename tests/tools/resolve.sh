#!/bin/sh
# resolve.sh - what the tools know of code: which file they take for an object,
# by its inode or its build ID, also one of another machine.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC, CXX.  In the build folder:
# tests/tools/resolved, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
resolved=$(pwd)/tests/tools/resolved
test -x "$resolved" \
  || skip_all "the tools with symbols are not built: there is no libdw"
cd "$dir" || exit 1
log=err
HOME=$dir/home
export HOME

## Files.

cat >code.c <<'S'
int measured (int x) { return x * 3 + 1; }
S
mkdir -p "$dir/bin" "$dir/gone"
lib=$dir/bin/code.so
# build ID: makes the library with a build ID.
build () {
  ${CC:-cc} -O1 -g -shared -fPIC "-Wl,--build-id=$1" code.c -o "$lib" >err 2>&1
}
id=0123456789abcdef0123456789abcdef01234567
other=fedcba9876543210fedcba9876543210fedcba98
build 0x$id
result $? "a library is made"
# The segments of such a small file lie in memory as in the file.
at=0x$(nm "$lib" | sed -n 's/ . measured$//p')

# resolve ARG...: what is known goes to the file known, in lines: object, file,
# function, file of the line, address, line.
resolve () {
  "$resolved" "$@" >profile 2>err \
    && "$cgread" --dump profile 2>>err | sed -n 's/^cost	//p' | cut -f 1-6 \
      >known
}
# is OBJECT FUNCTION NAME: it is all that is known.
is () {
  test "$(cut -f 1,3 known)" = "$1	$2"
  result $? "$3" known
}
# warns TEXT NAME
warns () {
  grep -q "$1" err
  result $? "$2"
}
inode () { stat -c %i "$1"; }

resolve -i "$(inode "$lib")" "$lib" "$at"
is "$lib" measured "the file with the inode"
test "$(cut -f 2,6 known)" = "$dir/code.c	1"
result $? "it has file and line" known
test ! -s err
result $? "and there is no message"
resolve "$lib" "$at"
is "$lib" measured "the file, if no inode is known"
resolve -i 1 "$lib" "$at"
is "$lib" '???' "a file with another inode is not the object"
warns 'code.so: warning: was replaced or cannot be read' "and there is a warning"
resolve -i 1 -b $id "$lib" "$at"
is "$lib" measured "the file with the build ID, whatever its inode"
resolve -i "$(inode "$lib")" -b $other "$lib" "$at"
is "$lib" '???' "a file with another build ID is not the object"
warns 'code.so: warning: there is no file with its build ID' \
  "and there is a warning"
resolve -b 0123456789abcdef "$lib" "$at"
is "$lib" '???' "the beginning of its build ID is not enough"
build 0x${id}89abcdef
resolve -b $id "$lib" "$at"
is "$lib" measured "the beginning of a build ID that is longer than 20 bytes is"
build 0x0123456789abcdef
resolve -b 0123456789abcdef000000000000000000000000 "$lib" "$at"
is "$lib" measured "a short build ID, padded"
build none
resolve -b 0123456789abcdef "$lib" "$at"
is "$lib" '???' "a file without a build ID is not an object that has one"
build 0x$id

# Two objects that are not here, and code of none.
resolve "$dir/gone/a" 1 "$dir/gone/b" 2 '[vsyscall]' 3 "" 4
cut -f 1,3,5 known | sort >two
printf '%s\t%s\t%s\n' '???' '???' 0x4 "$dir/gone/a" '???' 0x1 \
  "$dir/gone/b" '???' 0x2 '[vsyscall]' '???' 0x3 | sort | diff - two
result $? "objects that are not here have a function each, and addresses" known

## What is no file with code.

mkfifo fifo
resolve "$dir/fifo" 1 "$dir" 2 /dev/zero 3
test "$(cut -f 3 known | sort -u)" = '???' && test "$(wc -l <known)" -eq 3
result $? "a FIFO, a folder and a device" known
${CC:-cc} -g -c code.c -o code.o
# libdwfl puts it at some address.
resolve "$dir/code.o" 0x10000
is "$dir/code.o" '???' "a file that was not linked"
set --
for size in 0 4 20 63 64 200 1000 5000; do
  head -c "$size" "$lib" >cut.$size
  set -- "$@" "$dir/cut.$size" "$at"
done
resolve -f "$@" && test "$(wc -l <known)" -ge 7
result $? "files that are cut" known
# The library with some bytes changed, most of them in its header.
perl -e 'open my $in, "<:raw", $ARGV[0] or die; local $/; my $all = <$in>;
  for my $i (0 .. 199) {
    my $bytes = $all; srand $i;
    substr ($bytes, rand ($i < 100 ? 64 : length $bytes), 1)
      = chr rand 256 for 0 .. $i % 7;
    open my $out, ">:raw", "damaged.$i" or die; print $out $bytes
  }' "$lib"
set --
for i in damaged.*; do set -- "$@" "$dir/$i" "$at" "$dir/$i" 0x10; done
resolve -f "$@"
result $? "files that are damaged"
rm -f damaged.*
# Each place, size and count in its headers is absurd, one at a time.
what="absurd places, sizes and counts take no memory"
perl -e 'open my $in, "<:raw", $ARGV[0] or die; local $/; my $all = <$in>;
  exit 1 unless substr ($all, 0, 6) eq "\x7fELF\2\1"; # 64 bits
  my ($segments, $sections) = unpack "Q<2", substr $all, 0x20, 16;
  my ($n_segments, undef, $n_sections) = unpack "S<3", substr $all, 0x38, 6;
  my @long = (0x20, 0x28); my @short = (0x36, 0x38, 0x3a, 0x3c, 0x3e);
  for my $i (0 .. $n_segments - 1) {
    push @long, map { $segments + 56 * $i + $_ } 0x08, 0x10, 0x20, 0x28 }
  for my $i (0 .. $n_sections - 1) {
    push @long, map { $sections + 64 * $i + $_ } 0x10, 0x18, 0x20, 0x38 }
  my $n = 0;
  sub put { my ($at, $value, $and) = @_;
    my $bytes = $all; substr ($bytes, $at, length $value) = $value;
    substr ($bytes, 0x3c, 2) = "\0\0" if $and; # section 0 has the number
    open my $out, ">:raw", "absurd." . $n++ or die; print $out $bytes }
  for my $value (0, 0x7fffffff, 1 << 40, ~0 << 12, ~0) {
    my $packed = pack "Q<", $value;
    put ($_, $packed) for @long; put ($sections + 0x20, $packed, 1);
    put ($_, substr $packed, 0, 2) for @short }' "$lib" 2>err
if test -s absurd.0; then
  # AddressSanitizer needs more address space, and would abort where malloc
  # fails.
  ASAN_OPTIONS=${ASAN_OPTIONS-}:allocator_may_return_null=1
  export ASAN_OPTIONS
  limit="ulimit -v 2000000"
  ($limit; "$resolved" "$lib" "$at") >/dev/null 2>&1 || limit=true
  set --
  for i in absurd.*; do set -- "$@" "$dir/$i" "$at"; done
  ($limit; exec "$resolved" -f "$@") >profile 2>err
  result $? "$what"
else
  skip "$what" "the objects have not 64 bits, or other bytes first"
fi
rm -f absurd.*

## Other machines.

mkdir -p "root$dir/bin"
mv "$lib" "root$dir/bin"
resolve -s "$dir/root" -i 1 "$lib" "$at"
is "$lib" measured "below another root: the path, not the inode"
test "$(cut -f 2,6 known)" = "$dir/code.c	1"
result $? "it has file and line" known
resolve -s "$dir/root" -b $id "$lib" "$at"
is "$lib" measured "below another root: the build ID"
resolve -s "$dir/root" -b $other "$lib" "$at"
is "$lib" '???' "below another root: another build ID"
# folder BELOW: the file name of the library's build ID.
by_id=.build-id/01/23456789abcdef0123456789abcdef01234567
mkdir -p "home/.debug/$by_id"
cp "root$lib" "home/.debug/$by_id/elf"
resolve -b $id "$lib" "$at"
is "$lib" measured "in perf's folder, by its build ID"
resolve -b $other "$lib" "$at"
is "$lib" '???' "not by another"
mv "home/.debug/$by_id/elf" "home/.debug/$by_id/vdso"
resolve -b $id '[vdso]' "$at"
is '[vdso]' measured "the vdso of another kernel, in perf's folder"
rm -r home
mkdir -p "debug/${by_id%/*}" other
cp "root$lib" "debug/$by_id"
resolve -d "$dir/other:$dir/debug" -b $id "$lib" "$at"
is "$lib" measured "in a folder for debugging information, by its build ID"
rm "debug/$by_id"

# Calls, by the addresses that they return to: aarch64's bl, then Thumb's blx.
cat >calls.s <<'S'
	.text
	.globl measured
	.type measured, %function
measured:
	.byte 0x1f, 0x20, 0x03, 0xd5
	.byte 0x01, 0x00, 0x00, 0x94
	.byte 0x98, 0x47, 0x00, 0xbf
	.size measured, . - measured
S
${CC:-cc} -shared -nostdlib calls.s -o calls.so >err 2>&1
result $? "a library with calls of other machines is made"
first=$(nm calls.so | sed -n 's/ . measured$//p')
first=$((0x$first))
# returns_to MACHINE BYTES CALL NAME: so many bytes behind the first one.
returns_to () {
  perl -pe 'BEGIN { $machine = shift; undef $/ }
    substr ($_, 18, 2) = pack substr ($_, 5, 1) eq "\1" ? "v" : "n", $machine' \
    "$1" calls.so >"$dir/other.so"
  resolve -c "$dir/other.so" $((first + $2))
  echo "wanted: $3 bytes behind $first" >>known
  test "$(cut -f 3,5 known | head -n 1)" \
    = "$(printf 'measured\t0x%x' $((first + $3)))"
  result $? "$4" known
}
returns_to 183 8 4 "a call of aarch64"
returns_to 8 8 0 "a call of MIPS, before its delay slot"
returns_to 40 11 8 "a call of ARM's Thumb: the address is odd"
returns_to 4 10 9 "a call of a machine that is not known: the byte before"

# Separate debugging information.
objcopy --only-keep-debug "root$lib" "debug/$by_id.debug" 2>err \
  && objcopy --strip-debug "root$lib" "$lib" 2>>err
result $? "the debugging information is put into a file of its own"
resolve "$lib" "$at"
test "$(cut -f 2,3,6 known)" = "???	measured	0"
result $? "without its folder, a function has no file" known
resolve -d "$dir/other:$dir/debug" "$lib" "$at"
test "$(cut -f 2,3,6 known)" = "$dir/code.c	measured	1"
result $? "with it, it has" known
mkdir -p "root/usr/lib/debug/${by_id%/*}"
mv "debug/$by_id.debug" "root/usr/lib/debug/${by_id%/*}"
mv "$lib" "root$lib"
resolve -s "$dir/root" "$lib" "$at"
test "$(cut -f 2,3,6 known)" = "$dir/code.c	measured	1"
result $? "so it is in the usual folder below another root" known

# Folders that are relative.
resolve -s root "$lib" "$at"
test "$(cut -f 2,3,6 known)" = "$dir/code.c	measured	1"
result $? "and if that is relative" known
mv "root$lib" "$lib"
mkdir -p "debug/${by_id%/*}"
mv "root/usr/lib/debug/$by_id.debug" "debug/$by_id.debug"
resolve -d other:debug "$lib" "$at"
test "$(cut -f 2,3,6 known)" = "$dir/code.c	measured	1"
result $? "in a relative folder for debugging information" known

# More objects than descriptors.
for i in 1 2 3 4 5 6 7 8 9; do
  for j in 0 1 2 3 4 5 6 7 8 9; do cp "$lib" "bin/many$i$j.so"; done
done
set --
for i in bin/many*; do set -- "$@" "$dir/$i" "$at"; done
(ulimit -S -n 64 && resolve -d "$dir/debug" "$@"
 cut -f 2,3,6 known | sort -u >files; test "$(wc -l <known)" -eq 90)
test "$(cat files)" = "$dir/code.c	measured	1"
result $? "more objects than descriptors" files
rm bin/many*

## Functions that share code, or names.

# assembled: makes a library of assembler code, the standard input.
assembled () {
  cat - >odd.s
  lib=$dir/bin/odd.so
  ${CC:-cc} -shared -nostdlib odd.s -o "$lib" >err 2>&1 || : >"$lib"
}
if test "$(uname -m)" = x86_64; then
  assembled <<'S'
	.text
	.globl label
	.type label, @function
label:
	nop
	nop
hidden:
	.cfi_startproc
	nop
	ret
	.cfi_endproc
	.globl inner, outer
	.type inner, @function
	.type outer, @function
inner:
outer:
	nop
	nop
	.size inner, 1
	nop
	nop
	.size outer, 4
S
  strip --strip-unneeded "$lib"
  label=$((0x$(nm -D "$lib" | sed -n 's/ . label$//p')))
  resolve "$lib" $label "$lib" $((label + 1)) "$lib" $((label + 3))
  printf '%s %d\n' "$(printf 0x%x $((label + 2)))" $((label + 3)) label $label \
    label $((label + 1)) | sort >wanted
  cut -f 3,5 known | while read -r function address; do
    echo "$function $((address))"
  done | sort | diff wanted - >err
  result $? "a symbol without a size ends at a function without a symbol" err
  resolve "$lib" $((label + 4)) "$lib" $((label + 6))
  test "$(cut -f 3 known | sort | tr '\n' ' ')" = 'inner outer '
  result $? "two functions begin together" known
else
  skip "symbols without sizes, functions that begin together" \
    "the processor is another one"
fi

# Files of two folders, linked with optimization in a third one.
mkdir -p left/inc right
cat >left/inc/one.h <<'S'
static inline int deep (int x) { volatile int y = x * 3; return y + x; }
S
cat >left/one.c <<'S'
#include "inc/one.h"
__attribute__ ((visibility ("hidden"))) int shallow (int x)
{ return deep (x) + 1; }
S
cat >right/two.c <<'S'
int shallow (int x);
int measured (int x) { return shallow (x) * 5; }
S
if (cd left && ${CC:-cc} -O2 -g -flto -fPIC -c one.c) >err 2>&1 \
   && (cd right && ${CC:-cc} -O2 -g -flto -fPIC -c two.c) >err 2>&1 \
   && ${CC:-cc} -O2 -g -flto -shared left/one.o right/two.o -o bin/lto.so \
        >err 2>&1; then
  lib=$dir/bin/lto.so
  at=$((0x$(nm "$lib" | sed -n 's/ . measured$//p')))
  set --
  for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    set -- "$@" "$lib" $((at + i))
  done
  resolve -f "$@"
  cut -f 2,3 known | grep 'deep$' | sort -u >files
  test "$(cat files)" = "$dir/left/inc/one.h	deep"
  result $? "link-time optimization: the folder is that of the file" files
else
  skip "link-time optimization" "the compiler has none"
fi

# Functions of C++ that are inlined: in a local union, and if the debug
# information is in another file.
mkdir -p below
cat >below/twice.h <<'S'
namespace ns {
static inline int twice (int x) { volatile int y = x; return y * 2; }
}
S
cat >scopes.cc <<'S'
#include "below/twice.h"
extern "C" int measured (int n)
{
  union U { int m (int x) { volatile int y = x; return ns::twice (y) + 1; } } u;
  return u.m (n) * 3;
}
S
for option in "" -gsplit-dwarf; do
  lib=$dir/bin/scopes.so
  # shellcheck disable=SC2086 # the option may be none
  if ${CXX:-c++} -O2 -g $option -shared -fPIC scopes.cc -o "$lib" >err 2>&1; then
    at=$((0x$(nm "$lib" | sed -n 's/ . measured$//p')))
    set --
    i=0
    while test $i -lt 40; do
      set -- "$@" "$lib" $((at + i))
      i=$((i + 1))
    done
    resolve -f "$@"
    cut -f 2,3 known | sed 's/(int)$//' | grep 'twice$\|m$' | sort -u >files
    printf '%s\t%s\n' "$dir/below/twice.h" ns::twice \
      "$dir/scopes.cc" measured::U::m | diff - files >err
    result $? "inlined functions of C++ ${option:+with }$option" err
  else
    skip "inlined functions of C++ $option" "there is no C++ compiler"
  fi
done

# What the linker left out lies at address 0, over the code there.
{
  echo 'int measured (int x) { return x + 1; }'
  echo 'int unused (int x) { volatile int y = x;'
  i=0
  while test $i -lt 1000; do i=$((i + 1)); echo 'y = y * 3 + x; y ^= x;'; done
  echo 'return y; }'
} >unused.c
${CC:-cc} -g -O0 -fPIC -fvisibility=hidden -ffunction-sections -c unused.c \
  >err 2>&1
echo 'int measured (int x); __attribute__ ((visibility ("default"))) int main
  (void) { return measured (1); }' >uses.c
${CC:-cc} -g -fPIC -c uses.c && ${CC:-cc} -pie -Wl,--gc-sections uses.o \
  unused.o -o bin/unused >err 2>&1
lib=$dir/bin/unused
resolve "$lib" "0x$(nm "$lib" | sed -n 's/ . _init$//p')"
test "$(cut -f 2,3,6 known)" = "???	_init	0"
result $? "what the linker left out has no code" known

## Code that a process made.

mkdir -p root/tmp
echo '1000 100 made hot' >root/tmp/perf-17.map
touch -d 2001-01-01 root/tmp/perf-17.map
resolve -s "$dir/root" perf-17.map 0x1010
is perf-17.map 'made hot' "made code, below another root, long ago"
# No process begins in the year 5138.
resolve -s "$dir/root" -t 10000000000000 perf-17.map 0x1010
is '???' '???' "a list that is older than its process"
if test "$(id -u)" -eq 0; then
  chown 12345 root/tmp/perf-17.map
  resolve -s "$dir/root" perf-17.map 0x1010
  is '???' '???' "a list of another user"
else
  skip "a list of another user" "only root can give files away"
fi

## Debug information that attacks the stack: a million namespaces, each in the
## one before.

cat >deep.s <<'S'
	.text
	.globl measured
measured:
	.byte 0x90
end:
	.section .debug_abbrev,"",%progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 1, 0, 0	# unit: low_pc, high_pc
	.byte 2, 0x39, 1, 0, 0			# namespace
	.byte 0
	.section .debug_info,"",%progbits
	.4byte unit_end - unit
unit:
	.2byte 4
	.4byte 0
	.byte 8
	.byte 1
	.8byte measured, end
	.fill 1000000, 1, 2
	.fill 1000001, 1, 0
unit_end:
S
lib=$dir/bin/deep.so
if test "$(getconf LONG_BIT)" -eq 64 \
  && ${CC:-cc} -shared -o "$lib" deep.s >err 2>&1
then
  resolve "$lib" "0x$(nm "$lib" | sed -n 's/ . measured$//p')"
  is "$lib" measured "a million namespaces, each in the one before"
else
  skip "a million namespaces, each in the one before" "it cannot be assembled"
fi

# hostile: makes an object whose debug information is the standard input, behind
# the head of a unit of C++.  Its kinds of entries are 2: a namespace; 3: a
# function, with code; 4: one that was inlined there, with an origin; 5: a name
# of that; 6: a namespace, with a sibling; 7: a function, with a list of ranges;
# 8: a namespace, with a name.
hostile () {
  cat - >body.s
  cat >hostile.s <<'S'
	.text
	.globl measured
measured:
	.byte 0x90
end:
	.section .debug_abbrev,"",%progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 1, 0x13, 0x0b, 0, 0
	.byte 2, 0x39, 1, 0, 0
	.byte 3, 0x2e, 1, 0x11, 1, 0x12, 1, 0, 0
	.byte 4, 0x1d, 0, 0x11, 1, 0x12, 1, 0x31, 0x13, 0, 0
	.byte 5, 0x2e, 0, 3, 8, 0, 0
	.byte 6, 0x39, 1, 1, 0x13, 0, 0
	.byte 7, 0x2e, 0, 0x55, 0x17, 0, 0
	.byte 8, 0x39, 1, 3, 8, 0, 0
	.byte 0
	.section .debug_ranges,"",%progbits
	.rept 1000
	.8byte measured, end
	.endr
	.8byte 0, 0
	.section .debug_info,"",%progbits
begin:
	.4byte unit_end - unit
unit:
	.2byte 4
	.4byte 0
	.byte 8
	.byte 1
	.8byte measured, end
	.byte 4
S
  echo 'unit_end:' | cat hostile.s body.s - >all.s
  lib=$dir/bin/hostile.so
  ${CC:-cc} -shared -o "$lib" all.s >err 2>&1
}
# attack NAME PATTERN: what its code is known as, within a minute of the
# processor's time.
attack () {
  : >known
  if test "$(getconf LONG_BIT)" -eq 64 && hostile; then
    (ulimit -t 60; resolve -f "$lib" "0x$(nm "$lib" \
      | sed -n 's/ . measured$//p')")
    case $(cut -f 3 known) in $2) true ;; *) false ;; esac
    result $? "$1" known
  else
    skip "$1" "it cannot be assembled"
  fi
}
attack "sixty namespaces, each the child and the sibling of the one before" \
  measured <<'S'
	.set at, 29
	.rept 60
	.set at, at + 5
	.byte 6
	.4byte at
	.endr
	.fill 100, 1, 0
S
# Behind them is code that has an inlined function.
attack "functions have more ranges together than the file has bytes" \
  measured <<'S'
	.rept 1000
	.byte 7
	.4byte 0
	.endr
	.byte 3
	.8byte measured, end
	.byte 4
	.8byte measured, end
	.4byte origin - begin
	.byte 0
origin:
	.byte 5
	.asciz "g"
	.byte 0
S
# Functions that were inlined are named by their scopes.
inlined='	.byte 3
	.8byte measured, end
	.byte 4
	.8byte measured, end
	.4byte origin - begin
	.byte 0'
attack "an inlined function in scopes" one::two::g <<S
$inlined
	.byte 8
	.asciz "zero"
	.byte 0
	.byte 8
	.asciz "one"
	.byte 8
	.asciz "two"
origin:
	.byte 5
	.asciz "g"
	.byte 0, 0, 0
S
attack "an inlined function in a million of them" '*::g' <<S
$inlined
	.fill 1000000, 1, 2
origin:
	.byte 5
	.asciz "g"
	.fill 1000001, 1, 0
S

done_testing
