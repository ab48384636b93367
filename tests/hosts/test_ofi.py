# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs whose messages go over libfabric (STARLING_NET=ofi), by its providers over TCP."""
import os
import re
import tempfile

from hosts_support import PROBE, HostsTest, Job, Stopwatch, main

OVER_OFI = ("-genv", "STARLING_NET", "ofi")


def loads_libfabric(process):
    with open(f"/proc/{process}/maps", encoding="utf-8") as maps:
        return "libfabric.so.1" in maps.read()


class Ofi(HostsTest):
    def refused(self, *arguments, **options):
        job = self.run_job(*arguments, **options)
        self.assertNotEqual(job.code, 0, job.out)
        return job.err

    def test_a_setting_says_what_carries_the_messages_and_by_which_provider(self):
        for arguments, loads in ((OVER_OFI, True), ((*OVER_OFI, "-genv", "STARLING_OFI_PROVIDER", "sockets"), True), ((), False)):
            job = Job(self.hosts, *self.two_each, *arguments, PROBE, "exchange", "0.5")
            job.wait_until_ready()
            loaded = {loads_libfabric(process) for process in job.ranks().values()}
            job.finish()
            self.assertEqual(job.code, 0, job.err)
            self.assertRegex(job.out, r"exchanged \d+ rounds")
            self.assertEqual(loaded, {loads}, arguments)

    def test_what_cannot_be_is_refused_with_a_sentence(self):
        err = self.refused(*self.two_each, "-genv", "STARLING_NET", "pigeons", PROBE, "exchange", "0")
        self.assertIn("STARLING_NET=pigeons is not understood: it takes tcp or ofi", err)
        err = self.refused(*self.two_each, *OVER_OFI, "-genv", "STARLING_OFI_PROVIDER", "pigeons", PROBE, "exchange", "0")
        self.assertIn("STARLING_OFI_PROVIDER=pigeons is not possible", err)
        self.assertIn("fi_info", err)

    def test_where_libfabric_is_not_the_job_says_what_to_install(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "libfabric.so.1"), "w", encoding="utf-8"):
                pass
            err = self.refused(*self.two_each, *OVER_OFI, "-genv", "LD_LIBRARY_PATH", folder, PROBE, "exchange", "0")
        self.assertIn("STARLING_NET=ofi needs libfabric", err)
        self.assertIn("libfabric1", err)

    def test_hosts_of_different_settings_are_told_apart(self):
        err = self.refused("--host", "h1:1,h2:1", "-n", "1", "-env", "STARLING_NET", "ofi", PROBE, "exchange", "0", ":", "-n", "1",
                           PROBE, "exchange", "0")
        self.assertIn("STARLING_NET", err)
        self.assertIn("different settings", err)

    def test_a_killed_rank_ends_the_job(self):
        job = Job(self.hosts, *self.two_each, *OVER_OFI, PROBE, "exchange", "0")
        job.wait_until_ready()
        watch = Stopwatch()
        os.kill(job.ranks()[3], 9)
        job.finish()
        self.assertLess(watch.seconds, 10)
        self.assertNotEqual(job.code, 0)
        self.assertIn("rank 3", job.err)
        self.assertEqual(self.hosts.left(), [])

    def test_a_long_send_ends_when_its_communicator_is_revoked(self):
        job = self.succeeds(*self.two_each, *OVER_OFI, PROBE, "revoke")
        self.assertEqual(job.out.count("revoked"), 4, job.out)

    def test_a_rank_that_sleeps_while_it_waits_uses_no_processor_time(self):
        job = self.succeeds("-n", "2", "--host", "h1:1,h2:1", *OVER_OFI, PROBE, "wait", "2")
        self.assertLess(float(re.search(r"burnt (\S+) CPU-seconds", job.out)[1]), 0.4)


if __name__ == "__main__":
    main()
