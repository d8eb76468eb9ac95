#!/bin/sh
# progress.sh - how far a tool has come: shown on a terminal when the work takes
# longer than a second, and nowhere else; taken off before messages and at the
# end.
#
# From the environment: srcdir, CC.  In the build folder: the tools.
# SPDX-License-Identifier: MIT

tools=$(pwd)/examples/tools
. "${srcdir-.}/tests/support/tap.sh"
command -v script >/dev/null || skip_all "there is no script(1)"
script -qefc true /dev/null </dev/null >/dev/null 2>&1 \
  || skip_all "there are no pseudo-terminals"
cd "$dir" || exit 1
log=shown

# The clock of the tools: a second later each time, or still.  It comes before
# the sanitizer's library.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
cat >clock.c <<'END'
#include <time.h>
int
clock_gettime (clockid_t clock, struct timespec *now)
{
  static time_t seconds;
  *now = (struct timespec){ seconds += STEP };
  return 0;
}
END
${CC-cc} -w -shared -fPIC -DSTEP=1 clock.c -o long.so \
  && ${CC-cc} -w -shared -fPIC -DSTEP=0 clock.c -o short.so
result $? "the clocks compile"

# terminal CLOCK COMMAND: runs it where its standard error is a terminal, whose
# output is in the file "shown", with "\r" as "<".
terminal ()
{
  script -qefc "LD_PRELOAD=./$1.so $tools/$2" /dev/null </dev/null 2>&1 \
    | tr '\r' '<' >shown
  ! grep -q "Sanitizer" shown
}

printf 'events: A\nfl=f.c\nfn=f\n1 7\n2 7\n' >input
echo 'main;f;g 1' >folded
{ cat input; printf 'totals: 5\n3 7\noops\n'; } >bad
mkfifo pipe

# A pipe, whose size is not known: a number, and in the end blanks over it.  A
# file: a percentage.
while read -r tool input options; do
  cat $input >pipe &
  terminal long "$tool $options - <pipe >out"
  grep -Eq '^((< *[0-9]+ MB)+<      +<)+$' shown
  result $? "${tool#*/} $options: bytes read from a pipe"
  LD_PRELOAD=./long.so "$tools/$tool" - <$input 2>&1 >out | cat >err
  test ! -s err
  result $? "${tool#*/} $options: nothing without a terminal" err
  terminal long "$tool $options $input >out"
  grep -Eq '^((< *[0-9]+ %)+<     <)+$' shown
  result $? "${tool#*/} $options: a percentage"
  terminal short "$tool $options $input >out"
  test ! -s shown
  result $? "${tool#*/} $options: nothing for short work"
done <<'END'
recode/cgw-recode input
import/cgw-import folded -o /dev/null
lint/cgw-lint input
END
terminal long "merge/cgw-merge --parts -o out input input"
grep -Eq '^((< *[0-9]+ %)+<     <)+$' shown
result $? "cgw-merge: a percentage"
terminal long "recode/cgw-recode --plain input"
! grep '%' shown && grep -q '^2 7' shown
result $? "nothing in a profile that is printed on the terminal"

# A warning and an error.
cat bad >pipe &
terminal long "recode/cgw-recode -o out - <pipe"
tr '<' '\n' <shown | grep -v 'MB$' | grep -v '^ *$' >rest
where='cgw-recode: standard input'
{
  echo "$where:6: warning: totals: are not the sums of the cost lines"
  echo "$where:8: unknown line: \"oops\""
} | diff - rest >log && grep -Eq 'MB<      +<cgw-recode' shown
result $? "messages are on lines of their own" log
cat bad >pipe &
terminal long "lint/cgw-lint - <pipe"
grep -Eq 'MB<      +<(cgw-lint|standard input)' shown
result $? "findings are on lines of their own"

done_testing
