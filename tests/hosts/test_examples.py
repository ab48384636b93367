# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the farm and of the arrays over two hosts, as they are."""
import os
import subprocess
import sys
import tempfile

from hosts_support import BIN, MPIEXEC, ROOT, HostsTest, main


class Examples(HostsTest):
    def run_examples(self, library, *arguments):
        """The library's own test of its examples, with a launcher that spreads ranks over both hosts."""
        with tempfile.TemporaryDirectory() as folder:
            launcher = os.path.join(folder, "mpiexec")
            words = self.hosts.enter("h1", MPIEXEC, "--rsh-agent", self.hosts.agent, "--host", "h1:2,h2:2", "--map-by", "node",
                                     folder=ROOT)
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


if __name__ == "__main__":
    main()
