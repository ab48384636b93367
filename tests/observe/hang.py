# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A Python program whose rank 1 does not come to the barrier; test_stack.py looks at its stacks. It calls MPI by ctypes."""
import ctypes
import os
import sys

mpi = ctypes.CDLL(sys.argv[1])
WORLD = ctypes.c_void_p(0x101)


class Solver:
    def step(self):
        mpi.MPI_Barrier(WORLD)  # position: barrier

    def late(self):
        residual = sum(self.wait_for_ever(i) for i in range(1))  # position: sum
        return residual

    def wait_for_ever(self, _):
        os.read(pipe[0], 1)  # position: read


def main():
    mpi.MPI_Init(None, None)
    rank = ctypes.c_int()
    mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
    solver = Solver()
    if rank.value == 1:
        solver.late()  # position: late
    solver.step()  # position: step


pipe = os.pipe()
main()  # position: start
