#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Empty tasks through mpi4py's executor: tasks a second.

usage: mpirun -n N python3 -m mpi4py.futures futures.py COUNT
"""
import sys
import time

from mpi4py.futures import MPIPoolExecutor


def empty(number):
    return number


if __name__ == "__main__":
    count = int(sys.argv[1])
    with MPIPoolExecutor() as executor:
        assert sum(executor.map(empty, range(100))) == 4950
        start = time.perf_counter()
        assert sum(executor.map(empty, range(count), unordered=True)) == count * (count - 1) // 2
        print(f"{count / (time.perf_counter() - start):.0f}")
