# html.awk - the manual pages as HTML, and an index of them:
#
#   awk -v folder=html -v version=1.0 -v mandoc=mandoc -f html.awk \
#     cgw.3 cgw_cost.3 ...
#
# mandoc(1) turns each page into HTML.  Here it gets a head with links, and each
# word that is the name of a page becomes a link to it, also in examples; what
# is not among the pages becomes plain text.  A page that only includes another
# one (.so) is that page.
#
# Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

BEGIN {
  n_pages = 0
  for (i = 1; i < ARGC; i++)
    read_source(ARGV[i])
  for (i = 1; i <= n_pages; i++)
    read_html(pages[i])
  for (i = 1; i <= n_pages; i++)
    write_page(pages[i])
  write_index()
}

function fail (text)
{
  print "html.awk: " text | "cat >&2"
  close("cat >&2")
  exit 1
}

# A page is named as the file and the link to it: "cgw_cost.3".
function read_source (path,   page, name, line)
{
  page = path
  sub (/.*\//, "", page)
  name = page
  sub (/\.[0-9]$/, "", name)
  if (page in source || page in page_of)
    return
  while ((getline line <path) > 0) {
    if (line ~ /^\.so /) {
      sub (/.*\//, "", line)
      page_of[page] = line
      break
    }
    if (line ~ /^\.Nd /) {
      source[page] = path
      pages[++n_pages] = page
      page_of[page] = page
      break
    }
  }
  close(path)
  if (!(page in page_of))
    fail(path " is no manual page")
  # Words such as "cgw" are too common for links.
  if (name ~ /[-_]/)
    link[name] = page
}

function read_html (page,   command, line, text, id, names, name)
{
  command = mandoc " -T html -O fragment,man=%N.%S '" source[page] "'"
  text = ""
  while ((command | getline line) > 0)
    text = text line "\n"
  close(command)
  if (text == "")
    fail(mandoc " printed nothing for " source[page])
  date[page] = text
  sub (/.*<td class="foot-date">/, "", date[page])
  sub (/<.*/, "", date[page])
  sub (/.*<div class="manual-text">\n/, "", text)
  sub (/<\/div>\n<table class="foot">.*/, "", text)
  # NAME is the title.
  sub (/<h1 class="Sh" id="NAME">[^\n]*\n<p class="Pp">/, "<h1 id=\"NAME\">",
       text)
  sub (/[ \n]*&#x2014;[ \n]*<span class="Nd">/, "</h1>\n<p class=\"Nd\">", text)
  sub (/<\/span><\/p>/, "</p>", text)
  gsub (/ style="white-space: nowrap;"/, "", text)
  gsub (/<h2/, "<h3", text)
  gsub (/<\/h2>/, "</h3>", text)
  gsub (/<h1 class/, "<h2 class", text)
  gsub (/<\/a><\/h1>/, "</a></h2>", text)
  html[page] = text
  # Flags and errors lead to the first page that explains them.
  while (match (text, /<dt id="CGW_[A-Z_]+">/)) {
    id = substr (text, RSTART + 8, RLENGTH - 10)
    text = substr (text, RSTART + RLENGTH)
    names = substr (text, 1, index (text, "</dt>"))
    while (match (names, /CGW_[A-Z_]+/)) {
      name = substr (names, RSTART, RLENGTH)
      names = substr (names, RSTART + RLENGTH)
      if (!(name in link))
        link[name] = page ".html#" id
    }
  }
}

function address (target)
{
  return target ~ /#/ ? target : page_of[target] ".html"
}

# The text between two tags, with links to all but the page itself.
function with_links (text, page,   out, word, to)
{
  out = ""
  while (match (text, /[A-Za-z0-9_]+([-.][A-Za-z0-9_]+)*/)) {
    word = substr (text, RSTART, RLENGTH)
    to = word in link ? address(link[word]) : ""
    out = out substr (text, 1, RSTART - 1)
    out = out (to == "" || index (to, page ".html") == 1 ? word \
               : "<a href=\"" to "\">" word "</a>")
    text = substr (text, RSTART + RLENGTH)
  }
  return out text
}

# mandoc's links: those to pages are ours or none; the name of a call is no link
# to the place in the page, but to the page of the call.
function linked (text, page,   out, before, tag, target, inside, dropped)
{
  out = ""
  inside = dropped = 0
  while (match (text, /<[^>]*>/)) {
    tag = substr (text, RSTART, RLENGTH)
    before = substr (text, 1, RSTART - 1)
    text = substr (text, RSTART + RLENGTH)
    out = out (inside ? before : with_links(before, page))
    if (tag ~ /^<h1/ || tag ~ /^<a class="(Xr|permalink|Sx)"/) {
      target = tag
      sub (/.*href="#?/, "", target)
      sub (/".*/, "", target)
      if (tag ~ /"Xr"/ && target in page_of)
        tag = "<a class=\"Xr\" href=\"" address(target) "\">"
      dropped = (tag ~ /"Xr"/ && !(target in page_of)) \
                || (tag ~ /"permalink"/ && target in link)
      inside = !dropped || tag ~ /"Xr"/
      if (dropped)
        continue
    } else if (tag == "</a>" || tag == "</h1>") {
      inside = 0
      if (dropped) {
        dropped = 0
        continue
      }
    }
    out = out tag
  }
  return out text
}

function begin_file (file, title)
{
  out_file = folder "/" file
  printf "" >out_file
  put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>")
  put("<meta charset=\"utf-8\">")
  put("<meta name=\"viewport\" content=\"width=device-width\">")
  put("<meta name=\"color-scheme\" content=\"light dark\">")
  put("<link rel=\"stylesheet\" href=\"manual.css\">")
  put("<title>" title "</title>\n</head>\n<body>")
}

function put (line) { print line >out_file }

function end_file (text)
{
  put("<footer>" text "</footer>\n</body>\n</html>")
  close(out_file)
}

# The sections: of each heading, its link and text.
function put_contents (text,   kind, end)
{
  put("<nav class=\"contents\">\n<ul>")
  while (match (text, /<h[23] class="S[hs]" id="[^"]*">/)) {
    kind = substr (text, RSTART + 11, 2)
    text = substr (text, RSTART + RLENGTH)
    end = index (text, "</h")
    put("<li class=\"" kind "\">" substr (text, 1, end - 1) "</li>")
  }
  put("</ul>\n</nav>")
}

function title_of (page)
{
  return name_of(page) "(" substr (page, length (page)) ")"
}

function name_of (page) { return substr (page, 1, length (page) - 2) }

function write_page (page)
{
  begin_file(page ".html", title_of(page) " - libcgw")
  put("<header><a href=\"index.html\">libcgw manual</a> " title_of(page) \
      "</header>")
  put_contents(html[page])
  put("<main>")
  put(linked(html[page], page) "</main>")
  end_file("libcgw " version ", " date[page])
}

# The index.

# The text of an element of the page, on one line.
function text_of (page, begin, end,   text)
{
  text = html[page]
  text = substr (text, index (text, begin) + length (begin))
  text = substr (text, 1, index (text, end) - 1)
  gsub (/<[^>]*>/, "", text)
  gsub (/[ \n]+/, " ", text)
  return text
}

# A page, with its other names, as an item of a list.
function put_item (page,   names)
{
  names = text_of(page, "<h1 id=\"NAME\">", "</h1>")
  if (names !~ /,/)
    names = title_of(page)
  put("<dt><a href=\"" page ".html\">" names "</a></dt>")
  put("<dd>" text_of(page, "<p class=\"Nd\">", "</p>") "</dd>")
  in_topic[page] = 1
}

# Those of the pages that match, and are in no topic yet, but for the first
# ones: these are named.
function put_topic (title, first, pattern,   n, list, i)
{
  put("<h2>" title "</h2>\n<dl class=\"pages\">")
  n = split (first, list, " ")
  for (i = 1; i <= n; i++)
    if (list[i] in source)
      put_item(list[i])
  for (i = 1; i <= n_pages; i++)
    if (pages[i] ~ pattern && !(pages[i] in in_topic))
      put_item(pages[i])
  put("</dl>")
}

function write_index (   n, list, name, i)
{
  begin_file("index.html", "libcgw manual")
  put("<header>libcgw " version "</header>\n<main class=\"index\">")
  put("<h1>libcgw manual</h1>")
  put("<p class=\"Nd\">write profiles that KCachegrind, callgrind_annotate " \
      "and other programs show</p>")
  put_topic("Guides", "cgw_howto.7 cgw.3 cgw_replacing.7 cgw_profile.3 " \
            "cgw_tracer.3 cgw_recorder.3 cgw_handlers.7", "^cgw_.*7$")
  put_topic("Tools", "cgw-sample.1 cgw-trace.1 cgw-qemu.1 cgw-mpi.1 " \
            "cgw-report.1 cgw-import.1 cgw-export.1 cgw-merge.1 " \
            "cgw-lint.1 cgw-recode.1", "^cgw-")
  put_topic("Names", "cgw_names_new.3 cgw_names_free.3 cgw_names_options.3 " \
            "cgw_names.3", \
            "^cgw_(names|add|object|file|fn)(_.*)?[.]3$")
  put_topic("Sums: profiles", "cgw_profile_new.3", "^cgw_(profile|visitor)")
  put_topic("Calls and returns: tracers", "cgw_tracer_new.3",
            "^cgw_(tracer|edge)")
  put_topic("Addresses from handlers: recorders", "cgw_recorder_init.3",
            "^cgw_(recorder|sample)")
  put_topic("Files, records and errors", "cgw_open.3 cgw_open_fd.3 " \
            "cgw_begin_part.3 cgw_cost.3 cgw_call.3 cgw_jump.3 " \
            "cgw_comment.3 cgw_flush.3 cgw_finish.3 cgw_free.3", ".")
  put("<h2>All names</h2>\n<ul class=\"names\">")
  n = 0
  for (name in link) {
    for (i = ++n; i > 1 && list[i - 1] > name; i--)
      list[i] = list[i - 1]
    list[i] = name
  }
  for (i = 1; i <= n; i++)
    put("<li><a href=\"" address(link[list[i]]) "\">" list[i] "</a></li>")
  put("</ul>\n</main>")
  end_file("libcgw " version)
}
