#!/bin/sh
# What recode takes odd lines for: each case is a body and what it means,
# written plainly.
#
# SPDX-License-Identifier: MIT

recode=${builddir-.}/examples/recode/cgw-recode
. "${srcdir-.}/tests/support/tap.sh"

# Whether "in" comes out the same after a detour through plain names.
plain_and_back ()
{
  "$recode" "$dir/in" >"$dir/direct" 2>"$dir/ignored"
  "$recode" --plain "$dir/in" 2>"$dir/ignored" | "$recode" - >"$dir/detour" \
    && cmp "$dir/direct" "$dir/detour"
}

# means NAME INPUT OUTPUT: the plain output has the lines of OUTPUT behind the
# lines that are always there.
means ()
{
  printf "$2" >"$dir/in"
  printf "$3" >"$dir/expected"
  "$recode" --plain "$dir/in" 2>"$dir/err" \
    | sed -e '/^# callgrind format$/d' -e '/^version: 1$/d' \
          -e '/^creator: libcgw-/d' -e '/^positions: line$/d' \
          -e '/^totals: /d' >"$dir/out"
  diff "$dir/expected" "$dir/out" >>"$dir/err" && test ! -s "$dir/err" \
    && plain_and_back >>"$dir/err" 2>&1
  result $? "$1" "$dir/err"
}

# body NAME INPUT OUTPUT: the same for what follows "fn=f" of file f.c.
body ()
{
  means "$1" "events: A\nfl=f.c\nfn=f\n$2" "events: A\nfl=f.c\nfn=f\n$3"
}

# Names.

means "a fi= before any fl= is one" 'events: A\nfi=f.c\nfn=f\n1 2\n' \
  'events: A\nfl=f.c\nfn=f\n1 2\n'
means "costs without a function are those of an unknown one" \
  'events: A\nfl=f.c\n1 2\n' 'events: A\nfl=f.c\nfn=???\n1 2\n'
means "empty names are unknown" 'events: A\nfl=\nfn=\n1 2\n' \
  'events: A\nfl=???\nfn=???\n1 2\n'
means "blanks around names are not theirs" \
  'events: A\nfl= f.c \nfn= a b \n1 2\n' \
  'events: A\nfl=f.c\nfn=a b\n1 2\n'
means "ids are defined ahead, a function is where it is used" \
  'events: A\nfl=(5) f.c\nfl=(9) g.c\nfn=(7) f\nfl=(5)\nfn=(7)\n1 2\n' \
  'events: A\nfl=f.c\nfn=f\n1 2\n'
means "an id can get another name" \
  'events: A\nfl=(1) f.c\nfn=(1) f\n1 2\nfl=(1) g.c\nfn=(1)g\n1 2\n' \
  'events: A\nfl=f.c\nfn=f\n1 2\nfl=g.c\nfn=g\n1 2\n'
body "a fn= ends a fi=" 'fi=g.h\n1 2\nfn=g\n3 4\n' \
  'fi=g.h\n1 2\nfl=f.c\nfn=g\n3 4\n'
body "a callee behind an open fi= and a fn= is in the file of fl=" \
  'fi=g.h\n1 2\nfn=g\n3 4\ncfn=f\ncalls=1 1\n3 15\n' \
  'fi=g.h\n1 2\nfl=f.c\nfn=g\n3 4\ncfn=f\ncalls=1 1\n3 15\n'
body "so is the target of a jump" \
  'fi=g.h\n1 2\nfn=g\n3 4\njfn=f\njump=1 1\n3\n' \
  'fi=g.h\n1 2\nfl=f.c\nfn=g\n3 4\njfn=f\njump=1 1\n3\n'
means "without any fl=, a function is in the file of the fi= before it" \
  'events: A\nfi=f.c\nfn=f\n1 2\ncfn=g\ncfi=g.c\ncalls=2 7\n1 9
fi=g.c\nfn=g\n7 9\nfi=h.h\n8 1\nfe=g.c\nfn=h\n9 1\n' \
  'events: A\nfl=f.c\nfn=f\n1 2\ncfi=g.c\ncfn=g\ncalls=2 7\n1 9
fl=g.c\nfn=g\n7 9\nfi=h.h\n8 1\nfl=g.c\nfn=h\n9 1\n'
means "so it is in each part" \
  'events: A\nfl=f.c\nfn=f\n1 2\npart: 2\nfi=g.c\nfn=g\n1 2
fi=h.c\nfn=h\n1 2\n' \
  'events: A\nfl=f.c\nfn=f\n1 2\npart: 2\nevents: A\nfl=g.c\nfn=g\n1 2
fl=h.c\nfn=h\n1 2\n'
body "a fl= in a function is a fi=" '1 2\nfl=g.h\n3 4\n' '1 2\nfi=g.h\n3 4\n'
means "what callgrind says of contexts is skipped" \
  'events: A\nfl=f.c\nrec=2\nfrfn=(3) x\nfn=(4) f\n1 2\nfn=(3)\n3 4\n' \
  'events: A\nfl=f.c\nfn=f\n1 2\nfn=x\n3 4\n'

# Calls.

body "cfl= is cfi=" 'cfl=g.c\ncfn=g\ncalls=1 2\n3 4\n' \
  'cfi=g.c\ncfn=g\ncalls=1 2\n3 4\n'
body "cfi= may come behind cfn=" 'cfn=g\ncfi=g.c\ncalls=1 2\n3 4\n' \
  'cfi=g.c\ncfn=g\ncalls=1 2\n3 4\n'
means "cob= may come behind cfn=" \
  'events: A\nfl=f.c\nfn=f\ncfn=g\ncob=b.so\ncalls=1 2\n3 4\n' \
  'events: A\nob=???\nfl=f.c\nfn=f\ncob=b.so\ncfn=g\ncalls=1 2\n3 4\n'
body "a second calls= has the callee of the first" \
  'cfi=g.c\ncfn=g\ncalls=1 2\n3 4\ncalls=5 6\n7 8\n' \
  'cfi=g.c\ncfn=g\ncalls=1 2\n3 4\ncfi=g.c\ncfn=g\ncalls=5 6\n7 8\n'
body "cfi= holds for one call" \
  'cfi=g.c\ncfn=g\ncalls=1 2\n3 4\ncfn=g\ncalls=5 6\n7 8\n' \
  'cfi=g.c\ncfn=g\ncalls=1 2\n3 4\ncfn=g\ncalls=5 6\n7 8\n'
body "a callee is in the file of the last fi=" \
  'fi=g.h\ncfn=g\ncalls=1 2\n3 4\n' \
  'fi=g.h\ncfi=g.h\ncfn=g\ncalls=1 2\n3 4\n'
body "a call without a target" 'cfn=g\ncalls=1\n3 4\n' \
  'cfn=g\ncalls=1 0\n3 4\n'
body "a target with a number too many" 'cfn=g\ncalls=1 2 0\n3 4\n' \
  'cfn=g\ncalls=1 2\n3 4\n'
body "a target that cannot be is unknown" '5 1\ncfn=g\ncalls=1 -9\n3 4\n' \
  '5 1\ncfn=g\ncalls=1 0\n3 4\n'
means "a comment in a call moves before it" \
  'events: A\nfl=f.c\nfn=f\n1 1\ncfn=g\ncalls=1 2\n#c\n3 4\n' \
  'events: A\nfl=f.c\nfn=f\n1 1\n# c\ncfn=g\ncalls=1 2\n3 4\n'

# Positions.

body "targets do not move the base" '5 1\ncfn=g\ncalls=1 +3\n+1 4\n+1 2\n' \
  '5 1\ncfn=g\ncalls=1 8\n6 4\n7 2\n'
body "hex everywhere" '0x10 0x20\n+0x3 1\n' '16 32\n19 1\n'
means "fn= does not move the base" \
  'events: A\nfl=f.c\nfn=f\n5 1\nfn=g\n+1 2\n' \
  'events: A\nfl=f.c\nfn=f\n5 1\nfn=g\n6 2\n'
means "a part moves the base to 0" \
  'events: A\nfl=f.c\nfn=f\n5 1\npart: 2\nevents: A\nfl=f.c\nfn=f\n+1 2\n' \
  'events: A\nfl=f.c\nfn=f\n5 1\npart: 2\nevents: A\nfl=f.c\nfn=f\n1 2\n'

# Jumps.

body "callgrind's jumps" '5 1\njump=2 +3\n+1\njcnd=3/4 9\n7\n' \
  '5 1\njump=2 8\n6\njcnd=3/4 9\n7\n'
body "the document's jumps" '5 1\njump=2 +3\n6 1\njcnd=4 3 9\n7 1\n' \
  '5 1\njump=2 8\n5\n6 1\njcnd=3/4 9\n6\n7 1\n'
body "a jump at the end" '5 1\njump=2 8\n' '5 1\njump=2 8\n5\n'
body "a jump into another file and function" \
  '5 1\njfi=g.c\njfn=g\njump=2 8\n5\n' '5 1\njfi=g.c\njfn=g\njump=2 8\n5\n'
body "a jump to a function of the same name in a third file" \
  '5 1\njfi=g.c\njfn=w\njump=2 8\n5\njfi=h.c\njfn=w\njump=3 9\n5\n' \
  '5 1\njfi=g.c\njfn=w\njump=2 8\n5\njfi=h.c\njfn=w\njump=3 9\n5\n'
body "a jump to a function of the same name in this file" \
  '5 1\njfi=g.c\njfn=w\njump=2 8\n5\njfn=w\njump=3 9\n5\n' \
  '5 1\njfi=g.c\njfn=w\njump=2 8\n5\njfn=w\njump=3 9\n5\n'
body "an id of a function stands for its file, wherever the jump goes" \
  'cfi=(1) g.c\ncfn=(1) w\ncalls=1 2\n3 4\njfi=(2) h.h\njfn=(1)
jump=2 8\n5\n' \
  'cfi=g.c\ncfn=w\ncalls=1 2\n3 4\njfi=g.c\njfn=w\njump=2 8\n5\n'

# Header.

means "event names stay as they are" \
  'events: Time_(10ns) wall_time walltime 2x ()\nfl=f.c\nfn=f\n1 2\n' \
  'events: Time_(10ns) wall_time walltime 2x ()\nfl=f.c\nfn=f\n1 2\n'
means "beside formulas, event names lose what event: lines do not allow" \
  'event: S = wall_time - ()
events: Time_(10ns) wall_time Time_10ns 2x ()\nfl=f.c\nfn=f\n1 2\n' \
  'event: Time_10ns2 : Time_(10ns)
event: x : 2x
event: Event : ()
event: S = wall_time - Event
events: Time_10ns2 wall_time Time_10ns x Event
fl=f.c\nfn=f\n1 2\n'
means "derived events stand in any order" \
  'event: C = 2 B + A : c\nevent: B = 0x10*A\nevents: A\nfl=f.c\nfn=f\n1 2\n' \
  'event: B = 16 A
event: C = 2 B + A : c
events: A\nfl=f.c\nfn=f\n1 2\n'
means "escapes of a command line stay as they are" \
  'cmd: a\\\\b \\x41 \\x1b \\n\nevents: A\nfl=f.c\nfn=f\n1 2\n' \
  'cmd: a\\\\b \\\\x41 \\x1b \\n\nevents: A\nfl=f.c\nfn=f\n1 2\n'
means "a summary before events:, and desc: behind it" \
  'summary: 3\nevents: A\ndesc: a: b\nfl=f.c\nfn=f\n1 2\n' \
  'desc: a: b\nevents: A\nsummary: 3\nfl=f.c\nfn=f\n1 2\n'
means "a header and no body" 'pid: 7\nthread: 2\nevents: A\n' \
  'pid: 7\nthread: 2\nevents: A\n'

# Lines in their usual form are read in another way than those with a tab: both
# ways must come to the same.
with_tabs ()
{
  sed 's/^\([0-9+*-][^ ]*\) /\1\t /; s/^\(calls=[0-9]*\) /\1\t/
       s/^\(cfn=.*\)/\1\t/' "$dir/in" >"$dir/tabs"
}

# Names in all combinations: what records mean must not depend on whether names
# have ids.

# bodies SEED: prints a profile whose names have ids.
bodies ()
{
  awk -v seed="$1" '
    function pick(n) { return int (rand () * n) }
    function name(key, table, text)
    {
      if (table text in id)
        print key "=(" id[table text] ")"
      else
        print key "=(" (id[table text] = ++last[table]) ") " text
    }
    function file(key) { name(key, "f", substr ("abcd", pick(4) + 1, 1) ".c") }
    function object(key) { name(key, "o", "lib" pick(3)) }
    # An id is of one function: file, object and name.
    function fn(key)
    {
      name(key, "n" pick(2), substr ("fgh", pick(3) + 1, 1))
    }
    BEGIN {
      srand (seed)
      print "events: A"
      file(seed % 3 ? "fl" : "fi")
      fn("fn")
      for (n = 0; n < 300; n++) {
        what = pick(9)
        if (what == 0 && seed % 4) { object("ob"); file("fl"); fn("fn") }
        if (what == 1) { if (seed % 3) file("fl"); else file("fi"); fn("fn") }
        if (what == 2) fn("fn")
        if (what == 3) file(pick(2) ? "fi" : "fe")
        if (what == 4 || what == 5) {
          if (pick(2)) object("cob")
          if (pick(2)) file(pick(2) ? "cfi" : "cfl")
          fn("cfn")
          print "calls=1 " pick(9)
        }
        if (what == 6 || what == 7) {
          if (pick(2)) file("jfi")
          if (pick(2)) fn("jfn")
          print "jump=1 " pick(9)
          print pick(9)
        } else
          print pick(9) " " 1 + pick(9)
      }
    }'
}

status=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
  bodies $seed >"$dir/in"
  # The ids as in the file, and without any.
  plain_and_back >"$dir/err" 2>&1 || { echo "# seed $seed"; status=1; }
  with_tabs
  "$recode" "$dir/tabs" 2>"$dir/err" | cmp "$dir/direct" - >>"$dir/err" 2>&1 \
    || { echo "# seed $seed, with tabs"; status=1; }
  awk '{ key = $1; sub (/=.*/, "", key); table = substr (key, length (key) - 1)
         if (table != "fn" && table != "ob") table = "file"
         if (match ($1, /=\([0-9]*\)/)) {
           number = substr ($1, RSTART, RLENGTH)
           if (NF > 1) names[table, number] = $2
           $0 = key "=" names[table, number]
         }
         print }' "$dir/in" >"$dir/plain" && mv "$dir/plain" "$dir/in"
  grep -q '=(' "$dir/in" && status=1
  plain_and_back >"$dir/err" 2>&1 || { echo "# seed $seed, plain"; status=1; }
done
result $status "random profiles, with ids and without" "$dir/err"

# both_ways HEADER BEFORE AFTER LINE...: each line, between BEFORE and AFTER,
# with blanks and with tabs.
both_ways ()
{
  header=$1
  before=$2
  after=$3
  shift 3
  for line do
    printf "$header"'fl=f\nfn=f\n%s\n%b\n%s\n' "$before" "$line" \
      "$after" >"$dir/in"
    with_tabs
    for file in in tabs; do
      "$recode" - <"$dir/$file" >"$dir/$file.out" 2>"$dir/err"
      echo $? >"$dir/$file.status"
      # The messages quote the lines.
      sed 's/"[^"]*"//' "$dir/err" | cat "$dir/$file.status" - \
        >>"$dir/$file.out"
    done
    cmp "$dir/in.out" "$dir/tabs.out" \
      || { echo "$header$before, $line"; return 1; }
    cat "$dir/in.status" >>"$dir/statuses"
  done
}

: >"$dir/statuses"
set -- '' + - '*' '**' '+-1' '1' '+1 2' '-1 2' '* 2' '+8 2' '-8 2' \
  '1 2 ' '1 2  ' '1 2 3' '1 2 3 4' '1  2' ' 1 2' '1 2\r' '1 2x' '1 x' '1 -2' \
  '1 +2' '1 *' '1 .' '1,2' '17-18 2' '1 999999999999999999' \
  '1 1000000000000000000' '1 18446744073709551615' '1 18446744073709551616' \
  '1 99999999999999999999' '4294967295 1' '4294967296 1' '+4294967288 1' \
  '+4294967289 1' '+18446744073709551615 1' '000000000000000000001 1' \
  '0x10 1' '0x 1' '0xg 1' '0X10 1' '0xA 1' '+0x3 1' '-0x3 1' \
  '0x1fffffffffffffff 1 1' '0xffffffffffffffff 1 1' \
  '0x10000000000000000 1 1' '+0x7000000000000000 1 1' \
  '+8000000000000000000 1 1' '+999999999999999999 1 1' '-1 +1 1' '* * 1' \
  '+1 0x10 1' '0x10' '0x10 1' '+1 +1' '1 2\n\n+1 2' \
  'cfn=(1) g\ncalls=1 2\n1 2' 'cfn=(1) g\ncalls=1 0x10 2\n1 2 3' \
  'cfn=(1) g\n1 2\ncfn=(1)\ncalls=1 +4\n* 2' 'cfn=(2)\ncalls=1 1\n1 1' \
  'cfn=(1) g\ncalls=1 *\n\n1 2\n1 2' 'cfn=(1) g\ncalls=1 -9\n1 2' \
  'cfn=(1) g\ncalls=1\n1 2' 'cfn=(1) g\ncalls=\n1 2' 'calls=1 2\n1 2' \
  'cfn=(1) g\ncalls=1 2 \n1 2' 'cfn=(1) g\ncalls=1 2 3\n1 2' \
  'cfn=(1) g\ncalls=1 2\ncalls=1 2\n1 2' 'cfn=(1) g\ncalls=1 2\ncfn=(1)\n1 2' \
  'cfn=(1) g\ncalls=1 4294967296\n1 2' 'cfn=(1) g\ncalls=0x2 3\n1 2' \
  'jump=1 2\n1' 'jump=1 2\n1 2' 'jump=1 2\n+1 +1' 'jump=1 2\ncfn=(1) g\n1 2' \
  'jump=1 2\n\n* * 2'
both_ways 'events: A\n' '7 3' '* 1' "$@" >"$dir/why" \
  && both_ways 'events: A B\n' '7 3' '* 1' "$@" >"$dir/why" \
  && both_ways 'positions: instr\nevents: A\n' '0x7fffffffffffffff 3' \
       '* 1' "$@" >"$dir/why" \
  && both_ways 'positions: instr line\nevents: A\n' \
       '0x7fffffffffffffff 7 3' '* * 1' "$@" >"$dir/why"
result $? "usual and other forms of a line" "$dir/why"
test "$(grep -c 0 "$dir/statuses")" -gt 50 \
  && test "$(grep -c 1 "$dir/statuses")" -gt 50
result $? "some are read, and some refused" "$dir/statuses"

done_testing
