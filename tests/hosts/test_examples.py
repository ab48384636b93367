# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The examples over two hosts, as they are, but for those of examples/survive: hosts.survive has jobs that outlive ranks."""
import os
import re
import subprocess
import sys
import tempfile

from hosts_support import BIN, MPIEXEC, ROOT, HostsTest, main


SPREAD = ("--host", "h1:2,h2:2", "--map-by", "node")


class Examples(HostsTest):
    def run_examples(self, library, *arguments):
        """The library's own test of its examples, with a launcher that spreads ranks over both hosts."""
        with tempfile.TemporaryDirectory() as folder:
            launcher = os.path.join(folder, "mpiexec")
            words = self.hosts.enter("h1", MPIEXEC, "--rsh-agent", self.hosts.agent, *SPREAD, folder=ROOT)
            with open(launcher, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nexec {" ".join(words)} "$@"\n')
            os.chmod(launcher, 0o755)
            before = self.crossed()
            test = os.path.join(ROOT, "examples", library, "examples_test.py")
            done = subprocess.run([sys.executable, "-B", test, BIN, *arguments, launcher], capture_output=True, text=True,
                                  timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(self.crossed() - before, 3000)
        self.assertEqual(self.hosts.left(), [])

    def test_the_farms(self):
        self.run_examples("farm")

    def test_the_arrays(self):
        self.run_examples("array", "")

    def test_the_first_programs(self):
        for name, result in (("farm_first", "the longest way has 382 steps"), ("array_squares", "is 332833500")):
            before = self.crossed()
            self.assertIn(result, self.succeeds("-n", "4", *SPREAD, os.path.join(BIN, name)).out)
            # Workers of the other host asked for work; those beside rank 0 may have been quick enough to do all of it.
            self.assertGreater(self.crossed() - before, 1000)

    def test_the_solver_gives_the_bits_that_it_gives_on_one_host(self):
        with tempfile.TemporaryDirectory() as folder:
            matrix = os.path.join(folder, "poisson.mtx")
            subprocess.run([os.path.join(BIN, "poisson3d"), "9", "8", "7", matrix], check=True)
            outs, before = [], 0
            for placement in (("--host", "h1:4"), SPREAD):
                before = self.crossed()
                outs.append(self.succeeds("-n", "4", *placement, os.path.join(BIN, "cg"), matrix,
                                          environment={"STARLING_REPRODUCIBLE": "1"}).out)
        self.assertGreater(self.crossed() - before, 10000)
        one_host, both = (re.findall(r"^(?:iterations|residual|error|result) .*", out, re.MULTILINE) for out in outs)
        self.assertIn("solved", one_host[-1])
        self.assertEqual(both, one_host)


if __name__ == "__main__":
    main()
