# cgw.bash - bash completes the command lines of libcgw's tools.
#
# The options, and the words that they take, are those that the tool's --help
# prints.  An option's words are those of a value such as lines|functions, those
# in quotes, and a list after a colon.
#
# Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

# _cgw_options TOOL: print the tool's options, one a line: its names, separated
# by commas; its value, or "-"; and the words that it takes.  A "=" behind the
# names means that the value may be left out, and is no word of its own.
_cgw_options ()
{
  "$1" --help 2>/dev/null | awk '
    function finish (   words)
    {
      if (names == "")
        return
      if (value ~ /^[a-z]+([|][a-z]+)+$/)
        words = value
      gsub (/[|]/, " ", words)
      if (value != "-" && match (text, \
          /: [a-z][a-z0-9_-]*((, (or )?| or )[a-z][a-z0-9_-]*)+/)) {
        words = words " " substr (text, RSTART + 2, RLENGTH - 2)
        gsub (/, (or )?| or /, " ", words)
      }
      while (value != "-" && match (text, /"[a-z][a-z_-]*"/)) {
        words = words " " substr (text, RSTART + 1, RLENGTH - 2)
        text = substr (text, RSTART + RLENGTH)
      }
      print names, value, words
    }
    /^  (-[A-Za-z], |    )--[a-z-]+/ {
      finish()
      match ($0, /^ *(-[A-Za-z], )?--[a-z-]+/)
      names = substr ($0, 3, RLENGTH - 2)
      gsub (/ /, "", names)
      text = substr ($0, RLENGTH + 1)
      value = "-"
      if (match (text, /^(\[=|=| )[^ ]+/)) {
        value = substr (text, 1, RLENGTH)
        text = substr (text, RLENGTH + 1)
        if (sub (/^\[=/, "", value)) {
          names = names "="
          sub (/\]$/, "", value)
        }
        sub (/^[= ]/, "", value)
      }
      next
    }
    {
      sub (/^ +/, " ")
      text = text $0
    }
    END { finish() }'
}

# _cgw_find OPTION OPTIONS: set names, value and words to those of an option, or
# empty them.
_cgw_find ()
{
  while read -r names value words; do
    case ,${names%=}, in *,"$1",*) return ;; esac
  done <<<"$2"
}

_cgw ()
{
  local tool=$1 at=$COMP_CWORD program= with_sign=no
  local current=${COMP_WORDS[at]} option=${COMP_WORDS[at - 1]}
  local options names value words word i
  COMPREPLY=()
  options=$(_cgw_options "$tool")

  # "--from=pprof" is three words.
  if [[ $current == = ]]; then
    current=
    with_sign=yes
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[at - 2]}
    with_sign=yes
  fi

  # Where does a program begin?  At the first word that is neither an option nor
  # an option's value.
  if "$tool" --help 2>/dev/null | awk '/^$/ { exit } /PROGRAM/ { print }' \
      | grep -q .; then
    program=$at
    for ((i = 1; i < at; i++)); do
      word=${COMP_WORDS[i]}
      _cgw_find "$word" "$options"
      if [[ $word == -- ]]; then
        program=$((i + 1))
        break
      elif [[ ${COMP_WORDS[i + 1]} == = ]]; then
        ((i += 2))
      elif [[ $word != -* ]]; then
        program=$i
        break
      elif [[ ${value:--} != - && $names != *= ]]; then
        ((i++))
      fi
    done
    [[ $i -gt $at ]] && program=
  fi
  if [[ $program && $program -lt $at ]]; then
    if declare -F _command_offset >/dev/null; then
      _command_offset "$program"
    else
      compopt -o default
    fi
    return
  fi

  _cgw_find "$option" "$options"
  if [[ ${value:--} != - && ($with_sign == yes || $names != *=) ]]; then
    case $value in
      OUT | *FILE* | LIST) compopt -o default ;;
      FOLDER*) compopt -o dirnames ;;
      *)
        word=
        [[ $value == *,... && $current == *,* ]] && word=${current%,*},
        # shellcheck disable=SC2207 # the words have no blanks
        COMPREPLY=($(compgen -P "$word" -W "$words" -- "${current#"$word"}"))
        ;;
    esac
  elif [[ $current == -* ]]; then
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W "$(sed 's/ .*//; s/=$//; s/,/ /' <<<"$options")" \
      -- "$current"))
  elif [[ $program ]]; then
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -c -- "$current"))
    compopt -o default
  else
    compopt -o default
  fi
}

complete -F _cgw cgw-export cgw-import cgw-lint cgw-merge cgw-mpi cgw-qemu \
  cgw-recode cgw-report cgw-sample cgw-trace
