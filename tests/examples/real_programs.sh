#!/bin/sh
# real_programs.sh - cgw-sample on programs of others that run for long:
# that the function which perf finds hottest comes first, that the roots of all
# stacks have the cost of the whole, that readers open the profiles without a
# message, and what sampling costs the program.  For make stress, not for make
# check: it takes minutes.
#
# perf runs twice: on the program alone, and on the program under sample.  Two
# samplers of one run see the same, but for chance; two runs of a program
# differ by more than that, by what else the machine does.
#
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir; CGW_PROGRAMS, those to try; CGW_PAIRS, how often
# the program is run with and without sample.  In the build folder:
# examples/tools/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"
. "$srcdir/tests/support/kcachegrind.sh"
programs=${CGW_PROGRAMS-bzip2 xz zstd 7z perl python cc1 \
  ffmpeg openssl clang node go}
pairs=${CGW_PAIRS-11}
trap 'exit 1' HUP INT TERM

has () { command -v "$1" >/dev/null 2>&1; }

## The programs, and what they work on: some 12 s of processor time, 3000
## samples where the kernel takes 250 a second.

make_inputs ()
{
  perl -e 'srand 1;
    my @word = map { join "", map { chr 97 + rand 26 } 0 .. 2 + rand 8 }
                 1 .. 5000;
    for (1 .. 420000) {
      print join (" ", map { $word[5000 * rand () ** 3] } 1 .. 12), "\n" }' \
    >text
  perl -e 'for my $i (1 .. 2400) {
      my $j = $i - 1 || 1;
      print "static int f$i (int *a, int n) { int s = $i;
        for (int i = 0; i < n; i++) {
          if (a[i] % ($i + 3) == 0) s += a[i] * i;
          else s ^= a[i * 7 % n] << $i % 13;
          switch (s & 7) { case 0: a[i]++; break;
            case 1: s -= a[i] / $i; break; case 3: a[i] = s; } }
        return s; }
        int g$i (int *a, int n) {
          return f$i (a, n) + f$j (a + 1, n - 1); }\n" }' >input.c
  cat >script.pl <<'EOF'
my (%n, $x);
for my $i (1 .. $ARGV[0]) {
  my $k = int rand 50000;
  $n{"k$k"} += $i;
  $x .= "a" if $k =~ /7+$/;
}
EOF
  cat >script.py <<'EOF'
import json, random
def fib (n): return n if n < 2 else fib (n - 1) + fib (n - 2)
for i in range (45):
    fib (27)
    d = {str (i): [random.random (), str (i * i)] for i in range (60000)}
    e = json.loads (json.dumps (d, indent=1))
    l = sorted (e.items (), key=lambda p: p[1][0])
    '-'.join (k for k, v in l).split ('-')
EOF
  cat >script.js <<'EOF'
const zlib = require ('zlib'), fs = require ('fs');
const text = fs.readFileSync ('text');
for (let i = 0; i < 3; i++) zlib.brotliCompressSync (text,
  { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 6 } });
EOF
}

# The program itself: that a wrapper finds which some install under its name.
python_path ()
{
  python3 -c 'import sys; print (sys.executable)' 2>/dev/null
}

cc1_path () { gcc -print-prog-name=cc1 2>/dev/null | grep /; }

# With cgo, or the agent is not in it.
make_go_program ()
{
  test -x go-program && return
  cat >program.go <<'EOF'
package main

import "C"
import ("bytes"; "compress/gzip"; "io"; "os"; "sort"; "strings"; "sync")

func main () {
	text, _ := os.ReadFile ("text")
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add (1)
		go func () {
			defer all.Done ()
			w, _ := gzip.NewWriterLevel (io.Discard, 6)
			w.Write (text)
			w.Close ()
			words := strings.Fields (string (bytes.ToUpper (text[:4000000])))
			sort.Strings (words)
		}()
	}
	all.Wait ()
}
EOF
  GOCACHE=$dir/cache GO111MODULE=off CGO_ENABLED=1 \
    go build -o go-program program.go >go.log 2>&1
}

# Why a program is not there.
missing () # NAME
{
  case $1 in
    python) test -x "$(python_path)" || echo "python3 is not installed" ;;
    cc1) test -x "$(cc1_path)" || echo "gcc is not installed" ;;
    go)
      has go || echo "go is not installed"
      ! has go || make_go_program || echo "go builds no program with C" ;;
    *) has "$1" || echo "$1 is not installed" ;;
  esac
}

# Runs a program; the words behind its name come before it.
program () # NAME WORD...
{
  name=$1
  shift
  # The repeated words are to be words.
  # shellcheck disable=SC2046
  case $name in
    bzip2) "$@" bzip2 -c $(repeat 11 text) ;;
    xz) "$@" xz -T2 -4 --block-size=5MiB -c text ;;
    zstd) "$@" zstd -q -T2 -12 -c $(repeat 6 text) ;;
    7z) "$@" 7z a -txz -mx7 -mmt2 -so archive.xz text ;;
    perl) "$@" perl script.pl 80000000 ;;
    python) "$@" "$(python_path)" script.py ;;
    cc1) "$@" "$(cc1_path)" -quiet -O2 input.c -o /dev/null ;;
    ffmpeg) "$@" ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=30 \
      -t 300 -c:v mpeg4 -threads 2 -f null - ;;
    openssl) "$@" openssl speed -seconds 2 sha256 aes-128-cbc ;;
    clang) "$@" clang -O2 -c input.c -o /dev/null ;;
    node) "$@" node --jitless script.js ;;
    go) "$@" ./go-program ;;
    short-bzip2) "$@" bzip2 -c $(repeat 5 text) ;;
    short-perl) "$@" perl script.pl 30000000 ;;
    short-7z) "$@" 7z a -txz -mx3 -mmt2 -so archive.xz text ;;
  esac
}

repeat () # N WORD
{
  for i in $(seq "$1"); do echo "$2"; done
}

## What perf sees.

why_no_perf ()
{
  if ! has perf; then
    echo "perf is not installed"
  elif ! perf record -q -e cpu-clock -o perf.try true >perf.log 2>&1; then
    echo "perf cannot record: $(head -n 1 perf.log)"
  elif ! has readelf; then
    echo "readelf is not installed"
  fi
}

record () { perf record -q -e cpu-clock -F 999 -g -o "$@"; }

# hottest RUN NAME OPTION...: the options lead perf to the program's samples.
hottest ()
{
  run=$1
  name=$2
  shift 2
  perf script "$@" -F ip,sym,symoff,dso 2>perf.log \
    | perl "$srcdir/tests/examples/perf_agrees.pl" "$run" "$name" dump
}

# figure_samples NAME: how many there were.
figure_samples ()
{
  sed -n "s/^cgw-sample: \([0-9]*\) samples taken in \([0-9.]*\) s .* \([0-9]*\) lost\$/\
# figure real_samples_$1 \1\\
# figure real_seconds_$1 \2\\
# figure real_lost_$1 \3/p" log
}

## What readers see.

# The roots, the functions that nobody calls, as callgrind_annotate names them.
roots ()
{
  awk -F '\t' '
    { seen[$3 ":" $4 " [" $2 "]"] = 1 }
    $1 == "call" {
      for (i = 5; $i !~ /^->/; i++) ;
      object = substr ($i, 4)
      name = $(i + 1) ":" $(i + 2) " [" object "]"
      if (name != $3 ":" $4 " [" $2 "]") called[name] = 1
    }
    END { for (name in seen) if (!(name in called)) print name }' dump
}

# A stack begins where the program, the dynamic linker or, in libc, a thread
# does.
only_known_roots () # ROOTS
{
  while read -r root; do
    object=${root##*\[}
    object=${object%\]}
    name=${root% \[*}
    name=${name##*:}
    case $object in
      */libc.so* | */ld-linux*) echo "$object" ;;
      *)
        entry=$(readelf -h "$object" | sed -n 's/.*Entry point.* 0x/0x/p')
        case $name in
          _start | "$entry") echo "$object" ;;
          *) echo "a stack begins in $root" >&2; return 1 ;;
        esac ;;
    esac
  done <"$1" >objects
  # One in each object.
  sort objects | uniq -d >&2
  test -z "$(sort objects | uniq -d)"
}

# Their inclusive costs add up to the total, as callgrind_annotate sees it.
roots_cost_the_whole () # NAME
{
  roots | sort >roots
  only_known_roots roots 2>complaints || return 1
  callgrind_annotate --inclusive=yes --threshold=100 --show-percs=no \
    --auto=no profile 2>>complaints >inclusive || return 1
  awk -v program="$1" '
    NR == FNR { root[$0] = 1; next }
    /^ *[0-9]/ {
      cost = $1
      gsub (/,/, "", cost)
      if (/PROGRAM TOTALS/) { total = cost; next }
      name = $0
      sub (/^ *[0-9,]+ +[0-9,.]+ +/, "", name)
      sub (/ +$/, "", name)
      if (name in root) sum += cost
    }
    END {
      printf "# figure real_roots_%s %.3f\n", program, 100 * sum / total
      exit !(total > 0 && sum == total)
    }' roots inclusive
}

opens_in_annotate ()
{
  callgrind_annotate --inclusive=yes --tree=both --auto=no profile \
    2>complaints >annotated && test -s annotated && ! test -s complaints
}

# It says "raise()" when it shows its window, which is when it has loaded the
# file.  What is left out is about its window, not about the file.
opens_in_kcachegrind ()
{
  kcachegrind_says 'raise()' profile kcachegrind
  status=$?
  grep -v '^dbus-daemon\|^This plugin does not support\|^Selected ' \
    kcachegrind >complaints
  test $status = 0 && ! test -s complaints
}

## One program.

check_program () # NAME
{
  if test -z "$no_perf"; then
    program "$1" record perf.alone -- >/dev/null 2>log
    program "$1" record perf.same -- "$sample" -F 1000 -o profile -- \
      >/dev/null 2>log
  else
    program "$1" "$sample" -F 1000 -o profile -- >/dev/null 2>log
  fi
  result $? "$1 runs" log
  figure_samples "$1"
  "$cgread" --no-pad profile >counts 2>&1 && "$cgread" --no-pad --dump profile >dump
  result $? "$1: the strict reader takes the profile" counts
  if test -z "$no_perf"; then
    pid=$(sed -n 's/^pid: //p' profile)
    hottest same "$1" -i perf.same --pid "$pid"
    result $? "$1: the hottest function is that which perf saw in this run"
    hottest alone "$1" -i perf.alone
    result $? "$1: the hottest function is that which perf saw without sample"
  else
    skip "$1: the hottest function" "$no_perf"
  fi
  if has callgrind_annotate; then
    if test "$1" = go; then
      skip "$1: the cost of the roots" "goroutines begin in several functions"
    else
      roots_cost_the_whole "$1"
      status=$?
      cat roots >>complaints
      result $status "$1: the inclusive cost of the roots is the whole" \
        complaints
    fi
    opens_in_annotate
    result $? "$1: callgrind_annotate opens the profile" complaints
  else
    skip "$1: callgrind_annotate" "callgrind_annotate is not installed"
  fi
  if has_kcachegrind; then
    opens_in_kcachegrind
    result $? "$1: kcachegrind opens the profile" complaints
  else
    skip "$1: kcachegrind" "kcachegrind is not installed"
  fi
  rm -f perf.alone perf.same profile*
}

## What sampling costs.

# The processor time of a program in seconds, that of sample aside.
seconds () # NAME WORD...
{
  program "$@" bash -c 'TIMEFORMAT="%U %S"
    { time "$@" >/dev/null 2>&1; } 2>time' - >/dev/null 2>&1
  awk '{ print $1 + $2 }' time
}

check_slowdown () # NAME
{
  : >ratios
  for i in $(seq "$pairs"); do
    # Each comes first in turn: machines get warm.
    if test $((i % 2)) -eq 0; then
      plain=$(seconds "short-$1")
      sampled=$(seconds "short-$1" "$sample" -F 1000 -o profile --)
    else
      sampled=$(seconds "short-$1" "$sample" -F 1000 -o profile --)
      plain=$(seconds "short-$1")
    fi
    echo "$sampled $plain" | awk '{ print $1 / $2, $1, $2 }' >>ratios
  done
  rm -f profile*
  # More than 5 % in three runs of four is no chance.
  sort -n ratios | awk -v program="$1" '
    { ratio[NR] = $1; plain[NR] = $3 }
    END {
      quartile = ratio[int ((NR + 3) / 4)]
      printf "# figure real_slowdown_%s %.4f\n", program,
        ratio[int ((NR + 1) / 2)]
      printf "# figure real_slowdown_quartiles_%s %.4f-%.4f\n", program,
        quartile, ratio[NR + 1 - int ((NR + 3) / 4)]
      printf "# figure real_slowdown_pairs_%s %d\n", program, NR
      printf "# figure real_slowdown_seconds_%s %.1f\n", program, plain[1]
      exit !(quartile < 1.05)
    }'
  result $? "$1: -F 1000 costs less than 5 %" ratios
}

make_inputs || exit 1
no_perf=$(why_no_perf)
for name in $programs; do
  reason=$(missing "$name")
  if test -n "$reason"; then
    skip "$name" "$reason"
  else
    check_program "$name"
  fi
done
for name in bzip2 perl 7z; do
  reason=$(missing "$name")
  has bash || reason="bash is not installed"
  case " $programs " in *" $name "*) ;; *) continue ;; esac
  test "$pairs" -gt 0 || continue
  if test -n "$reason"; then
    skip "$name: what sampling costs" "$reason"
  else
    check_slowdown "$name"
  fi
done
done_testing
