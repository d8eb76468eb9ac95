# cgw_mpi.sh - the beginning of the tests of cgw-mpi, which are skipped if that
# was not built: sources tap.sh and mpi.sh, enters $dir, and sets $cgw_mpi,
# $cgread, $programs, and $sample: --sample, if it takes that.
#
#   calls FUNCTION FILE  how often it was called; "dump" has the dump
#   only FILE...         whether there are no other outputs; the log says which
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT
#
# shellcheck shell=sh

. "${srcdir-.}/tests/support/tap.sh"
cgw_mpi=$PWD/examples/tools/mpi/cgw-mpi
cgread="$PWD/tests/support/cgread --no-pad"
programs=$(cd "${srcdir-.}" && pwd -P)/tests/programs
test -x "$cgw_mpi" || skip_all "cgw-mpi was not built: there is no MPI"
. "${srcdir-.}/tests/support/mpi.sh"
cd "$dir" || exit 1
log=log
# Elsewhere it has no --sample.
sample=
"$cgw_mpi" --sample --version >/dev/null 2>&1 && sample=--sample

calls ()
{
  $cgread --dump "$2" >dump 2>>log
  awk -F '\t' -v callee="$1" '
    $1 == "call" && $10 == callee { split ($13, cost, " "); n += cost[1] }
    END { print n + 0 }' dump
}

only ()
{
  for file; do
    echo "$file"
  done >expected
  find . -name '*out*' | sed 's,^./,,' | sort >found
  diff expected found >>log
}
