# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling ps and starling why on a job over two hosts, asked on each of them and from outside of their namespaces."""
import os
import re
import signal
import subprocess
import time

from hosts_support import BIN, PROBE, HostsTest, Job, main

STARLING = os.path.join(BIN, "starling")
ROLL_CALL = re.compile(r"(?m)^  ranks 1 to 3 +wait in MPI_Barrier, its number 2, for 0 \(")
SENTENCE = re.compile(r"rank 0 is missing in MPI_Barrier number 2 on MPI_COMM_WORLD; it (is|has been) outside MPI")


class Why(HostsTest):
    def why_on(self, host, *words):
        """What is said there once the other ranks wait."""
        deadline = time.monotonic() + 60
        while not ROLL_CALL.search((said := self.hosts.run(host, STARLING, "why", "--quick", *words)).stdout):
            if time.monotonic() > deadline:
                break
        return said

    def test_is_asked_where_mpiexec_runs_and_the_other_host_says_where_that_is(self):
        job = Job(self.hosts, *self.two_each, PROBE, "wait", "600")
        try:
            job.wait_until_ready()
            said = self.why_on("h1")
            self.assertRegex(said.stdout, SENTENCE, said.stderr)
            self.assertRegex(said.stdout, ROLL_CALL)

            with open(f"/proc/{job.mpiexec}/status", encoding="utf-8") as file:
                there = re.search(r"NSpid:.*\s(\d+)\n", file.read()).group(1)
            listed = self.hosts.run("h2", STARLING, "ps").stdout
            self.assertRegex(listed, rf"(?m)^ *\d+ +2 .* part +it is a part of a job of host h1; there 'starling why {there}'")
            refused = self.hosts.run("h2", STARLING, "why")
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))
            self.assertIn("it is a part of a job of host h1;", refused.stderr)
            self.look_from_outside(job)
        finally:
            os.kill(job.mpiexec, signal.SIGTERM)
            job.finish()

    def look_from_outside(self, job):
        """Here its processes are seen, but not its network."""
        name = str(job.mpiexec)
        said = subprocess.run([STARLING, "why", "--quick", name], capture_output=True, text=True, timeout=60)
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        words = re.search(rf"another namespace of the network.*'(nsenter -n -t \d+ starling why {name})'", said.stderr)
        self.assertTrue(words, said.stderr)
        command = words.group(1).replace("starling why", f"{STARLING} why --quick").split()
        said = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertRegex(said.stdout, SENTENCE, said.stderr)
        for name_of_command, options, expected in (("stack", [], r"(?m)-> (is|are|wait|waits) .*MPI"),
                                                   ("top", ["--once"], r"(?m)^ +0 .*outside MPI$")):
            said = subprocess.run([STARLING, name_of_command, *options, name], capture_output=True, text=True, timeout=60)
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertIn(f"starling {name_of_command}: job {name} cannot be looked into: its mpiexec is in another namespace",
                          said.stderr)
            command = [*words.group(1).split()[:4], STARLING, name_of_command, *options, name]
            said = subprocess.run(command, capture_output=True, text=True, timeout=60)
            self.assertRegex(said.stdout, expected, said.stderr)


if __name__ == "__main__":
    main()
