#!/bin/sh
# analyze.sh - static analysis of the library: clang-tidy (bugprone, cert,
# concurrency), cppcheck and gcc -fanalyzer on all of lib/.
#
#   sh analyze.sh FLAG...
#
# The FLAGs are those of the preprocessor; "make analyze" hands them over.
# Prints what is found; the status is 1 when something is, or when a tool is
# missing or fails.
#
# SPDX-License-Identifier: MIT

lib=${srcdir-.}/lib
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
found=0

# What clang-tidy is not asked for:
off='
# Every second function takes two numbers, or two pointers of a type.
bugprone-easily-swappable-parameters
# The tables of numbers are made by macros with a ?: that comes out the same
# for most entries.
bugprone-branch-clone
# Lines are put together from pieces that do not end in a null.
bugprone-not-null-terminated-result
# Complains of products of small constants, too: 2 * CGWI_NUMBER_MAX.
bugprone-implicit-widening-of-multiplication-result
'
checks='-*,bugprone-*,cert-*,concurrency-*'
checks=$checks$(printf '%s' "$off" | sed -n 's/^[a-z]/,-&/p' | tr -d '\n')

# Runs a tool, and shows what it says when it finds something or fails.
analyze () # TOOL ARGUMENT...
{
  if ! "$@" >"$dir/said" 2>&1; then
    grep -Ev '^[0-9]+ warnings? |^Suppressed |^Use -' "$dir/said"
    found=1
  fi
}

# There are no blanks in their names.
sources=$(find "$lib" -name '*.c' | LC_ALL=C sort)
if test -z "$sources"; then
  echo "no sources in $lib"
  exit 1
fi

echo '# clang-tidy'
analyze clang-tidy --quiet --checks="$checks" --warnings-as-errors='*' \
  --header-filter='/lib/' $sources -- "$@"
echo '# cppcheck'
analyze cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
  --enable=warning,performance,portability \
  --template='{file}:{line}: {severity}: {message} [{id}]' "$@" $sources
echo '# gcc -fanalyzer'
for file in $sources; do
  analyze gcc -O1 -Wall -Wextra -fanalyzer -Werror \
    -fdiagnostics-path-format=none "$@" -c "$file" -o "$dir/object"
done
exit $found
