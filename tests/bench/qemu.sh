#!/bin/sh
# qemu.sh - make bench-qemu: compares cgw-qemu with callgrind, and with QEMU
# alone: the instructions that both count, and processor time.
# SPDX-License-Identifier: MIT
#
# From the environment: ROUNDS (default: 3).  In the build folder: cgw-qemu.
# Needs python3, valgrind, QEMU, and an idle machine for three minutes.
#
# The programs are those of the system that are here; their inputs are made
# below, the same each time.  In a round, each program runs in each of the four
# ways, so that what else the machine does hits all alike.  Times are user and
# system time in seconds, with that of child processes: the means of all rounds.

cgw_qemu=$PWD/examples/tools/qemu/cgw-qemu
qemu=qemu-$(uname -m)
rounds=${ROUNDS:-3}
for tool in python3 valgrind "$qemu"; do
  command -v "$tool" >/dev/null || { echo "bench: no $tool" >&2; exit 1; }
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
PERL_HASH_SEED=0 LC_ALL=C
export PERL_HASH_SEED LC_ALL

cat >perl.in <<'END'
my ($seed, %count) = 1;
for (1 .. 30000) {
  $seed = ($seed * 1103515245 + 12345) % 2147483648;
  $count{join '', map { chr (97 + ($seed >> $_) % 26) } 3, 7, 11, 15}++;
}
my $n = grep { /^[a-m]+$/ || /(.).*\1/ } sort keys %count;
print "$n\n";
END
cat >lua5.4.in <<'END'
local function fibonacci (n)
  return n < 2 and n or fibonacci (n - 1) + fibonacci (n - 2)
end
local seed, all = 1, {}
for i = 1, 40000 do
  seed = (seed * 1103515245 + 12345) % 2147483648
  all[i] = string.format ("%08x", seed)
end
table.sort (all)
print (fibonacci (24), #table.concat (all):gsub ("[a-f]+", "."))
END
cat >sqlite3.in <<'END'
CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER, c TEXT);
WITH RECURSIVE n (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 30000)
  INSERT INTO t SELECT a, a * 7919 % 10007, 'row ' || a * 7919 % 997 FROM n;
CREATE INDEX i ON t (b);
SELECT count (*), sum (x.a) FROM t x JOIN t y ON x.b = y.a WHERE x.c LIKE '%7%';
SELECT c, count (*) FROM t GROUP BY c ORDER BY 2 DESC, 1 LIMIT 3;
END
awk 'BEGIN { for (seed = 1; n < 60000; n++)
               { seed = (seed * 16807) % 2147483647; print seed % 5000 } }' \
  >xz.in

# Runs a command, and prints its processor time in seconds.
timed () # INPUT COMMAND...
{
  python3 - "$@" <<'END'
import resource, subprocess, sys
with open (sys.argv[1]) as input:
    done = subprocess.run (sys.argv[2:], stdin=input,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
if done.returncode != 0:
    sys.stderr.write ("bench: " + " ".join (sys.argv[2:]) + ":\n"
                      + done.stderr.decode ())
    sys.exit (1)
used = resource.getrusage (resource.RUSAGE_CHILDREN)
print ("%.6f" % (used.ru_utime + used.ru_stime))
END
}

# value PROGRAM NAME COMMAND...: appends a line of values.
value ()
{
  name="$1 $2" input=$1.in
  shift 2
  seconds=$(timed "$input" "$@") || exit 1
  echo "$name $seconds" >>values
}

instructions () # PROFILE
{
  sed -n 's/^\(summary\|totals\): *//p' "$1" | tail -n 1
}

programs=
for program in perl xz lua5.4 sqlite3; do
  if command -v $program >/dev/null; then
    programs="$programs $program"
  else
    echo "bench: no $program" >&2
  fi
done
round=0
while test $((round += 1)) -le "$rounds"; do
  for program in $programs; do
    echo "bench: round $round, $program" >&2
    set -- "$(command -v $program)"
    case $program in
      xz) set -- "$@" -6 -T1 -c ;;
      lua5.4) set -- "$@" - ;;
    esac
    value $program native "$@"
    value $program QEMU "$qemu" "$@"
    value $program cgw-qemu "$cgw_qemu" -q -o out "$@"
    value $program callgrind valgrind -q --tool=callgrind \
      --callgrind-out-file=callgrind.out "$@"
    if test $round -eq 1; then
      echo "$program instructions $(instructions out)" \
        "$(instructions callgrind.out)" >>values
    fi
  done
done

awk '
function grouped (n, text)
{
  for (n = sprintf ("%d", n); length (n) > 3; n = substr (n, 1, length (n) - 3))
    text = "," substr (n, length (n) - 2) text
  return n text
}
$2 == "instructions" { names[++n] = $1; own[$1] = $3; other[$1] = $4; next }
{ sum[$1, $2] += $3; runs[$1, $2]++ }
function mean (program, way)
{
  return sum[program, way] / runs[program, way]
}
END {
  line = "%-7s %11s %11s %7s %6s %5s %8s %9s\n"
  printf "%20s %26s\n", "instructions:", "seconds:"
  printf line, "", "cgw-qemu", "callgrind", "differ", "native", "QEMU",
         "cgw-qemu", "callgrind"
  for (i = 1; i <= n; i++)
    {
      p = names[i]
      printf line, p, grouped (own[p]), grouped (other[p]),
             sprintf ("%+.2f %%", 100 * (own[p] / other[p] - 1)),
             sprintf ("%.2f", mean(p, "native")),
             sprintf ("%.2f", mean(p, "QEMU")),
             sprintf ("%.2f", mean(p, "cgw-qemu")),
             sprintf ("%.2f", mean(p, "callgrind"))
    }
  print "\ncgw-qemu takes this many times the processor time of"
  printf "%-8s %6s %9s\n", "", "QEMU", "callgrind"
  for (i = 1; i <= n; i++)
    {
      p = names[i]
      printf "%-8s %6.2f %9.2f\n", p, mean(p, "cgw-qemu") / mean(p, "QEMU"),
             mean(p, "cgw-qemu") / mean(p, "callgrind")
    }
}' values
