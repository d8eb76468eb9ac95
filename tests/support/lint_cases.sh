# lint_cases.sh - for shell tests: the files of tests/examples/lint.cases.
#
# From the environment: srcdir, an absolute path.
# SPDX-License-Identifier: MIT

# lint_cases: writes NAME.bad and NAME.good into the present folder, $here, and
# lines "NAME LINE ALSO OPTION BY BEFORE SINCE ALIKE" into list, with "-" for
# nothing.
lint_cases ()
{
  awk -v here="$here" '
  function put(file, text,   n, i, events) {
    if (text ~ /^@\*/) {
      n = substr (text, 3) + 0
      for (i = 1; i <= n; i++)
        events = events " E" i
    } else if (text ~ /^@/)
      events = " " substr (text, 2)
    else if (text ~ /^totals:\*/) {
      n = substr (text, 9) + 0
      text = "totals:"
      for (i = 1; i <= n; i++)
        text = text " 0"
    }
    if (events != "")
      text = "# callgrind format\\nversion: 1\\npositions: line\\nevents:" events
    gsub (/%HERE%/, here, text)
    body[file] = body[file] text "\\n"
    lines[file] += text ~ /^# callgrind format.n/ ? 4 : 1
  }
  function finish() {
    if (name == "")
      return
    printf "%s", body["bad"] >(name ".bad")
    printf "%s", body["good"] >(name ".good")
    close (name ".bad"); close (name ".good")
    print name, line, also, options, by, before, since, alike >"list"
    split ("", body); split ("", lines)
  }
  /^= / {
    finish()
    name = $2; line = also = options = by = before = since = alike = "-"
    for (i = 3; i <= NF; i++)
      if ($i == "line") line = $++i
      else if ($i == "also") also = (also == "-" ? "" : also ",") $++i
      else if ($i == "options") options = $++i
      else if ($i == "by") by = $++i
      else if ($i == "before") before = $++i
      else if ($i == "since") since = $++i
      else if ($i == "alike") alike = $i
    next
  }
  /^[-+ ]/ && name != "" {
    if (/^-/ && line == "-") line = lines["bad"] + 1
    if (!/^[+]/) put("bad", substr ($0, 2))
    if (!/^-/) put("good", substr ($0, 2))
  }
  END { finish() }' "$srcdir/tests/examples/lint.cases" || return
  for file in *.bad *.good; do
    printf %b "$(cat "$file")" >text && mv text "$file" || return
  done
}
