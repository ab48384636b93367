# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec says by itself of jobs over two hosts whose network holds messages up."""
import os
import time

from hosts_support import BIN, PROBE, HostsTest, Job, main

HANG = os.path.join(BIN, "observe_hang")


class Watch(HostsTest):
    def ip(self, *commands):
        for command in commands:
            done = self.hosts.run("h2", "ip", *command.split())
            self.assertEqual(done.returncode, 0, done.stderr)

    def hold_messages_up(self, seconds):
        """What comes to a host is lost meanwhile, and sent again later."""
        families = ("-4", "-6")
        for family in families:
            # What is for the host itself is looked up first otherwise.
            self.ip(f"{family} rule add pref 100 lookup local", f"{family} rule del pref 0",
                    f"{family} rule add pref 50 iif eth0 blackhole")
        time.sleep(seconds)
        for family in families:
            self.ip(f"{family} rule del pref 50", f"{family} rule add pref 0 lookup local",
                    f"{family} rule del pref 100")

    def test_messages_that_are_long_under_way_are_no_deadlock(self):
        job = Job(self.hosts, "--on-deadlock=end", "-n", "2", "--host", "h1:1,h2:1", PROBE, "exchange", "5",
                  environment={"STARLING_NET_DEAD_AFTER_MS": "60000"})
        job.wait_until_ready()
        self.hold_messages_up(3)
        self.assertEqual((job.finish().code, job.err), (0, ""))
        self.assertIn("exchanged", job.out)

    def test_a_deadlock_ends_the_job_on_all_hosts(self):
        job = self.run_job(*self.two_each, "--on-deadlock=end", HANG, "ring")
        self.assertEqual(job.code, 125, job.err)
        self.assertRegex(job.err, "^starling: deadlock: 0 waits for 1, 1 for 2, 2 for 0, all in MPI_Recv with tag 7; "
                                  "3 waits for them in MPI_Barrier; the job ends.\n")


if __name__ == "__main__":
    main()
