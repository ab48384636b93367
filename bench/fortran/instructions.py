#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts with callgrind how many instructions a message of 8 bytes (MPI_Send and MPI_Recv) takes from C and from each Fortran
interface, as the difference of many and no messages; then times an array section against its MPI_Type_vector.

usage: instructions.py BUILD_FOLDER
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MESSAGES = 2000
SOURCES = {"C": "message.c", "mpif.h": "message_mpif.f", "mpi": "message_mpi.f90", "mpi_f08": "message_f08.f90"}


def instructions(program, messages, folder):
    said = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, str(messages)],
                          stderr=subprocess.PIPE, text=True, check=True).stderr
    return int(re.search(r"Collected : (\d+)", said)[1])


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        usual = None
        for name, source in SOURCES.items():
            program = Path(folder) / "program"
            compiler = build / "bin" / ("mpicc" if name == "C" else "mpifort")
            subprocess.run([compiler, "-O2", HERE / source, "-o", program], check=True)
            each = (instructions(program, MESSAGES, folder) - instructions(program, 0, folder)) / MESSAGES
            usual = usual or each
            print(f"{name:8} {each:7.1f} instructions a message, {each - usual:+.1f} against C", flush=True)
        subprocess.run([build / "bin/mpifort", "-O2", HERE / "section.f90", "-o", program], check=True)
        subprocess.run([program], check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
