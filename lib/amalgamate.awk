# amalgamate.awk - write the library as one source file, for those who copy it
# into their own project:
#
#   awk -v version=VERSION -v only="writer tracer" -f amalgamate.awk FILE...
#
# The FILEs are the library's sources, in the order of the layers.  They come
# one behind the other, with their comments, and the headers where they are
# first included.  Nothing is rewritten but that what is private to the library
# becomes static: every name that begins with cgwi_ at file scope.
#
# `only` names what to keep, see kept below; by default, all.
#
# Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

# Whether a file is kept: what a profile is written by comes with it, as does
# the profile of a tracer.  A recorder stands alone.
function kept (path)
{
  if (only == "" || path ~ /^lib\/(text\/)?[a-z]*\.c$/ && path !~ /recorder/)
    return 1
  if (path ~ /^lib\/(profile|bridge)\//)
    return only ~ /profile|tracer/
  if (path ~ /^lib\/tracer\//)
    return only ~ /tracer/
  return path ~ /recorder/ ? only ~ /recorder/ : only ~ /writer|profile|tracer/
}

# "a/../b" is the same file as "b".
function beside (path, name)
{
  sub (/[^\/]+$/, name, path)
  while (sub (/[^\/.]+\/\.\.\//, "", path))
    ;
  return path
}

# Print a line of a file.  A definition has its type, and no more, on the line
# before its name.
function put_line (line)
{
  if (type != "")
    print (line ~ /^cgwi_/ ? "CGWI_PRIVATE " : "") type
  type = ""
  sub (/^extern /, "", line)
  if (line ~ /^(CGWI_COLD )?[a-z][a-z_0-9 *]*( __attribute__ \(.*\))?$/ \
      && line !~ /^(static|struct|union|enum) [a-z_]*$|^(static|else|typedef) /)
    type = line
  else if (line ~ /^[a-z][^(;={]*[ *]cgwi_[a-z_]+( \(|\[)/ \
           && line !~ /^(static|typedef) /)
    print "CGWI_PRIVATE " line
  else
    print line
}

function put_file (path,   line, name)
{
  if (path !~ /\.def$/ && seen[path]++)
    return
  while ((getline line < path) > 0) {
    if (line !~ /^# *include "/ || line ~ /"cgw\.h"/) {
      put_line(line)
      continue
    }
    name = line
    gsub (/^[^"]*"|".*$/, "", name)
    put_file(beside(path, name))
  }
  close (path)
}

BEGIN {
  n = split (only, words)
  for (i = 1; i <= n; i++)
    if (words[i] !~ /^(writer|profile|tracer|recorder)$/) {
      print "ONLY: " words[i] ": want writer, profile, tracer or recorder" \
        >"/dev/stderr"
      exit 1
    }
  print "/* cgw.c - libcgw " version " in one file, made by" \
        " \"make amalgamation\"" (only == "" ? "" : " ONLY=\"" only "\"") "."
  print ""
  print "   Compile it as C11; beside it, only cgw.h is needed, which C++ may"
  print "   include, too.  Or include it in one of your C files, after"
  print ""
  print "     #define CGW_STATIC"
  print ""
  print "   which makes all functions static: then the compiler leaves out those"
  print "   that are not called, if this file has all (it warns of those that"
  print "   ONLY left out).  Private functions have names such as \"save\", which"
  print "   yours must not have.  Plug-ins that share one copy among their files,"
  print "   without exporting it, compile it with -DCGW_API= -fvisibility=hidden."
  print ""
  print "   Copyright (C) 2026 the libcgw authors."
  print "   SPDX-License-Identifier: MIT  */"
  print ""
  print "#ifdef __cplusplus"
  print "# error \"cgw.c is C: compile it with a C compiler\""
  print "#endif"
  print "#define CGWI_PRIVATE static __attribute__ ((unused))"
  print ""
  for (i = 1; i < ARGC; i++)
    if (ARGV[i] ~ /\.c$/ && kept(ARGV[i]))
      put_file(ARGV[i])
}
