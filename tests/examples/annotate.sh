# annotate.sh - for shell tests, after tap.sh: the numbers that
# callgrind_annotate prints.
#
# SPDX-License-Identifier: MIT

# annotate FILE OUT ERR: what callgrind_annotate prints on FILE, in a form that
# is the same for two files of the same meaning: only the lines with numbers,
# sorted, for their order is that of a hash; "." is 0 (a cost that the file
# leaves out); one blank between columns; an unknown object is not shown.
annotate ()
{
  LC_ALL=C callgrind_annotate --threshold=100 --show-percs=no --auto=no \
    --tree=both "$1" >"$2.raw" 2>"$3" || return 1
  LC_ALL=C awk '
    /^ *[0-9.]/ && (/ [*<>] / || / PROGRAM TOTALS/) {
      sub (/ \(calculated\)/, "")
      sub (/ \[(\?\?\?)?\] *$/, "")
      line = ""
      for (i = 1; $i ~ /^[0-9.]/; i++)
        line = line ($i == "." ? 0 : $i) " "
      for (; i <= NF; i++)
        line = line $i " "
      print line
    }' "$2.raw" | LC_ALL=C sort >"$2"
}

# spell_out: writes standard input, a file as its writer made it, in the way that
# readers take for what it means: they stumble over empty names, blanks around
# names, and pprof's costs without a line number.
spell_out ()
{
  sed -e 's/^\([a-z]*=\)  */\1/' -e 's/  *$//' -e 's/^\([a-z]*=\)$/\1???/' \
      -e 's/^ \([0-9]\)/0 \1/'
}

# comparable FILE NUMBERS: the numbers on FILE without totals that
# callgrind_annotate computes itself, if calls of count 0 are in them.
comparable ()
{
  if grep -q '^calls=0 ' "$1"; then
    grep -v 'PROGRAM TOTALS' "$2"
  else
    cat "$2"
  fi
}

# table FILE OPTION...: lines "FILE:FUNCTION COST" and "PROGRAM TOTALS COST", of
# the first event.
table ()
{
  callgrind_annotate --threshold=100 --show-percs=no --auto=no "$@" \
    | sed -n 's/^ *\([0-9,]*\)  *\(PROGRAM TOTALS\|[^ ]*:[^ ]*\).*/\2 \1/p' \
    | sort
}

# shows WHAT FILE REGEX...: a result: callgrind_annotate prints such lines on
# FILE, here with numbers without commas, and has no warning.
shows ()
{
  what="callgrind_annotate shows $1"
  if ! command -v callgrind_annotate >/dev/null; then
    skip "$what" "it is not installed"
    return
  fi
  annotate "$2" "$dir/shown" "$dir/warnings" && test ! -s "$dir/warnings"
  status=$?
  tr -d , <"$dir/shown" | cat - "$dir/warnings" >"$dir/plain"
  shift 2
  for regex; do
    grep -q "$regex" "$dir/plain" || status=1
  done
  result $status "$what, and no warning" "$dir/plain"
}
