#!/bin/sh
# sample_inline.sh - cgw-sample --inline: inlined functions as lines of others,
# and as functions.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CXX.  In the build folder:
# examples/tools/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
needs_ticks

${CXX:-c++} -O2 -g -Wl,-z,now "$programs/inlined.cc" -o inlined 2>err \
  || skip_all "there is no C++ compiler"

"$sample" --inline no true >out 2>err
test $? -eq 125 && grep -q -- '--inline is functions or lines, not no' err
result $? "--inline no is refused"

# What is inlined is no function.  What calls itself through another function
# has the cost of those calls, too.
hidden='(anonymous namespace)::hidden(unsigned int)'
copied='copied(unsigned int)'
nm inlined | grep -q 'copied.*constprop' \
  && symbol="$copied [clone .constprop.0]"
cat >lines.all <<END
120 samples, 120 ticks, clocks: 1
20 0 20 $hidden
20 100 120 main
40 0 40 ${symbol-$copied}
0 0 30 between(unsigned int)
40 30 40 recurse(unsigned int)
END
for options in '' '--inline lines'; do
  sampled "lines$options" 0 ./inlined <lines.all
  awk -F '\t' '$1 == "cost" && $5 !~ /tick.h$/ { print; bad = 1 }
               END { exit bad }' dump
  result $? "lines$options: what is inlined has its file and lines" dump
done

# Functions without a linkage name are called so by gcc, others by clang.
ends 0 functions "$sample" --inline functions -F 1 -o functions ./inlined
ticks_of functions \
  | sed 's/ \(spin\|descend\|tick\|tick_send\)(.*/ \1/' | sort -rn >got
sort -rn <<END >expected
120 0 120 tick_send
0 120 120 tick
0 120 120 spin
0 120 120 main
0 40 40 $hidden
0 40 40 $copied
0 30 30 descend
0 0 30 between(unsigned int)
0 70 40 recurse(unsigned int)
END
diff expected got >differences
result $? "functions: they have the cost of what is inlined" differences
awk -F '\t' '$4 ~ /^(spin|descend)/ && $3 !~ /inlined.h$/ ||
             $4 ~ /hidden/ && $3 !~ /inlined.cc$/ { print; bad = 1 }
             END { exit bad }' dump
result $? "functions: each in its file" dump

# line FILE TEXT: the line with the text.
line () { grep -nF -- "$2" "$programs/$1" | sed 's/:.*//;q'; }
# calls FROM TO FILE LINE
calls ()
{
  awk -F '\t' -v from="$1" -v to="$2" -v file="$3" -v line="$4" '
    $1 == "call" && $4 ~ "^" from && index($5, file) && $7 == line {
      for (i = 5; $i !~ /^->/; i++) ;
      found += $(i + 2) ~ to
    }
    END { exit !found }' dump
  result $? "functions: $1 calls $2 at $3:$4" dump
}
calls main hidden inlined.cc "$(line inlined.cc '; /* inlined')"
calls main hidden inlined.cc "$(line inlined.cc 'also_called (L')"
calls recurse descend inlined.cc "$(line inlined.cc 'descend (')"
calls descend between inlined.h "$(line inlined.h 'between (depth - 1)')"
calls between recurse inlined.cc "$(line inlined.cc 'recurse (depth)')"
calls '[(]anonymous' spin inlined.cc "$(line inlined.cc 'return spin')"

done_testing
