# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses a row of docs/reference/sources.md that names a file, a test of ctest, a test of GoogleTest or a case that is not there,
a row that is not written as all are, and counts at the top that are not those of the rows.

Rows are numbered from 1 on within each source. Their cells: number, section, feature, status, where it is, what holds it. *Where*
names files and folders in backticks, from the root, and settings; a row that is there, in part or whole, names one at least. *What
holds it* is "no test", or tests of ctest in backticks, each followed by those of its tests of GoogleTest (`Suite.Name`, `Suite.*`)
or of its cases ("title") that matter.

What an optional part brings (PARTS) is not looked for where the build has none of it: its names are those of another machine.
"""
import json
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from house.tree import line_of

PAGE = "docs/reference/sources.md"
STATUSES = ("there", "in part", "not", "hardware", "other issue")
NO_TEST = "no test"
UNTESTED = "there, no test"
COLUMNS = ("rows", *STATUSES, UNTESTED)
# Words of the names of tests that a build has only where a peer, a compiler, a tool or an option is there.
PARTS = ("openmpi", "mpich", "fortran", "hosts", "slurm", "example")

LINE = re.compile(r"^\|(.*)\|$", re.M)
NUMBER = re.compile(r"(\d{3})-(\d+)")
CODE = re.compile(r"`([^`]+)`")
SETTING = re.compile(r"(?:STARLING_|starling_|--)\S+")  # what *where* may name beside files
NAMED = re.compile(r'`([^`]+)`|"([^"]+)"')
GTEST = re.compile(r"[A-Z]\w*\.(?:\w+|\*)")
# The folder of the sources of a test of ctest, with its tests of GoogleTest or its cases.
FOLDERS = ((re.compile(r"unit\.(\w+)"), r"tests/unit/\1"), (re.compile(r"farm\.threads"), "tests/farm"),
           (re.compile(r"arrival\.million"), "tests/unit/arrival"), (re.compile(r"array\..+"), "tests/array"),
           (re.compile(r"(?:hosts\.)?mpi\.(\w+)\..+"), r"tests/mpi/\1"))


def tests_of(build):
    """The names that ctest lists for a build folder. It runs elsewhere, for it begins the log of its folder anew, in which a ctest
    that is running this check writes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "CTestTestfile.cmake").write_text(f'subdirs("{Path(build).resolve()}")\n')
        listed = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    return {test["name"] for test in json.loads(listed.stdout)["tests"]}


def check(tree, tests):
    page = tree.root / PAGE
    if page not in tree.parts:
        tree.refuse(page, 1, "the page is not there")
        return
    text = tree.text(page)
    counts, told = {}, {}  # source -> column -> number
    for found in LINE.finditer(text):
        cells = [cell.strip() for cell in found.group(1).split("|")]
        line = line_of(text, found.start())
        number = NUMBER.fullmatch(cells[0])
        if number:
            Row(tree, page, line, cells).check(tests, counts.setdefault(number.group(1), Counter()))
        elif re.match(r"\d{3} |all$", cells[0]):
            told[cells[0][:3]] = line, cells[1:]
    counts["all"] = sum(counts.values(), Counter())
    check_counts(tree, page, counts, told)


def check_counts(tree, page, counts, told):
    for source in sorted(counts.keys() | told.keys()):
        right = [str(counts.get(source, Counter())[column]) for column in COLUMNS]
        line, cells = told.get(source, (1, None))
        if cells != right:
            tree.refuse(page, line, f"the counts of {source} are not those of its rows: | {' | '.join(right)} |")


class Row:
    def __init__(self, tree, page, line, cells):
        self.tree, self.page, self.line, self.cells = tree, page, line, cells

    def refuse(self, what):
        self.tree.refuse(self.page, self.line, f"{self.cells[0]}: {what}")

    def check(self, tests, count):
        count["rows"] += 1
        number = int(NUMBER.fullmatch(self.cells[0]).group(2))
        if number != count["rows"]:
            self.refuse(f"row {count['rows']} of its source comes here")
        if len(self.cells) != 6 or not all(self.cells):
            self.refuse("a row has six cells, none of them empty")
            return
        _, _, _, status, where, held = self.cells
        if status not in STATUSES:
            self.refuse(f"'{status}' is none of: {', '.join(STATUSES)}")
        count[status] += 1
        count[UNTESTED] += status == "there" and held == NO_TEST
        self.check_where(where, status)
        if held != NO_TEST:
            self.check_held(held, tests)

    def check_where(self, where, status):
        names = [name for name in CODE.findall(where) if not SETTING.fullmatch(name)]
        for name in names:
            if not (self.tree.root / name).exists():
                self.refuse(f"there is no file '{name}'")
        if status in ("there", "in part") and not names and "](" not in where:
            self.refuse("it names no file")

    def check_held(self, held, tests):
        if re.sub(r"[;,\s]", "", NAMED.sub("", held)):
            self.refuse(f"what holds it is tests, or '{NO_TEST}'")
        test = None
        for name, case in NAMED.findall(held):
            if name and not GTEST.fullmatch(name):
                test = name
                if test not in tests and not is_part_elsewhere(test, tests):
                    self.refuse(f"ctest lists no test '{test}'")
            elif test is None:
                self.refuse(f"'{name or case}' follows no test of ctest")
            elif not self.has(test, name, case):
                self.refuse(f"the sources of {test} have no '{name or case}'")

    def has(self, test, name, case):
        """Whether the sources of a test of ctest have this test of GoogleTest, or this case."""
        suite, _, last = name.partition(".")
        last = r"\w+" if last == "*" else last
        wanted = re.compile(rf"\bTEST(?:_[FP])?\(\s*{suite},\s*{last}\s*\)" if name else rf'CASE\("{re.escape(case)}"')
        folders = [found.expand(folder) for pattern, folder in FOLDERS if (found := pattern.fullmatch(test))]
        return any(wanted.search(self.tree.text(path)) for folder in folders for path in self.tree.files(folder))


def is_part_elsewhere(test, tests):
    """Whether it belongs to a part of which this build has nothing."""
    return any(part in test.split(".") and not any(part in other.split(".") for other in tests) for part in PARTS)
