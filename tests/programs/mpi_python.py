# mpi_python.py - calls of MPI in Python, through mpi4py.
# SPDX-License-Identifier: MIT
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
mine = array("i", [world.rank])
total = array("i", [0])
for _ in range(10):
    world.Allreduce([mine, MPI.INT], [total, MPI.INT])
    world.Bcast([mine, MPI.INT], root=0)
if world.rank != 0:
    world.Send([total, MPI.INT], dest=0)
for _ in range(world.size - 1 if world.rank == 0 else 0):
    world.Recv([total, MPI.INT])
