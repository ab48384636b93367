# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The job's shared memory, as programs misuse it: its descriptors closed, its guard words overwritten, another build."""
import os
import subprocess
import tempfile
import time

from launch_support import BIN, PROBE, LaunchTest, main, run

DESCRIPTORS = os.path.join(BIN, "launch_descriptors")

# Rank 1 writes over the start of the segment, behind whose guard words lies everything that ranks wait for.
DAMAGE = """
import os, subprocess, sys, time
rank = os.environ["STARLING_JOB_RANK"]
segment = int(os.environ["STARLING_JOB_FD"])
ranks = [subprocess.Popen([sys.argv[1], "hang"], close_fds=False)]
time.sleep(0.3)
if rank == "1":
    os.pwrite(segment, b"\\xa5" * int(sys.argv[3]), int(sys.argv[2]))
time.sleep(60)
"""


class Descriptors(LaunchTest):
    def test_closed_and_reused_numbers_are_left_alone_and_the_job_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            job = run("-n", "3", DESCRIPTORS, folder)
            self.assertEqual(job.code, 0, job.err)
            expected = [f"rank {rank}: sum 6, window {100 + (rank + 2) % 3}, file empty" for rank in range(3)]
            expected += [f"rank {rank}: file empty at the end" for rank in range(3)]
            self.assertEqual(sorted(job.out.splitlines()), sorted(expected))
            self.assertEqual([os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)], [0] * 3)

    def test_a_program_alone_says_what_it_has_closed(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([DESCRIPTORS, folder], capture_output=True, text=True, timeout=60)
            self.assertNotIn("no room", done.stderr)
            self.assertEqual(os.path.getsize(os.path.join(folder, "0")), 0)
            if done.returncode != 0:
                self.assertIn("closed descriptors that it had not opened", done.stderr)


class Damage(LaunchTest):
    def ends_with_a_sentence(self, offset, length, words):
        started = time.monotonic()
        job = run("-n", "2", "python3", "-c", DAMAGE, PROBE, str(offset), str(length))
        self.assertEqual(job.code, 1, job.err)
        self.assertIn("the job's shared memory is damaged", job.err)
        self.assertIn(words, job.err)
        self.assertLess(time.monotonic() - started, 30)
        self.assert_clean(job)

    def test_a_header_that_is_overwritten_ends_the_job(self):
        self.ends_with_a_sentence(0, 384, "header")

    def test_everything_overwritten_ends_the_job(self):
        self.ends_with_a_sentence(0, 64 * 1024, "header")

    def test_a_ranks_block_that_is_overwritten_ends_the_job(self):
        self.ends_with_a_sentence(4096, 2432, "rank 0")


class OtherBuilds(LaunchTest):
    def refused(self, change):
        """Joins a copy of a header that a launcher has made, after a change."""
        show = "import os,sys; os.write(1, os.pread(int(os.environ['STARLING_JOB_FD']), 4096, 0))"
        header = bytearray(subprocess.run([os.path.join(BIN, "mpiexec"), "-n", "1", "python3", "-c", show],
                                          stdout=subprocess.PIPE, timeout=60).stdout)
        change(header)
        segment = os.memfd_create("other-build")
        os.write(segment, header)
        done = subprocess.run([PROBE], capture_output=True, text=True, timeout=60, pass_fds=[segment],
                              env=dict(os.environ, STARLING_JOB_FD=str(segment), STARLING_JOB_EVENT="2",
                                       STARLING_JOB_RANK="0"))
        os.close(segment)
        self.assertEqual(done.returncode, 99, done.stderr)
        return done.stderr

    def test_a_segment_of_another_version_is_refused_with_the_way_out(self):
        def newer(header):
            header[16] += 1

        error = self.refused(newer)
        self.assertIn("made by Starling ", error)
        self.assertIn("must come from one build", error)

    def test_a_segment_that_is_cut_off_is_refused(self):
        self.assertIn("describes more than the file holds", self.refused(lambda header: None))

    def test_another_file_is_refused(self):
        self.assertIn("is another file", self.refused(lambda header: header.__setitem__(0, 0)))


if __name__ == "__main__":
    main()
