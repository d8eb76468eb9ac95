#!/bin/sh
# tools.sh - what all tools have in common, as they are installed: a manual page,
# whose sections are in one order, and completion by bash and zsh, with each option
# of --help and no other; and --version.  The page of the readers has all.  What is
# completed besides options; those that preload something find it.  For wrong
# command lines see refusals.sh.
#
# From the environment: srcdir.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
command -v bash >/dev/null || skip_all "there is no bash"
. "${srcdir-.}/tests/support/installed.sh"

manual=$(dirname "$(find "$dest" -name cgw-import.1)")
completions=$(find "$dest" -path '*/bash-completion/completions')
zsh_file=$(find "$dest" -name _cgw)
cd "$dir" || exit 1
mkdir folder && touch file

# The options of --help, and of a manual page, one a line, in their order.
options_of_help ()
{
  "$1" --help \
    | sed -n 's/^  *\(-[^ ,[]*\(, --[^ []*\)\{0,1\}\)\([[ ].*\)\{0,1\}$/\1/p' \
    | tr -s ', ' '\n\n' | grep '^-'
}
options_of_page ()
{
  sed -n 's/^\.It Fl /-/p' "$1" | sed 's/ , Fl / -/g' | tr ' ' '\n' \
    | grep '^-'
}

# The command lines of --help, and of a manual page, a word a line, without what
# says that words may be left out.
plain_words ()
{
  tr -d '[]' | tr '[:upper:]' '[:lower:]' \
    | sed 's/ *| */|/g; s/ [.][.][.]/.../g' | tr -s ' ' '\n' | grep .
}
usage_of_help ()
{
  "$1" --help | awk 'NR > 1 && /^[A-Z]/ { exit } { print }' \
    | sed 's/^Usage: //' | plain_words
}
usage_of_page ()
{
  sed -n '/^\.Nm$/,/^\.Sh/p' "$1" | sed "/^\.Sh/,\$d
    s/^\.Nm\$/$2/; s/^\.Nm .*//; s/^\.//
    s/ Ns Op = Ns [A-Z][a-z] /=/; s/ , Ns Ar /,/; s/Ar\$/file.../
    s/Op //g; s/Ar //g; s/Cm //g; s/Fl /-/g" | plain_words
}

# In this order, as far as a page has them.
sections='NAME SYNOPSIS DESCRIPTION QUESTIONS ENVIRONMENT FILES EXIT_STATUS EXAMPLES
  DIAGNOSTICS SEE_ALSO CAVEATS'
in_order ()
{
  sed -n 's/^\.Sh //p' "$1" | tr ' ' _ >found
  # shellcheck disable=SC2086 # words
  printf '%s\n' $sections | grep -xFf found | diff - found
}

# completed TOOL WORDS...: what an interactive bash would offer for the last
# word, one a line.  COMP_WORDBREAKS makes a "=" a word.
completed ()
{
  bash -c '
    . "$1/$2" || exit
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    compopt () { echo "$2"; }
    function=$(complete -p "$1" | sed "s/.*-F \([^ ]*\) .*/\1/")
    # Behind a "=", bash passes an empty word, and the option.
    current=${!#}
    $function "$1" "${current#=}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf "%s\n" "${COMPREPLY[@]}"' bash "$completions" "$@" 2>>log \
    | grep . | sort -u
}

# expect NAME WORDS -- COMMAND LINE
expect ()
{
  what=$1
  shift
  : >expected
  while test "$1" != --; do
    printf '%s\n' "$1" >>expected
    shift
  done
  shift
  : >log
  completed "$@" | diff expected - >>log
  result $? "$what" log
}

number_of_tools=0
for tool in "$bindir"/cgw-*; do
  name=$(basename "$tool")
  number_of_tools=$((number_of_tools + 1))
  options_of_help "$tool" >in_help
  options_of_page "$manual/$name.1" >in_page
  test "$(wc -l <in_help)" -ge 4 && diff in_help in_page >log
  result $? "$name: the manual page has the options of --help" log
  usage_of_help "$tool" >usage
  usage_of_page "$manual/$name.1" "$name" | diff usage - >log \
    && test "$(wc -l <usage)" -ge 3
  result $? "$name: and its command line" log
  {
    in_order "$manual/$name.1"
    for line in 'The options are:' 'Print a summary of the options.' \
      'Print the version.' '.Sh EXAMPLES' '.Xr kcachegrind 1 ,'; do
      grep -qxF "$line" "$manual/$name.1" || echo "missing: $line"
    done
  } >log
  test ! -s log
  result $? "$name: and the sections and phrases of all pages" log

  "$tool" --help 2>&1 | head -n 1 | grep -q "^Usage: $name " \
    && "$tool" -h >out 2>err && test ! -s err \
    && test "$("$tool" --version)" = "$("$tool" -V)" \
    && "$tool" -V | grep -q "^$name (libcgw) [0-9]*\.[0-9]*\.[0-9]*$"
  result $? "$name: --help and --version"

  sort in_help >sorted
  # shellcheck disable=SC2046 # words
  expect "$name: bash completes the options of --help" $(cat sorted) -- "$name" -
  if command -v zsh >/dev/null; then
    # Each specification begins with the options that it excludes.
    zsh -fc '_arguments () { print -rl -- "$@" }
      words=($2)
      . $1' zsh "$zsh_file" "$name" 2>>log >specs
    grep '^(-.*)-' specs | sed 's/^([^)]*)//; s/[+=[].*//' | sort -u \
      | diff sorted - >>log && head -n 1 "$zsh_file" | grep -qw -e "$name"
    result $? "$name: zsh completes the options of --help" log
  else
    skip "$name: zsh completes the options of --help" "there is no zsh"
  fi
done
test $number_of_tools -ge 2
result $? "there are tools"

sed -n 's/^\.It Cm //p' "$manual/../man7/cgw-readers.7" | sed 's/ , /\n/g' \
  | sort >in_page
sed -n 's/^READER ([^"]*"[^"]*", "\([^"]*\)",.*/\1/p' \
  "$srcdir/examples/tools/format/readers.def" | sort >in_table
test -s in_table && diff in_table in_page >log
result $? "the readers of --for have a manual page" log

# What else is completed.

kinds='callgrind cpuprofile firefox folded gperftools perf perf-script pprof speedscope'
# shellcheck disable=SC2086 # words
expect "the kinds of cgw-import" $kinds -- cgw-import --from ''
expect "that begin with p, after =" perf perf-script pprof \
  -- cgw-import --from = p
expect "the words of an optional value follow =" files parts \
  -- cgw-import --threads =
expect "and are no word" default -- cgw-import --threads ''
expect "files" default -- cgw-import --from perf ''
expect "files for -o" default -- cgw-import -o ''
expect "folders" dirnames -- cgw-import --symfs ''
expect "words between commas" gprof2dot,cg_annotate gprof2dot,cg_diff \
  gprof2dot,cg_merge -- cgw-lint -r gprof2dot,cg_
if test -x "$bindir/cgw-trace"; then
  expect "programs" cgw-trace default -- cgw-trace -o out cgw-tr
  expect "what follows a program is its own" default -- cgw-trace bash --
  expect "what follows -- is a program" cgw-trace default \
    -- cgw-trace --cpu -- cgw-tr
  expect "options follow options" --cpu -- cgw-trace --save-every = 5 --c
else
  skip "programs" "there is no cgw-trace"
fi
if command -v zsh >/dev/null; then
  zsh -fc '_arguments () { print -rl -- "$@" }
    words=(cgw-import)
    . $1' zsh "$zsh_file" >specs
  grep -q "^(--from)--from=\[.*:KIND:($kinds)$" specs \
    && grep -q '^(--threads)--threads=-\[.*::parts|files:(parts files)$' specs \
    && grep -q '^(-o --output)-o+\[.*:OUT:_files$' specs \
    && grep -q '^(--symfs)--symfs=\[.*:FOLDER:_files -/$' specs
  result $? "zsh: the words of options" specs
else
  skip "zsh: the words of options" "there is no zsh"
fi

# Standard streams that are closed: no file takes their place.
printf 'events: A\nfn=f\n1 2\ntotals: 3\n' >in
"$bindir/cgw-recode" -o expected in 2>err && grep -q warning err \
  && "$bindir/cgw-recode" -o out - <in 2>&- && cmp expected out >log
result $? "a warning does not get into the output" log
"$bindir/cgw-recode" - <&- 2>err
test $? = 1 && grep -q '^cgw-recode: standard input: Bad file' err
result $? "the standard input is closed" err
"$bindir/cgw-recode" in >&- 2>err
test $? = 1 && grep -q '^cgw-recode: standard output: Bad file' err
result $? "the standard output is closed" err

for name in cgw-sample cgw-trace; do
  if ! test -x "$bindir/$name"; then
    skip "$name finds what it preloads" "it was not built"
    skip "$name leaves a closed stream closed" "it was not built"
    continue
  fi
  "$bindir/$name" -o profile true 2>log && ! grep 'not found beside' log
  result $? "$name finds what it preloads" log
  "$bindir/$name" -o profile sh -c 'test -e /proc/self/fd/0' <&- 2>log
  test $? = 1
  result $? "$name leaves a closed stream closed" log
done
for mpi in mpich openmpi; do
  if test -z "$(find "$dest" -name mpi_$mpi.so)"; then
    skip "cgw-mpi finds what it preloads for $mpi" "it was not built"
    continue
  fi
  # It says so after the program's end.
  "$bindir/cgw-mpi" --mpi=$mpi -o profile true 2>&1 | cat >log
  grep -q 'true: did not call MPI_Init' log && test "$(wc -l <log)" = 1
  result $? "cgw-mpi finds what it preloads for $mpi" log
done
if test -x "$bindir/cgw-qemu" && command -v qemu-x86_64 >/dev/null; then
  "$bindir/cgw-qemu" -o profile true 2>log && grep -q 'self costs' log
  result $? "cgw-qemu finds its plugin" log
else
  skip "cgw-qemu finds its plugin" "it was not built, or there is no QEMU"
fi
done_testing
