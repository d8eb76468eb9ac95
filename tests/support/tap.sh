# tap.sh - for shell tests: results in TAP, and $dir, an empty folder that is
# gone at the end.  The last line of a test is done_testing, which prints the
# plan: a test that ends without it is an error, however it ended.
#
#   $srcdir, $build  the project's folder, and the one that the test is run in
#   $cgread          the strict reader
#   $log             what a failure shows: $dir/log, if it is there
#
# From the environment: srcdir.
# SPDX-License-Identifier: MIT

dir=$(mktemp -d) || exit 1
srcdir=$(cd "${srcdir-.}" && pwd -P) || exit 1
build=$(pwd -P)
cgread=$build/tests/support/cgread
log=$dir/log
LC_ALL=C
# What a tool preloads comes before the sanitizer's library.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export LC_ALL ASAN_OPTIONS
number=0
failures=0
tap_is_done=

# No tool needs gigabytes for what tests give it.  AddressSanitizer needs them; a
# script that runs others that do lifts the limit: ulimit -S -v unlimited.
case ${CFLAGS-} in
  *-fsanitize*) ;;
  *) ulimit -S -v 4000000 ;;
esac

# at_end COMMAND: it runs when the test ends, before $dir is removed.
tap_last_command=
at_end ()
{
  tap_last_command=$1
}

tap_end ()
{
  status=$?
  eval "$tap_last_command"
  cd / && rm -rf "$dir"
  test -n "$tap_is_done" \
    || echo "Bail out! The test ended early, with status $status"
  exit $status
}
trap tap_end EXIT

done_testing ()
{
  tap_is_done=yes
  echo "1..$number"
  test $failures = 0
  exit
}

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

# skip_all REASON: instead of the whole test, before its first result.
skip_all ()
{
  if test $number != 0; then
    echo "Bail out! skip_all after a result: $1"
    exit 1
  fi
  tap_is_done=yes
  echo "1..0 # SKIP $1"
  exit 0
}

# await FILE [PID]: waits until the file has something.  False if the process
# ends before, or after a minute.
await ()
{
  tries=0
  until test -s "$1"; do
    tries=$((tries + 1))
    test $tries -lt 600 || return 1
    test -z "${2-}" || kill -0 "$2" 2>/dev/null || test -s "$1" || return 1
    sleep 0.1
  done
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
