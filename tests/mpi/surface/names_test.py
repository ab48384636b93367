#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the names of mpi.h or of the shared library against the facts, both ways: none missing, none too many.

usage: names_test.py header <prototypes.txt> <constants.txt> <mpi.h> <C compiler>
       names_test.py library <prototypes.txt> <libmpi_abi.so.1>
"""
import re
import subprocess
import sys


def facts(path, pattern):
    with open(path, encoding="ascii") as file:
        return {re.search(pattern, line).group(1) for line in file if line.strip() and not line.startswith("#")}


def functions(prototypes):
    names = facts(prototypes, r" (MPI_\w+)\(")
    return names | {"P" + name for name in names}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def differences(what, expected, found):
    problems = [f"{name}: {what} is missing" for name in sorted(expected - found)]
    return problems + [f"{name}: {what} is not in the ABI" for name in sorted(found - expected)]


def header(prototypes, constants, path, compiler):
    text = run(compiler, "-E", "-P", "-DSTARLING_NO_COMPAT", path)
    declared = set(re.findall(r"^\w+ (P?MPI_\w+)\(", text, re.MULTILINE))
    macros = set(re.findall(r"^#define (MPI_\w+)", run(compiler, "-E", "-dM", "-DSTARLING_NO_COMPAT", path), re.MULTILINE))
    enumerators = set(re.findall(r"\b(MPI_\w+) = ", text))
    return (differences("the function", functions(prototypes), declared) +
            differences("the constant", facts(constants, r"^(\w+)"), macros | enumerators))


def library(prototypes, path):
    symbols = [line.split() for line in run("nm", "-D", "--defined-only", "--format=posix", path).splitlines()]
    kinds = {symbol[0]: symbol[1] for symbol in symbols}
    found = {name for name in kinds if not re.match(r"P?MPIX_|starling_pap_progress$", name)}
    problems = differences("the symbol", functions(prototypes), found)
    problems += [f"{name}: the symbol's kind is {kinds[name]}; a tool must be able to take its place"
                 for name in sorted(found) if name.startswith("MPI_") and kinds[name] != "W"]
    return problems + [f"{name}: the symbol's kind is {kinds[name]} instead of T"
                       for name in sorted(found) if name.startswith("PMPI_") and kinds[name] != "T"]


def main(what, *arguments):
    problems = {"header": header, "library": library}[what](*arguments)
    print("\n".join(problems) or f"{what}: every name of the ABI and no other")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
