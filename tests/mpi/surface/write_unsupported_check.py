#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program that calls every function that this version does not provide, in both forms, and expects
MPI_ERR_UNSUPPORTED_OPERATION through the error handler of the call's communicator, or of MPI_COMM_SELF.

usage: write_unsupported_check.py <source directory> <output.c>
"""
import pathlib
import sys

HEAD = """#include <mpi.h>
#include <stdio.h>

static int heard = 0;
static int wrong = 0;

static void hear(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  heard++;
}

static void expect(const char *name, int code, int error_class, int calls_handler) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  if (found != error_class || heard != calls_handler) {
    printf("%s: class %d instead of %d, the error handler ran %d times instead of %d\\n", name, found, error_class,
           heard, calls_handler);
    wrong++;
  }
  heard = 0;
}

int main(void) {
  MPI_Errhandler handler;
  MPI_Init(NULL, NULL);
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
"""

# What stands for an object that cannot exist yet, and the class that its absence has.
ABSENT = {"win": ("MPI_WIN_NULL", "MPI_ERR_WIN"), "file": ("MPI_FILE_NULL", "MPI_ERR_FILE"),
          "session": ("MPI_SESSION_NULL", "MPI_ERR_SESSION")}


def argument(parameter):
    kind = parameter.kind
    if kind.name == "comm":
        return "MPI_COMM_SELF"
    if kind.name in ABSENT:
        return ABSENT[kind.name][0]
    if kind.small == "MPI_T_cb_safety %":
        return "MPI_T_CB_REQUIRE_NONE"
    return "0"


def call(function, name):
    parameters = [p for p in function.parameters if p.kind.name != "varargs"]
    absent = next((p.kind.name for p in parameters if p.kind.name in ABSENT), None)
    error_class = ABSENT[absent][1] if absent else "MPI_ERR_UNSUPPORTED_OPERATION"
    # Files have their own handler, which returns; the tool interface has none.
    silent = function.chapter == "io" or function.has("tool") or absent == "file"
    return f'  expect("{name}", {name}({", ".join(map(argument, parameters))}), {error_class}, {0 if silent else 1});'


def main(source, output):
    sys.path.insert(0, str(pathlib.Path(source) / "api"))
    from generator import rows
    later = [f for f in rows.Surface(pathlib.Path(source) / "api").functions if not f.now]
    calls = [call(function, name) for function in later for name, _ in function.forms]
    tail = ["  MPI_Errhandler_free(&handler);", "  MPI_Finalize();",
            f'  printf("%d of {len(calls)} missing functions do not say so\\n", wrong);',
            "  return wrong == 0 ? 0 : 1;", "}", ""]
    pathlib.Path(output).write_text("\n".join([HEAD] + calls + tail))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
