#!/bin/sh
# export_peers.sh - what cgw-export and cgw-sample --to write, in the viewers: all
# rows of "go tool pprof", the samples as Go decodes them, the page of speedscope
# in headless Chromium, and flamegraph.pl.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC; NODE_PATH, where playwright-core and speedscope
# are.  In the build folder: examples/tools/export/cgw-export,
# examples/tools/sample/cgw-sample.

. "${srcdir-.}/tests/support/tap.sh"
export=$(pwd)/examples/tools/export/cgw-export
sample=$(pwd)/examples/tools/sample/cgw-sample
programs=$srcdir/tests/programs
ulimit -S -v unlimited # Go and Chromium need more.
cd "$dir" || exit 1
HOME=$dir
TMPDIR=$dir
GOFLAGS=-mod=mod GO111MODULE=off
export HOME TMPDIR GOFLAGS GO111MODULE

# sums_of FOLDED: "SELF INCLUSIVE NAME" of each function.
sums_of ()
{
  awk '{
    count = $NF
    sub(/ [0-9]+$/, "")
    n = split($0, f, ";")
    split("", seen)
    self[f[n]] += count
    for (i = 1; i <= n; i++)
      if (!(f[i] in seen)) {
        seen[f[i]]
        all[f[i]] += count
      }
  }
  END { for (x in all) printf "%d %d %s\n", self[x], all[x], x }' "$1" | sort
}

# stacks_of FOLDED: "COUNT STACK" of each.
stacks_of ()
{
  awk '{
    count = $NF
    sub(/ [0-9]+$/, "")
    sums[$0] += count
  }
  END { for (x in sums) printf "%d %s\n", sums[x], x }' "$1" | sort
}

# go_top FILE EVENT UNIT: as sums_of.
go_top ()
{
  go tool pprof -top -cum -nodecount=1000000 -nodefraction=0 -edgefraction=0 \
    -sample_index="$2" -unit="$3" "$1" 2>go.err | awk '
    rows {
      name = $6
      for (i = 7; i <= NF; i++)
        if ($i != "(inline)" && $i != "(partial-inline)") name = name " " $i
      printf "%d %d %s\n", $1, $4, name
    }
    /flat%/ { rows = 1 }' | sort
}

# go_traces FILE EVENT UNIT: as stacks_of, those of cost 0 left out.
go_traces ()
{
  go tool pprof -traces -sample_index="$2" -unit="$3" "$1" 2>go.err | awk '
    function end() {
      if (stack != "") sums[stack] += count
      stack = ""
    }
    /^-+\+-+$/ { rows = 1; end(); next }
    !rows || /^ *[^ ]+:  / { next }
    {
      sub(/ \((partial-)?inline\)$/, "")
      if (stack == "") {
        count = $1
        stack = $0
        sub(/^ *[^ ]+ +/, "", stack)
      } else {
        sub(/^ +/, "")
        stack = $0 ";" stack
      }
    }
    END {
      end()
      for (x in sums) if (sums[x] != 0) printf "%d %s\n", sums[x], x
    }' | sort
}

# go_samples FILE: for each type of value its sums and stacks, with lines and
# addresses.
go_samples ()
{
  go tool pprof -raw "$1" 2>go.err | awk '
    /^Samples:/ {
      part = "samples"
      getline
      gsub(/\[dflt\]/, "")
      types = split($0, type, " ")
      next
    }
    /^Locations/ { part = "locations"; next }
    /^Mappings/ { part = "" }
    part == "samples" && /^ *-?[0-9]+( +-?[0-9]+)*:/ {
      n++
      values[n] = ids[n] = $0
      sub(/:.*/, "", values[n])
      sub(/[^:]*: */, "", ids[n])
    }
    part == "locations" && /^ +[0-9]+: 0x/ {
      id = $1 + 0
      at = $2
      sub(/^ +[0-9]+: 0x[0-9a-f]+( M=[0-9]+)?/, "")
    }
    part == "locations" { sub(/^ +/, ""); text[id] = text[id] "|" $0 " " at }
    END {
      for (i = 1; i <= n; i++) {
        stack = ""
        m = split(ids[i], id_of, " ")
        for (k = 1; k <= m; k++) stack = stack ";" text[id_of[k]]
        split(values[i], value, " ")
        for (k = 1; k <= types; k++) sums[type[k] " " stack] += value[k]
      }
      for (s in sums) if (sums[s] != 0) printf "%d %s\n", sums[s], s
    }' | sort
}

# agree NAME EXPECTED GOT
agree ()
{
  diff "$2" "$3" >differ && test -s "$3"
  result $? "$1: $(wc -l <"$3") rows" differ
}

# shown_by_go NAME FOLDED PPROF EVENT UNIT
shown_by_go ()
{
  sums_of "$2" >expected
  go_top "$3" "$4" "$5" | grep -v '^0 0 ' >got
  agree "$1: go tool pprof -top" expected got
  stacks_of "$2" >expected
  go_traces "$3" "$4" "$5" >got
  agree "$1: go tool pprof -traces" expected got
}

# Pseudo-random stacks, with recursion.
awk 'BEGIN {
  seed = 42
  for (i = 0; i < 2000; i++) {
    line = "main"
    depth = 1 + next_number() % 12
    for (j = 0; j < depth; j++)
      line = line ";f" next_number() % (i % 2 ? 4 : 30)
    print line, 1 + next_number() % 100
  }
}
function next_number() {
  seed = (seed * 1103515245 + 12345) % 2147483648
  return int (seed / 65536)
}' >random
"$export" --to folded -o random.folded random \
  && "$export" --to pprof -o random.pb.gz random \
  && "$export" --to speedscope -o random.json random
result $? "three formats"
stacks_of random >expected
stacks_of random.folded >got
agree "folded stacks" expected got

# Of a callgrind profile, costs of functions are exact.
cat >edges <<'END'
events: Ir Dr
fn=main
1 10 1
cfn=f
calls=2 5
2 30 4
cfn=g
calls=1 9
3 60 5
fn=f
5 20 2
cfn=h
calls=2 1
6 10 2
fn=g
9 40 4
cfn=h
calls=4 1
10 20 1
fn=h
1 30 3
END
for format in folded pprof speedscope; do
  "$export" --to $format --estimate --event Ir -o edges.$format edges
done

if command -v go >/dev/null; then
  shown_by_go "random" random random.pb.gz Samples count
  shown_by_go "estimated" edges.folded edges.pprof Ir count

  # pprof in, pprof out.
  if go build -o prog "$programs/profiled.go" >go.log 2>&1 && ./prog; then
    for file in cpu heap; do
      "$export" --to pprof -o $file.out $file.pb.gz
      go_samples $file.pb.gz >expected
      go_samples $file.out >got
      agree "samples of a Go program, $file" expected got
    done
    for event in cpu samples inuse_space alloc_objects; do
      case $event in
        cpu) file=cpu unit=nanoseconds ;;
        samples) file=cpu unit=count ;;
        *_space) file=heap unit=bytes ;;
        *) file=heap unit=count ;;
      esac
      go_top $file.pb.gz $event $unit >expected
      go_top $file.out $event $unit >got
      agree "$event: -top of input and output" expected got
      "$export" --to folded --event $event -o out.folded $file.pb.gz
      shown_by_go "$event" out.folded $file.out $event $unit
    done
  else
    skip "samples of a Go program" "go builds no program"
  fi

  # perf.data, and what cgw-sample writes.  The program ends with status 7.
  ${CC:-cc} -O1 -g -w -D_GNU_SOURCE -o sampled "$programs/sampled.c" -ldl \
    -lpthread
  if command -v perf >/dev/null; then
    perf record -q -g -e cpu-clock -o perf.data ./sampled loop >perf.log 2>&1
  fi
  if test -s perf.data; then
    # Without what perf itself may have run before the program.
    "$export" --to pprof --comm sampled -o perf.pb.gz perf.data 2>perf.log
    "$export" --to folded --comm sampled -o out.folded perf.data 2>perf.log
    shown_by_go "perf.data" out.folded perf.pb.gz cpu-clock nanoseconds
  else
    skip "perf.data" "perf is missing, or may not record"
  fi
  if test -x "$sample"; then
    "$sample" -q --to pprof -o sample.pb.gz ./sampled loop 2>sample.log
    "$export" --to folded -o out.folded sample.pb.gz
    shown_by_go "cgw-sample" out.folded sample.pb.gz CPU microseconds
  else
    skip "cgw-sample" "it was not built"
  fi
else
  skip "go tool pprof" "go is not installed"
fi

# speedscope.

for name in chromium chromium-browser google-chrome; do
  CHROMIUM=$(command -v $name) && break
done
export CHROMIUM
if test -z "$CHROMIUM"; then
  skip "speedscope's page" "there is no Chromium"
elif ! node -e 'require.resolve ("playwright-core")
                require.resolve ("speedscope/package.json")' 2>/dev/null; then
  skip "speedscope's page" "node has no playwright-core, or no speedscope"
else
  sums_of random.folded | awk '{ print $2, $1, $3 }' | sort >expected
  node "$srcdir/tests/examples/export_speedscope.mjs" random.json 2>node.err \
    | sort >got
  agree "speedscope: total and self" expected got
  "$export" --to speedscope --estimate -o edges.json edges
  cat >expected <<'END'
profile 100 profile: Ir
profile 10 profile: Dr
60 40 g
30 30 h
30 20 f
100 10 main
100 0 (estimated)
5 4 g
3 3 h
4 2 f
10 1 main
10 0 (estimated)
END
  sort -o expected expected
  node "$srcdir/tests/examples/export_speedscope.mjs" edges.json 2>node.err \
    | sort >got
  agree "speedscope: two events" expected got
fi

# flamegraph.pl: "NAME (COUNT samples, ...".

if command -v flamegraph.pl >/dev/null; then
  flamegraph.pl --minwidth 0 random.folded >out.svg 2>svg.err
  sed -n 's/.*<title>\(.*\) (\([0-9,]*\) samples.*/\2 \1/p' out.svg | tr -d , \
    | awk '{ sums[$2] += $1 } END { for (x in sums) print sums[x], x }' \
    | sort >got
  awk '{
    n = split($1, f, ";")
    all += $2
    for (i = 1; i <= n; i++) sums[f[i]] += $2
  }
  END {
    print all, "all"
    for (x in sums) print sums[x], x
  }' random | sort >expected
  agree "flamegraph.pl" expected got
else
  skip "flamegraph.pl" "it is not installed"
fi
done_testing
