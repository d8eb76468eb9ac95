#!/bin/sh
# hostile.sh - names that are attacks on a terminal, and small files that would
# fill the memory.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder: the tools.

. "${srcdir-.}/tests/support/tap.sh"
tools=$(pwd)/examples/tools
cd "$dir" || exit 1

# An escape sequence, C1 in UTF-8, a line that is not there, the other direction.
name=$(printf 'x\033]0;y\007\302\233m\nz\342\200\256e')
esc=$(printf '\033') bell=$(printf '\007') c1=$(printf '\302\233')
back=$(printf '\342\200\256')

# harmless FILE: it has no such character; and it has the rest of the name.
harmless ()
{
  ! grep -q -e "$esc" -e "$bell" -e "$c1" -e "$back" -e '^z' "$1" \
    && grep -q 'x?]0;y??m?z?e' "$1"
}

# needs TOOL: what its command line must have.
needs ()
{
  case $1 in
    export) echo --to folded ;;
    merge) echo -o out ;;
  esac
}

for tool in export import lint merge mpi qemu recode report sample trace; do
  program=$tools/$tool/cgw-$tool
  if test ! -x "$program"; then
    skip "cgw-$tool" "it was not built"
    continue
  fi
  "$program" "--$name" </dev/null >log 2>&1
  harmless log
  result $? "cgw-$tool: an option" log
  # For the tools that run a program, it is one that is missing.
  # shellcheck disable=SC2046 # words
  "$program" $(needs $tool) "./$name" </dev/null >log 2>&1
  harmless log
  result $? "cgw-$tool: a file that is not there" log
done

profile ()
{
  printf 'version: 1\nevents: A\nfl=f%s.c\nfn=f%s\n1 %s\n' "$1" "$1" "$2"
}

printf 'events: A\nfn=f\n1 oops\n' >"$name"
for tool in export import merge recode report; do
  # shellcheck disable=SC2046 # words
  "$tools/$tool/cgw-$tool" $(needs $tool) -o out "$name" >log 2>&1
  harmless log
  result $? "cgw-$tool: a file with a mistake" log
done
"$tools/lint/cgw-lint" "$name" >log 2>&1
harmless log
result $? "cgw-lint: a file with a mistake" log

# The table of differences.
odd=$(printf 'x\302\233m\342\200\256e')
profile "$odd" 5 >before
profile "$odd" 9 >after
"$tools/merge/cgw-merge" --diff before after >log 2>&1
! grep -q -e "$c1" -e "$back" log && grep -q 'x.*m?e' log
result $? "cgw-merge: a table" log

# In a profile, the bytes are escaped; the direction is kept.
"$tools/recode/cgw-recode" --plain before >log 2>&1 \
  && ! grep -q "$c1" log && grep -q 'fx\\xc2\\x9bm' log
result $? "cgw-recode: a profile" log

# AddressSanitizer needs more address space.
limit="ulimit -v 4000000"
($limit; "$tools/import/cgw-import" --version) >/dev/null 2>&1 || limit=true
{ printf '{"nodes":'; head -c 4000000 /dev/zero | tr '\000' '['; } >deep
($limit; exec "$tools/import/cgw-import" -o out deep) >log 2>&1
test $? = 1 && grep -q '^cgw-import: deep: ' log && test ! -e out
result $? "cgw-import: JSON that is nested deeply" log
if command -v gzip >/dev/null; then
  head -c 32000000 /dev/zero | gzip -c >member
  for i in 1 2 3 4 5 6 7 8 9 10; do cat member member member member; done >bomb
else
  : >bomb
fi
# bomb TEXT ARG...: the message, when that is read.
bomb ()
{
  what="cgw-import: a gigabyte of nothing ${2-}" text=$1
  shift
  if test ! -s bomb; then
    skip "$what" "gzip is missing"
    return
  fi
  ($limit; exec "$tools/import/cgw-import" "$@" -o out bomb) >log 2>&1
  test $? = 1 && grep -q -e "^cgw-import: bomb:.*$text" -e 'without zlib' log \
    && test ! -e out
  result $? "$what" log
}
bomb 'it is of no known kind'
for kind in folded perf-script; do bomb 'the line is too long' --from=$kind; done
# One reader of JSON reads speedscope's, too.
for kind in cpuprofile gperftools pprof; do
  bomb 'it is longer than' --from=$kind
done

done_testing
