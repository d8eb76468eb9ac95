# functions.awk - the public functions that cgw.h declares, one
# "FUNCTION (name, class)" a line.  A declaration begins with CGW_API at the
# line's start, and the name is the word before its first parenthesis.  The
# class is N or S, as the comment before it begins: "/* [N]".
#
# Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

match ($0, /^\/\* \[[NS]\]/) { class = substr ($0, RLENGTH - 1, 1) }
/^CGW_API / { text = ""; reading = 1 }
reading { text = text " " $0 }
reading && match (text, /[a-z_]+ *\(/) {
  name = substr (text, RSTART, RLENGTH)
  sub (/ *\(/, "", name)
  print "FUNCTION (" name ", " class ")"
  reading = 0
}
