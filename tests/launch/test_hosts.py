# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on several hosts, as the user at mpiexec sees them. The hosts are names: a remote shell of ours runs each agent on
this machine, so no network and no root is needed. tests/hosts has hosts with networks of their own.

STARLING_TEST_KILLS sets how many jobs are killed at random moments."""
import contextlib
import os
import pty
import random
import signal
import stat
import subprocess
import tempfile
import textwrap
import time
import unittest

from launch_support import (MPIEXEC, PROBE, SANITIZED, STARLING, STUCK, Job, LaunchTest, children_of, main, run,
                            stat_of)

KILLS = int(os.environ.get("STARLING_TEST_KILLS", "15"))

# Called as SHELL HOST COMMAND...: what differs from host to host differs by the name.
SHELL = """
host=$1
shift
export HOSTNAME=$host XDG_RUNTIME_DIR=/run/$host
cd /
exec "$@"
"""


class HostsTest(LaunchTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.shell = self.script("shell", SHELL)

    def script(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + textwrap.dedent(text))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def on_hosts(self, *arguments, hosts="one:2,two:2", shell=None):
        return ["--rsh-agent", shell or self.shell, "--host", hosts, *arguments]

    def run_on_hosts(self, *arguments, hosts="one:2,two:2", shell=None, **how):
        return run(*self.on_hosts(*arguments, hosts=hosts, shell=shell), **how)

    def job_on_hosts(self, *arguments, hosts="one:2,two:2", shell=None, **how):
        return Job(*self.on_hosts(*arguments, hosts=hosts, shell=shell), **how)

    def agents(self, job):
        """By host: the guardian of the agent."""
        found = {}
        for process in job.processes():
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{process}/environ", "rb") as file:
                    host = [word for word in file.read().split(b"\0") if word.startswith(b"HOSTNAME=")]
            except OSError:
                continue
            if words[1:2] == [b"agent"] and host:
                found[host[0].split(b"=")[1].decode()] = process
        return found


class Runs(HostsTest):
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

    def test_many_hosts_are_reached_through_others(self):
        hosts = ",".join(f"h{number}" for number in range(35))
        job = self.run_on_hosts("-l", "sh", "-c", "echo $HOSTNAME", hosts=hosts)
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted(job.out.splitlines()), sorted(f"[{rank}] h{rank}" for rank in range(35)))
        self.assert_clean(job)

    def test_remote_shells_may_stay_behind_their_agents(self):
        hosts = ",".join(f"h{number}" for number in range(34))
        for stays_s in (0.5, 30):
            with self.subTest(stays_s):
                shell = self.script("slow", f'export HOSTNAME=$1; shift; "$@"; rc=$?; sleep {stays_s}; exit $rc')
                began = time.monotonic()
                job = self.run_on_hosts("-l", "sh", "-c", "echo $HOSTNAME", hosts=hosts, shell=shell)
                self.assertEqual((job.code, job.err, len(job.out.splitlines())), (0, "", 34))
                self.assertLess(time.monotonic() - began, 20)
                self.assert_clean(job)


class Streams(HostsTest):
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


class Ends(HostsTest):
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
        told = [line.split()[1] for line in report.splitlines() if line.startswith("  rank ")]
        self.assertEqual(told, ["0", "1", "2", "3"], report)

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


class Starts(HostsTest):
    """What goes wrong on one host is said with its name, and ends the start."""

    def refused(self, code, *arguments, hosts="one,two", shell=None, environment=None, limit_s=10):
        started = time.monotonic()
        job = self.run_on_hosts(*arguments, hosts=hosts, shell=shell, environment=environment)
        self.assertEqual(job.code, code, job.err)
        self.assertLess(time.monotonic() - started, limit_s)
        self.assertEqual(job.out, "")
        self.assert_clean(job)
        return job.err

    def test_a_program_that_is_missing_on_one_host(self):
        inside = self.script("inside", """
            host=$1; shift
            [ $host = two ] && { mv $PROGRAM $PROGRAM.gone; }
            exec "$@"
            """)
        program = self.script("program", "exit 0")
        report = self.refused(127, "-n", "2", program, shell=inside, environment={"PROGRAM": program})
        self.assertIn("there is no program", report)
        self.assertRegex(report, "starling: host (one|two): ")

    def test_a_program_is_looked_up_on_each_host(self):
        job = self.run_on_hosts("-n", "2", "no-such-program", hosts="one,two")
        self.assertEqual(job.code, 127)
        self.assertRegex(job.err, "starling: host (one|two): there is no program 'no-such-program' in any folder of PATH")

    def test_a_folder_that_is_missing(self):
        report = self.refused(1, "-n", "2", "-wdir", "/no/such/folder", "/bin/true")
        self.assertRegex(report, "starling: host (one|two): the folder '/no/such/folder'")

    def test_a_host_that_refuses(self):
        refusing = self.script("refusing", """
            host=$1; shift
            [ $host = two ] && { echo "no route to two" >&2; exit 255; }
            exec "$@"
            """)
        report = self.refused(1, "-n", "2", "true", shell=refusing)
        self.assertIn("host two: no route to two\n", report)
        self.assertIn("starling: host two: its remote shell ended with exit status 255", report)
        self.assertIn("try '" + refusing + " two ", report)

    def test_a_remote_shell_that_is_missing(self):
        report = self.refused(1, "-n", "2", "true", shell="/no/such/shell")
        self.assertRegex(report, "starling: host (one|two): there is no program '/no/such/shell'")

    def test_an_agent_that_does_not_answer(self):
        silent = self.script("silent", 'host=$1; shift; [ $host = two ] && exec sleep 60; exec "$@"')
        report = self.refused(1, "-n", "2", "true", shell=silent, environment={"STARLING_LAUNCH_DEADLINE_MS": "700"})
        self.assertIn("starling: host two: no agent has answered from it within 700 ms", report)

    def test_what_a_login_prints_before_the_agent_is_skipped(self):
        talking = self.script("talking", 'shift; echo "Welcome to the cluster!"; printf "> "; exec "$@"')
        job = self.run_on_hosts("-n", "2", "echo", "out", hosts="one,two", shell=talking)
        self.assertEqual((job.code, job.out, job.err), (0, "out\n" * 2, ""))

    def test_a_shell_that_prints_something_else_is_quoted(self):
        wrong = self.script("wrong", 'echo "this account is not available"; exit 1')
        self.assertIn("having written 'this account is not available", self.refused(1, "-n", "2", "true", shell=wrong))

    def test_a_shell_that_changes_the_bytes_is_told(self):
        changing = self.script("changing", """shift; "$@" | sed -u 's/SLNK/slnk/g'""")
        self.assertIn("it must pass bytes on as they are", self.refused(1, "-n", "2", "true", shell=changing))

    def test_another_version_is_refused(self):
        other = self.script("other", f"echo '#starling-link 1 0.0.1 {os.uname().machine}'; exec sleep 60")
        self.assertIn("it has Starling 0.0.1 and this machine ", self.refused(1, "-n", "2", "true", shell=other))

    def test_another_architecture_is_refused(self):
        other = self.script("other", "echo '#starling-link 1 0.1.0 z80'; exec sleep 60")
        self.assertIn("it is another kind of machine (z80)", self.refused(1, "-n", "2", "true", shell=other))

    def test_an_agent_at_a_terminal_explains_itself(self):
        control, terminal = pty.openpty()
        done = subprocess.run([STARLING, "agent"], stdin=terminal, capture_output=True, text=True, timeout=30)
        os.close(control)
        os.close(terminal)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("mpiexec starts the agents", done.stderr)

    def test_survival_is_refused(self):
        job = self.run_on_hosts("--survive", "-n", "2", "true", hosts="one,two")
        self.assertEqual((job.code, job.out), (2, ""))
        self.assertIn("--survive works on one machine only", job.err)


class Leftovers(HostsTest):
    """Nothing stays on any host, whoever dies."""

    MIXED = f"""
        sleep 0.05
        [ $STARLING_JOB_RANK = 0 ] && exec {PROBE} hang
        setsid sleep 60 &
        (setsid sh -c 'sleep 60 & sleep 60' &)
        exec sleep 60
        """

    def start_mixed(self):
        return self.job_on_hosts("-n", "4", "sh", "-c", self.MIXED)

    def end_by_killing(self, choose, code=1):
        job = self.start_mixed()
        job.wait_for_processes(18)
        os.kill(choose(job), signal.SIGKILL)
        started = time.monotonic()
        job.finish(15)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(job.code, code, job.err)
        self.assert_clean(job)
        return job.err

    def test_killing_mpiexec_ends_everything(self):
        self.end_by_killing(lambda job: job.process.pid, -signal.SIGKILL)

    def test_killing_its_worker_ends_everything(self):
        self.end_by_killing(lambda job: children_of(job.process.pid)[0], 137)

    def test_killing_an_agent_ends_everything(self):
        report = self.end_by_killing(lambda job: self.agents(job)["two"])
        self.assertIn("starling: host two: the connection to its agent has ended", report)

    def test_killing_the_worker_of_an_agent_ends_everything(self):
        report = self.end_by_killing(lambda job: children_of(self.agents(job)["one"])[0])
        self.assertIn("starling: host one: the connection to its agent has ended", report)

    def test_killing_an_agent_that_has_started_others_ends_everything(self):
        hosts = [f"h{number}" for number in range(34)]
        job = self.job_on_hosts("sleep", "60", hosts=",".join(hosts))
        job.wait_for_processes(2 + 3 * 34, 30)
        started = time.monotonic()
        os.kill(self.agents(job)["h0"], signal.SIGKILL)
        job.finish(20)
        self.assertLess(time.monotonic() - started, 10)
        self.assertEqual(job.code, 1, job.err)
        self.assertIn("starling: host h0: the connection to its agent has ended", job.err)
        self.assert_clean(job)

    def test_killing_a_remote_shell_ends_everything(self):
        self.shell = self.script("staying", 'export HOSTNAME=$1; shift; "$@"')

        def shell_of_two(job):
            return int(stat_of(self.agents(job)["two"])[1])

        report = self.end_by_killing(shell_of_two)
        self.assertIn("starling: host two: the connection to its agent has ended: its remote shell was killed by signal 9",
                      report)

    def test_a_host_that_says_nothing_any_more_is_lost(self):
        job = self.job_on_hosts("-n", "4", PROBE, "hang", environment={"STARLING_NET_DEAD_AFTER_MS": "2000"})
        job.wait_for_processes(10)
        time.sleep(0.3)
        os.kill(children_of(self.agents(job)["two"])[0], signal.SIGSTOP)
        started = time.monotonic()
        job.finish(15)
        self.assertGreater(time.monotonic() - started, 1)
        self.assertEqual(job.code, 1)
        self.assertIn("starling: host two: nothing has come from it for 2.0 s", job.err)
        self.assert_clean(job)

    def test_a_host_that_pauses_is_not_lost(self):
        job = self.job_on_hosts("-n", "2", "sh", "-c", "sleep 2.5; echo over", hosts="one,two")
        job.wait_for_processes(8)
        worker = children_of(self.agents(job)["two"])[0]
        os.kill(worker, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(worker, signal.SIGCONT)
        self.assertEqual((job.finish().code, job.out), (0, "over\n" * 2))

    def test_killing_at_random_moments_leaves_nothing(self):
        seed = int(os.environ.get("STARLING_TEST_SEED", random.randrange(1 << 30)))
        dice = random.Random(seed)
        for attempt in range(KILLS):
            with self.subTest(seed=seed, attempt=attempt):
                self.kill_somebody(dice)

    def is_of_starling(self, process):
        return os.readlink(f"/proc/{process}/exe").endswith("/starling")

    def is_rank(self, process):
        """A rank leads a process group in its agent's session. What it leaves behind the agent adopts as well."""
        _, parent, group, session, *_ = stat_of(process)
        return group == str(process) and self.is_of_starling(parent) and stat_of(parent)[3] == session

    def kill_somebody(self, dice):
        job = self.start_mixed()
        time.sleep(dice.uniform(0, 0.4))
        victim = dice.choice(job.processes() or [job.process.pid])
        words = f"{victim}\n"
        try:
            with open(f"/proc/{victim}/cmdline") as file:
                words += file.read().replace("\0", " ") + "\n"
            deadly = self.is_of_starling(victim) or self.is_rank(victim)
            words += f"deadly: {deadly}, {stat_of(victim)[:4]}\n"
            os.kill(victim, signal.SIGKILL)
        except OSError:
            deadly = False  # gone by itself
        if not deadly:  # what a rank has started: its death ends no job
            time.sleep(0.1)
            job.process.send_signal(signal.SIGTERM)
        try:
            job.finish(20)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                words += "".join(open(f"/proc/{process}/cmdline").read().replace("\0", " ") + f" ({process})\n"
                                 for process in job.processes())
            self.fail(f"the job goes on after the death of {words}")
        self.assertNotEqual(job.code, 0)
        self.assert_clean(job)


if __name__ == "__main__":
    main()
