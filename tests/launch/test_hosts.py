# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on several hosts, as the user at mpiexec sees them: ranks, streams, ends. The hosts are names (named_hosts.py)."""
import os
import pty
import signal
import subprocess
import textwrap
import time
import unittest

from launch_support import MPIEXEC, PROBE, SANITIZED, STUCK, Job, children_of, main, run
from named_hosts import NamedHostsTest


class Runs(NamedHostsTest):
    def test_ranks_are_numbered_over_all_hosts(self):
        job = self.run_on_hosts("-n", "5", PROBE, "hello", hosts="one:2,two:1,three:2")
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted(line.split(" on ")[0] for line in job.out.splitlines()),
                         [f"rank {rank} of 5" for rank in range(5)])
        self.assert_clean(job)

    def test_without_a_number_there_is_a_rank_for_each_slot(self):
        job = self.run_on_hosts("-l", "sh", "-c", "echo $HOSTNAME", hosts="one:2,two")
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted(job.out.splitlines()), ["[0] one", "[1] one", "[2] two"])

    def test_labels_name_the_rank_in_the_world_on_both_streams(self):
        job = self.run_on_hosts("-n", "4", "-l", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual(sorted(job.out.splitlines()), [f"[{rank}] out" for rank in range(4)])
        self.assertEqual(sorted(job.err.splitlines()), [f"[{rank}] err" for rank in range(4)])

    def test_programs_are_numbered_over_all_hosts(self):
        job = self.run_on_hosts("-n", "1", PROBE, "hello", ":", "-n", "3", PROBE, "hello")
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted((line[:6], line[-6:]) for line in job.out.splitlines()),
                         [("rank 0", "part 0")] + [(f"rank {rank}", "part 1") for rank in (1, 2, 3)])

    def test_the_folder_and_the_environment_are_mpiexecs_but_for_what_describes_a_host(self):
        job = Job(*self.on_hosts("-n", "2", "-l", "-x", "SET=by hand", "sh", "-c",
                                 "echo $PWD $PROJECT $SET $HOSTNAME $XDG_RUNTIME_DIR", hosts="one,two"),
                  environment={"PROJECT": "cg", "HOSTNAME": "here", "XDG_RUNTIME_DIR": "/run/here"})
        job.finish()
        self.assertEqual(sorted(job.out.splitlines()),
                         [f"[0] {os.getcwd()} cg by hand one /run/one", f"[1] {os.getcwd()} cg by hand two /run/two"])

    def test_a_folder_by_name_and_an_empty_environment(self):
        job = self.run_on_hosts("-n", "2", "-genvnone", "-x", "A=b", "-wdir", self.folder, "/bin/sh", "-c",
                                "pwd; echo $A $HOSTNAME", hosts="one,two")
        self.assertEqual(sorted(job.out.splitlines()), sorted([self.folder, "b"] * 2))

    def test_two_names_of_one_machine_share_its_cores(self):
        alone = run("-n", "1", PROBE, "hello")
        cores = int(alone.out.split(" on ")[1].split()[0])
        job = self.run_on_hosts("-n", "2", PROBE, "hello", hosts="one,two")
        self.assertEqual(job.out.count(f" on {max(1, cores // 2)} cores"), 2, job.out)

    def test_this_machine_may_be_one_of_several(self):
        job = self.run_on_hosts("-n", "2", PROBE, "hello", hosts="localhost,two")
        self.assertEqual((job.code, job.err, len(job.out.splitlines())), (0, "", 2))
        self.assertIn("rank 1 of 2", job.out)


class Streams(NamedHostsTest):
    def test_lines_in_pieces_stay_whole(self):
        writer = """
            import os
            for line in range(300):
                text = f"{line}:" + "x" * (line % 200) + "$\\n"
                os.write(1, text[:len(text) // 2].encode())
                os.write(1, text[len(text) // 2:].encode())
            """
        job = self.run_on_hosts("-n", "4", "-l", "python3", "-c", textwrap.dedent(writer))
        self.assertEqual(job.code, 0, job.err)
        for rank in range(4):
            mine = [line[4:] for line in job.out.splitlines() if line.startswith(f"[{rank}] ")]
            self.assertEqual(mine, [f"{line}:" + "x" * (line % 200) + "$" for line in range(300)])
        self.assertEqual(len(job.out.splitlines()), 1200)

    def test_bytes_of_a_lone_writer_arrive_unchanged(self):
        job = self.run_on_hosts("-n", "2", "sh", "-c", '[ $HOSTNAME = two ] && printf "a\\nb"; true', hosts="one,two")
        self.assertEqual((job.code, job.out), (0, "a\nb"))

    def test_a_slow_reader_loses_nothing(self):
        script = "head -c 3000000 /dev/zero | tr '\\0' x | fold -w 99; echo"
        job = self.job_on_hosts("-n", "2", "sh", "-c", script, hosts="one,two")
        time.sleep(0.5)
        job.finish()
        self.assertEqual((job.code, job.out.count("x")), (0, 6_000_000))

    def test_a_reader_that_has_gone_ends_the_job(self):
        job = self.job_on_hosts("-n", "2", "sh", "-c", "while echo line; do :; done", hosts="one,two")
        job.process.stdout.read(100)
        job.process.stdout.close()
        self.assertEqual(job.process.wait(30), 128 + signal.SIGPIPE)
        self.assert_clean(job)
        job.process.stderr.close()

    def test_standard_input_goes_to_rank_0_alone(self):
        text = "".join(f"line {number}\n" for number in range(40_000))
        job = self.run_on_hosts("-n", "2", "-l", "sh", "-c", "wc -c", hosts="one,two", input=text)
        self.assertEqual(sorted(job.out.split()), sorted(["[0]", str(len(text)), "[1]", "0"]))

    def test_standard_input_may_go_to_nobody(self):
        job = self.run_on_hosts("--stdin", "none", "-n", "2", "wc", "-c", hosts="one,two", input="text")
        self.assertEqual((job.code, job.out), (0, "0\n" * 2))

    def test_output_may_be_merged_and_written_to_files(self):
        where = os.path.join(self.folder, "files")
        job = self.run_on_hosts("-n", "2", "--merge-stderr-to-stdout", "--output-filename", where, "sh", "-c",
                                "echo out; echo err >&2", hosts="one,two")
        self.assertEqual((job.code, sorted(job.out.split()), job.err), (0, ["err"] * 2 + ["out"] * 2, ""))
        for rank in ("rank.0", "rank.1"):
            self.assertEqual(sorted(open(os.path.join(where, "1", rank, "stdout")).read().split()), ["err", "out"])
        job = self.run_on_hosts("-n", "2", "--output-filename", "/dev/null/x", "echo", "x", hosts="one,two")
        self.assertEqual((job.code, job.out), (1, ""))
        self.assertIn("cannot be written", job.err)

    def test_where_ranks_run_is_said_on_demand(self):
        job = self.run_on_hosts("-n", "3", "--display-map", "--bind-to", "none", "true", hosts="one:2,two")
        self.assertEqual(sorted(job.err.splitlines()), ["starling: host one: ranks 0 to 1 (true) are not bound to cores.",
                                                        "starling: host two: rank 2 (true) is not bound to cores."])

    def test_the_program_is_looked_for_in_path_first(self):
        script = os.path.join(self.folder, "true")
        with open(script, "w") as file:
            file.write("#!/bin/sh\necho ours\n")
        os.chmod(script, 0o755)
        job = self.run_on_hosts("-n", "2", "-path", self.folder, "true", hosts="one,two")
        self.assertEqual((job.code, job.out), (0, "ours\n" * 2), job.err)

    def test_a_file_may_be_standard_input(self):
        path = os.path.join(self.folder, "input")
        with open(path, "w") as file:
            file.write("x" * 300_000)
        with open(path) as file:
            job = self.job_on_hosts("-n", "2", "-l", "wc", "-c", hosts="one,two", stdin=file).finish()
        self.assertEqual(sorted(job.out.split()), sorted(["[0]", "300000", "[1]", "0"]))

    def test_input_that_nobody_wants_hinders_nothing(self):
        job = self.run_on_hosts("-n", "2", "sh", "-c", "exec <&-; echo over", hosts="one,two", input="x" * 1_000_000)
        self.assertEqual((job.code, job.out), (0, "over\n" * 2))

    def test_what_is_typed_reaches_rank_0(self):
        control, terminal = pty.openpty()
        script = 'if [ $HOSTNAME = one ]; then printf "name? "; read name; echo "hello $name"; fi'
        variables = dict(os.environ)
        process = subprocess.Popen([MPIEXEC, *self.on_hosts("-n", "2", "sh", "-c", script, hosts="one,two")],
                                   stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=variables, preexec_fn=lambda: (os.setsid(), os.open(os.ttyname(0), os.O_RDWR)))
        self.assertEqual(process.stdout.read(6), "name? ")
        os.write(control, b"Ada\n")
        out, err = process.communicate(timeout=30)
        os.close(control)
        os.close(terminal)
        self.assertEqual((process.returncode, out, err), (0, "hello Ada\n", ""))


class Ends(NamedHostsTest):
    def fails(self, code, *arguments, hosts="one:2,two:2", limit_s=10):
        started = time.monotonic()
        job = self.run_on_hosts(*arguments, hosts=hosts)
        self.assertEqual(job.code, code, job.err)
        self.assertLess(time.monotonic() - started, limit_s, "the job did not end at once")
        self.assert_clean(job)
        return job.err

    def test_an_exit_status_is_the_jobs(self):
        report = self.fails(3, "-n", "4", PROBE, "exit", "3", "3")
        self.assertIn("rank 3 (", report)
        self.assertIn("on host two) ended with exit status 3 and without MPI_Finalize", report)
        self.assertEqual(report.count("the job ends"), 1, report)

    def test_a_status_after_finalize_marks_the_job(self):
        self.assertEqual(self.fails(4, "-n", "4", PROBE, "late_exit", "-1", "4"), "")

    def test_an_abort_gives_its_code_and_text(self):
        report = self.fails(5, "-n", "4", PROBE, "mpi_abort", "2", "5")
        for words in ("rank 2 ", "on host two", "ended the job with code 5", "no more food"):
            self.assertIn(words, report)

    def test_when_all_abort_one_is_reported(self):
        self.assertEqual(self.fails(7, "-n", "4", PROBE, "mpi_abort", "-1", "7").count("ended the job"), 1)

    @unittest.skipIf(SANITIZED, "the sanitizer handles the signal itself")
    def test_a_crash_is_reported_with_host_address_and_stack(self):
        report = self.fails(139, "-n", "4", PROBE, "segv", "3")
        for words in ("rank 3 ", "on host two", "SIGSEGV", "at address 0x10", "write_through", "launch_probe.cpp:"):
            self.assertIn(words, report)

    def test_a_rank_killed_ends_the_job_everywhere_at_once(self):
        job = self.job_on_hosts("-n", "4", PROBE, "hang")
        job.wait_for_processes(10)
        time.sleep(0.3)
        agent = self.agents(job)["two"]
        started = time.monotonic()
        os.kill(children_of(children_of(agent)[0])[0], signal.SIGKILL)
        job.finish()
        self.assertLess(time.monotonic() - started, 3)
        self.assertEqual(job.code, 137, job.err)
        self.assertRegex(job.err, r"rank 2 \(.*on host two\) died of SIGKILL")
        self.assert_clean(job)

    def test_a_rank_without_mpi_is_noted_where_one_on_another_host_may_wait_for_it(self):
        script = f"if [ $HOSTNAME = one ]; then exec {PROBE} hang; else sleep 0.5; fi"
        job = self.job_on_hosts("-n", "2", "sh", "-c", script, hosts="one,two")
        self.assertIn("rank 1 (sh) has ended without MPI_Init", job.process.stderr.readline())
        job.process.send_signal(signal.SIGINT)
        self.assertEqual(job.finish().code, 130)

    def test_the_time_limit_says_what_ranks_of_every_host_wait_for(self):
        report = self.fails(124, "-n", "4", "--timeout", "1.5", STUCK)
        self.assertIn("--timeout of 1.5 s", report)
        self.assertRegex(report, r"(?m)^  rank 0 +waits in MPI_Recv with tag 7, for 2")
        self.assertRegex(report, r"(?m)^  rank 1 +waits in MPI_Barrier, .* for 0, 2 and 3")
        self.assertRegex(report, r"(?m)^  ranks 2 and 3 +are outside MPI")

    def test_a_signal_reaches_every_rank_once(self):
        script = """
            import signal, sys
            signal.signal(signal.SIGUSR1, lambda *_: print("USR1", flush=True))
            signal.signal(signal.SIGINT, lambda *_: (print("INT"), sys.exit(0)))
            print("ready", flush=True)
            while True: signal.pause()
            """
        job = self.job_on_hosts("-n", "4", "python3", "-c", textwrap.dedent(script))
        for line, signal_number in (("ready", signal.SIGUSR1), ("USR1", signal.SIGINT)):
            for _ in range(4):
                self.assertEqual(job.process.stdout.readline(), line + "\n")
            time.sleep(0.2)  # for one too many
            job.process.send_signal(signal_number)
        job.finish()
        self.assertEqual((job.code, job.out), (0, "INT\n" * 4))

    def test_an_interrupt_ends_ranks_without_a_handler(self):
        job = self.job_on_hosts("-n", "4", PROBE, "hang")
        job.wait_for_processes(10)
        time.sleep(0.3)
        job.process.send_signal(signal.SIGINT)
        job.finish(10)
        self.assertEqual((job.code, job.err), (130, ""))
        self.assert_clean(job)

    def test_an_interrupt_during_the_start_ends_it(self):
        silent = self.script("silent", "sleep 60")
        job = self.job_on_hosts("-n", "2", PROBE, "hang", hosts="one,two", shell=silent)
        job.wait_for_processes(4)
        job.process.send_signal(signal.SIGINT)
        self.assertEqual(job.finish(10).code, 130)
        self.assert_clean(job)


if __name__ == "__main__":
    main()
