# trace.sh - for shell tests of cgw-trace, after tap.sh: runs programs, and says
# what calls their profiles have.  The test goes on in $dir, with traced.c and
# traced.cc.
#
# From the environment: srcdir.  In the build folder: the tools,
# tests/support/cgread.
# SPDX-License-Identifier: MIT

trace=$build/examples/tools/trace/cgw-trace
lint=$build/examples/tools/lint/cgw-lint
programs=$srcdir/tests/programs

test -x "$trace" || skip_all "cgw-trace was not built: there is no libdw"

cd "$dir" || exit 1
# A path that is relative has another form in the debug information.
cp "$programs/traced.c" "$programs/traced.cc" . || exit 1
source=$(pwd -P)/traced

# Lines "caller callee calls calls-in-all" of a profile, to the standard
# output; it fails when the reader refuses the profile, or when the self times
# do not add up, to the unit, to what the functions that nobody calls, ROOTS of
# them, have in all, and likewise the calls.
edges () # FILE ROOTS
{
  "$cgread" --dump "$1" >dump || { cat dump; return 1; }
  awk -F '\t' -v roots="$2" '
    $1 == "cost" {
      split ($8, cost, " ")
      self_time += cost[1]; self_calls += cost[2]
      time[$4] += cost[1]; calls[$4] += cost[2]
    }
    $1 == "call" {
      split ($13, cost, " ")
      called[$10] = 1
      time[$4] += cost[2]; calls[$4] += cost[3]
      count[$4 "\t" $10] += cost[1]; below[$4 "\t" $10] += cost[3]
    }
    END {
      for (f in time)
        if (!(f in called)) {
          n++; root_time += time[f]; root_calls += calls[f]
        }
      for (e in count)
        print e "\t" count[e] "\t" below[e]
      if (n != roots)
        print n, "roots"
      if (root_time != self_time || root_calls != self_calls || n != roots) {
        print "self", self_time, self_calls, "roots", root_time, root_calls
        exit 1
      }
    }' dump
}

# The edges must be those of the standard input, of one root, and the program
# must have ended as it should.
exactly () # NAME FILE
{
  tr -s ' ' '\t' | sort >expected
  edges "$2" 1 >unsorted
  status=$((ran | $?))
  sort unsorted >got
  diff expected got >diff || status=1
  cat log >>diff
  result $status "$1" diff
}

# run STATUS OPTION...: cgw-trace with these, which must end so.
run ()
{
  expected_status=$1
  shift
  rm -f out out[-.]*
  "$trace" -o out "$@" >printed 2>log
  code=$?
  test $code = "$expected_status"
  ran=$?
  test $ran = 0 || echo "the program ended with $code" >>log
  return $ran
}

# traces NAME STATUS FILE OPTION...: run, and what it must find.
traces ()
{
  name=$1 status=$2 profile=$3
  shift 3
  run "$status" "$@"
  # The file may be a pattern.
  # shellcheck disable=SC2086
  exactly "$name" $profile
}
