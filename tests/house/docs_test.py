#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every component has its page in docs/design, and every configuration variable its row on the reference page."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Docs(unittest.TestCase):
    def test_every_built_component_has_a_page(self):
        components = {path.parent.name for path in (ROOT / "src").glob("*/CMakeLists.txt")
                      if any(path.parent.rglob("*.hpp"))}
        described = {path.stem for path in (ROOT / "docs/design").glob("*.md")}
        self.assertEqual(sorted(components - described), [])

    def test_every_variable_is_on_the_reference_page(self):
        declaration = re.compile(r'^\s*STARLING_CONFIG\w*\(\s*\w+,\s*"(\w+)"', re.M)
        declared = {name for folder in ("src", "tools", "libs") for path in (ROOT / folder).rglob("*.cpp")
                    for name in declaration.findall(path.read_text())}
        page = (ROOT / "docs/reference/configuration.md").read_text()
        self.assertTrue(declared)
        self.assertEqual(sorted(name for name in declared if f"| `STARLING_{name}` |" not in page), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
