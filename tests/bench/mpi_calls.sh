#!/bin/sh
# mpi_calls.sh - measures what cgw-mpi costs a call of an MPI function, with
# each MPI that is here, against no profiler and a model of mpiP: see
# mpi_calls.c.  The last number of a figure's name is the depth of the stack,
# without that of main and its callers.
#
# From the environment: srcdir, CC, CFLAGS.  In the build folder: cgw-mpi.
# SPDX-License-Identifier: MIT

cgw_mpi=$PWD/examples/tools/mpi/cgw-mpi
. "${srcdir-.}/tests/support/mpi.sh"
here=$(cd "${srcdir-.}" && pwd -P)/tests/bench
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

test -n "$mpis" || echo "# no MPI is installed"
for mpi in $mpis; do
  case $mpi in
    mpich) library=libmpich.so.12 ;;
    *) library=libmpi.so.40 ;;
  esac
  mpicc.$mpi -O2 -o calls "$here/mpi_calls.c" "$here/runs.c" -ldl || exit
  echo "# $mpi"
  mpi_run $mpi 1 "$cgw_mpi" -o out ./calls $library || exit
done
