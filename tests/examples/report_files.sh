#!/bin/sh
# report_files.sh - the files that the page of cgw-report --html is made of:
# small, of valid JavaScript, without what could make markup or code of names or
# reach the network; and embed.awk makes strings of C of them, byte for byte.
#
# From the environment: srcdir, AWK, CC.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
CC=${CC-cc}
report=$srcdir/examples/tools/report
# In alphabetical order; page.js, which starts the page, is the last.
scripts="$(cd "$report" && ls page_*.js | tr '\n' ' ')page.js"
cd "$report" || exit
# shellcheck disable=SC2086 # words
cat $scripts >"$dir/scripts.js"

size=$(cat page.html page.css "$dir/scripts.js" | wc -c)
test "$size" -lt 80000
result $? "the page has less than 80,000 bytes: $((size))"

if command -v node >/dev/null; then
  node --check "$dir/scripts.js" >"$log" 2>&1
  result $? "the script is valid"
else
  skip "the script is valid" "there is no node"
fi

grep -nE 'innerHTML|outerHTML|insertAdjacent|document\.write|parseFromString' \
  "$dir/scripts.js" >"$log"
test ! -s "$log"
result $? "nothing makes markup of text"
grep -nE '\beval\b|\bFunction *\(|\bimport *\(|setAttribute\(.on' \
  "$dir/scripts.js" >"$log"
test ! -s "$log"
result $? "nothing makes code of text"
cat page.html page.css "$dir/scripts.js" \
  | grep -nE 'https?:|fetch *\(|XMLHttp|WebSocket|sendBeacon|@import|url\(' \
  >"$log"
test ! -s "$log"
result $? "nothing is loaded"

# What the lines @STYLE@ and @SCRIPT@ become, as the tool does not know awk.
joined () # HTML STYLE SCRIPT
{
  sed -e '/^@STYLE@$/{' -e "r $2" -e 'd' -e '}' \
    -e '/^@SCRIPT@$/{' -e "r $3" -e 'd' -e '}' "$1"
}

joined page.html page.css "$dir/scripts.js" >"$dir/page"
if perl -MDigest::SHA -e 1 2>/dev/null; then
  hash=$(perl -MDigest::SHA=sha256_base64 -0777 -ne \
    'm{<script>(.*?)</script>}s; $h = sha256_base64 ($1); print "$h=\n"' \
    "$dir/page")
  echo "page.html needs script-src 'sha256-$hash'" >"$log"
  grep -qF "script-src 'sha256-$hash'" page.html
  result $? "the policy in page.html has the hash of the script"
else
  skip "the policy in page.html has the hash of the script" \
    "perl has no Digest::SHA"
fi

# embedded AWK PAGE HTML FILE...: whether the strings, printed by C, are the page.
embedded ()
{
  awk=$1
  page=$2
  shift 2
  # shellcheck disable=SC2086 # words
  $awk -f "$report/embed.awk" "$@" >"$dir/page.inc" || return
  cat >"$dir/print.c" <<'C'
#include <stdio.h>
#include "page.inc"
#define PUT(part) \
  for (unsigned i = 0; i < sizeof part / sizeof *part; i++) \
    fputs (part[i], stdout)

int
main (void)
{
  PUT (page_head);
  puts ("@TITLE@");
  PUT (page_middle);
  puts ("@DATA@");
  PUT (page_end);
  return 0;
}
C
  # -trigraphs: the strings mean the same in old C.
  $CC -std=c99 -trigraphs -pedantic-errors -I"$dir" -o "$dir/print" \
    "$dir/print.c" && "$dir/print" >"$dir/printed" || return
  cmp "$page" "$dir/printed"
}

# Characters that C or awk could change, and long lines: a string of 500 bytes,
# and one more.
cat >"$dir/odd.html" <<'E'
??=??/ "quoted" \n \\ % %s /* */ // '
@STYLE@

@TITLE@
 leading and trailing blanks 
@DATA@
@SCRIPT@
E
awk 'BEGIN {
    for (i = 32; i < 127; i++)
      printf "%c%d", i, i
    print "\t\t9"
    for (n = 495; n <= 505; n++) {
      for (i = 0; i < n; i++)
        printf "%s", i % 7 ? "x" : "\\"
      print ""
    }
    for (i = 0; i < 5000; i++)
      printf "?\"%c", 35 + i % 80
    print "\n\n@TITLE@@DATA@"
  }' >"$dir/odd.js"
printf '\t\n\n@\n' >"$dir/odd.css"
joined "$dir/odd.html" "$dir/odd.css" "$dir/odd.js" >"$dir/odd"

for awk in "${AWK-awk}" mawk gawk 'gawk --posix' 'busybox awk' original-awk; do
  # shellcheck disable=SC2086 # words
  $awk 'BEGIN { exit 0 }' >/dev/null 2>&1 || continue
  # shellcheck disable=SC2086 # words
  embedded "$awk" "$dir/page" page.html page.css $scripts >"$log" 2>&1
  result $? "$awk: the page as strings of C"
  embedded "$awk" "$dir/odd" "$dir/odd.html" "$dir/odd.css" "$dir/odd.js" \
    >"$log" 2>&1
  result $? "$awk: odd characters and long lines"
done

refused () # NAME HTML FILE...
{
  what=$1
  shift
  ! ${AWK-awk} -f embed.awk "$@" >/dev/null 2>"$log" && test -s "$log"
  result $? "$what"
}
grep -v '@DATA@' "$dir/odd.html" >"$dir/lacks.html"
refused "a page without a place for the profile is refused" "$dir/lacks.html"
refused "a file that is missing is refused" "$dir/odd.html" "$dir/none.js"
refused "a page that is missing is refused" "$dir/none.html"
for byte in 001 015 177 200 303; do
  printf "a\\$byte\n" >"$dir/byte.js"
  refused "byte $byte is refused" "$dir/odd.html" "$dir/byte.js"
done
done_testing
