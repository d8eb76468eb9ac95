# functions.awk - the public functions that cgw.h declares, one
# "FUNCTION (name)" a line.  A declaration begins with CGW_API at the line's
# start, and the name is the word before its first parenthesis.
#
# Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

/^CGW_API / { text = ""; reading = 1 }
reading { text = text " " $0 }
reading && match (text, /[a-z_]+ *\(/) {
  name = substr (text, RSTART, RLENGTH)
  sub (/ *\(/, "", name)
  print "FUNCTION (" name ")"
  reading = 0
}
