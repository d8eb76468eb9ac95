#!/bin/sh
# folded.sh - cgw-import of folded stacks: sums, edges and inclusive costs, for
# the strict reader and for callgrind_annotate; odd frames.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder:
# examples/tools/import/cgw-import, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
import=$(pwd)/examples/tools/import/cgw-import

# dump FILE: the sums, edges and jumps of a profile, as sorted lines.
dump () { "$cgread" --no-pad --dump "$1"; }

cd "$dir" || exit 1

# What lands in the file.

cat >in <<'END'
main;work;read 3
main;work 10
main;idle 1
main;work;read 4
END
cat >expected <<'END'
# callgrind format
version: 1
desc: Calls: numbers of samples, which count no calls
positions: line
events: Samples
summary: 18
fl=(1) ???
fn=(1) (root)
cfn=(2) main
calls=18 0
0 18
fn=(3) idle
0 1
fn=(2)
cfn=(3)
calls=1 0
0 1
cfn=(4) work
calls=17 *
* 17
fn=(5) read
0 7
fn=(4)
0 10
cfn=(5)
calls=7 *
* 7
totals: 18
END
"$import" in >out 2>err
status=$?
grep -v '^creator: libcgw-' out | diff expected - >diff && test $status = 0 \
  && test ! -s err
result $? "the sums, sorted, and nothing else" diff

"$import" <in >out.stdin && cmp -s out out.stdin \
  && "$import" - <in >out.stdin && cmp -s out out.stdin
result $? "standard input, named or not"

"$import" -o out.o in >stdout && cmp -s out out.o && test ! -s stdout \
  && "$import" -oout.o2 -- in && cmp -s out out.o2
result $? "-o writes the same to a file"

"$import" --event Cycles in | grep -q '^events: Cycles$' \
  && "$import" --event='Time_(10ns)' in | grep -q '^events: Time_(10ns)$'
result $? "--event names the event"

# Odd frames: blanks inside names, annotations, nothing at all; CRLF, a last
# line without its end, tabs, blank lines.
printf 'a b;c  d_[k];;e 5\n\n  \n;x_[j]; 6\r\n a ; x\t7 \t\n \t \n+ [+] 1' >odd
"$import" odd >odd.out && dump odd.out >odd.dump
status=$?
for name in '(root)' 'a b' 'c  d_[k]' e '???' 'x_[j]' a x '+ [+]'; do
  sed -n 's/^fn=([0-9]*) //p; s/^cfn=([0-9]*) //p' odd.out | sort -u \
    | grep -qxF "$name" || { echo "no $name" >>odd.dump; status=1; }
done
test "$(sed -n 's/^c*fn=([0-9]*) //p' odd.out | sort -u | wc -l)" = 9 \
  && grep -q '^totals: 19$' odd.out && test $status = 0
result $? "blanks, annotations and empty frames" odd.dump

# Recursion: an edge is counted once in a stack; a call back into a function
# adds no cost, so that each function's inclusive cost, the sum of its callers,
# is that of the stacks that it is in.

# Pseudo-random stacks under one root, deep, of few functions.
awk 'BEGIN {
  seed = 42
  for (i = 0; i < 3000; i++) {
    line = "main"
    depth = 1 + next_number() % 12
    for (j = 0; j < depth; j++)
      line = line ";f" next_number() % (i % 2 ? 4 : 30)
    print line, next_number() % 100
  }
}
function next_number() {
  seed = (seed * 1103515245 + 12345) % 2147483648
  return int (seed / 65536)
}' >random
"$import" random >random.out
result $? "3000 stacks"

dump random.out >random.dump
total=$(awk '{ n += $2 } END { print n }' random)
grep -q "^summary: $total\$" random.out && grep -q "^totals: $total\$" random.out
result $? "the total is the sum of the counts"

# Self costs and edges by plain addition.
awk '{
  n = split ("(root);" $1, f, ";")
  self[f[n]] += $2
  split ("", edges); split ("", called)
  for (i = 1; i < n; i++) {
    e = f[i] " " f[i + 1]
    if (e in edges) continue
    edges[e]; calls[e] += $2 > 0 ? $2 : 1
    if (!(f[i + 1] in called)) cost[e] += $2
    called[f[i + 1]]
  }
}
END {
  for (x in self) print "self", x, self[x]
  for (x in calls) print "edge", x, calls[x], cost[x] + 0
}' random | sort >random.expected
# The same from the plain text of the file: there is one file and no object.
awk '
/^fn=/ { fn = name($0) }
/^cfn=/ { callee = name($0) }
/^calls=/ { sub (/calls=/, ""); calls = $1; next }
/^[0-9*+-]/ && calls { print "edge", fn, callee, calls, $2; calls = 0; next }
/^[0-9*+-]/ { print "self", fn, $2 }
function name(text, id) {
  id = text; sub (/^[^(]*/, "", id); sub (/\).*/, ")", id)
  if (text ~ /\) /) { sub (/^.*\) /, "", text); names[id] = text }
  return names[id]
}' random.out | sort >random.got
diff random.expected random.got >diff && test "$(wc -l <random.got)" -gt 400
result $? "each self cost and each edge" diff

if command -v callgrind_annotate >/dev/null; then
  awk '{
    n = split ("(root);" $1, f, ";"); split ("", seen)
    for (i = 1; i <= n; i++)
      if (!(f[i] in seen)) { seen[f[i]]; cost[f[i]] += $2 }
  }
  END { for (x in cost) print cost[x], x }' random | sort >inclusive
  callgrind_annotate --inclusive=yes --threshold=100 --show-percs=no \
    --auto=no random.out >annotated 2>err
  sed -n 's/^ *\([0-9,]*\)  *???:\([a-z0-9()]*\).*/\1 \2/p' annotated \
    | tr -d , | sort >annotated.costs
  diff inclusive annotated.costs >diff && test ! -s err \
    && grep -qx "$total main" annotated.costs \
    && grep -qx "$total (root)" annotated.costs
  result $? "callgrind_annotate's inclusive costs, recursion and all" diff
else
  skip "callgrind_annotate" "it is not installed"
fi

# The same bytes in any order.
status=0
sort random >shuffled && "$import" shuffled | cmp - random.out || status=1
sort -r random >shuffled && "$import" shuffled | cmp - random.out || status=1
sort -t ' ' -k 2n random >shuffled && "$import" shuffled | cmp - random.out \
  || status=1
result $status "the same bytes for lines in another order"

# Files and lines, as py-spy writes them; names with parentheses.
cat >places <<'END'
<module> (dir/a b.py:12);f (x.py:3);f (x.py:7) 5
<module> (dir/a b.py:12);main (js.js:8:40);get(Get.java:6) 2
f(int, long);(anonymous);g (a:b);g (:3);g (x:);h (y:4) z_[j] 1
END
"$import" places >places.out && dump places.out >places.dump
cut -f 1,3,4,7 places.dump | grep '^cost' >got
cut -f 1,9,10 places.dump | sed -n 's/^call/fn/p' | sort -u >>got
tr '\t' '|' <<'END' >expected
cost|???|h (y:4) z_[j]|0
cost|Get.java|get|6
cost|x.py|f|7
fn|???|(anonymous)
fn|???|f(int, long)
fn|???|g (:3)
fn|???|g (a:b)
fn|???|g (x:)
fn|???|h (y:4) z_[j]
fn|Get.java|get
fn|dir/a b.py|<module>
fn|js.js|main
fn|x.py|f
END
tr '\t' '|' <got | diff expected - >diff \
  && awk -F '\t' '$4 == "<module>" && $10 == "f" { line = $7 }
       END { exit line != 12 }' places.dump
result $? "files and lines" diff

# Two counts.
printf 'a;b 10 12\na;c 0 7\n\na 3 0\n' >two
"$import" two >two.out && grep -qx 'events: Before After' two.out \
  && grep -qx 'totals: 13 19' two.out \
  && ! grep -q 'b 10' two.out
result $? "two counts are two events" two.out
"$import" --event Old,New two >two.out && grep -qx 'events: Old New' two.out \
  && grep -qx 'totals: 13 19' two.out
result $? "--event names two events" two.out
"$import" --event Samples two >two.out && grep -qx 'totals: 19' two.out \
  && grep -q ' b 10$' two.out
result $? "--event with one name: one count, the other is part of the name" two.out

printf 'main;f 4096\nmain;f 4096\n' >bytes
"$import" --event Bytes bytes >out && grep -q '^calls=2 ' out
result $? "a cost of another event is no number of samples: a line is one" out

# Two functions that begin some stacks and are called in others.
printf 'a;b 3\nb;a 4\n' >roots
"$import" --root all roots >roots.out && awk '
  /^fn=.*all$/ { all = 1 }
  all && /^calls=/ { all = 2; next }
  all == 2 { sum += $2; all = 1 }
  /^fn=/ && !/all$/ { all = 0 }
  END { exit sum != 7 }' roots.out \
  && test "$(grep -c '^calls=[34] ' roots.out)" = 4
result $? "--root: its inclusive cost is the whole" roots.out

# A root that is there.
"$import" --root main in >rooted.out && "$import" in | grep -qF '(root)' \
  && test "$(grep -c '^calls=' rooted.out)" = 3 \
  && ! grep -qF '(root)' rooted.out && grep -q '^totals: 18$' rooted.out
result $? "--root: stacks that have it get no second one" rooted.out

"$import" in random >both.out \
  && grep -q "^totals: $((total + 18))\$" both.out
result $? "two files are added up"

# Long lines and many frames.
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "frame%d;", i % 1000
             print "leaf 9" }' >long
"$import" --from folded long >long.out && dump long.out >long.dump \
  && grep -q '^totals: 9$' long.out \
  && test "$(grep -c '^calls=' long.out)" = 1002
result $? "a stack of 200,001 frames in a line of 1.8 MB"

awk 'BEGIN { for (i = 0; i < 600000; i++) printf "frame%d;", i % 1000
             print "leaf 9" }' >long
"$import" --from folded -o too.long long 2>err
test $? = 1 && grep -q '^cgw-import: long:1: the line is too long$' err \
  && test ! -e too.long
result $? "a line of more than 4 MiB is refused" err

printf 'a;b 18446744073709551615\n' | "$import" \
  | grep -q '^totals: 18446744073709551615$'
result $? "the largest count"

mkdir gone
{
  tries=0
  until test -n "$(ls gone)" || test $tries = 600; do
    tries=$((tries + 1))
    sleep 0.1
  done
  rm -r gone
  cat in
} | "$import" -o gone/out 2>err
test $? = 1 && grep -q '^cgw-import: gone/out: ' err
result $? "an output whose directory is removed meanwhile" err
done_testing
