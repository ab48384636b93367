#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever returns a request and is given arrays must use them as they were at the call: tests/mpi/*/lent_arrays.cpp
takes them back at once. A function whose row says so and that no such file calls fails here."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "api"))
from generator import rows  # noqa: E402


def keeps_arrays(function):
    """It hands out a request, and one of its parameters is an array that it reads."""
    reads = any(re.match(r"const .*\[\]$", p.kind.small) for p in function.parameters)
    return reads and any(p.kind.name == "out_request" for p in function.parameters)


class LentArrays(unittest.TestCase):
    def test_every_call_that_keeps_arrays_is_tried(self):
        surface = rows.Surface(ROOT / "api")
        text = "".join(path.read_text() for path in sorted(ROOT.glob("tests/mpi/*/lent_arrays.cpp")))
        tried = set(re.findall(r"\bMPI_\w+", text))
        expected = {name for f in surface.functions + surface.extensions if keeps_arrays(f) for name, _ in f.forms}
        self.assertGreaterEqual(len(expected), 36)  # nine operations, nonblocking and persistent, in two forms
        self.assertEqual(sorted(expected - tried), [])


if __name__ == "__main__":
    unittest.main()
