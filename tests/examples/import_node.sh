#!/bin/sh
# import_node.sh - cgw-import on a CPU profile that node writes: sums of
# functions as a plain program adds them up.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder:
# examples/import/cgw-import, tests/support/cgread.

import=$(pwd)/examples/import/cgw-import
cgread=$(pwd)/tests/support/cgread
. "${srcdir-.}/tests/support/tap.sh"
ulimit -S -v unlimited # Node.js needs more.
LC_ALL=C
export LC_ALL
command -v node >/dev/null || skip_all "node is not installed"
cd "$dir" || exit 1
"$import" --from cpuprofile /dev/null 2>&1 | grep -q 'without libjansson' \
  && skip_all "cgw-import has no libjansson"

cat >program.js <<'END'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function text(n) {
  let s = '';
  for (let i = 0; i < n; i++) s += JSON.stringify({ i, n });
  return s.length;
}
function odd(n) { return n == 0 ? text(40) : even(n - 1); }
function even(n) { return n == 0 ? text(30) : odd(n - 1); }
function work() { return fib(20) + text(5000) + even(20) + odd(30); }
for (const end = Date.now() + 400; Date.now() < end;) work();
END
node --cpu-prof --cpu-prof-name=program.cpuprofile program.js >node.log 2>&1 \
  && test -s program.cpuprofile || skip_all "node writes no CPU profile"

# Per function: microseconds and samples, of itself, and of all stacks that it
# is in, counted once.
cat >sums.js <<'END'
const p = JSON.parse(require('fs').readFileSync('program.cpuprofile'));
const by_id = new Map(p.nodes.map((n) => [n.id, n]));
const caller = new Map();
for (const n of p.nodes) for (const c of n.children || []) caller.set(c, n);
const places = new Map();
const key = (f) => f.functionName + '\t' + f.url;
const place = (f) => f.lineNumber + ':' + f.columnNumber;
for (const n of p.nodes) {
  const f = n.callFrame;
  if (!places.has(key(f))) places.set(key(f), new Set());
  places.get(key(f)).add(place(f));
}
function name(f) {
  const text = f.functionName || '(anonymous)';
  const is_one = f.functionName && places.get(key(f)).size == 1;
  return f.url.replace('file://', '') + ' '
    + (is_one || f.lineNumber < 0
       ? text : `${text}:${f.lineNumber + 1}:${f.columnNumber + 1}`);
}
let time = 0;
const samples = p.samples.map((id, i) => ({ id, time: time += p.timeDeltas[i] }));
samples.sort((a, b) => a.time - b.time);
const sums = new Map();
function add(kind, what, cost) {
  const k = kind + ' ' + what, s = sums.get(k) || [0, 0];
  sums.set(k, [s[0] + cost, s[1] + 1]);
}
samples.forEach((s, i) => {
  const next = i + 1 < samples.length ? samples[i + 1].time
                                      : p.endTime - p.startTime;
  const seen = new Set();
  add('self', name(by_id.get(s.id).callFrame), next - s.time);
  for (let n = by_id.get(s.id); n; n = caller.get(n.id))
    if (n.callFrame.functionName != '(root)') seen.add(name(n.callFrame));
  for (const f of seen) add('inclusive', f, next - s.time);
});
for (const [k, s] of sums) console.log(k + ' ' + s[0] + ' ' + s[1]);
END
node sums.js | sort >expected
"$import" -o out program.cpuprofile && "$cgread" --no-pad --dump out >dump
status=$?
awk -F '\t' '
  { n = split($NF, cost, " ") }
  $1 == "cost" { f = "self " $3 " " $4 }
  $1 == "call" { f = "inclusive " $9 " " $10 }
  { sub(/ \?\?\? /, "  ", f); time[f] += cost[n - 1]; samples[f] += cost[n] }
  END { for (f in time) printf "%s %d %d\n", f, time[f], samples[f] }' dump \
  | sort >got
diff expected got >diff && test $status = 0 && grep -q ' .*/program.js fib ' got
result $? "$(wc -l <expected) sums of functions" diff
done_testing
