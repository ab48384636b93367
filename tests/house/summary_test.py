#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/summary is the last word of scripts/test: it must not turn a failure into a success."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SUMMARY = Path(__file__).resolve().parents[2] / "scripts" / "summary"


def summary(broken_builds, **reports):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, statuses in reports.items():
            paths.append(Path(folder, f"{name}.xml"))
            cases = "".join(f'<testcase name="{name}{i}" status="{s}"/>' for i, s in enumerate(statuses))
            paths[-1].write_text(f"<testsuite>{cases}</testsuite>")
        result = subprocess.run([sys.executable, SUMMARY, str(broken_builds), *paths], capture_output=True, text=True,
                                check=False)
    return result.returncode, result.stdout.splitlines()


class Summary(unittest.TestCase):
    def test_all_passed(self):
        self.assertEqual(summary(0, release=["run", "run"], tsan=["run"]), (0, ["3 passed, 0 failed"]))

    def test_a_failure_is_named_and_fails_the_whole(self):
        self.assertEqual(summary(0, release=["run"], tsan=["run", "fail"]),
                         (1, ["failed tsan: tsan1", "2 passed, 1 failed"]))

    def test_a_broken_build_is_a_failure(self):
        self.assertEqual(summary(1, release=["run"]), (1, ["1 passed, 1 failed"]))

    def test_what_was_skipped_is_said(self):
        self.assertEqual(summary(0, release=["run", "notrun"]),
                         (0, ["skipped release: release1", "1 passed, 0 failed, 1 skipped"]))

    def test_nothing_at_all_is_not_a_success(self):
        self.assertEqual(summary(0), (1, ["0 passed, 0 failed"]))


if __name__ == "__main__":
    unittest.main()
