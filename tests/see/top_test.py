#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling top on jobs of another MPI (load.c): who waits for whom, since when, rates of calls and bytes, the matrix; and
the probe that rank 0 of calls.c waits in."""
import re
import sys
import unittest

from seen_job import CALLS, LOAD, Seen, starling


class Top(unittest.TestCase):
    def table(self, job, pattern, *options, interval="0.1"):
        """The first output of top that has the pattern: the ranks have to come there first."""
        said = job.said_once(lambda text: re.search(pattern, text), "top", "--once", "-i", interval, *options)
        found = re.search(pattern, said)
        self.assertIsNotNone(found, said)
        return found

    def test_shows_who_waits_for_whom_and_since_when(self):
        with Seen(2, LOAD, "stuck") as job:
            self.table(job, rf"^job {job.id}, 2 ranks, \d+\.\d s: .*load_\w+ stuck\n"
                            r"0 waits for 1 in MPI_Recv with tag 7; 1 is outside MPI\n"
                            r"RANK +SINCE +WAITERS +MPI +CALLS/S +SENDS/S +BYTES/S +CPU +CORE +RSS  DOES\n"
                            r" +0 +\d+(\.\d)? s +100% +0 +0 +0 +\d+% +\d+ +[\d.]+M  MPI_Recv with tag 7, for 1\n"
                            r" +1 +>?\d+(\.\d)? s +1 +0% +0 +0 +0 +\d+% +\d+ +[\d.]+M  outside MPI\n$")

    def test_counts_calls_and_bytes(self):
        with Seen(2, LOAD, "small") as job:
            rates = self.table(job, r"(?m)^ +0 .*?% +([\d.]+[kM]) +([\d.]+[kM]) +([\d.]+[kM]) ", interval="0.3")
        calls, sends, sent = (float(each[:-1]) * {"k": 1e3, "M": 1e6}[each[-1]] for each in rates.groups())
        self.assertAlmostEqual(sends / calls, 1, delta=0.2)
        self.assertAlmostEqual(sent / sends, 8, delta=1)

    def test_tells_the_share_of_time_in_mpi(self):
        with Seen(2, LOAD, "late") as job:
            # Rank 0 waits for nearly all of its time, and rank 1 computes.
            self.table(job, r"(?m)^ +0 +(\S+ s +)?([6-9]\d|100)%  .*\n +1 +(>?\S+ s +)?(1 +)?[0-3]?\d%  ", interval="1")

    def test_draws_the_matrix(self):
        with Seen(2, LOAD, "sent") as job:
            self.table(job, r"sent so far: 3 messages, 3\.0k bytes;.*\n@ is up to 3\.0k bytes, .*\n   0  \. @\n   1  \. \.\n$",
                       "--matrix")


class Probe(unittest.TestCase):
    def test_is_waited_in(self):
        wanted = "0 waits for 1 in MPI_Probe with tag 12 on 'turned'; 1 is outside MPI"
        with Seen(2, CALLS, "probe") as job:
            self.assertEqual(job.sentence(wanted, "--quick"), wanted)
            whole = starling("why", "--quick", job.id).stdout
        self.assertRegex(whole, r"  rank 0 +waits in MPI_Probe with tag 12 on 'turned', for 1 \(\d+\.\d s\)\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
