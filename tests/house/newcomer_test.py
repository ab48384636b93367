#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What CONTRIBUTING.md says of adding things: each of those that are there stands in at most two files of the sources, which is
where the next one has to be written too."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
from house.tree import Tree  # noqa: E402 pylint: disable=wrong-import-position


class Newcomers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tree = Tree(ROOT)
        cls.texts = {str(path.relative_to(ROOT)): tree.text(path) for path, parts in tree.parts.items()
                     if parts[0] in ("src", "libs", "tools", "include", "api", "cmake")}
        cls.places = {}  # word -> files
        for path, text in cls.texts.items():
            for word in set(re.findall(r"\w+", text)):
                cls.places.setdefault(word, set()).add(path)

    def stands_in_two_files(self, folder, pattern, mentions, but=()):
        """Each name that the pattern finds below the folder is mentioned in one file beside those that declare such names: others of
        its kind may use it."""
        homes = {path: set(re.findall(pattern, text)) for path, text in self.texts.items() if path.startswith(folder)}
        names = set().union(*homes.values()) - set(but)
        self.assertTrue(names, f"nothing in {folder} looks like {pattern}")
        for name in sorted(names):
            where = set().union(*(self.places.get(mention.format(name), set()) for mention in mentions))
            with self.subTest(name):
                self.assertLessEqual(len({path for path in where if not homes.get(path)}), 1, where)

    def test_a_collective_algorithm_is_a_file_and_a_line(self):
        self.stands_in_two_files("src/collective/", r"\bAlgorithm (\w+)_algorithm = \{", ("{}_algorithm",))

    def test_a_configuration_variable_is_one_declaration(self):
        declared = re.findall(r'STARLING_CONFIG\(\s*\w+,\s*("\w+"(?: #upper)?)', "".join(text for path, text in self.texts.items() if path.endswith(".cpp")))
        self.assertGreater(len(declared), 30)
        self.assertEqual(len(declared), len(set(declared)))

    def test_a_variable_of_the_tool_interface_is_one_row(self):
        self.stands_in_two_files("src/mpi/tool/", r'\{"(starling_\w+)", "[^"]+",\s*MPI_T_PVAR', ("{}",))

    def test_a_subcommand_is_a_file_and_a_line(self):
        # mpiexec is another name of 'run'.
        self.stands_in_two_files("tools/starling/", r"\nint (\w+)_command\(Arguments \w+\) \{", ("{}_command",), but=("run",))

    def test_a_balancing_strategy_is_a_file_and_a_line(self):
        listed = re.findall(r"\bROW\((\w+), k(?:Loads|Links|Groups)\)", "".join(self.texts.values()))
        self.assertGreater(len(listed), 5)
        for name in listed:
            named = re.compile(rf"\bMoves {name}\(const|\b{name}\.cpp\b|\"{name}\"")
            places = [path for path, text in self.texts.items() if path.startswith("libs/array/") and named.search(text)]
            with self.subTest(name):
                self.assertEqual(len(places), 1, places)


if __name__ == "__main__":
    sys.exit(unittest.main())
