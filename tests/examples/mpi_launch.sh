#!/bin/sh
# cgw-mpi: what launchers tell their processes, and what they do not; and the
# names of MPI libraries.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/cgw_mpi.sh"

# launch MPI SCRIPT: three processes execute the program, in the environment
# that a shell script changes.
launch ()
{
  rm -f out* rank-*
  # shellcheck disable=SC2016 # sh expands
  mpi_run "$1" 3 sh -c "$2"' exec "$0" "$@"' "$cgw_mpi" -q -o out ./program \
    >log 2>&1
}

# The calls of all processes are in the only file, and there was no message.
is_whole () # CALLS
{
  find . -name '*out*' | sed 's,^./,,' >found
  echo out | diff - found >>log \
    && $cgread --dump out 2>>log | awk -F '\t' -v want="$1" '
      $1 == "call" && $10 == "MPI_Sendrecv" {
        split ($13, cost, " "); n += cost[1]
      }
      END { print n, "calls"; exit n != want }' >>log \
    && ! grep 'cgw-mpi:' log
}

# What Open MPI sets, alone; Slurm; Cray's PALS; and Slurm for a batch script.
# shellcheck disable=SC2016 # sh expands
{
  openmpi_gone='unset $(env | sed -n "s/^\(OMPI_COMM[^=]*\)=.*/\1/p");'
  slurm='SLURM_PROCID=${PMI_RANK-${PMIX_RANK}}; export SLURM_PROCID;'
  pals='PALS_RANKID=${PMI_RANK-${PMIX_RANK}}; export PALS_RANKID;'
  batch='SLURM_PROCID=0; export SLURM_PROCID;'
}

for mpi in mpich openmpi; do
  has_mpi $mpi || continue
  mpicc.$mpi -g -O1 "$programs/mpi_stencil.c" -o program >log 2>&1
  result $? "$mpi: the program compiles"
  gone=
  test $mpi = mpich || gone=$openmpi_gone
  launch $mpi "$gone" && is_whole 120
  result $? "$mpi: a launcher that sets no number that is known" log
  launch $mpi "$slurm $gone" && is_whole 120
  result $? "$mpi: Slurm" log
  launch $mpi "$pals $gone" && is_whole 120
  result $? "$mpi: PALS" log
  launch $mpi "$batch" && is_whole 120
  result $? "$mpi: mpirun in a script of Slurm's" log

  # A launcher that this MPI knows nothing of: each process is alone.
  rm -f out* rank-*
  for process in 0 1 2; do
    SLURM_PROCID=$process "$cgw_mpi" -q -o out ./program >log$process 2>&1 &
  done
  wait
  cat log? >log
  find . -name '*out*' | sort >found
  printf './%s\n' out rank-1.out rank-2.out | diff - found >>log \
    && test "$(grep -c 'cgw-mpi:.*process [12] of the launcher' log)" = 2
  result $? "$mpi: a launcher that it does not know" log

  # A program that loads MPI for one of its libraries alone.
  mpicc.$mpi -shared -fPIC -g -Dmain=program_main "$programs/mpi_stencil.c" \
      -o ./plugin.so >log 2>&1 \
    && ${CC-cc} "$programs/mpi_plugin.c" -o program -ldl >>log 2>&1
  result $? "$mpi: the program that loads MPI compiles" log
  launch $mpi "" && is_whole 120
  result $? "$mpi: a program that loads MPI" log
done

# MPICH's own name for its library, which is Intel's, too, in a folder such as
# Intel's: a copy with that name in it.
library=$(ldconfig -p \
  | sed -n 's/.* => \(.*\/libmpich\.so\.12\)$/\1/p' | head -n 1)
case $mpis in
  *mpich*) test -f "$library" ;;
  *) false ;;
esac
if test $? = 0; then
  mkdir -p intel/lib/release
  perl -pe 's/libmpich\.so\.12\0/libmpi.so.12\0\0\0/g' "$library" \
    >intel/lib/release/libmpi.so.12
  # shellcheck disable=SC2046 # flags are words
  ${CC-cc} -g -O1 $(pkg-config --cflags mpich) "$programs/mpi_stencil.c" \
    -o program intel/lib/release/libmpi.so.12 \
    -Wl,-rpath,"$PWD/intel/lib/release" >log 2>&1
  result $? "libmpi.so.12: the program compiles"
  launch mpich "$slurm" && is_whole 120
  result $? "libmpi.so.12" log
  grep -q "ob=.*$PWD/intel/lib/release/libmpi.so.12" out
  result $? "libmpi.so.12: it is the library that is called" out
  rm -f out
  "$cgw_mpi" -q -o out ./program >log 2>&1 && is_whole 40
  result $? "libmpi.so.12, without mpirun" log
  fortran=${library%mpich.so.12}mpichfort.so.12
  if command -v mpifort.mpich >/dev/null && test -f "$fortran"; then
    perl -pe 's/libmpich\.so\.12\0/libmpi.so.12\0\0\0/g;
      s/libmpichfort\.so\.12\0/libmpifort.so.12\0\0\0/g' "$fortran" \
      >intel/lib/release/libmpifort.so.12
    # shellcheck disable=SC2046 # flags are words
    gfortran -g -cpp -DMODULE=mpi_f08 -DF08 \
      $(mpifort.mpich -show -c | tr ' ' '\n' | grep '^-[If]' | tr '\n' ' ') \
      "$programs/mpi_fortran.f90" -o program \
      intel/lib/release/libmpifort.so.12 intel/lib/release/libmpi.so.12 \
      -Wl,--disable-new-dtags,-rpath,"$PWD/intel/lib/release" >log 2>&1
    result $? "libmpifort.so.12: the program compiles"
    launch mpich "$slurm" \
      && $cgread --dump out 2>>log | awk -F '\t' '
        $1 == "call" && $10 ~ /^MPI_/ { split ($13, cost, " ")
          n[$10] += cost[1] }
        END { for (f in n) print f, n[f] }' | sort >>log \
      && grep -qx 'MPI_Bcast 60' log && ! grep MPI_Type log
    result $? "libmpifort.so.12" log
  else
    skip "libmpifort.so.12" "there is no mpifort.mpich"
  fi
else
  skip "libmpi.so.12" "there is no libmpich.so.12"
fi

done_testing
