#!/bin/sh
# cgw_mpi.h with each MPI that is here: the profiles of 1 to 17 ranks, reduced
# to each of them, are the bytes of those merged without MPI; a rank that fails
# gives all the same status.  It calls MPI by PMPI_ names only.
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS.  Reads .libs/libcgw.*.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/mpi.sh"
. "${srcdir-.}/tests/support/standards.sh"
source=$(cd "${srcdir-.}" && pwd -P)/tests/programs/mpi_reduce.c
cd "$dir" || exit 1
log=log
rank_counts='1 3 17'

for mpi in mpich openmpi; do
  has_mpi $mpi || continue

  # OMPI_SKIP_MPICXX: without an interface that C++ no longer has.
  printf '#include <cgw_mpi.h>\n#include <cgw_mpi.h>\n' >header.c
  in_standards cgw_mpi.h "mpicc.$mpi -I$mpi_include" header.c c99 c17
  in_standards cgw_mpi.h "mpicxx.$mpi -I$mpi_include -DOMPI_SKIP_MPICXX" \
    header.c c++11 c++17

  cat >use.c <<'END_OF_USE'
#include <cgw_mpi.h>
enum cgw_status use (struct cgw_profile *p, MPI_Comm comm);
enum cgw_status
use (struct cgw_profile *p, MPI_Comm comm)
{
  return cgw_mpi_reduce (p, 0, comm);
}
END_OF_USE
  mpicc.$mpi -I"$mpi_include" -c use.c -o use.o >log 2>&1 \
    && nm -u use.o | grep -q ' PMPI_Send$' && ! nm -u use.o | grep ' MPI_' >log
  result $? "$mpi: MPI is called by its PMPI_ names"

  mpi_compile $mpi -Wall -Wextra -Werror -o reduce "$source" >log 2>&1
  result $? "$mpi: the program compiles"
  for ranks in $rank_counts; do
    rm -rf out && mkdir out
    roots=$ranks
    test $ranks -le 8 || roots=2 # 0 and 16
    mpi_run $mpi $ranks ./reduce out >log 2>&1 && test ! -s log
    result $? "$mpi, $ranks ranks: all get the same status"
    find out -name 'reduced-*' -exec cmp out/merged {} \; >log 2>&1
    test ! -s log && test -s out/merged \
      && test "$(find out -name 'reduced-*' | wc -l)" -eq $roots
    result $? "$mpi, $ranks ranks: the bytes at each root"
  done
  # The library is the same with the other MPI.
  rank_counts=3
done
done_testing
