# standards.sh - for shell tests of headers, after tap.sh.
#
# SPDX-License-Identifier: MIT

# in_standards NAME COMPILER FILE STANDARD...: the file compiles without a warning
# in each of these versions of C or C++ that the compiler, with its flags, knows.
in_standards ()
{
  what="$1: ${2%% -*}" compiler=$2 file=$3
  shift 3
  for standard; do
    language=c nulls=
    case $standard in
      c++98) language=c++ ;;
      *++*) language=c++ nulls=-Wzero-as-null-pointer-constant ;;
    esac
    # shellcheck disable=SC2086 # flags are words
    if $compiler -std="$standard" -x $language -fsyntax-only /dev/null \
      >"$dir/messages" 2>&1; then
      $compiler -std="$standard" -x $language -pedantic -Wall -Wextra -Wshadow \
        $nulls -Werror -fsyntax-only "$file" >"$dir/messages" 2>&1
      result $? "$what, $standard" "$dir/messages"
    else
      skip "$what, $standard" "the compiler does not know $standard"
    fi
  done
}
