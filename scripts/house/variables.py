# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses a configuration variable that no test names.

The variables are those of the reference page. A test names one as the environment has it, STARLING_EAGER_LIMIT, or as a Store and
mpiexec's tests take it, "EAGER_LIMIT". Whether the test fails where the setting is ignored is for its author to see.
"""
import re

from house.tree import line_of

PAGE = "docs/reference/configuration.md"
ROW = re.compile(r"^\| `STARLING_(\w+)` \|", re.M)
NAMED = re.compile(r"\"([A-Z][A-Z0-9_]*)\"|\b(STARLING_[A-Z0-9_]+)\b")
SUFFIXES = frozenset({".c", ".cpp", ".hpp", ".h", ".py", ".txt"})


def check(tree):
    page = tree.root / PAGE
    if page not in tree.parts:
        return
    named = {name.removeprefix("STARLING_") for path in tree.files("tests", SUFFIXES)
             for name in set().union(*NAMED.findall(tree.text(path)))}
    text = tree.text(page)
    for row in ROW.finditer(text):
        if row.group(1) not in named:
            tree.refuse(page, line_of(text, row.start()),
                        f"no test names STARLING_{row.group(1)}: a setting has a test that fails when it is ignored")
