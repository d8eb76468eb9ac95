! mpi_fortran.f90 - calls of MPI in Fortran, with strings among the arguments.
! -cpp -DMODULE=mpi or -DMODULE=mpi_f08; without, by mpif.h.
! SPDX-License-Identifier: MIT
program ring
#ifdef MODULE
  use MODULE
#endif
  implicit none
#ifndef MODULE
  include 'mpif.h'
#endif
  integer :: error, rank, ranks, length, i
#ifdef F08
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  real(8) :: x, s, table(3, 3) = 1

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Get_processor_name(name, length, error)
  call MPI_Comm_set_name(MPI_COMM_WORLD, "ring", error)
  do i = 1, 20
    x = i
    call pass(x)
    call MPI_Allreduce(x, s, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                       MPI_COMM_WORLD, error)
    ! A section, for which some bindings make a type.
    call MPI_Bcast(table(2, :), 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, &
                   error)
  end do
  call MPI_Finalize(error)
contains
  subroutine pass(x)
    real(8), intent(inout) :: x

    if (rank > 0) call MPI_Recv(x, 1, MPI_DOUBLE_PRECISION, rank - 1, 1, &
                                MPI_COMM_WORLD, status, error)
    if (rank < ranks - 1) call MPI_Send(x, 1, MPI_DOUBLE_PRECISION, rank + 1, &
                                        1, MPI_COMM_WORLD, error)
  end subroutine
end program
