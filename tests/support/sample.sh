# sample.sh - for shell tests of cgw-sample, after tap.sh: $sample, $cgread, and
# $programs, those to be sampled; or the test is skipped.  They run in $dir.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

sample=$(pwd)/examples/tools/sample/cgw-sample
programs=$srcdir/tests/programs
test -x "$sample" || skip_all "cgw-sample is not built (configure says why)"
cd "$dir" || exit 1
log=err

compile () { ${CC:-cc} -O1 -g -w -D_GNU_SOURCE "$@" -lpthread; }

# Of programs that send themselves ticks: see programs/tick.h.  What is inlined
# is in no profile.  A function that is bound when it is first called needs more
# of a small stack, and has more instructions.
ticking () { compile -DTICKS -fno-inline -Wl,-z,now "$@"; }

needs_ticks ()
{
  compile -fsyntax-only -include "$programs/tick.h" -x c /dev/null 2>/dev/null \
    || skip_all "programs cannot send themselves ticks on this processor"
}

# What ticks_of prints of "sampled loop".
loop_ticks='540 0 540 hot
60 0 60 cold
0 600 600 work
0 600 600 main'

# ends STATUS TEXT COMMAND...: it ends so; its outputs are in out and err.
ends ()
{
  ends_status=$1
  ends_text=$2
  shift 2
  "$@" >out 2>err
  status=$?
  test $status -eq "$ends_status"
  result $? "$ends_text: status $status"
}

# readable FILE TEXT: the strict reader takes it, callgrind_annotate opens it
# without a message.
readable ()
{
  : >complaints
  "$cgread" --no-pad "$1" >counts 2>&1 \
    && { ! command -v callgrind_annotate >/dev/null \
           || callgrind_annotate --auto=no --tree=both "$1" 2>complaints \
             >annotated; } && test ! -s complaints
  status=$?
  cat complaints >>counts
  result $status "$2: the reader and callgrind_annotate take it" counts
}

# ticks_of FILE: the functions of a profile in lines "SELF CALLEES CALLED NAME":
# ticks in themselves, in calls of others, and in the calls of them.  Calls of
# itself, functions of the C library and what calls main are left out.
ticks_of ()
{
  "$cgread" --no-pad --dump "$1" >dump 2>&1 || sed 's/^/reader: /' dump
  awk -F '\t' '
    function is_ours(object, f)
    {
      if (object ~ /\/(lib(c|dl|pthread)|ld-linux)[^\/]*$/ || f == "_start")
        return 0
      return names[f] = 1
    }
    { split($NF, cost, " ") }
    $1 == "cost" && is_ours($2, $4) { self[$4] += cost[1] }
    $1 == "call" {
      for (i = 5; $i !~ /^->/; i++) ;
      if ($4 == $(i + 2)) next
      if (is_ours($2, $4)) callees[$4] += cost[2]
      if (is_ours(substr($i, 4), $(i + 2))) called[$(i + 2)] += cost[2]
    }
    END { for (f in names) print self[f] / 1e6, callees[f] / 1e6,
                                 called[f] / 1e6, f }' dump | sort -rn
}

# has_ticks FILE TEXT: the standard input is what ticks_of prints.
has_ticks ()
{
  sort -rn >expected
  ticks_of "$1" | diff expected - >differences
  result $? "$2: its functions" differences
}

# sampled NAME STATUS COMMAND...: samples a program that sends itself ticks,
# with $options, and writes the profile NAME.  The standard input is how many
# samples and ticks all processes have, none of which is lost, how many clocks
# were started, and what ticks_of prints.
sampled ()
{
  name=$1
  expected_status=$2
  shift 2
  sort -rn >expected
  # No option is no word.
  # shellcheck disable=SC2086
  "$sample" -F 1 ${options-} -o "$name" "$@" >out 2>err
  status=$?
  {
    awk '$3 == "samples" && $2 == $11 && $13 == 0 { n = $2; ticks = $6 + 0 }
         $2 == "threads" {
           print n " samples, " ticks " ticks, clocks: " $7 + $10 }' err
    ticks_of "$name"
  } | sort -rn | diff expected - >differences \
    && test $status -eq "$expected_status"
  status=$?
  cat err >>differences
  result $status "$name: its status, its samples and their functions" \
    differences
}
