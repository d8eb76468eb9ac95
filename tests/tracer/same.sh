# same.sh - for shell tests: whether a profile says what the program has printed.
# dump is that of the profile, printed is the output.
#
# SPDX-License-Identifier: MIT

# same KIND: got has the lines of it that the program has printed; if not, log
# says what differs.  A profile has no line for what is 0.
same ()
{
  grep "^$1 " printed | grep -v ' 0 0 0$' | sort >expected
  sort got | diff expected - >log && test "$(wc -l <expected)" -ge 9
}

# same_calls: each function called each other as often as in "call FROM TO N".
same_calls ()
{
  awk -F '\t' '$1 == "call" { split ($13, c, " "); n[$4 " " $10] += c[1] }
    END { for (edge in n) print "call", edge, n[edge] }' dump >got
  same call
}
