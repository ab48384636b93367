#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program that holds mpi.h against the facts: it compiles only when every prototype and every constant's type is
the standard's, and it succeeds only when every value is.

usage: write_header_check.py <constants.txt> <prototypes.txt> <output.c>
"""
import sys

HEAD = """#include <mpi.h>
#include <stdio.h>

static int wrong = 0;

static void compare(const char *name, long long value, long long fact) {
  if (value == fact) return;
  printf("%s is %lld; the ABI says %lld\\n", name, value, fact);
  wrong++;
}

#ifdef __cplusplus
#include <type_traits>
#define TYPE_IS(constant, type) static_assert(std::is_same<decltype(constant), type>::value, #constant " is no " #type)
extern "C" {
#else
#define TYPE_IS(constant, type) _Static_assert(_Generic((constant), type: 1, default: 0), #constant " is no " #type)
#endif
"""


def facts(path):
    with open(path, encoding="ascii") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def checked_type(type_name):
    """Enumerators are int in C and of their own type in C++, so their type is not compared."""
    return not (type_name == "int" or type_name.startswith(("MPI_T_cb_safety", "MPI_T_source_order")))


def main(constants, prototypes, output):
    lines = [HEAD]
    for prototype in facts(prototypes):
        lines += [f"{prototype};", f"{prototype.replace(' MPI_', ' PMPI_', 1)};"]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", "int main(void) {"]
    rows = [fact.split() for fact in facts(constants)]
    for name, type_name, value in rows:
        if checked_type(type_name):
            lines.append(f"  TYPE_IS({name}, {type_name});")
        lines.append(f'  compare("{name}", (long long)(intptr_t)({name}), {value});')
    lines += ['  compare("sizeof(MPI_Status)", (long long)sizeof(MPI_Status), 8 * (long long)sizeof(int));',
              '  compare("sizeof(MPI_Aint)", (long long)sizeof(MPI_Aint), (long long)sizeof(void *));',
              '  compare("sizeof(MPI_Offset)", (long long)sizeof(MPI_Offset), 8);',
              '  compare("sizeof(MPI_Count)", (long long)sizeof(MPI_Count), 8);',
              f'  printf("%d of {len(rows)} constants differ from the ABI\\n", wrong);',
              "  return wrong == 0 ? 0 : 1;", "}", ""]
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
