# mpi.sh - for shell tests of MPI programs, after tap.sh: each MPI that is here
# compiles and runs them.
#
#   $mpis                            mpich, openmpi, both, or none
#   mpi_compile MPI FLAG... FILE...  for C, as CC does, with the library
#   mpi_run MPI RANKS PROGRAM...
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS.  In the build folder: the
# library.
# SPDX-License-Identifier: MIT
#
# shellcheck shell=sh

mpi_include=$(cd "${srcdir-.}" && pwd -P)/include
mpi_build=$(pwd -P)
mpis=
for mpi in mpich openmpi; do
  if command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null
  then
    mpis="$mpis $mpi"
  fi
done
MPICH_CC=${CC-cc} OMPI_CC=${CC-cc}
export MPICH_CC OMPI_CC
# Both MPIs keep memory to the end.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

mpi_compile ()
{
  mpicc=mpicc.$1
  shift
  # shellcheck disable=SC2086 # flags are words
  "$mpicc" ${CFLAGS-} ${LDFLAGS-} -I"$mpi_include" "$@" -L"$mpi_build/.libs" \
    -Wl,-rpath,"$mpi_build/.libs" -lcgw
}

mpi_run ()
{
  mpirun=mpirun.$1 ranks=$2
  shift 2
  case $mpirun in
    # More ranks than processors, in a container, as any user.
    *openmpi)
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        "$mpirun" --oversubscribe --bind-to none \
        --mca btl_vader_single_copy_mechanism none -n "$ranks" "$@" ;;
    *) "$mpirun" -n "$ranks" "$@" ;;
  esac
}
