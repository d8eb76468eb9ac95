# promised.awk - what cgw.h promises of its functions, one a line:
#
#   FUNCTION (name)
#   POINTER (name, number)   the parameter of that number, from 0, is a pointer
#   STATUS (name, EINVAL)    the function's comment names the status
#
# A comment is about the declarations that follow it.  "All four return" and
# "All calls below return" are about more; and a comment that
# says "As cgw_x" or "Otherwise as cgw_x" has the statuses of cgw_x.  What
# cgw_error and the like return is other calls' status.
#
# Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

# Add the statuses that a text names to a list of them.
function statuses (text, list)
{
  while (match (text, /CGW_E[A-Z]+/)) {
    if (substr (text, RSTART, RLENGTH) != "CGW_EVENTS")
      list = list " " substr (text, RSTART + 4, RLENGTH - 4)
    text = substr (text, RSTART + RLENGTH)
  }
  return list
}

# A comment is complete: what does it say of more than the next declaration?
function end_comment (   at)
{
  gsub (/[ \n]+/, " ", comment)
  if (comment ~ /All four return/) {
    group = 4
    of_group = statuses(comment, "")
  }
  if ((at = index (comment, "All calls below return")) == 0)
    return
  events = substr (comment, at)
  at = index (events, "The calls with counters")
  of_events = statuses(substr (events, 1, at), "")
  events = substr (events, at)
  of_counters = statuses(substr (events, 1, index (events, "An event")), "")
}

# The kind of object that a function is about.
function family (name)
{
  return match (name, /^cgw_(names|profile|tracer|recorder)_/) ? RLENGTH : 0
}

# Print the pointers among the parameters, which are not split at the commas of
# a function's own parameters.
function pointers (name, text,   i, c, depth, n, is_pointer)
{
  for (i = 1; i <= length (text); i++) {
    c = substr (text, i, 1)
    depth += (c == "(") - (c == ")")
    is_pointer = is_pointer || c == "*"
    if ((c == "," && depth == 1) || depth == 0) {
      if (is_pointer)
        print "POINTER (" name ", " n + 0 ")"
      n++
      is_pointer = 0
    }
    if (depth == 0)
      return
  }
}

function declare (text,   name, all, n, i, s, seen)
{
  sub (/^CGW_API /, "", text)
  match (text, /[a-z_]+ *\(/)
  name = substr (text, RSTART, RLENGTH)
  sub (/ *\(/, "", name)
  print "FUNCTION (" name ")"
  pointers(name, substr (text, RSTART + RLENGTH - 1))
  if (text !~ /^enum cgw_status/ || name ~ /_error$/)
    return
  all = statuses(comment, "")
  if (match (comment, /(As|Otherwise as) cgw_[a-z_]+/)) {
    s = substr (comment, RSTART, RLENGTH)
    sub (/.* /, "", s)
    if (family(s) == family(name))
      all = all of[s]
  }
  if (group-- > 0)
    all = all of_group
  if (name ~ /^cgw_tracer_/ && text ~ /\(struct cgw_tracer \*t/)
    all = all of_events
  if (name ~ /^cgw_tracer_/ && text ~ /\*counters/)
    all = all of_counters
  of[name] = all
  n = split (all, s_of, " ")
  for (i = 1; i <= n; i++)
    if (!((name, s_of[i]) in printed)) {
      printed[name, s_of[i]] = 1
      print "STATUS (" name ", " s_of[i] ")"
    }
}

/^\/\* / { comment = ""; in_comment = 1 }
in_comment {
  comment = comment "\n" $0
  if (/\*\/$/) {
    in_comment = 0
    end_comment()
  }
  next
}
/^CGW_API / { declaration = ""; in_declaration = 1 }
in_declaration {
  declaration = declaration " " $0
  if (/;$/) {
    in_declaration = 0
    gsub (/ +/, " ", declaration)
    declare(substr (declaration, 2))
  }
}
END { print "#undef FUNCTION\n#undef POINTER\n#undef STATUS" }
