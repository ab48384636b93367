# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/demo --hosts, on what is built here and with a small matrix."""
import os
import re
import subprocess
import tempfile
import unittest

from hosts_support import BIN, ROOT, main


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def demo(self, programs, side):
        matrix = os.path.join(self.folder, "poisson.mtx")
        subprocess.run([os.path.join(BIN, "poisson3d"), str(side), matrix], check=True)
        return subprocess.run([os.path.join(ROOT, "scripts/demo"), "--hosts", "--built", programs, matrix], capture_output=True,
                              text=True, timeout=120, check=False)

    def test_solves_on_two_hosts_and_says_what_crossed_the_link(self):
        done = self.demo(BIN, 12)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, r"(?m)^result .*solved")
        self.assertIn(" on 8 ranks\n", done.stdout)
        sent = re.findall(r"(?m)^eth0 of (h[12]): (\d+) sent, \d+ received$", done.stdout)
        self.assertEqual([host for host, _ in sent], ["h1", "h2"])
        self.assertGreater(min(int(count) for _, count in sent), 20000)

    def test_fails_where_nothing_crosses_the_link(self):
        """This mpiexec starts all ranks on one host."""
        for name, text in (("mpiexec", f'while [ "$1" != --rsh-agent ]; do shift; done\nshift 2\nexec {BIN}/mpiexec -n 8 "$@"'),
                           ("cg", f'exec {BIN}/cg "$@"')):
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(path, 0o755)
        done = self.demo(self.folder, 6)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("the ranks have not used the network between the hosts", done.stderr)


if __name__ == "__main__":
    main()
