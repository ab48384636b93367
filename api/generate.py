#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what the rows in api/ say. CMake runs it; a file that would not change is left alone.

usage: generate.py <source directory> <directory for mpi.h, mpi-ext.h> <directory for the C++ files>
"""
import pathlib
import sys

from generator import boundary, cpp, header, rows, seen


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(source, include_dir, cpp_dir):
    source, include_dir, cpp_dir = pathlib.Path(source), pathlib.Path(include_dir), pathlib.Path(cpp_dir)
    surface = rows.Surface(source / "api")
    write(include_dir / "mpi.h", header.mpi_h(surface, (source / "include" / "mpi.h.in").read_text()))
    write(include_dir / "mpi-ext.h", header.mpi_ext_h(surface, (source / "include" / "mpi-ext.h.in").read_text()))
    for name in ("functions_hpp", "functions_cpp", "calls_hpp", "constant_names_hpp", "constant_names_cpp"):
        write(cpp_dir / "api" / ".".join(name.rsplit("_", 1)), getattr(cpp, name)(surface))
    write(cpp_dir / "api" / "seen_calls.cpp", seen.seen_calls_cpp(surface))
    for chapter in rows.CHAPTERS + rows.EXTENSIONS:
        write(cpp_dir / "api" / f"boundary_{chapter}.cpp", boundary.boundary_cpp(surface, chapter))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except rows.RowError as error:
        sys.exit(f"api: {error}")
