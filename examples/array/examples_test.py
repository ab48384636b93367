#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples on object arrays on one MPI: the same result from any number of processes.

usage: examples_test.py BIN SUFFIX LAUNCHER...    SUFFIX of the programs' names: "" or "_mpich"
"""
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, SUFFIX, LAUNCH = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
del sys.argv[1:]


def run(ranks, name, *arguments):
    done = subprocess.run([*LAUNCH, "-n", str(ranks), BIN / f"array_{name}{SUFFIX}", *map(str, arguments)],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{name} {arguments} on {ranks}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def found(pattern, text):
    match = re.search(pattern, text)
    assert match, f"no '{pattern}' in:\n{text}"
    return match.groups()


def png_size(path):
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG"), path
    return struct.unpack(">II", data[16:24])


class BreadthFirstSearch(unittest.TestCase):
    def test_rules(self):
        """The program checks Graph500's rules; here: the same trees' sizes from any number of processes and blocks."""
        outcomes = set()
        for ranks, blocks in ((1, 1), (3, 24)):
            out = run(ranks, "bfs", 11, blocks, 4)
            outcomes.add(tuple(re.findall(r"from \d+: \d+ vertices in \d+ levels, \d+ edges", out)))
            found(r"harmonic mean .* 0 rules broken", out)
        self.assertEqual([len(each) for each in outcomes], [4])


class Stencil(unittest.TestCase):
    def test_same_heat(self):
        """Virtual ranks: the same heat wherever they run, and some moved away from the fire."""
        heats = set()
        for ranks in (1, 2):
            out = run(ranks, "stencil", 16, 60)
            heats.add(tuple(re.findall(r"heat (\d+[.]\d{4})", out)))
            moved = [int(each) for each in re.findall(r"then (\d+) of 16 ranks moved", out)]
            self.assertEqual(len(moved), 3, out)
            self.assertEqual(moved[0] > 0, ranks > 1, out)
        self.assertEqual(len(heats), 1, heats)


@unittest.skipUnless((BIN / f"array_heat_flow{SUFFIX}").exists(), "built without libgd")
class HeatFlow(unittest.TestCase):
    SMALL = ("--steps", 800, "--finest", 4)

    def outcome(self, ranks, *arguments):
        """The bits of the result; leaves made, deleted and moved."""
        out = run(ranks, "heat_flow", *self.SMALL, *arguments)
        counts = found(r"(\d+) leaves were made, (\d+) deleted, (\d+) moved", out)
        return found(r"bits (\w+)", out)[0], [int(each) for each in counts]

    def test_same_bits(self):
        """Leaves split, join and move, and nothing of it shows in the result."""
        bits, (made, deleted, moved) = self.outcome(1)
        self.assertEqual(moved, 0)
        splits, joins = (4 * (made - 16) - deleted) / 15, (4 * deleted - (made - 16)) / 15
        self.assertGreaterEqual(splits, 20)
        self.assertGreaterEqual(joins, 5)
        with tempfile.TemporaryDirectory(prefix="array_examples_") as folder:
            for ranks, *arguments in ((3, "--balance", "none"), (2, "--frames", 2, "--out", folder)):
                other_bits, counts = self.outcome(ranks, *arguments)
                self.assertEqual(other_bits, bits, arguments)
                self.assertEqual(counts[:2], [made, deleted])
                (self.assertEqual if "none" in arguments else self.assertGreater)(counts[2], 0)
            sizes = {path.name: png_size(path) for path in Path(folder).iterdir()}
        self.assertEqual(sizes, {"heat_flow.png": (388, 388), "temperature_00.png": (512, 512),
                                 "temperature_01.png": (512, 512), "owners_00.png": (512, 512),
                                 "owners_01.png": (512, 512)})

    def test_restless(self):
        """Every leaf moves whenever it worked: its serialize forgets nothing."""
        bits, counts = self.outcome(1, "--steps", 30)
        other_bits, other_counts = self.outcome(3, "--steps", 30, "--restless")
        self.assertEqual(other_bits, bits)
        self.assertEqual(other_counts[:2], counts[:2])
        self.assertGreater(other_counts[2], 1000)


@unittest.skipUnless((BIN / f"array_nbody{SUFFIX}").exists(), "built without libgd")
class NBody(unittest.TestCase):
    SMALL = ("--across", 10, "--particles", 1500)

    def outcome(self, ranks, *arguments):
        """The bits of the result, and the cells that moved."""
        out = run(ranks, "nbody", *self.SMALL, *arguments)
        return found(r"bits (\w+)", out)[0], sum(map(int, re.findall(r"(\d+) cells move", out)))

    def test_same_bits(self):
        """The program checks momentum, energy and particles; here: nothing depends on where the cells are."""
        steps = ("--steps", 60, "--balance-steps", 20)
        bits, moved = self.outcome(1, *steps)
        self.assertEqual(moved, 0)
        self.assertEqual(self.outcome(3, *steps, "--balance", "none"), (bits, 0))
        with tempfile.TemporaryDirectory(prefix="array_examples_") as folder:
            picture = Path(folder) / "nbody.png"
            other_bits, moved = self.outcome(2, *steps, "--picture", picture, "--frames", 2)
            self.assertEqual(png_size(picture), (388, 388))
        self.assertEqual(other_bits, bits)
        self.assertGreater(moved, 0)

    def test_restless(self):
        """Every cell moves whenever it worked: its serialize forgets nothing."""
        self.assertEqual(self.outcome(3, "--steps", 5, "--restless")[0], self.outcome(1, "--steps", 5)[0])


@unittest.skipUnless((BIN / f"array_mesh{SUFFIX}").exists(), "built without METIS")
class FiniteElements(unittest.TestCase):
    """The program compares with a serial solution, bit by bit."""

    RIGHT = r"heat (0\.\d+); 0 of \d+ vertices differ from the serial solution"

    def outcome(self, ranks, *arguments):
        """The heat, and the moves."""
        out = run(ranks, "mesh", "--side", 80, *arguments)
        return found(self.RIGHT, out)[0], int(found(r"(\d+) moves; pieces", out)[0])

    def test_thousands_of_pieces(self):
        """They move as the work does, and nothing of it shows in the result."""
        small = ("--pieces", 2000, "--steps", 60, "--balance-steps", 20)
        heat, moves = self.outcome(1, *small)
        self.assertEqual(moves, 0)
        self.assertEqual(self.outcome(3, *small, "--balance", "none"), (heat, 0))
        for strategy in ("refine", "graph"):
            other_heat, moves = self.outcome(2, *small, "--balance", strategy)
            self.assertEqual(other_heat, heat)
            self.assertGreater(moves, 0)

    def test_restless(self):
        """Every piece moves whenever it worked: its serialize forgets nothing."""
        self.assertEqual(self.outcome(3, "--pieces", 200, "--steps", 5, "--restless")[0],
                         self.outcome(1, "--pieces", 7, "--steps", 5)[0])


if __name__ == "__main__":
    unittest.main()
