# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that connect from host to host, by a port or by a socket of their own: what they compute together, and what becomes of one
when the other dies."""
import os
import tempfile

from hosts_support import BIN, MPIEXEC, HostsTest, main

PROGRAM = os.path.join(BIN, "mpi_unlike_jobs")
JOIN = os.path.join(BIN, "hosts_join_by_socket")
NAMES = os.path.join(BIN, "hosts_names")
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

    def test_a_broadcast_enters_each_host_once(self):
        before = self.hosts.bytes_sent("h1")
        job = self.start("h1", "-n", "1", PROGRAM, "serve", "broadcasts")
        port = job.stdout.readline().strip()
        self.expect_right(self.start("h2", "-n", "4", PROGRAM, "call", port, "broadcasts"), job)
        self.assertLess(self.hosts.bytes_sent("h1") - before, 1.5 * 100 * 8 * 1024)

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

    def test_processes_join_by_a_socket_on_one_host_and_between_two(self):
        for caller in ("h1", "h2"):
            for launcher in ((MPIEXEC, "-n", "1"), ()):
                serving = self.hosts.start("h1", *launcher, JOIN, "serve")
                address, port = self.hosts.plan.addresses("h1")[0], serving.stdout.readline().strip()
                calling = self.hosts.start(caller, *launcher, JOIN, "call", address, port)
                for end in (serving, calling):
                    out, err = end.communicate(timeout=LIMIT_S)
                    self.assertEqual((end.returncode, out.splitlines()[-1:]), (0, ["joined 3"]), err)

    def test_a_published_name_is_known_where_its_folder_is(self):
        with tempfile.TemporaryDirectory() as folder:
            shared, other = {"STARLING_NAMES_FOLDER": f"{folder}/shared"}, {"STARLING_NAMES_FOLDER": f"{folder}/other"}
            serving = self.start("h1", "-n", "1", NAMES, "serve", "a name", **shared)
            self.assertEqual(serving.stdout.readline(), "published\n")
            for environment, outcome in ((other, "unknown\n"), (shared, "met\n")):
                out, err = self.start("h2", "-n", "2", NAMES, "call", "a name", **environment).communicate(timeout=LIMIT_S)
                self.assertEqual(out, 2 * outcome, err)
            self.assertEqual(serving.communicate(timeout=LIMIT_S)[0], "met\n")
            self.assertEqual(os.listdir(f"{folder}/shared"), [])


if __name__ == "__main__":
    main()
