# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on several hosts that cannot start. The hosts are names (named_hosts.py)."""
import os
import pty
import re
import shutil
import socket
import subprocess
import unittest

from launch_support import BIN, STARLING, main
from named_hosts import NamedHostsTest


class Starts(NamedHostsTest):
    """What goes wrong on one host is said with its name, and ends the start."""

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

    def test_a_libcrypto_that_computes_nothing_is_named_by_the_first_rank_that_needs_it(self):
        """Without a provider of OpenSSL's it would leave all proofs empty, and so alike."""
        settings = self.script("openssl.cnf", "openssl_conf = all\n[all]\nproviders = some\n[some]\nnull = on\n"
                                              "[on]\nactivate = 1\n")
        report = self.refused(1, "-n", "2", os.path.join(BIN, "launch_sum"), environment={"OPENSSL_CONF": settings})
        self.assertRegex(report, r"(?s)rank [01] .*(computes no HMAC-SHA256|is not installed)")

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
        self.assertRegex(report, "starling: host (one|two): there is no program '/no/such/shell'; .*--rsh-agent names another")

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

    def test_an_agent_that_hangs_while_it_prepares(self):
        """It hears the greeting of mpiexec and nothing more, as if a file system of its host did not answer."""
        deaf = self.script("deaf", """
            host=$1; shift
            [ $host = one ] && exec "$@"
            (read line; echo "$line"; exec sleep 60) | "$@"
            """)
        report = self.refused(1, "-n", "2", "true", shell=deaf, environment={"STARLING_LAUNCH_DEADLINE_MS": "700"})
        self.assertIn("starling: host two: its agent has not found the programs and opened ports within 700 ms; a file "
                      "system that does not answer is the usual reason (STARLING_LAUNCH_DEADLINE_MS allows more time)", report)

    def test_a_host_without_starling(self):
        without = self.script("without", 'host=$1; shift; [ $host = two ] && exec /no/such/starling agent; exec "$@"')
        report = self.refused(1, "-n", "2", "true", shell=without)
        self.assertRegex(report, "host two: .*/no/such/starling: not found")
        self.assertRegex(report, "starling: host two: its remote shell ended with exit status 127; try '")

    @unittest.skipUnless(shutil.which("ssh"), "there is no ssh")
    def test_a_name_that_ssh_does_not_know(self):
        report = self.refused(1, "-n", "2", "true", hosts="one,no-such-host.invalid", shell=self.script("shell_or_ssh", """
            [ $1 = one ] || exec ssh -o BatchMode=yes -o ConnectTimeout=3 "$@"
            shift; exec "$@"
            """), environment={"STARLING_LAUNCH_DEADLINE_MS": "3000"})
        self.assertRegex(report, "starling: host no-such-host.invalid: "
                                 "(its remote shell ended with exit status 255|no agent has answered from it within)")

    def test_ports_that_are_all_in_use(self):
        with socket.create_server(("", 0)) as holder:
            port = holder.getsockname()[1]
            report = self.refused(1, "-n", "2", "true", environment={"STARLING_NET_PORTS": f"{port}-{port}"})
        self.assertRegex(report, f"starling: host (one|two): .*{port}.*STARLING_NET_PORTS")

    def test_settings_that_ranks_need_alike_and_that_differ(self):
        sum_up = os.path.join(BIN, "launch_sum")
        report = self.refused(1, "-n", "1", "env", "STARLING_REPRODUCIBLE=1", sum_up, ":", "-n", "1", sum_up)
        self.assertRegex(report, "rank [01] on (one|two) and rank [01] on (one|two) cannot exchange messages: they have "
                                 "different settings where all ranks need the same")
        self.assertIn("mpiexec -genv", report)

    def test_a_library_of_another_build(self):
        """The ranks read another format of the job's card than the agents write."""
        with open(os.path.join(BIN, "../lib/libmpi_abi.so.1"), "rb") as file:
            library = file.read()
        own = re.search(rb"starling(-card-\d+)", library)[1]
        other = b"-card-" + b"0" * (len(own) - len(b"-card-"))
        with open(os.path.join(self.folder, "libmpi_abi.so.1"), "wb") as file:
            file.write(library.replace(own, other))  # also within instructions
        report = self.refused(16, "-n", "2", "-x", f"LD_LIBRARY_PATH={self.folder}", os.path.join(BIN, "launch_sum"))
        self.assertIn(f"it is a starling{own.decode()}, and this build reads a starling{other.decode()}", report)
        self.assertIn("All nodes need the same version of Starling", report)
        self.assertRegex(report, r"rank [01] \(.*on host (one|two)\) ended with exit status 16")

    def test_another_version_is_refused(self):
        other = self.script("other", f"echo '#starling-link 1 0.0.1 {os.uname().machine}'; exec sleep 60")
        self.assertRegex(self.refused(1, "-n", "2", "true", shell=other),
                         r"it has Starling 0\.0\.1 and this machine \S+; install the same version on all hosts; the job ends")

    def test_another_architecture_is_refused(self):
        other = self.script("other", "echo '#starling-link 1 0.1.0 z80'; exec sleep 60")
        self.assertRegex(self.refused(1, "-n", "2", "true", shell=other),
                         r"it is another kind of machine \(z80\) .*all hosts of a job must be of one kind; the job ends")

    def test_an_agent_at_a_terminal_explains_itself(self):
        control, terminal = pty.openpty()
        done = subprocess.run([STARLING, "agent"], stdin=terminal, capture_output=True, text=True, timeout=30)
        os.close(control)
        os.close(terminal)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("mpiexec starts the agents", done.stderr)

    def test_more_ranks_than_slots_are_refused_where_that_is_asked(self):
        for options in (["--nooversubscribe"], ["--map-by", "node:nooversubscribe"]):
            job = self.run_on_hosts(*options, "-n", "5", "true")
            self.assertEqual((job.code, job.out), (2, ""), job.err)
            self.assertRegex(job.err, r"^mpiexec: host 'one' would get 3 ranks and has 2 slots, which --nooversubscribe does not allow\. ")
            job = self.run_on_hosts(*options, "-n", "4", "echo", "out")
            self.assertEqual((job.code, job.out, job.err), (0, "out\n" * 4, ""))

    def test_a_setting_of_the_listeners_with_a_later_program_alone_is_refused(self):
        for name, value in (("STARLING_NET_PORTS", "42000-42031"), ("STARLING_NET_INTERFACES", "eth0")):
            job = self.run_on_hosts("-n", "1", "true", ":", "-env", name, value, "-n", "1", "true")
            self.assertEqual((job.code, job.out), (2, ""), job.err)
            self.assertRegex(job.err, rf"^mpiexec: {name}={value} stands with application 1 alone, .*-genv {name} {value}\n$")


if __name__ == "__main__":
    main()
