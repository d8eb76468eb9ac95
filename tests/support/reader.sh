#!/bin/sh
# reader.sh - the strict reader and cgw-lint agree: of the two files of each
# case in lint.cases, the one with a mistake is refused, and the other is taken.
# What some reader only lacks (a limit) is taken, too.
#
# From the environment: srcdir.  In the build folder: cgw-lint,
# tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"

# Where it does not agree: whether each file is taken.  In strict files nothing
# is between the lines of a record, no blank ends a line, numbers are as short
# as they can be, ids are dense, and all names have them or none.  The last seven
# are of costs and names that do not fit, of which the reader knows nothing.
cat >"$dir/exceptions" <<'END'
blanks-only good:no bad:no
unknown-line good:no bad:no
key-without-one-blank good:no bad:no
hex-relative good:no bad:no
address-delta good:no bad:no
line-negative good:no bad:no
zeros-left-out good:yes bad:no
cfn-before-fn good:no bad:no
callee-without-fn good:no bad:yes
plain-paren good:no bad:no
event-known-formula good:yes bad:yes
summary-too-small good:yes bad:yes
object-named-late good:yes bad:yes
calls-without-inclusive good:yes bad:yes
formula-below-0 good:yes bad:yes
formula-below-0+inclusive good:yes bad:yes
formula-below-0+derived good:yes bad:yes
END

mkdir "$dir/cases" && cd "$dir/cases" && here=$(pwd -P) \
  && awk -v here="$here" -f "$srcdir/tests/examples/lint_cases.awk" \
    "$srcdir/tests/examples/lint.cases" >../cases.sh 2>../err && . ../cases.sh
result $? "the cases" "$dir/err"

# Strict files have a creator.  Those that begin with desc: are cachegrind's.
grep -L '^desc: x$' -- *.good | sed 's/\.good$//' >../names
sed -s -i '2{/^version: 1$/{N;/\ncreator:/!s/\n/\ncreator: x\n/}}' ./*
"$build/examples/tools/lint/cgw-lint" --rules \
  | awk -F '\t' '$3 == "limit" { print $1 }' >../limits

takes () # FILE: refused is status 1
{
  # They are words.
  # shellcheck disable=SC2086
  "$build/tests/support/cgread" --no-pad $options "$1" >>../said
  status=$?
  test $status -le 1 || echo "$1: status $status"
  return $status
}

# The good file says which options are for both.
while read -r name; do
  for options in --plain '' '--plain --keep-zeros' '--plain --allow-unfinished'
  do
    takes "$name.good" && good=yes && break
    good=no
  done
  test $good = yes || options=
  takes "$name.bad" && bad=yes || bad=no
  echo "$name good:$good bad:$bad"
done <../names >../found
awk 'FILENAME ~ /limits$/ { limit[$1]; next }
  FILENAME ~ /exceptions$/ { exception[$1] = $0; next }
  {
    rule = $1
    sub (/[+].*/, "", rule)
    print $1 in exception ? exception[$1] \
      : $1 " good:yes bad:" (rule in limit ? "yes" : "no")
  }' ../limits ../exceptions ../names | diff - ../found >../wrong \
  || { sed -n 's/^> \([^ ]*\) .*/^\1\\./p' ../wrong | grep -f - ../said
       false; } >>../wrong
result $? "mistakes are refused, other files taken" ../wrong
test "$(wc -l <../found)" -gt 120
result $? "more than 120 cases"
done_testing
