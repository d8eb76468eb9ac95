#!/bin/sh
# trace_callgrind.sh - cgw-trace counts calls as valgrind's callgrind does,
# which simulates the processor and knows nothing of the hooks.  From each line
# of each function, each other one must be called equally often, recursion
# included, in programs with more calls than can be counted by hand; for others
# see trace.sh.
#
# At -O0, each function that is instrumented is one of machine code, which is
# all that callgrind sees.  Two differences are left:
# - A function that libc calls, such as what is passed to bsearch, is called by
#   bsearch for callgrind; for trace, which does not see that, by bsearch's
#   caller, in an unknown line.  So its calls are compared as a sum.
# - What is called while no traced function runs, as main is, has no caller
#   in trace.  These calls are in the total of all, which is compared as well.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
trace=$build/examples/tools/trace/cgw-trace

test -x "$trace" || skip_all "cgw-trace was not built: there is no libdw"
command -v valgrind >/dev/null || skip_all "valgrind is not installed"
case $CFLAGS in
  *-fsanitize*) skip_all "valgrind runs no program with a sanitizer in it" ;;
esac

cd "$dir" || exit 1

# Compares two dumps, callgrind's first: says how much it compared, and what
# differs.  Functions of one name are one: where a function's first line has the
# number of the last line of the one before, valgrind 3.19 takes it for one of
# that one's file.
cat >compare.awk <<'EOF'
BEGIN { FS = "\t" }
FNR == 1 { file++ }
{ caller = $4 }
$1 == "cost" && file == 2 {
  is_traced[caller] = 1
  split ($8, cost, " ")
  in_trace += cost[2]
}
$1 == "call" {
  callee = $10
  edge = caller SUBSEP $5 ":" $7 SUBSEP callee
  split ($13, cost, " ")
  if (file == 2) {
    is_traced[caller] = is_traced[callee] = 1
    traced[edge] += cost[1]; traced_calls[callee] += cost[1]
  } else if ($10 ~ /^__cyg_profile_func_/)
    is_instrumented[caller] = 1
  else {
    simulated[edge] += cost[1]; calls[callee] += cost[1]
    callers[edge] = caller; callees[edge] = callee
  }
}
function wrong (what, one, two) {
  gsub (SUBSEP, " ", what)
  print "callgrind " one + 0 ", trace " two + 0 ": " what
  bad = 1
}
END {
  for (f in is_instrumented) {
    functions++
    in_callgrind += calls[f]
    if (!(f in is_traced))
      wrong(f, 1, 0)
  }
  for (f in is_traced)
    if (!(f in is_instrumented))
      wrong(f, 0, 1)
  for (e in simulated)
    if (callees[e] in is_instrumented && !(callers[e] in is_instrumented))
      from_outside[callees[e]] = 1
  for (e in simulated) {
    f = callees[e]
    if (!(f in is_instrumented) || f in from_outside)
      continue
    edges++
    if (simulated[e] != traced[e])
      wrong(e, simulated[e], traced[e])
  }
  for (e in traced) {
    split (e, part, SUBSEP)
    if (!(e in simulated) && !(part[3] in from_outside))
      wrong(e, 0, traced[e])
  }
  for (f in from_outside) {
    outside++
    # main and the like: in the total.
    if (f in traced_calls && calls[f] != traced_calls[f])
      wrong(f, calls[f], traced_calls[f])
  }
  if (in_callgrind != in_trace)
    wrong("all calls", in_callgrind, in_trace)
  printf "%d edges, %d functions, %d of them called from outside, %d calls\n",
         edges, functions, outside, in_callgrind >"compared"
  exit bad || edges < least
}
EOF

compiled () # NAME COMMAND...
{
  name=$1
  shift
  # Lazy binding would make the dynamic linker the caller of a first call; of
  # clang's debug information valgrind 3.19 reads the older form only.
  # shellcheck disable=SC2046,SC2086 # flags are words
  "$@" $(echo "$CFLAGS" | sed 's/-W[^ ]*//g') $LDFLAGS -gdwarf-4 -O0 \
    -finstrument-functions -pthread -Wl,-z,now -o program >log 2>&1
  result $? "$name compiles" log
}

# The same for callgrind and trace, of at least so many edges.
agree () # NAME LEAST COMMAND...
{
  name=$1
  least=$2
  shift 2
  rm -f simulated out
  valgrind --tool=callgrind --separate-recs=1 \
    --callgrind-out-file=simulated "$@" >printed 2>log
  result $? "$name: runs in callgrind" log
  "$trace" --parts -o out "$@" >printed_too 2>log \
    && cmp printed printed_too >>log
  result $? "$name: runs in trace, and prints the same" log
  # As they would be if the tracer itself called functions that are traced.
  ! grep '^desc: Missing' out >log
  result $? "$name: no call is missing" log
  rm -f compared
  "$cgread" --lenient --dump simulated >one && "$cgread" --dump out >two \
    && awk -v least="$least" -f compare.awk one two >different
  status=$?
  cat different compared >log
  result $status "$name: the same calls" log
  sed "s/^/# $name: /" compared
}

# A program with the library in it: its copy stands before others of the same
# symbols, but the tracer must have one of its own, which is not traced.  What is
# inlined even at -O0, callgrind would not see.
# shellcheck disable=SC2046 # file names are words
compiled recode "${CC-cc}" -I"$srcdir/include" -Dalways_inline=unused \
  -rdynamic -D_GNU_SOURCE -DTOOLS_FOLDER='"/"' \
  "$srcdir"/examples/tools/recode/*.c "$srcdir"/examples/tools/base/*.c \
  "$srcdir"/examples/tools/format/*.c \
  $(find "$srcdir/lib" -name '*.c')
# A profile of the program itself is a large one.
valgrind --tool=callgrind --callgrind-out-file=input \
  ./program "$srcdir/tests/fuzz/seeds/profile/by-yappi" >recoded 2>log
result $? "recode runs in callgrind" log
agree recode 400 ./program input

# Where libstdc++ calls the destructor of a thread's state, which deletes by
# another of the same name, trace lacks the outer call.
compiled "C++" "${CXX-c++}" -DALONE "$srcdir/tests/programs/shapes.cc"
agree "C++" 300 ./program

done_testing
