#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
import re
import tempfile
import unittest
from pathlib import Path

import page
from mpich_suite import Outcome, explained


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "page.md"
        self.root = Path(__file__).resolve().parents[2]

    def write(self, *outcomes, kind=page.ON_ONE_MACHINE):
        page.write(self.path, list(outcomes), self.root, kind)
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

    def test_what_hosts_refuse_is_counted_by_reason(self):
        self.write(Outcome("errors/rma", "a.2", "refused", "windows", "c1"), Outcome("errors/rma", "b.2", "refused", "windows", "c1"),
                   kind=page.OVER_HOSTS)
        text = self.write(Outcome("rma", "a.1", "not applicable", "one rank", "c2"), kind=page.OVER_HOSTS)
        self.assertIn("| errors/rma | 0 | 0 | 0 | 2 | 0 | 0 | 0 | c1 |\n", text)
        self.assertIn("## Refused\n\n- `errors/rma` (2 cases): windows\n", text)
        self.assertIn("## Not applicable\n\n- `rma` (1 case): one rank\n", text)
        text = self.write(Outcome("errors/rma", "a.2", "passed", "", "c3"), kind=page.OVER_HOSTS)
        self.assertNotIn("windows", text)

    def test_a_reason_may_say_that_a_case_was_refused_what_it_does_not_print(self):
        table = [(re.compile(r"io/a\..*"), "refused: no files"), (re.compile(r"io/b\..*"), "asks for more")]
        outcomes = [explained(Outcome("io", f"{name}.2", "failed", "count is -1"), table) for name in "abc"]
        self.assertEqual([o.verdict for o in outcomes], ["refused", "explained", "failed"])
        self.assertEqual([o.why for o in outcomes], ["no files", "asks for more", "count is -1"])


if __name__ == "__main__":
    unittest.main()
