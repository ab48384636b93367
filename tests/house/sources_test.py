#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Spoils a row, or the counts, of a small docs/reference/sources.md, and sees that scripts/check_sources names the line."""
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

from planted import CHECK, Planted

sys.path.insert(0, str(CHECK.parent))
sys.dont_write_bytecode = True
from house import sources  # noqa: E402 pylint: disable=wrong-import-position
from house.tree import Tree  # noqa: E402 pylint: disable=wrong-import-position

TESTS = {"unit.p2p", "array.starling.2", "pap.starling.2", "mpi.p2p.nodes.2", "hosts.mpi.p2p", "house.layers_hold"}
COUNTS = ("| 001 one | 3 | 1 | 1 | 1 | 0 | 0 | 0 |", "| 002 two | 2 | 1 | 0 | 0 | 1 | 0 | 1 |", "| all | 5 | 2 | 1 | 1 | 1 | 0 | 1 |")
ROWS = ("| 001-1 | 2 | sends | there | `src/p2p/engine.cpp`, `STARLING_X` | `unit.p2p` `Queue.Keeps`, `Sizes.*`; `pap.starling.2` |",
        '| 001-2 | 2 | moves | in part | `libs/farm`, and no more | `array.starling.2` "an element moves"; `mpi.p2p.nodes.2` "a send" |',
        "| 001-3 | 3 | flies | not | nothing | no test |",
        "| 002-1 | 1 | runs | there | `tools/run/main.cpp` | no test |",
        "| 002-2 | 1 | costs | hardware | nothing | `pap.openmpi.2`; `hosts.mpi.p2p` |")
LINE = 4  # of the first row


class Sources(Planted):
    def setUp(self):
        super().setUp()
        self.write("tests/unit/p2p/queue_test.cpp", "TEST(Queue, Keeps) {}\nTEST_P(Sizes,\n       OfAll) {}\n")
        self.write("tests/array/moves.cpp", 'CASE("an element moves", 1, 2) {}\n')
        self.write("tests/mpi/p2p/send.cpp", 'MPI_CASE("a send", 1, 2) {}\n')
        self.tests = set(TESTS)

    def run_check(self):
        tree = Tree(self.root)
        sources.check(tree, self.tests)
        return SimpleNamespace(returncode=1 if tree.violations else 0, stdout="\n".join(tree.violations))

    def sources_page(self, rows=ROWS, counts=COUNTS):
        self.page(sources.PAGE, "\n".join((*counts, *rows)) + "\n")

    def spoil(self, row, old, new, *words):
        """What is said of the row once `new` stands in it in place of `old`."""
        self.assertIn(old, ROWS[row])
        rows = list(ROWS)
        rows[row] = rows[row].replace(old, new)
        self.sources_page(rows)
        self.refuses(f"{sources.PAGE}:{LINE + row}:", ROWS[row][2:7], *words)

    def test_that_are_right(self):
        self.sources_page()
        self.accepts()

    def test_without_a_page(self):
        self.refuses(f"{sources.PAGE}:1:", "not there")

    def test_with_a_file_that_is_not_there(self):
        self.spoil(0, "src/p2p/engine.cpp", "src/p2p/motor.cpp", "no file 'src/p2p/motor.cpp'")
        self.spoil(0, "src/p2p/engine.cpp", "engine.cpp", "no file 'engine.cpp'")
        self.spoil(1, "libs/farm", "libs/barn", "no file 'libs/barn'")

    def test_that_name_no_file(self):
        self.spoil(0, "`src/p2p/engine.cpp`, ", "", "names no file")

    def test_with_a_test_that_ctest_does_not_list(self):
        self.spoil(0, "`pap.starling.2`", "`pap.starling.3`", "no test 'pap.starling.3'")
        self.spoil(1, "`mpi.p2p.nodes.2` \"a send\"", "`mpi.p2p.nodes.4` \"a send\"", "no test 'mpi.p2p.nodes.4'")

    def test_with_a_test_of_a_part_that_is_here(self):
        self.tests.add("pap.openmpi.4")
        self.sources_page()
        self.refuses(f"{sources.PAGE}:{LINE + 4}:", "no test 'pap.openmpi.2'")
        self.tests.add("pap.openmpi.2")
        self.accepts()

    def test_with_a_name_that_no_source_of_a_test_has(self):
        self.spoil(0, "Queue.Keeps", "Queue.Loses", "no 'Queue.Loses'")
        self.spoil(0, "Sizes.*", "Lengths.*", "no 'Lengths.*'")
        self.spoil(1, '"an element moves"', '"an element"', "no 'an element'")
        self.spoil(1, "`mpi.p2p.nodes.2`", "`pap.starling.2`", "no 'a send'")
        self.spoil(1, "`array.starling.2` ", "", "'an element moves' follows no test")

    def test_that_are_held_by_words(self):
        self.spoil(0, "; `pap.starling.2`", " and others", "what holds it")

    def test_that_are_not_as_all_are(self):
        for old, new in (("| flies ", ""), ("| nothing |", "| |"), ("| flies ", "| flies | far ")):
            rows = list(ROWS)
            rows[2] = rows[2].replace(old, new)
            self.sources_page(rows)
            self.assertIn(f"{sources.PAGE}:{LINE + 2}: 001-3: a row has six cells", self.run_check().stdout)

    def test_with_counts_that_are_not_theirs(self):
        for place, (old, new) in enumerate((("| 3 | 1 |", "| 3 | 2 |"), ("| 0 | 1 |", "| 0 | 0 |"), ("| 5 |", "| 6 |"))):
            counts = list(COUNTS)
            counts[place] = counts[place][::-1].replace(old[::-1], new[::-1], 1)[::-1]
            self.assertNotEqual(counts[place], COUNTS[place])
            self.sources_page(counts=counts)
            self.refuses(f"{sources.PAGE}:{1 + place}:", "counts of", COUNTS[place].split(" | ", 1)[1])
        self.sources_page(counts=COUNTS[1:])
        self.refuses(f"{sources.PAGE}:1:", "counts of 001")

    def test_of_which_one_is_lost(self):
        self.sources_page(ROWS[1:])
        said = self.run_check().stdout
        self.assertIn("001-2: row 1 of its source comes here", said)
        self.assertIn("the counts of 001", said)

    def test_with_a_status_that_there_is_not(self):
        rows = list(ROWS)
        rows[2] = rows[2].replace("| not |", "| soon |")
        self.sources_page(rows)
        self.assertIn("001-3: 'soon' is none of: there, in part,", self.run_check().stdout)


class Listing(unittest.TestCase):
    def test_of_a_build_leaves_its_log_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "CTestTestfile.cmake").write_text('add_test(one.two "true")\nadd_test([=[three]=] "true")\n')
            self.assertEqual(sources.tests_of(folder), {"one.two", "three"})
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["CTestTestfile.cmake"])


if __name__ == "__main__":
    sys.exit(unittest.main())
