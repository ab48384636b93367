# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the processes of a job on several hosts are given: descriptors, limits, and nothing that is secret."""
import resource

from launch_support import MPIEXEC, Job, main
from named_hosts import NamedHostsTest


class Processes(NamedHostsTest):
    def test_the_card_of_the_job_is_its_users_alone(self):
        job = self.run_on_hosts("sh", "-c", "stat -L -c %a /proc/self/fd/$STARLING_JOB_CARD", hosts="one,two")
        self.assertEqual((job.code, job.out, job.err), (0, "600\n" * 2, ""))

    def test_a_job_that_a_script_starts_does_not_get_the_card(self):
        inner = f"echo outer $(readlink /proc/self/fd/*); {MPIEXEC} -n 1 sh -c 'echo inner $(readlink /proc/self/fd/*)'"
        job = self.run_on_hosts("sh", "-c", inner, hosts="one,two")
        self.assertEqual((job.code, job.err), (0, ""))
        lines = job.out.splitlines()
        self.assertEqual(len(lines), 4, job.out)
        for line in lines:
            self.assertEqual("starling-card" in line, line.startswith("outer"), line)

    def test_no_secret_is_in_arguments_or_environment(self):
        """Values of the job are numbers, too short for a secret, or words of tuning, and agents have no arguments."""
        job = self.job_on_hosts("sh", "-c", "echo here; sleep 60", hosts="one,two")
        for _ in range(2):
            self.assertEqual(job.process.stdout.readline(), "here\n")
        values = []
        for process in job.processes():
            with open(f"/proc/{process}/environ", "rb") as file:
                values += [word.split(b"=")[1] for word in file.read().split(b"\0")
                           if word.startswith(b"STARLING_JOB_") and not word.startswith(b"STARLING_JOB_TUNING=")]
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = [word for word in file.read().split(b"\0") if word]
            if b"agent" in words:
                self.assertEqual(words[words.index(b"agent"):], [b"agent"])
        job.process.terminate()
        job.finish()
        self.assertGreaterEqual(len(values), 8)
        for value in values:
            self.assertRegex(value, rb"^[0-9]{1,10}$")

    def test_a_soft_limit_on_open_files_is_no_limit(self):
        job = Job(*self.on_hosts("sh", "-c", "ulimit -n", hosts="one:20,two:20"),
                  before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4096))).finish()
        self.assertEqual((job.code, job.out, job.err), (0, "64\n" * 40, ""))

    def test_a_deadline_that_makes_no_sense_is_refused(self):
        for text in ("0", "-5", "9223372036854775807"):
            with self.subTest(text):
                job = self.run_on_hosts("true", hosts="one,two", environment={"STARLING_LAUNCH_DEADLINE_MS": text})
                self.assertEqual(job.code, 2)
                self.assertIn(f"STARLING_LAUNCH_DEADLINE_MS={text} is not possible: it takes 100 to 3600000", job.err)


if __name__ == "__main__":
    main()
