#!/bin/sh
# sample_inline.sh - cgw-sample --inline: inlined functions as lines of others,
# and as functions.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CXX.  In the build folder:
# examples/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
log=err

"$sample" --inline no true >out 2>err
test $? -eq 125 && grep -q -- '--inline is functions or lines, not no' err
result $? "--inline no is refused"

if ! ${CXX:-c++} -O2 -g "$programs/inlined.cc" -o inlined 2>err; then
  skip_all "there is no C++ compiler"
fi

# run NAME OPTION...: the profile's costs go to the file NAME.dump.
run () {
  name=$1
  shift
  "$sample" -o "$name" "$@" ./inlined >out 2>err \
    && "$cgread" --dump "$name" >"$name.dump" 2>>err
  result $? "$name: sampled"
}
run default
run lines --inline lines
run functions --inline functions

# percent NAME FUNCTION [SELF]: which part of the time passes in a function,
# or in its own code.
percent () {
  awk -F '\t' -v f="$2" -v self="${3-}" '
    { split ($NF, c, " ") }
    $1 == "cost" { all += c[1] }
    $1 == "cost" && $4 == f { sum += c[1] }
    $1 == "call" && $4 == f && self == "" {
      for (i = 5; $i !~ /^->/; i++) ;
      if ($(i + 2) != f) sum += c[2]
    }
    END { printf "%.0f\n", all ? 100 * sum / all : 0 }' "$1.dump"
}

# about NAME FUNCTION PERCENT [SELF]
about () {
  share=$(percent "$1" "$2" "${4-}")
  test "$share" -ge $(($3 - 10)) && test "$share" -le $(($3 + 10))
  result $? "$1: $share % are ${4:+its own }in $2" "$1.dump"
}

# Functions without a linkage name are called so by gcc, others by clang.
name_of () { cut -f 4 functions.dump | grep "^$1" | sort -u; }
for f in spin descend; do
  name_of $f >names
  test "$(wc -l <names)" -eq 1
  result $? "functions: $f is one function" names
done
spin=$(name_of spin)
hidden='(anonymous namespace)::hidden(unsigned int)'

for name in default lines; do
  ! cut -f 4 $name.dump | grep -Eq '^(spin|descend)'
  result $? "$name: what is inlined is no function" $name.dump
  about $name "$hidden" 17
  awk -F '\t' '$1 == "cost" && $5 ~ /inlined.h$/ && $4 ~ /^recurse/ { n++ }
    END { exit !n }' $name.dump
  result $? "$name: but has its file and lines" $name.dump
done

about functions "$spin" 100 SELF
about functions "$hidden" 33
about functions "copied(unsigned int)" 33
awk -F '\t' '$1 == "cost" && $4 ~ /^spin/ && $3 !~ /inlined.h$/ ||
    $1 == "cost" && $4 ~ /hidden/ && $3 !~ /inlined.cc$/ { n++ }
  END { exit n }' functions.dump
result $? "functions: each in its file" functions.dump

# line FILE TEXT: the line with the text.
line () { grep -nF -- "$2" "$programs/$1" | sed 's/:.*//;q'; }
# calls FROM TO FILE LINE
calls () {
  awk -F '\t' -v from="$1" -v to="$2" -v file="$3" -v line="$4" '
    $1 == "call" && $4 ~ "^" from && index ($5, file) && $7 == line {
      for (i = 5; $i !~ /^->/; i++) ;
      found += $(i + 2) ~ to
    }
    END { exit !found }' functions.dump
  result $? "functions: $1 calls $2 at $3:$4" functions.dump
}
calls main hidden inlined.cc "$(line inlined.cc '; /* inlined')"
calls main hidden inlined.cc "$(line inlined.cc 'also_called (L')"
calls recurse descend inlined.cc "$(line inlined.cc 'descend (')"
calls descend between inlined.h "$(line inlined.h 'between (depth - 1)')"
calls between recurse inlined.cc "$(line inlined.cc 'recurse (depth)')"
calls '[(]anonymous' spin inlined.cc "$(line inlined.cc 'return spin')"

if nm inlined | grep -q copied.*constprop; then
  cut -f 4 lines.dump | grep -q '^copied(unsigned int) .clone .constprop.0.$'
  result $? "lines: a copy has its symbol's name" lines.dump
else
  skip "lines: a copy has its symbol's name" "the compiler made none"
fi

## callgrind_annotate.

if ! command -v callgrind_annotate >/dev/null; then
  skip "callgrind_annotate" "it is missing"
  done_testing
fi
# most MODE: the highest percentage that it shows of a recursion.
most () {
  "$sample" --inline "$1" -o recursion ./inlined recursion >out 2>err
  callgrind_annotate --inclusive=yes --auto=no recursion >annotated 2>err
  grep -o '([ 0-9.]*%)' annotated | tr -d '(%) ' | sort -n | tail -n 1
}
most=$(most functions)
test "$most" = 100.0
result $? "functions: callgrind_annotate shows at most $most %" annotated
# The lines of a function that are in another file are another function to it,
# so it adds the costs of the recursive calls to their own.
most=$(most lines)
test "${most%.*}" -gt 110
result $? "lines: callgrind_annotate shows $most %" annotated

done_testing
