# mpi.sh - for shell tests of MPI programs, after tap.sh: each MPI that is here
# compiles and runs them.
#
#   $mpis                            mpich, openmpi, both, or none
#   has_mpi MPI                      or a skip that says that it is not here
#   mpi_compile MPI FLAG... FILE...  for C, as CC does, with the library
#   mpi_run MPI RANKS PROGRAM...
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS.  In the build folder: the
# library.
# SPDX-License-Identifier: MIT
#
# shellcheck shell=sh

ulimit -S -v unlimited # UCX needs more.
mpi_include=$(cd "${srcdir-.}" && pwd -P)/include
mpi_build=$(pwd -P)
mpis=
for mpi in mpich openmpi; do
  if command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null
  then
    mpis="$mpis $mpi"
  fi
done
# For Open MPI: more ranks than processors, in a container, as any user.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_hwloc_base_binding_policy
export OMPI_MCA_btl_vader_single_copy_mechanism
# After an abort, a rank on a busy machine has five seconds to write its
# profile before mpirun kills it; one is the default.
OMPI_MCA_odls_base_sigkill_timeout=5
export OMPI_MCA_odls_base_sigkill_timeout
MPICH_CC=${CC-cc} OMPI_CC=${CC-cc}
export MPICH_CC OMPI_CC
# Without /sys, as in a bare chroot, both MPIs run, but hwloc and UCX, below
# them, complain on the standard error of each rank.
if ! test -d /sys/devices/system/cpu || ! test -d /sys/class/net; then
  HWLOC_HIDE_ERRORS=2 UCX_LOG_LEVEL=fatal
  export HWLOC_HIDE_ERRORS UCX_LOG_LEVEL
fi
# Both MPIs keep memory to the end.  A library is preloaded: see mpi_yield.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0
export ASAN_OPTIONS

# Ranks of MPICH that wait never give the processor away, so more ranks than
# processors take ten times as long as they need.  This library makes them, where
# MPICH waits by UCX, as Debian's does; elsewhere it does nothing.
mpi_yield=
mpi_make_yield ()
{
  mpi_yield=$dir/mpi_yield.so
  cat >"$dir/mpi_yield.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned
ucp_worker_progress (void *worker)
{
  static unsigned (*progress) (void *);
  unsigned n;

  if (progress == NULL)
    *(void **) &progress = dlsym (RTLD_NEXT, "ucp_worker_progress");
  n = progress (worker);
  if (n == 0)
    sched_yield ();
  return n;
}
END
  ${CC-cc} -O2 -shared -fPIC "$dir/mpi_yield.c" -o "$mpi_yield" -ldl
  rm -f "$dir/mpi_yield.c"
}
case $mpis in
  *mpich*) mpi_make_yield ;;
esac

has_mpi ()
{
  case $mpis in
    *$1*) ;;
    *) skip "$1" "it is not installed"
       return 1 ;;
  esac
}

mpi_compile ()
{
  mpicc=mpicc.$1
  shift
  # shellcheck disable=SC2086 # flags are words
  "$mpicc" ${CFLAGS-} ${LDFLAGS-} -I"$mpi_include" "$@" -L"$mpi_build/.libs" \
    -Wl,-rpath,"$mpi_build/.libs" -lcgw
}

# A standard input that does not end: MPICH's mpirun passes its end on, which can
# kill it by SIGPIPE, with what its programs have said, if they end at once.
mpi_input=$(mktemp -u)
mkfifo "$mpi_input" && exec 9<>"$mpi_input" && rm "$mpi_input" || exit 1

mpi_run ()
{
  mpirun=mpirun.$1 ranks=$2
  shift 2
  case $mpirun in
    *mpich) set -- env LD_PRELOAD="$mpi_yield${LD_PRELOAD:+:$LD_PRELOAD}" "$@" ;;
  esac
  "$mpirun" -n "$ranks" "$@" <&9 9<&-
}
