# manual.awk - the manual page of cgw-lint: cgw-lint.1.in, with the rules in
# place of the line @RULES@.
#
#   awk -f manual.awk readers.def rules.def cgw-lint.1.in
#
# SPDX-License-Identifier: MIT

# The text of the n-th string, as the page has it.
function string(text, n)
{
  for (; n > 1; n--) {
    match(text, /"([^"\\]|\\.)*"/)
    text = substr(text, RSTART + RLENGTH)
  }
  match(text, /"([^"\\]|\\.)*"/)
  text = substr(text, RSTART + 1, RLENGTH - 2)
  gsub(/\\"/, "\"", text)
  gsub(/\\\\/, "\\e", text)
  return text
}

# The names of "KC | CA".
function names(set,   i, list)
{
  for (i = 1; i <= n_readers; i++)
    if ((" " set " ") ~ (" " id[i] " "))
      list = list (list == "" ? "" : ", ") name[i]
  return list
}

function add_rule(text,   set, kind)
{
  gsub(/"[ \n]+"/, "", text)
  set = text
  sub(/^[^"]*"[^"]*",[ \n]*/, "", set)
  kind = set ~ /^[^"]*MISTAKE,/ ? "MISTAKE" : "LIMIT"
  sub(/,[ \n]*(MISTAKE|LIMIT),.*/, "", set)
  list[kind] = list[kind] ".It Ic " string(text, 1) "\n" names(set) ":\n" \
               string(text, 2) ";\n" string(text, 3) ".\n"
}

function print_list(title, kind)
{
  print ".Ss " title
  print ".Bl -tag -width Ds"
  printf "%s", list[kind]
  print ".El"
}

/^READER \(/ {
  id[++n_readers] = $2
  sub(/^\(/, "", id[n_readers])
  sub(/,$/, "", id[n_readers])
  name[n_readers] = string($0, 1)
}
/^RULE \(/ { rule = "" }
FILENAME ~ /rules.def$/ {
  rule = rule $0 "\n"
  if (/"\)$/)
    add_rule(rule)
}
FILENAME ~ /[.]in$/ {
  if ($0 == "@RULES@") {
    print_list("Mistakes", "MISTAKE")
    print_list("Limits", "LIMIT")
  } else
    print
}
