#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what the rows in api/ are in Fortran. CMake runs it where there is a Fortran compiler.

usage: generate_fortran.py <source directory> <directory for mpif.h> <directory for the C++ and Fortran files>
"""
import pathlib
import sys

from generate import write
from generator import rows
from generator.fortran import constants, entries, model, modules


def main(source, include_dir, target_dir):
    source, include_dir, target_dir = pathlib.Path(source), pathlib.Path(include_dir), pathlib.Path(target_dir)
    surface = rows.Surface(source / "api")
    routines = model.routines(surface)
    write(include_dir / "mpif.h", constants.mpif_h(surface))
    for name in ("constants", "handles", "types"):
        write(target_dir / f"{name}.F90", getattr(constants, f"{name}_module")(surface))
    for chapter in model.CHAPTERS:
        own = [r for r in routines if r.chapter == chapter]
        write(target_dir / f"entries_{chapter}.cpp", entries.entries_cpp(surface.titles[chapter], own))
        for family, f08 in (("mpi", False), ("mpi_f08", True)):
            write(target_dir / f"{family}_{chapter}.F90", modules.chapter_module(chapter, surface.titles[chapter], own, f08))
    for family, f08 in (("mpi", False), ("mpi_f08", True)):
        write(target_dir / f"{family}.F90", modules.whole_module(f08))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except rows.RowError as error:
        sys.exit(f"api: {error}")
