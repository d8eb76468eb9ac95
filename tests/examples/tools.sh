#!/bin/sh
# tools.sh - what all tools have in common, as they are installed: a manual page
# that has each option of --help and no other, --version, the same words and
# statuses for a wrong command line; and those that preload something find it.
#
# From the environment: srcdir, MAKE.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/installed.sh"

folder=$(dirname "$(find "$dest" -name cgw-recode -type f)")
manual=$(dirname "$(find "$dest" -name cgw-folded.1)")
# The preloaded library comes before the sanitizer's.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
cd "$dir" || exit 1

# The options of --help, and of a manual page, one a line.
options_of_help ()
{
  "$1" --help | sed -n 's/^  *\(-[^ ,]*\(, --[^ ]*\)\{0,1\}\) .*/\1/p' \
    | sed 's/\[=.*//' | tr ', ' '\n\n' | grep '^-' | sort -u
}
options_of_page ()
{
  set -- "$1" "$(sed -n 's,^\.so man1/,,p' "$1")"
  sed -n 's/^\.It Fl /-/p' "${1%/*}/${2:-${1##*/}}" | sed 's/ , Fl / -/g' | tr ' ' '\n' \
    | grep '^-' | sort -u
}

number_of_tools=0
for tool in "$folder"/cgw-*; do
  name=$(basename "$tool")
  number_of_tools=$((number_of_tools + 1))
  options_of_help "$tool" >in_help
  options_of_page "$manual/$name.1" >in_page
  test "$(wc -l <in_help)" -ge 4 && diff in_help in_page >log
  result $? "$name: the manual page has the options of --help" log

  "$tool" --help 2>&1 | head -n 1 | grep -q "^Usage: $name " \
    && "$tool" -h >out 2>err && test ! -s err \
    && test "$("$tool" --version)" = "$("$tool" -V)" \
    && "$tool" -V | grep -q "^$name (libcgw) [0-9]*\.[0-9]*\.[0-9]*$"
  result $? "$name: --help and --version"

  case $name in
    cgw-mpi | cgw-qemu | cgw-sample | cgw-trace) wrong=125 failed=125 ;;
    cgw-lint) wrong=2 failed=2 ;;
    *) wrong=2 failed=1 ;;
  esac
  "$tool" --no-such-option >out 2>err
  test $? = $wrong && test ! -s out \
    && head -n 1 err | grep -q "^$name: unknown option --no-such-option$" \
    && sed -n 2p err | grep -q "^Usage: $name "
  result $? "$name: an unknown long option" err
  "$tool" -Q >out 2>err
  test $? = $wrong && grep -q "^$name: unknown option -Q$" err
  result $? "$name: an unknown letter" err

  if "$tool" --help | grep -q ' -o,'; then
    "$tool" -o >out 2>err
    test $? = $wrong && grep -q "^$name: a value is missing after -o$" err
    result $? "$name: -o without a file" err
    "$tool" --output= >out 2>err
    test $? = $wrong && grep -q "^$name: a value is missing after --output=$" err
    result $? "$name: --output without a file" err
    "$tool" -o '' >out 2>err
    test $? = $wrong && grep -q "^$name: a value is missing after -o$" err
    result $? "$name: -o with an empty name" err
    "$tool" --output '' >out 2>err
    test $? = $wrong && grep -q "^$name: a value is missing after --output$" err
    result $? "$name: --output with an empty name" err
    "$tool" --output=x -QQ >out 2>err
    test $? = $wrong && grep -q "^$name: unknown option -Q$" err
    result $? "$name: an unknown letter among several" err
  fi
  if test -w /dev/full; then
    "$tool" --help >/dev/full 2>err
    test $? = $failed && grep -q "^$name: standard output: No space left" err
    result $? "$name: --help to a full device" err
  fi
done
test $number_of_tools -ge 2
result $? "there are tools"

# Standard streams that are closed: no file takes their place.
printf 'events: A\nfn=f\n1 2\ntotals: 3\n' >in
"$folder/cgw-recode" -o expected in 2>err && grep -q warning err \
  && "$folder/cgw-recode" -o out - <in 2>&- && cmp expected out >log
result $? "a warning does not get into the output" log
"$folder/cgw-recode" - <&- 2>err
test $? = 1 && grep -q '^cgw-recode: standard input: Bad file' err
result $? "the standard input is closed" err
"$folder/cgw-recode" in >&- 2>err
test $? = 1 && grep -q '^cgw-recode: standard output: Bad file' err
result $? "the standard output is closed" err

for name in cgw-sample cgw-trace; do
  if ! test -x "$folder/$name"; then
    skip "$name finds what it preloads" "it was not built"
    skip "$name leaves a closed stream closed" "it was not built"
    continue
  fi
  "$folder/$name" -o profile true 2>log && ! grep 'not found beside' log
  result $? "$name finds what it preloads" log
  "$folder/$name" -o profile sh -c 'test -e /proc/self/fd/0' <&- 2>log
  test $? = 1
  result $? "$name leaves a closed stream closed" log
done
for mpi in mpich openmpi; do
  if test -z "$(find "$dest" -name mpi_$mpi.so)"; then
    skip "cgw-mpi finds what it preloads for $mpi" "it was not built"
    continue
  fi
  # It says so after the program's end.
  "$folder/cgw-mpi" --mpi=$mpi -o profile true 2>&1 | cat >log
  grep -q 'true: did not call MPI_Init' log && test "$(wc -l <log)" = 1
  result $? "cgw-mpi finds what it preloads for $mpi" log
done
if test -x "$folder/cgw-qemu" && command -v qemu-x86_64 >/dev/null; then
  "$folder/cgw-qemu" -o profile true 2>log && grep -q 'self costs' log
  result $? "cgw-qemu finds its plugin" log
else
  skip "cgw-qemu finds its plugin" "it was not built, or there is no QEMU"
fi
done_testing
