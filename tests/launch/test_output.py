# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Standard output, error and input of the ranks."""
import os
import pty
import subprocess
import tempfile

from launch_support import MPIEXEC, LaunchTest, main, run

# Writes lines in pieces, so that they arrive torn at the launcher.
TORN_WRITER = """
import os, sys
rank = os.environ["STARLING_JOB_RANK"]
for line in range(400):
    text = f"{rank}:{line}:" + rank * (line % 300) + "$\\n"
    middle = len(text) // 2
    os.write(1, text[:middle].encode())
    os.write(1, text[middle:].encode())
"""


class Output(LaunchTest):
    def test_a_plain_program_runs_on_every_rank(self):
        job = run("-n", "4", "echo", "hello")
        self.assertEqual((job.code, job.out, job.err), (0, "hello\n" * 4, ""))

    def test_labels_name_the_rank_on_both_streams(self):
        job = run("-n", "3", "-l", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual(sorted(job.out.splitlines()), ["[0] out", "[1] out", "[2] out"])
        self.assertEqual(sorted(job.err.splitlines()), ["[0] err", "[1] err", "[2] err"])

    def test_the_time_of_a_line_is_said_on_demand(self):
        job = run("-n", "2", "--timestamp-output", "-l", "sh", "-c", "echo out; echo err >&2")
        for text, word in ((job.out, "out"), (job.err, "err")):
            self.assertEqual(len(text.splitlines()), 2)
            for line in text.splitlines():
                self.assertRegex(line, rf"^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{{3}} \[[01]\] {word}$")
        self.assertRegex(run("--timestamp-output", "echo", "x").out, r"^\d{4}-.*\.\d{3} x$")

    def test_errors_may_go_where_output_goes(self):
        for ranks in (1, 3):
            job = run("-n", str(ranks), "--merge-stderr-to-stdout", "sh", "-c", "echo out; echo err >&2")
            self.assertEqual((sorted(job.out.splitlines()), job.err), (["err"] * ranks + ["out"] * ranks, ""))

    def test_each_rank_may_have_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            where = os.path.join(folder, "of", "job")
            read = lambda *path: open(os.path.join(where, "1", *path)).read()
            for _ in range(2):  # a second job takes over from the first
                job = run("-n", "11", "--output-filename", where, "sh", "-c",
                          "echo out $STARLING_JOB_RANK; [ $STARLING_JOB_RANK != 4 ] || echo err >&2")
                self.assertEqual((job.code, len(job.out.splitlines()), job.err), (0, 11, "err\n"))
                self.assertEqual(sorted(os.listdir(os.path.join(where, "1"))), [f"rank.{i:02}" for i in range(11)])
                for i in range(11):
                    self.assertEqual(read(f"rank.{i:02}", "stdout"), f"out {i}\n")
                    self.assertEqual(read(f"rank.{i:02}", "stderr"), "err\n" if i == 4 else "")
            job = run("--merge-stderr-to-stdout", "--output-filename", where + "2", "sh", "-c", "echo a; echo b >&2")
            self.assertEqual(sorted(open(os.path.join(where + "2", "1", "rank.0", "stdout")).read().split()), ["a", "b"])
            job = run("--output-filename", "/dev/null/x", "echo", "x")
            self.assertEqual((job.code, job.out), (1, ""))
            self.assertIn("'/dev/null/x/1/rank.0' cannot be written: Not a directory", job.err)

    def test_standard_input_may_go_to_nobody(self):
        for ranks in ("1", "2"):
            self.assertEqual(run("-n", ranks, "--stdin", "none", "wc", "-c", input="text").out, "0\n" * int(ranks))
        self.assertEqual(run("--stdin", "0", "wc", "-c", input="text").out, "4\n")

    def test_lines_written_in_pieces_by_many_ranks_stay_whole(self):
        job = run("-n", "6", "python3", "-c", TORN_WRITER)
        self.assertEqual(job.code, 0, job.err)
        expected = {rank: [f"{rank}:{line}:" + str(rank) * (line % 300) + "$" for line in range(400)] for rank in range(6)}
        seen = {rank: [] for rank in range(6)}
        for line in job.out.splitlines():
            seen[int(line.split(":")[0])].append(line)
        self.assertEqual(seen, expected)

    def test_an_unfinished_last_line_is_not_glued_to_another_ranks_line(self):
        job = run("-n", "2", "sh", "-c", 'printf "unfinished"')
        self.assertEqual(job.out.splitlines(), ["unfinished", "unfinished"])

    def test_bytes_of_a_lone_writer_arrive_unchanged(self):
        job = run("-n", "3", "sh", "-c", '[ $STARLING_JOB_RANK = 1 ] && printf "a\\nb"; true')
        self.assertEqual(job.out, "a\nb")

    def test_a_megabyte_without_newline_arrives(self):
        job = run("-n", "2", "sh", "-c", '[ $STARLING_JOB_RANK = 0 ] && head -c 1000000 /dev/zero | tr "\\0" x; true')
        self.assertEqual(len(job.out), 1000000)

    def test_lines_of_megabytes_stay_whole_among_others(self):
        script = "import os; rank = os.environ['STARLING_JOB_RANK']\n" \
                 "for line in range(3): os.write(1, (rank * 2_000_000 + '\\n').encode())"
        # One write of the rank is many of the pipe, so the lines of the two would mix.
        script = script.replace("os.write(1, ", "os.fdopen(os.dup(1), 'wb', 0).write(")
        job = run("-n", "2", "-l", "python3", "-c", script)
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(sorted(job.out.splitlines()), ["[0] " + "0" * 2_000_000] * 3 + ["[1] " + "1" * 2_000_000] * 3)

    def test_a_full_disk_is_told_and_ends_no_computation(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([MPIEXEC, "-n", "2", "sh", "-c", "echo lost; echo computed >&2"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("standard output cannot be written: No space left on device"), 1, done.stderr)
        self.assertEqual(done.stderr.count("computed\n"), 2)

    def test_a_full_disk_takes_no_failed_ranks_status(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([MPIEXEC, "-n", "2", "sh", "-c", "echo lost; exit 7"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 7)
        self.assertIn("cannot be written", done.stderr)

    def test_help_into_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([MPIEXEC, "-h"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left on device", done.stderr)

    def test_much_output_to_a_slow_reader_arrives_in_order(self):
        job = run("-n", "2", "-l", "seq", "1", "50000", limit_s=120)
        for rank in ("[0] ", "[1] "):
            numbers = [line[4:] for line in job.out.splitlines() if line.startswith(rank)]
            self.assertEqual(numbers, [str(number) for number in range(1, 50001)])

    def test_closed_standard_descriptors_confuse_nobody(self):
        done = subprocess.run(["bash", "-c", f"{MPIEXEC} -n 2 sh -c 'cat; echo x' <&- 2>&-"], capture_output=True,
                              text=True, timeout=30)
        self.assertEqual((done.returncode, done.stdout), (0, "x\nx\n"))

    def test_a_reader_that_leaves_ends_the_job_quietly(self):
        done = subprocess.run(["bash", "-c", f"{MPIEXEC} -n 2 yes | head -n 1; echo ${{PIPESTATUS[0]}}"],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual((done.stdout, done.stderr), ("y\n141\n", ""))


class Input(LaunchTest):
    def test_rank_0_reads_ours_and_the_others_nothing(self):
        job = run("-n", "3", "-l", "sh", "-c", "cat; echo done", input="one\ntwo\n")
        self.assertEqual(sorted(job.out.splitlines()), ["[0] done", "[0] one", "[0] two", "[1] done", "[2] done"])

    def test_a_rank_0_that_does_not_read_stops_nobody(self):
        self.assertEqual(run("-n", "2", "true", input="x" * 1000000).code, 0)

    def test_input_through_a_terminal_reaches_rank_0(self):
        control, terminal = pty.openpty()
        process = subprocess.Popen(["setsid", "-c", "-w", MPIEXEC, "-n", "2", "-l", "sh", "-c", "read word; echo got $word"], stdin=terminal,
                                   stdout=subprocess.PIPE, text=True)
        os.write(control, b"typed\n")
        out, _ = process.communicate(timeout=30)
        os.close(control)
        os.close(terminal)
        self.assertEqual(sorted(out.splitlines()), ["[0] got typed", "[1] got"])


if __name__ == "__main__":
    main()
