# manual.awk - the manual's page of each call and struct, made of cgw.h:
#
#   awk -v folder=OUT -v guides="cgw cgw_profile" -f manual.awk cgw.3 \
#     pass=1 cgw.h pass=2 cgw.h
#
# writes OUT/cgw_cost.3 and so on.  Declarations that share a comment share a
# page: the first one names it, and the others lead to it.  A name with a page
# written by hand (a guide) has none here.  Their date is that of cgw.3.
#
# How cgw.h is read:
#   - A comment at the left edge is about the declarations that follow without a
#     blank line.  [S] or [N] holds until the next one.
#   - A line that could have taken the next word begins a new paragraph after
#     it.  So does a blank line, and " - ".
#   - From the first sentence that begins with statuses, the text is about
#     errors.  A status without a text has that of enum cgw_status.
#   - "All four return:" and "All calls below return:"
#     begin errors of calls that follow.  A call's own text about a status
#     replaces theirs, or adds to it if it begins with "also".  "(Not from
#     cgw_x.)" is about one of these calls.
#   - "As cgw_x" or "Otherwise as cgw_x" means the statuses of cgw_x, too.
#
# Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

BEGIN {
  n_guides = split (guides, guide_names, " ")
  for (i = 1; i <= n_guides; i++)
    is_guide[guide_names[i]] = has_page[guide_names[i]] = 1
}

# Texts: units of a comment, each a kind and a text.

function add_unit (set, kind, text)
{
  n_units[set]++
  unit_kind[set, n_units[set]] = kind
  unit_text[set, n_units[set]] = text
}

# Read a comment's lines into a set of units.  The kinds are "p" for a paragraph
# and "b" for a bullet.
function read_units (set, text,   lines, n, i, line, word, last, kind)
{
  n_units[set] = 0
  n = split (text, lines, "\n")
  last = ""
  for (i = 1; i <= n; i++) {
    line = lines[i]
    if (line ~ /^ *$/) {
      last = ""
      continue
    }
    word = line
    sub (/^ +/, "", word)
    sub (/ .*/, "", word)
    kind = ""
    if (last == "")
      kind = "p"
    else if (line ~ /^   - /)
      kind = "b"
    else if (line !~ /^     / && unit_kind[set, n_units[set]] == "b")
      kind = "p"
    else if (line !~ /^     / \
             && length (last) + (last ~ /[.:]\)?$/ ? 2 : 1) + length (word) \
                < 79)
      kind = "p"
    last = line
    sub (/^ *(- )?/, "", line)
    if (kind != "")
      add_unit(set, kind, line)
    else
      unit_text[set, n_units[set]] = unit_text[set, n_units[set]] "\n" line
  }
}

# Split a text into sentences, which end at two blanks or a line's end.
function sentences (text, list,   n, i, lines, parts, k, j, s)
{
  n = 0
  s = ""
  split ("", list)
  k = split (text, lines, "\n")
  for (i = 1; i <= k; i++) {
    split (lines[i], parts, "  ")
    for (j = 1; j in parts; j++) {
      s = s (s == "" ? "" : " ") parts[j]
      if (parts[j] ~ /([.?]\)?|(return|counts):)$/ \
          && parts[j] !~ /(such as|e\.g\.)$/) {
        list[++n] = s
        s = ""
      }
    }
  }
  if (s != "")
    list[++n] = s
  return n
}

function capital (text)
{
  return toupper (substr (text, 1, 1)) substr (text, 2)
}

function upper_first (text)
{
  match (text, /^[a-z_]+/)
  return text ~ /^[a-z]+_/ \
         || (RLENGTH > 0 \
             && parameters ~ "[ *]" substr (text, 1, RLENGTH) "[,)]") \
         ? text : capital(text)
}

# Errors: items with a tag, and paragraphs between them (an empty tag).

function add_item (set, tag, text)
{
  n_items[set]++
  item_tag[set, n_items[set]] = tag
  item_text[set, n_items[set]] = text
}

# Does a list of statuses name any of those of another one?
function share (one, other,   statuses, n, i)
{
  n = split (one, statuses, /[^A-Z_]+/)
  for (i = 1; i <= n; i++)
    if (statuses[i] ~ /^CGW_/ && index (" " clean(other) " ",
                                        " " statuses[i] " "))
      return 1
  return 0
}

function clean (text)
{
  gsub (/[^A-Z_]+/, " ", text)
  return text
}

function add_bare (set, tag,   statuses, n, i)
{
  n = split (tag, statuses, /[^A-Z_]+/)
  for (i = 1; i <= n; i++)
    if (statuses[i] ~ /^CGW_/)
      add_item(set, statuses[i], phrase[statuses[i]])
}

# A sentence that begins with statuses becomes items.  Return if more sentences
# may be about the last one.
function read_item (set, s,   tag, rest, colon)
{
  match (s, LIST)
  tag = substr (s, 1, RLENGTH)
  rest = substr (s, RLENGTH + 1)
  if (rest == "." || rest == "") {
    sub (/^Also /, "", tag)
    add_bare(set, tag)
    return 0
  }
  if ((colon = index (rest, ": ")) > 0) {
    # "CGW_ENOMEM; CGW_EBUSY, of the names: *w is NULL."
    tag = tag substr (rest, 1, colon - 1)
    rest = substr (rest, colon + 2)
  } else {
    # "CGW_ENOMEM; CGW_EBUSY, as cgw_open_fd."
    if (match (tag, /.*; /)) {
      add_bare(set, substr (tag, 1, RLENGTH - 2))
      tag = substr (tag, RLENGTH + 1)
    }
    sub (/^[, ]+/, "", rest)
    if (rest ~ /^\(/) {
      sub (/^\(/, "", rest)
      sub (/\)/, "", rest)
      rest = "as to " rest
    }
  }
  if (sub (/^Also /, "", tag))
    rest = "also: " rest
  add_item(set, tag, rest)
  return 1
}

# Divide units into a description and errors: units of set D, items of set E.
function divide (set, d, e,   i, j, n, list, in_errors, open, kind, rest)
{
  n_units[d] = n_items[e] = 0
  in_errors = 0
  for (i = 1; i <= n_units[set]; i++) {
    kind = unit_kind[set, i]
    n = sentences(unit_text[set, i], list)
    rest = ""
    open = 0
    for (j = 1; j <= n; j++) {
      if (list[j] ~ /^(All|The calls with) [a-z ]* return:$/) {
        in_errors = 1
        if (list[j] ~ /counters/)
          add_item(e, "counters", "")
        continue
      }
      if (match (list[j], LIST) \
          && substr (list[j], RLENGTH + 1) \
             ~ /^([.:;]|, [^o]|, of| (of|\()|$)/) {
        if (rest != "" && in_errors)
          add_item(e, "", rest)
        else if (rest != "")
          add_unit(d, kind, rest)
        rest = ""
        in_errors = 1
        open = read_item(e, list[j])
      } else if (open)
        item_text[e, n_items[e]] = item_text[e, n_items[e]] " " list[j]
      else
        rest = rest (rest == "" ? "" : "  ") list[j]
    }
    if (rest != "") {
      if (in_errors)
        add_item(e, "", rest)
      else
        add_unit(d, kind, rest)
    }
  }
}

# Writing.

# The text as input for mandoc and groff: a sentence begins a line, and names
# of the library are bold.
function roff (text,   out)
{
  gsub (/\n/, " ", text)
  gsub (/\[S\]/, "async-signal-safe", text)
  gsub (/\[N\]/, "normal", text)
  gsub (/\\/, "\\e", text)
  gsub (/-1/, "\\-1", text)
  gsub (/-2/, "\\-2", text)
  gsub (/\.  +/, ".\n", text)
  gsub (/\. /, ".\n", text)
  gsub (/:  +/, ":\n", text)
  gsub (/e\.g\.\n/, "e.g. ", text)
  out = ""
  while (match (text, /`[^`]*`/)) {
    out = out substr (text, 1, RSTART - 1) "\\fI" \
          substr (text, RSTART + 1, RLENGTH - 2) "\\fP"
    text = substr (text, RSTART + RLENGTH)
  }
  text = out text
  out = ""
  while (match (text, /cgw_[a-z_]+[a-z]/)) {
    out = out substr (text, 1, RSTART - 1) "\\fB" \
          substr (text, RSTART, RLENGTH) "\\fP"
    seen_name[substr (text, RSTART, RLENGTH)] = 1
    text = substr (text, RSTART + RLENGTH)
  }
  out = "\n" out text
  gsub (/\n\./, "\n\\\\\\&.", out)
  gsub (/\n'/, "\n\\\\\\&'", out)
  return substr (out, 2)
}

function put (line) { print line >page }

# Units, with lists of bullets.
function put_units (set,   i, kind, in_list)
{
  for (i = 1; i <= n_units[set]; i++) {
    kind = unit_kind[set, i]
    if (kind == "b" && !in_list)
      put(".Bl -bullet")
    else if (kind != "b" && in_list)
      put(".El")
    if (kind == "b")
      put(".It")
    else if (i > 1)
      put(".Pp")
    in_list = kind == "b"
    put(roff(unit_text[set, i]))
  }
  if (in_list)
    put(".El")
}

# Items, without those that became part of another one.
function put_items (set,   i, in_list)
{
  for (i = 1; i <= n_items[set]; i++) {
    if (item_tag[set, i] == "gone")
      continue
    if (item_tag[set, i] == "") {
      if (in_list)
        put(".El")
      put(".Pp")
      put(roff(upper_first(item_text[set, i])))
      in_list = 0
      continue
    }
    if (!in_list)
      put(".Bl -tag -width Ds")
    in_list = 1
    put(".It " roff(item_tag[set, i]))
    put(roff(item_text[set, i] ~ /\.\)?$/ ? upper_first(item_text[set, i]) \
             : upper_first(item_text[set, i]) "."))
  }
  if (in_list)
    put(".El")
}

# The one-line description: the first sentence, without its end.
function brief (text,   list, s)
{
  sub (/^ +/, "", text)
  sentences(text, list)
  s = list[1]
  gsub (/`/, "", s)
  gsub (/ +/, " ", s)
  sub (/[.:]$/, "", s)
  if (length (s) > 76)
    sub (/ ?[,;:(] ?.*/, "", s)
  if (s !~ /^[A-Z][A-Z]/)
    s = tolower (substr (s, 1, 1)) substr (s, 2)
  gsub (/\\/, "\\e", s)
  gsub (/"/, "\\(dq", s)
  return s
}

# The guide of a name.
function guide_of (name)
{
  if (name ~ /^cgw_profile/)
    return "cgw_profile"
  if (name ~ /^cgw_(tracer|edge)/)
    return "cgw_tracer"
  if (name ~ /^cgw_(recorder|sample)/)
    return "cgw_recorder"
  return "cgw"
}

function begin_page (names, text,   n, name, i)
{
  n = split (names, name, " ")
  page = folder "/" name[1] ".3"
  split ("", seen_name)
  put(".\\\" Made of cgw.h by lib/manual.awk.  SPDX-License-Identifier: MIT")
  put(".Dd " date)
  put(".Dt " toupper (name[1]) " 3")
  put(".Os libcgw")
  put(".Sh NAME")
  for (i = 1; i <= n; i++)
    put(".Nm " name[i] (i < n ? " ," : ""))
  put(".Nd " brief(text))
  put(".Sh LIBRARY")
  put("libcgw; link with the output of")
  put(".Ql pkg-config --cflags --libs cgw .")
  put(".Sh SYNOPSIS")
  put(".In cgw.h")
  for (i = 2; i <= n; i++) {
    print ".so man3/" name[1] ".3" >(folder "/" name[i] ".3")
    close (folder "/" name[i] ".3")
  }
  own_names = " " names " "
}

function end_page (is_call,   name, list, n, i, j, swap)
{
  seen_name[guide_of(first_name)] = 1
  if (guide_of(first_name) != "cgw")
    seen_name["cgw"] = 1
  n = 0
  for (name in seen_name)
    if (!index (own_names, " " name " ") && (name in has_page))
      list[++n] = name
  for (i = 2; i <= n; i++)
    for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
      swap = list[j]
      list[j] = list[j - 1]
      list[j - 1] = swap
    }
  put(".Sh SEE ALSO")
  for (i = 1; i <= n; i++)
    put(".Xr " list[i] " 3" (i < n || is_call ? " ,": ""))
  if (is_call)
    put(".Xr cgw_handlers 7")
  close (page)
}

# The declarations of functions.

# Put ".Ft" and ".Fn" for a declaration; its parameters are split at the commas
# outside of parentheses.
function put_prototype (text, name,   type, i, c, depth, parameter, line)
{
  match (text, name " *\\(")
  type = substr (text, 1, RSTART - 1)
  text = substr (text, RSTART + RLENGTH)
  sub (/ +$/, "", type)
  put(".Ft " type)
  line = ".Fn " name
  depth = 1
  parameter = ""
  for (i = 1; i <= length (text) && depth > 0; i++) {
    c = substr (text, i, 1)
    depth += (c == "(") - (c == ")")
    if (depth == 0 || (depth == 1 && c == ",")) {
      sub (/^ +/, "", parameter)
      line = line " \"" parameter "\""
      parameter = ""
    } else
      parameter = parameter c
  }
  put(line)
  while (match (line, /struct cgw_[a-z_]+/)) {
    seen_name[substr (line, RSTART + 7, RLENGTH - 7)] = 1
    line = substr (line, RSTART + RLENGTH)
  }
}

# The kind of object that a function is about.
function family (name)
{
  return match (name, /^cgw_(names|profile|tracer|recorder)_/) ? RLENGTH : 0
}

# Add the errors of a group to those of a call: "" or "counters" are sections
# of the group.
function add_group (e, group, with_counters,   i, k, skip, found, text)
{
  skip = 0
  for (i = 1; i <= n_items[group]; i++) {
    if (item_tag[group, i] == "counters") {
      skip = !with_counters
      continue
    }
    if (skip || (item_text[group, i] ~ /^n is / && parameters !~ / n[,)]/))
      continue
    text = item_text[group, i]
    if (match (text, / *\(Not from [^)]*\)/)) {
      if (index (substr (text, RSTART, RLENGTH), first_name))
        continue
      text = substr (text, 1, RSTART - 1) substr (text, RSTART + RLENGTH)
    }
    found = 0
    if (item_tag[group, i] != "")
      for (k = 1; k <= n_own; k++)
        if (item_tag[e, k] != "" && share(item_tag[group, i], item_tag[e, k])) {
          found = 1
          break
        }
    if (found && item_text[e, k] ~ /^also:? /) {
      item_tag[e, k] = "gone"
      text = text "  " capital(item_text[e, k])
      found = 0
    }
    if (!found)
      add_item(e, item_tag[group, i], text)
  }
}

# Add the statuses of the call that a comment refers to.
function add_others (e, text, source,   tags, i)
{
  tags = " "
  for (i = 1; i <= n_items[e]; i++)
    tags = tags clean(item_tag[e, i]) " "
  while (match (text, STATUS)) {
    i = substr (text, RSTART, RLENGTH)
    text = substr (text, RSTART + RLENGTH)
    if (i != "CGW_OK" && !index (tags, " " i " ")) {
      add_item(e, i, "as " source ".")
      tags = tags i " "
    }
  }
}

function function_page (   names, i, e, all, text, other, returns, described)
{
  names = ""
  for (i = 1; i <= n_declared; i++)
    names = names (i > 1 ? " " : "") declared_name[i]
  first_name = declared_name[1]
  begin_page(names, comment)
  for (i = 1; i <= n_declared; i++)
    put_prototype(declaration[i], declared_name[i])
  read_units("all", comment)
  divide("all", "d", "e")
  n_own = n_items["e"]
  parameters = declaration[1] declaration[n_declared]
  returns = declaration[n_declared] ~ /^enum cgw_status/ \
            && first_name !~ /_(explain|error)$/
  if (returns) {
    if (of_group > 0)
      add_group("e", "group", 0)
    if (first_name ~ /^cgw_tracer_/ \
        && declaration[1] ~ /\(struct cgw_tracer \*t/)
      add_group("e", "events", declaration[1] ~ /\*counters/)
    text = comment
    gsub (/[ \n]+/, " ", text)
    if (match (text, /(As|Otherwise as) cgw_[a-z_]+/)) {
      other = substr (text, RSTART, RLENGTH)
      sub (/.* /, "", other)
      if (family(other) == family(first_name))
        add_others("e", statuses_of[other], other)
    }
  }
  put(".Sh DESCRIPTION")
  put_units("d")
  if (of_group > 0 && n_units["group_d"] > 0 && parameters ~ / n[,)]/) {
    put(".Pp")
    put_units("group_d")
  }
  put(".Pp")
  if (class == "S") {
    put("This call is async-signal-safe: a handler may make it, whatever it")
    put("interrupted.")
  } else {
    put("This call is for normal code, not for signal handlers: see")
    put(".Xr cgw_handlers 7 .")
  }
  if (returns) {
    put(".Sh RETURN VALUES")
    put("CGW_OK, or a status that ERRORS explains.")
    put(".Sh ERRORS")
    put_items("e")
  } else if (n_items["e"] > 0) {
    put(".Sh ERRORS")
    put_items("e")
  }
  statuses_of[first_name] = ""
  for (i = 1; i <= n_items["e"]; i++)
    statuses_of[first_name] = statuses_of[first_name] " " \
                              clean(item_tag["e", i])
  end_page(1)
  if (of_group > 0)
    of_group -= n_declared
}

# A comment that no declaration follows, or that of a struct, may have errors of
# the calls that follow.
function loose_comment (   i, at, text)
{
  if ((at = index (comment, "\n   All calls below return:")) > 0) {
    read_units("all", substr (comment, at))
    divide("all", "unused", "events")
    comment = substr (comment, 1, at - 1)
  } else if (match (comment, /\n   All four return:/)) {
    of_group = 4
    at = index (comment, "\n\n")
    read_units("all", substr (comment, at))
    divide("all", "group_d", "group")
  }
}

# Structs.

# "unsigned positions;" is the member positions, "ssize_t (*write) (...)" write.
function member_name (text)
{
  if (match (text, /\(\*[a-z_]+\)/))
    return substr (text, RSTART + 2, RLENGTH - 3)
  sub (/;.*/, "", text)
  sub (/ = .*/, "", text)
  sub (/,.*/, "", text)
  sub (/.*[ *]/, "", text)
  return text
}

# Read the members of a struct or enum: lines of code, each with a comment
# behind it, before it, or with the previous one's.
function read_member (line,   code, text, at)
{
  if (in_member_comment) {
    text = line
    sub (/^ +/, "", text)
    in_member_comment = text !~ /\*\//
    sub (/ *\*\/.*/, "", text)
    if (comment_before)
      pending = pending " " text
    else
      member_text[n_members] = member_text[n_members] " " text
    return
  }
  at = index (line, "/*")
  code = at ? substr (line, 1, at - 1) : line
  text = at ? substr (line, at + 2) : ""
  in_member_comment = at && text !~ /\*\//
  sub (/ *\*\/.*/, "", text)
  sub (/^ +/, "", text)
  sub (/ +$/, "", code)
  if (code !~ /[^ ]/) {
    comment_before = 1
    pending = text
    return
  }
  comment_before = 0
  code_lines[++n_code] = code
  member = member code
  if ((code !~ /[;,]$/ && code !~ /= [0-9]+$/) \
      || (member ~ /\(/ && code !~ /;$/))
    return
  if (text != "" || pending != "" || n_members == 0) {
    member_tag[++n_members] = member_name(member)
    member_text[n_members] = pending != "" ? pending : text
  } else
    member_tag[n_members] = member_tag[n_members] " , " member_name(member)
  pending = member = ""
}

function put_members (   i)
{
  put(".Bl -tag -width Ds")
  for (i = 1; i <= n_members; i++) {
    put(".It Fa " member_tag[i])
    parameters = " " member_tag[i] ","
    gsub (/ ,/, ",", parameters)
    if (member_tag[i] == "size")
      member_text[i] = "the size " member_text[i]
    put(roff(upper_first(member_text[i])) \
        (member_text[i] ~ /\.\)?$/ ? "" : "."))
  }
  put(".El")
}

function put_flags (   i)
{
  if (n_flags == 0)
    return
  parameters = ""
  put(".Ss Flags and constants")
  put(".Bl -tag -width Ds")
  for (i = 1; i <= n_flags; i++) {
    put(".It Dv " flag_name[i])
    put(roff(upper_first(flag_text[i])) (flag_text[i] ~ /\.\)?$/ ? "" : "."))
  }
  put(".El")
  for (i = 1; i <= n_more; i++) {
    put(".Ss " more_name[i])
    read_units("more", more_text[i])
    put_units("more")
  }
  n_flags = n_more = 0
}

# A page of structs: opaque, with members, or several of one line.
function struct_page (names,   i, text)
{
  split (names, list, " ")
  first_name = list[1]
  if (first_name in is_guide)
    return
  text = comment
  parameters = ""
  begin_page(names, text)
  for (i = 1; i <= n_code; i++) {
    if (i == 1)
      put(".Bd -literal")
    put(code_lines[i])
  }
  if (n_code > 0)
    put(".Ed")
  read_units("all", text)
  put(".Sh DESCRIPTION")
  put_units("all")
  if (n_members > 0 && member_text[n_members] != "")
    put_members()
  put_flags()
  end_page(0)
}

/^\.Dd / {
  date = $0
  sub (/^\.Dd /, "", date)
}
!pass { next }

# The first pass finds the names that have a page, and the statuses' phrases.
pass == 1 {
  if (match ($0, /^(struct|enum) cgw_[a-z_]+/)) {
    sub (/^(struct|enum) /, "", $0)
    match ($0, /^cgw_[a-z_]+/)
    has_page[substr ($0, 1, RLENGTH)] = 1
  } else if (match ($0, /^CGW_API .*/)) {
    text = ""
    reading = 1
  }
  if (reading) {
    text = text " " $0
    if (match (text, /cgw_[a-z_]+ *\(/)) {
      text = substr (text, RSTART, RLENGTH)
      sub (/ *\(/, "", text)
      has_page[text] = 1
      reading = 0
    }
  }
  if (match ($0, /^  CGW_[A-Z]+ = [0-9]+,? *\/\* /)) {
    text = substr ($0, RLENGTH + 1)
    status = $1
    STATUS = STATUS (STATUS == "" ? "" : "|") status
    in_phrase = text !~ /\*\//
    sub (/ *\*\/.*/, "", text)
    phrase[status] = text
  } else if (in_phrase) {
    text = $0
    sub (/^ +/, "", text)
    in_phrase = text !~ /\*\//
    sub (/ *\*\/.*/, "", text)
    phrase[status] = phrase[status] " " text
  }
  next
}

LIST == "" {
  STATUS = "(" STATUS ")"
  LIST = "^(Also )?" STATUS "((,|;| and|, and) " STATUS ")*"
}

# Comments at the left edge.
/^\/\* / {
  if (comment != "" && !used)
    loose_comment()
  comment = $0
  sub (/^\/\* /, "   ", comment)
  used = 0
  n_declared = 0
  in_comment = comment !~ /\*\//
  if (!in_comment)
    sub (/ *\*\/$/, "", comment)
  if (match (comment, /^   \[[NS]\] /)) {
    class = substr (comment, 5, 1)
    comment = "       " substr (comment, 8)
  }
  next
}
in_comment {
  line = $0
  in_comment = line !~ /\*\/$/
  sub (/ *\*\/$/, "", line)
  comment = comment "\n" line
  if (!in_comment && match (comment, /^   CGW_[A-Z]+: /)) {
    more_name[++n_more] = substr (comment, 4, RLENGTH - 5)
    line = substr (comment, 1, RLENGTH)
    gsub (/./, " ", line)
    more_text[n_more] = line capital(substr (comment, RLENGTH + 1))
    used = 1
  }
  next
}

# Flags: a comment behind or before them.
in_flag {
  line = $0
  in_flag = line !~ /\*\/$/
  sub (/ *\*\/$/, "", line)
  sub (/^ +/, "", line)
  flag_text[n_flags] = flag_text[n_flags] " " line
  next
}
/^#define CGW_[A-Z_]+ [0-9]+u? +\/\*/ {
  flag_name[++n_flags] = $2
  line = substr ($0, index ($0, "/*") + 3)
  in_flag = line !~ /\*\/$/
  sub (/ *\*\/$/, "", line)
  flag_text[n_flags] = line
  used = 1
  next
}

/^(struct|enum) cgw_[a-z_]+$/ {
  struct_name = $2
  n_code = n_members = 0
  code_lines[++n_code] = $0
  loose_comment()
  used = in_struct = 1
  next
}
in_struct {
  if ($0 == "{") {
    code_lines[++n_code] = $0
    next
  }
  if ($0 == "};") {
    code_lines[++n_code] = $0
    in_struct = 0
    struct_page(struct_name)
    next
  }
  read_member($0)
  next
}
/^struct cgw_[a-z_]+;$/ {
  sub (/;/, "", $2)
  loose_comment()
  used = 1
  n_code = 1
  n_members = 0
  code_lines[1] = "struct " $2 ";"
  struct_page($2)
  next
}
/^struct cgw_[a-z_]+ [{]/ {
  joint = joint (joint == "" ? "" : " ") $2
  code_lines[++n_joint] = $0
  used = 1
  next
}
joint != "" {
  n_code = n_joint
  n_members = n_joint = 0
  struct_page(joint)
  joint = ""
}

/^CGW_API / { text = ""; reading = 1 }
reading {
  text = text " " $0
  if (/;$/) {
    reading = 0
    gsub (/ +/, " ", text)
    sub (/^ CGW_API /, "", text)
    sub (/ CGW_NOEXCEPT;$/, "", text)
    match (text, /cgw_[a-z_]+ *\(/)
    declaration[++n_declared] = text
    name = substr (text, RSTART, RLENGTH)
    sub (/ *\(/, "", name)
    declared_name[n_declared] = name
    used = 1
  }
  next
}
/^$/ && n_declared > 0 {
  function_page()
  n_declared = 0
}
