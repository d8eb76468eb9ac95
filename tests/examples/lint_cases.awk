# lint_cases.awk - of lint.cases: shell commands that make NAME.bad and NAME.good for
# each case; and in the file "list", lines "NAME LINE ALSO OPTION BY BEFORE SINCE
# ALIKE", with "-" for nothing.
#
# SPDX-License-Identifier: MIT

function put(file, text,   n, i, events) {
  if (text ~ /^%[a-z]/) {
    text = substr (text, 2)
    for (i = 1; i <= many[text]; i++)
      put(file, shared[text, i])
    return
  }
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
  gsub (/'/, "'\\''", text)
  body[file] = body[file] text "\\n"
  lines[file] += text ~ /^# callgrind format.n/ ? 4 : 1
}
function finish() {
  if (name == "")
    return
  for (file in body)
    print "printf %b '" body[file] "' >" name "." file
  print name, line, also, options, by, before, since, alike >"list"
  split ("", body); split ("", lines)
}
/^% / { group = $2; next }
/^$/ { group = "" }
group != "" { shared[group, ++many[group]] = $0 }
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
END { finish() }
