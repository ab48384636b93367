#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
import tempfile
import unittest
from pathlib import Path

import page
from mpich_suite import Outcome


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "page.md"
        self.root = Path(__file__).resolve().parents[2]

    def write(self, *outcomes):
        page.write(self.path, list(outcomes), self.root)
        return self.path.read_text()

    def test_chapters_that_were_not_run_keep_their_rows_and_reasons(self):
        self.write(Outcome("errors/io", "a.2", "explained", "open", "c1"), Outcome("coll", "b.4", "passed", "", "c1"))
        text = self.write(Outcome("coll", "b.4", "failed", "hangs", "c2"), Outcome("coll", "c.4", "passed", "", "c2"))
        self.assertIn("| errors/io | 0 | 0 | 1 | 0 | 0 | c1 |\n", text)
        self.assertIn("| coll | 1 | 1 | 0 | 0 | 0 | c2 |\n", text)
        self.assertIn("| all | 1 | 1 | 1 | 0 | 0 | |\n", text)
        self.assertIn("## Failed\n\n- `coll/b.4`: hangs\n", text)
        self.assertIn("## Explained\n\n- `errors/io/a.2`: open\n", text)

    def test_a_chapter_that_is_run_again_loses_its_old_reasons(self):
        self.write(Outcome("coll", "b.4", "failed", "hangs", "c1"))
        self.assertNotIn("hangs", self.write(Outcome("coll", "b.4", "passed", "", "c2")))


if __name__ == "__main__":
    unittest.main()
