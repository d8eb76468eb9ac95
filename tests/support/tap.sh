# tap.sh - for shell tests: results in TAP, and $dir, an empty folder that is
# gone at the end.
#
# SPDX-License-Identifier: MIT

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
number=0
failures=0

# result STATUS NAME [FILE]: the beginning of the file, or of $log if that is
# set, is shown for a failure.
result ()
{
  number=$((number + 1))
  if test "$1" = 0; then
    echo "ok $number - $2"
  else
    failures=$((failures + 1))
    echo "not ok $number - $2"
    set -- "${3-${log-}}"
    test ! -s "$1" || head -n 40 "$1" | cut -c 1-300 | sed 's/^/# /'
  fi
}

# skip NAME REASON
skip ()
{
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}

# skip_all REASON: instead of the whole test.
skip_all ()
{
  echo "1..0 # SKIP $1"
  exit 0
}

# Whether programs can live with a limit of the size of files that is smaller
# than what a coverage build writes for each source when it ends.  CFLAGS is that
# of the beginning, for scripts change it.
tap_cflags=${CFLAGS-}
can_limit_files ()
{
  case $tap_cflags in
    *-DCGW_COVERAGE*) return 1 ;;
  esac
}
