#!/bin/sh
# progress.sh - how far a tool has come: shown on a terminal when the work takes
# longer than a second, and nowhere else; taken off before messages and at the
# end.
#
# From the environment: srcdir.  In the build folder: the tools.
# SPDX-License-Identifier: MIT

tools=$(pwd)/examples
. "${srcdir-.}/tests/support/tap.sh"
command -v script >/dev/null || skip_all "there is no script(1)"
script -qefc true /dev/null </dev/null >/dev/null 2>&1 \
  || skip_all "there are no pseudo-terminals"
cd "$dir" || exit 1
log=shown

# terminal COMMAND: runs it where its standard error is a terminal, whose output
# is in the file "shown", with "\r" as "<".
terminal ()
{
  script -qefc "$1" /dev/null </dev/null 2>&1 | tr '\r' '<' >shown
  ! grep -q "Sanitizer" shown
}

# slow FILE: its bytes, with a pause of more than a second among them.
cat >slow <<'END'
#!/bin/sh
{ head -c 1500000; sleep 1.2; cat; } <"$1"
END
chmod +x slow

awk 'BEGIN {
  print "events: A\nfl=f.c\nfn=f"
  for (i = 0; i < 500000; i++) print i, 7 }' >large
awk 'BEGIN { for (i = 0; i < 400000; i++) print "main;f;g 1" }' >folded
mkfifo pipe
wc -c large folded >sizes
test "$(wc -c <large)" -gt 3000000 && test "$(wc -c <folded)" -gt 3000000
result $? "the inputs are large enough" sizes

# A pipe: its size is not known.  The number, and in the end blanks over it.
for tool in recode/cgw-recode import/cgw-import lint/cgw-lint; do
  input=large
  test "$tool" != import/cgw-import || input=folded
  ./slow $input | "$tools/$tool" - 2>&1 >/dev/null | cat >"err.${tool#*/}" &
  terminal "./slow $input | $tools/$tool - >out"
  grep -Eq '^(< *[0-9]+ MB)+<      +<$' shown
  result $? "${tool#*/}: bytes read from a pipe"
  wait $!
  test ! -s "err.${tool#*/}"
  result $? "${tool#*/}: nothing without a terminal" "err.${tool#*/}"
done

# A file, whose result goes into a slow pipe.
for command in "recode/cgw-recode -o pipe large" \
  "merge/cgw-merge --parts -o pipe large large"; do
  { sleep 1.2; cat; } <pipe >/dev/null &
  terminal "$tools/$command"
  wait $!
  grep -Eq '^(< *[0-9]+ %)+<     <$' shown
  result $? "${command%% *}: a percentage"
done

# A warning and an error.
{ cat large; printf 'totals: 5\n'; sed 1000q large; echo oops; } >bad
terminal "./slow bad | $tools/recode/cgw-recode -o out -"
tr '<' '\n' <shown | grep -v 'MB$' | grep -v '^ *$' >rest
printf '%s\n' \
  'cgw-recode: standard input:500004: warning: totals: are not the sums of the cost lines' \
  "cgw-recode: standard input:$(wc -l <bad): unknown line: \"oops\"" \
  | diff - rest >log && grep -Eq 'MB<      +<cgw-recode' shown
result $? "messages are on lines of their own" log
terminal "./slow bad | $tools/lint/cgw-lint -"
grep -Eq 'MB<      +<(cgw-lint|standard input)' shown
result $? "findings are on lines of their own"

# Work of less than a second.
head -n 100 large >small
terminal "$tools/recode/cgw-recode -o out small"
test ! -s shown
result $? "nothing for short work"
terminal "./slow large | $tools/recode/cgw-recode --plain -"
! grep -q MB shown && grep -q '^499999 7' shown
result $? "nothing in a profile that is printed on the terminal"

done_testing
