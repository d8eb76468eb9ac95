# annotate.sh - for shell tests: the numbers that callgrind_annotate prints.
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
