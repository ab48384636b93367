#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs what draws the figures of late processes, on small instances: each table has what it says, and the pictures are drawn
where Matplotlib is.

usage: figures_test.py BUILD_FOLDER SIMULATED     SIMULATED: the mini-benchmark for simulated clusters, whether it is there or not
"""
import csv
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, SIMULATED = sys.argv[1:]
HERE = Path(__file__).resolve().parent


def run(script, folder, *words):
    return subprocess.run([HERE / script, BUILD, folder, *words], capture_output=True, text=True, timeout=200, check=False)


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class Schedules(unittest.TestCase):
    def test_all_methods_are_compared_to_the_tree_with_deviations_and_a_test(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("schedule_figures", folder, "--sizes", "4,32", "--runs", "25")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = table(Path(folder, "schedule.csv"))
            self.assertEqual(len(rows), 2 * 2 * 4)
            trees = {(row["pattern"], row["processes"]): float(row["mean_ms"]) for row in rows
                     if row["method"] == "segment_tree"}
            for row in rows:
                self.assertEqual(row["runs"], "25")
                self.assertGreater(float(row["deviation_ms"]), 0)
                tree = trees[row["pattern"], row["processes"]]
                self.assertTrue(math.isclose(float(row["ratio_to_tree"]), float(row["mean_ms"]) / tree, rel_tol=0.05), row)
                self.assertTrue(0 <= float(row["p"]) <= 1, row)
            self.assertRegex(done.stdout, r"\| 4 \| 25 \|.*\n\| 32 \| 25 \|")
            drawn = [path.name for path in Path(folder).glob("*.png")]
            self.assertEqual(len(drawn), 0 if "Matplotlib is missing" in done.stdout else 2)


@unittest.skipUnless(os.path.exists(SIMULATED), "needs SimGrid (libsimgrid-dev), then the target bench_pap_late_simulated")
class Simulations(unittest.TestCase):
    def test_the_thread_foresees_who_is_late_on_simulated_nodes(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ["--nodes", "6", "--floats", "131072", "--delays", "0,0.1", "--late", "0.1", "--iterations", "4", "--drawn",
                     "once", "--algorithms", "binomial,clairvoyant,foreseen"]
            done = run("simulate", folder, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = table(Path(folder, "late.csv"))
            self.assertEqual(len(rows), 3 * 2)
            exposed = {row["algorithm"]: float(row["mean_ms"]) for row in rows if row["delay_s"] == "0.1"}
            # A tree of whole vectors takes three of them behind the last, of 4.2 ms each; delays are a hundred times a segment.
            self.assertLess(exposed["clairvoyant"], 0.7 * exposed["binomial"])
            self.assertLess(exposed["foreseen"], 0.7 * exposed["binomial"], "predictions were wrong")
            for row in rows:
                made = float(row["schedule_ms"])
                self.assertTrue(made > 0 if row["algorithm"] in ("clairvoyant", "foreseen") else made == 0, row)
            again = run("simulate", folder, *words)
            self.assertEqual((again.returncode, again.stdout), (0, ""), "what is there is not run again")
            self.assertEqual(len(list(Path(folder).glob("*.png"))), 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
