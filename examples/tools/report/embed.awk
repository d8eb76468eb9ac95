# embed.awk - the page of cgw-report --html as strings of C:
#
#   awk -f embed.awk page.html page.css page_data.js ... page.js >page.inc
#
# Of page.html, the line @STYLE@ becomes the files that end in .css, and
# @SCRIPT@ those that end in .js.  The lines @TITLE@ and @DATA@ are left out:
# there the page is cut into the arrays page_head, page_middle and page_end,
# between which the tool writes the title, as HTML, and the profile, as JSON.  A
# string has 500 bytes at most.  The files are lines of ASCII, of which no
# control character but the tab is taken.
# SPDX-License-Identifier: MIT

BEGIN {
  for (i = 32; i < 127; i++) {
    c = sprintf ("%c", i)
    code[c] = c
  }
  code["\t"] = "\\t"
  code["\""] = "\\\""
  code["\\"] = "\\\\"
  code["?"] = "\\?" # of two, C may make another character
  part[1] = "page_middle"
  part[2] = "page_end"
  print "static const char *const page_head[] = {"
  put_file(ARGV[1])
  print "};"
  if (cuts != 2)
    fail(ARGV[1] " lacks @TITLE@ or @DATA@")
}

function fail(why)
{
  print "embed.awk: " why | "cat >&2"
  close ("cat >&2")
  exit 1
}

function put_file(name,   line, status)
{
  while ((status = (getline line < name)) > 0)
    if (line == "@STYLE@")
      put_files("[.]css$")
    else if (line == "@SCRIPT@")
      put_files("[.]js$")
    else if (line == "@TITLE@" || line == "@DATA@")
      print "};\nstatic const char *const " part[++cuts] "[] = {"
    else
      put_line(line, name)
  if (status < 0)
    fail(name " cannot be read")
}

function put_files(pattern,   i)
{
  for (i = 2; i < ARGC; i++)
    if (ARGV[i] ~ pattern)
      put_file(ARGV[i])
}

function put_line(line, name,   piece)
{
  do {
    piece = substr (line, 1, 500)
    line = substr (line, 501)
    printf "  \"%s%s\",\n", quoted(piece, name), (line == "" ? "\\n" : "")
  } while (line != "")
}

function quoted(piece, name,   i, c, n, text)
{
  n = length (piece)
  for (i = 1; i <= n; i++) {
    c = substr (piece, i, 1)
    if (!(c in code))
      fail(name ": a character that is not ASCII: " piece)
    text = text code[c]
  }
  return text
}
