#!/bin/sh
# completion.sh - what bash and zsh complete for each tool, as it is installed:
# the options that --help prints and no other, the words of an option, files,
# folders and programs.
#
# From the environment: srcdir, MAKE.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
command -v bash >/dev/null || skip_all "there is no bash"
. "${srcdir-.}/tests/support/installed.sh"

folder=$(dirname "$(find "$dest" -name cgw-recode -type f)")
completions=$(find "$dest" -path '*/bash-completion/completions')
zsh_file=$(find "$dest" -name _cgw)
log=$dir/log
PATH=$folder:$PATH
cd "$dir" || exit 1
mkdir folder && touch file

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
  name=$1
  shift
  : >expected
  while test "$1" != --; do
    echo "$1" >>expected
    shift
  done
  shift
  : >log
  completed "$@" | diff expected - >>log
  result $? "$name"
}

number_of_tools=0
for tool in "$folder"/cgw-*; do
  name=${tool##*/}
  number_of_tools=$((number_of_tools + 1))
  : >log
  "$tool" --help | sed -n 's/^  *\(-[^ ,]*\(, --[^ ]*\)\{0,1\}\) .*/\1/p' \
    | sed 's/\[=.*//' | tr ', ' '\n\n' | grep '^-' | sort -u >in_help
  completed "$name" - | diff in_help - >>log
  result $? "bash: $name: the options of --help"
  if command -v zsh >/dev/null; then
    # Each specification begins with the options that it excludes.
    zsh -fc '_arguments () { print -rl -- "$@" }
      words=($2)
      . $1' zsh "$zsh_file" "$name" 2>>log >specs
    grep '^(-.*)-' specs | sed 's/^([^)]*)//; s/[+=[].*//' | sort -u \
      | diff in_help - >>log && head -n 1 "$zsh_file" | grep -qw -e "$name"
    result $? "zsh: $name: the options of --help"
  else
    skip "zsh: $name: the options of --help" "there is no zsh"
  fi
done
test $number_of_tools -ge 5
result $? "there are tools"

kinds='callgrind cpuprofile folded gperftools perf perf-script pprof speedscope'
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
if test -x "$folder/cgw-trace"; then
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
    && grep -q '^(--threads)--threads=-\[.*::HOW:(parts files)$' specs \
    && grep -q '^(-o --output)-o+\[.*:OUT:_files$' specs \
    && grep -q '^(--symfs)--symfs=\[.*:FOLDER:_files -/$' specs
  result $? "zsh: the words of options" specs
else
  skip "zsh: the words of options" "there is no zsh"
fi
done_testing
