#!/bin/sh
# demangle.sh - the names of symbols of C, C++, Rust and D, with and without
# libiberty, and of symbols that are made to hurt.
#
# SPDX-License-Identifier: MIT
#
# In the build folder: tests/tools/demangled, and demangled_runtime, which
# does without libiberty.

demangled=$(pwd)/tests/tools/demangled
. "${srcdir-.}/tests/support/tap.sh"
test -x "$demangled" \
  || skip_all "the tools with symbols are not built: there is no libdw"
cd "$dir" || exit 1
log=differences

# Symbol and name.
cat >any <<'S'
main main
malloc@@GLIBC_2.2.5 malloc
cfree@GLIBC_2.2.5 cfree
f.isra.0 f.isra.0
f.cold f.cold
f.llvm.1234567 f
f.llvm.cold f.llvm.cold
.llvm.1 
one.llvm.12x one.llvm.12x
_reserved _reserved
_Dtest _Dtest
_RETURN _RETURN
_R _R
_D _D
$s4main3fooyyF $s4main3fooyyF
_$s4main3fooyyF _$s4main3fooyyF
_GLOBAL__sub_I_main _GLOBAL__sub_I_main
S
cat >cxx <<'S'
_Z _Z
_ZN _ZN
_Zqq _Zqq
_Z3fooi foo(int)
_Z3fooi@@V1 foo(int)
_ZL3fooi foo(int)
_ZN12_GLOBAL__N_14anonEi (anonymous namespace)::anon(int)
_ZTV3foo vtable for foo
_ZNK1a1bIiE1cEv a::b<int>::c() const
_ZZ4mainENKUlvE_clEv main::{lambda()#1}::operator()() const
_Z3fooi.isra.0 foo(int) [clone .isra.0]
_Z3fooi.part.0.cold foo(int) [clone .part.0] [clone .cold]
_Z3fooi.constprop.0.isra.1 foo(int) [clone .constprop.0] [clone .isra.1]
_Z3fooi.llvm.123 foo(int)
_Z3fooi.cold.llvm.123 foo(int) [clone .cold]
_Z3fooi.avx2@V1 foo(int) [clone .avx2]
S
cat >others <<'S'
_ZN4core3fmt9Formatter9write_str17h9c4d8e21f0a6b357E core::fmt::Formatter::write_str
_ZN38_$LT$a..Square$u20$as$u20$a..Shape$GT$4area17h0a1b2c3d4e5f6789E <a::Square as a::Shape>::area
_ZN4core3ptr28drop_in_place$LT$a..Node$GT$17h0a1b2c3d4e5f6789E core::ptr::drop_in_place<a::Node>
_ZN4core3ops3run17h0a1b2c3d4e5f6789E.llvm.98765 core::ops::run
_ZN4core3ops3run17h0a1b2c3d4e5f6789E.cold core::ops::run [clone .cold]
_ZN3run17h0000000000000000E run::h0000000000000000
_RNvCs1_7mycrate4main mycrate::main
_RNvXs_Cs1_1aNtB4_6SquareNtB4_5Shape4area <a::Square as a::Shape>::area
_RINvNtCs1_4core3ptr13drop_in_placeNtCs2_1a4NodeEB4_ core::ptr::drop_in_place::<a::Node>
_RNvCs1_7mycrate4main.llvm.1234 mycrate::main
_RNvCs1_7mycrate4main.cold mycrate::main [clone .cold]
_RNvCs1_7mycrat _RNvCs1_7mycrat
_Dmain D main
_D3std5stdio7writelnFZv std.stdio.writeln()
_D1a4List__T3putTiZQhMFiZv a.List.put!(int).put(int)
_D1a1bFHiAyaZv a.b(immutable(char)[][int])
_D1a1bFZv.part.0 a.b() [clone .part.0]
_D1a _D1a
S

# names PROGRAM FILE NAME: the symbols of a file have their names.
names () {
  cut -d ' ' -f 1 "$2" | "$1" >out
  cut -d ' ' -f 2- "$2" | diff - out >differences
  result $? "$3"
}
runtime=${demangled}_runtime
names "$runtime" any "symbols of all languages, without libiberty"
if test "$(echo _Z1fv | "$runtime")" = 'f()'; then
  names "$runtime" cxx "C++, by its runtime"
else
  skip "C++, by its runtime" "libstdc++.so.6 is missing"
fi
if ! "$demangled" -k; then
  skip "with libiberty" "it was not there when this was built"
  done_testing
fi
names "$demangled" any "symbols of all languages"
names "$demangled" cxx "C++"
names "$demangled" others "Rust and D"

# AddressSanitizer needs more.
limit="ulimit -v 4000000"
{ ($limit; "$demangled") <any >out; } 2>err || limit=true
# hurts NAME: a symbol, made by the function of this name, stays as it is.
hurts () {
  { "made_$1" && echo; } >symbol
  ($limit; exec "$demangled") <symbol >out 2>err
  status=$?
  cmp -s symbol out
  result $((status + $?)) "$1: the symbol stays as it is" err
}
many () {
  perl -e 'print $ARGV[1] x $ARGV[0]' -- "$@"
}
made_long_name () { printf _ZN; many 100000 1a; printf E; }
made_deep_pointer () { printf _Z1f; many 100000 P; printf i; }
made_deep_reference () { printf _RINvC1a1b; many 100000 R; printf uE; }
made_deep_function () { printf _D1a; many 100000 F; }
made_deep_array () { printf _D1aF; many 100000 A; printf iZv; }
# Each type is twice the one before, which it refers to: by its number, by where
# it begins, and by how far back that is.
made_double_cxx () {
  perl -e 'my @d = (0 .. 9, "A" .. "Z");
    print "_Z1f1aIiiE", map { "S_IS$d[$_]_S$d[$_]_E" } 0 .. 35'
}
made_double_rust () {
  perl -e 'my @d = (0 .. 9, "a" .. "z", "A" .. "Z");
    my ($name, $from) = ("INvC1a1bTuuE", 8);
    for (1 .. 40) {
      my $n = $from - 1;
      my $to = "B".($n < 62 ? $d[$n] : $d[$n / 62].$d[$n % 62])."_";
      $from = length $name;
      $name .= "T$to${to}E";
    }
    print "_R${name}E"'
}
made_double_d () { printf _D1a1bFHiiHQeQg; many 40 HQgQi; printf Zv; }
for kind in long_name deep_pointer deep_reference deep_function deep_array \
  double_cxx double_rust double_d; do
  hurts $kind
done

done_testing
