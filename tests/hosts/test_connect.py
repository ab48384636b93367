# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that connect by a port from host to host: what they compute together, and what becomes of one when the other dies."""
import os

from hosts_support import BIN, MPIEXEC, HostsTest, main

PROGRAM = os.path.join(BIN, "mpi_unlike_jobs")
LIMIT_S = 60


class Connect(HostsTest):
    wishes = {"count": 3}

    def start(self, on, *words, **environment):
        return self.hosts.start(on, MPIEXEC, "--rsh-agent", self.hosts.agent, *words, env={**os.environ, **environment})

    def serve(self, *placement, on="h1", **environment):
        """A job that has opened a port, and the port's name."""
        job = self.start(on, *placement, PROGRAM, "serve", **environment)
        return job, job.stdout.readline().strip()

    def expect_right(self, *jobs):
        for job in jobs:
            out, err = job.communicate(timeout=LIMIT_S)
            self.assertEqual(job.returncode, 0, err)
            self.assertEqual(out.splitlines()[-1:], ["0 wrong"], out + err)

    def test_two_jobs_each_on_its_own_host(self):
        serving, port = self.serve("-n", "2")
        self.expect_right(self.start("h2", "-n", "3", PROGRAM, "call", port), serving)

    def test_two_jobs_over_three_hosts(self):
        serving, port = self.serve("-n", "2", "--host", "h1:1,h2:1")
        self.expect_right(self.start("h3", "-n", "3", "--host", "h3:1,h1:2", PROGRAM, "call", port), serving)

    def test_jobs_of_other_settings(self):
        serving, port = self.serve("-n", "2", STARLING_COLL_ALLREDUCE="ring", STARLING_COLL_BCAST="chain")
        self.expect_right(self.start("h2", "-n", "2", PROGRAM, "call", port), serving)

    def test_a_port_that_is_closed_is_an_error_that_names_it(self):
        serving, port = self.serve("-n", "1")
        self.expect_right(self.start("h2", "-n", "1", PROGRAM, "call", port), serving)
        calling = self.start("h2", "-n", "1", PROGRAM, "call", port)
        _, err = calling.communicate(timeout=LIMIT_S)
        self.assertNotEqual(calling.returncode, 0)
        self.assertIn("there is no port", err)

    def test_a_caller_without_the_key_does_not_come_in(self):
        serving, port = self.serve("-n", "1")
        at, key = port.split("#")[0], port.split("#")[1]
        wrong = ("0" if key[0] != "0" else "1") + key[1:]
        calling = self.start("h2", "-n", "1", PROGRAM, "call", f"{at}#{wrong}")
        _, err = calling.communicate(timeout=LIMIT_S)
        self.assertNotEqual(calling.returncode, 0)
        self.assertIn("another process than that of the port answers there", err)
        self.expect_right(self.start("h2", "-n", "1", PROGRAM, "call", port), serving)


if __name__ == "__main__":
    main()
