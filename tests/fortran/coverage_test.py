#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fails for a routine that an interface has and none of its tests calls. What a program calls stands among the names that it
leaves to the linker, so that generic names with large counts are told from the others.

usage: coverage_test.py BUILD
"""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "api"))
from generator import rows  # noqa: E402
from generator.fortran import entries, model  # noqa: E402

PROGRAMS = {"mpif": ("coverage_mpif", "mpif_all"), "mpi": ("coverage_mpi", "mpi_all"),
            "mpi_f08": ("coverage_f08", "coverage_large", "f08_all")}
# Routines that no test calls, with the reason. What is called must not stand here.
EXCEPTIONS = {
    "MPI_Comm_join": "needs a socket between two processes, which Fortran cannot make; nothing but an integer is passed",
}


def names(program, kinds):
    """Names of these kinds among those that the program shares: "U" what it calls, "TW" its functions."""
    lines = subprocess.run(["nm", "-D", program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {words[-1].partition("@")[0] for words in map(str.split, lines) if words[-2] in kinds}


def main(build):
    called = {interface: set().union(*(names(build / f"bin/fortran_{p}", "U") for p in programs))
              for interface, programs in PROGRAMS.items()}
    exported = names(build / "lib/libmpifort_abi.so", "TW")
    routines = model.routines(rows.Surface(TOP / "api"))
    of_rows = {name for r in routines for f08 in (False, True) for name in entries.link_names(r, f08)}
    mistakes, counts, needless = [], {}, set(EXCEPTIONS)
    for interface in PROGRAMS:
        f08 = interface == "mpi_f08"
        has = [r for r in routines if (r.in_f08 if f08 else not r.large)]
        for routine in has:
            both = entries.link_names(routine, f08 and routine.returns == "int")
            mistakes += [f"the library lacks {name}, which {interface} calls" for name in both if name not in exported]
            if both[0] in called[interface]:
                counts[interface] = counts.get(interface, 0) + 1
                if routine.name in EXCEPTIONS:
                    mistakes.append(f"{routine.name} is tested through {interface}; take it out of EXCEPTIONS")
            elif routine.name not in EXCEPTIONS:
                mistakes.append(f"{routine.name} is in no test of {interface}; call it in tests/fortran and check its effect")
            else:
                needless.discard(routine.name)
        print(f"{interface}: {counts.get(interface, 0)} of {len(has)} routines are tested")
    # Entries by hand that no row has: what only Fortran has, what was removed, procedures of MPI.
    anywhere = set().union(*called.values())
    own = {name for name in exported if re.fullmatch(r"mpi_\w+_", name)} - of_rows
    # One function may have the name of mpi_f08 beside its own: then either is enough.
    untested = [name for name in sorted(own - anywhere) if name.replace("_f08_", "_") not in anywhere]
    mistakes += [f"{name} of src/fortran is in no test" for name in untested]
    mistakes += [f"{name} of EXCEPTIONS is no routine" for name in sorted(needless)]
    print("\n".join(mistakes) or "every routine has a test")
    return 1 if mistakes else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1])))
