# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The test hosts themselves: that they are hosts, and that nothing of them is left. No MPI runs here."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from hosts_support import ROOT, HostsTest, main

from test_hosts import Hosts, processes

COMMAND = os.path.join(ROOT, "scripts/hosts")
KINDS = ("net", "uts", "ipc", "mnt", "pid")
SEND = "import socket; socket.create_connection(({address!r}, 4000), {seconds}).sendall(bytes({count}))"
RECEIVE = ("import socket; s = socket.create_server((\"\", 4000), family=socket.AF_INET6, dualstack_ipv6=True); print('ready', "
           "flush=True)\nfor _ in range({connections}): c = s.accept()[0]; print(sum(map(len, iter(lambda: c.recv(65536), b''))))")


def namespaces_of(process):
    return {kind: os.readlink(f"/proc/{process}/ns/{kind}") for kind in KINDS}


def stat_of(process):
    """State, parent and what else the system says of a process behind its name."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()


def gone(process):
    return not os.path.exists(f"/proc/{process}") or processes.is_zombie(process)


class Harness(HostsTest):
    wishes = {"networks": 2, "twins": True, "hostnames": {"h2": "other"}}

    def said(self, host, *command):
        done = self.hosts.run(host, *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_each_host_has_namespaces_of_its_own(self):
        all_of_them = [namespaces_of(process) for process in (os.getpid(), *self.hosts.first_processes.values())]
        for kind in KINDS:
            self.assertEqual(len({each[kind] for each in all_of_them}), 3, kind)

    def test_each_host_has_its_own_name_processes_and_shared_memory(self):
        self.assertEqual([self.said(host, "hostname") for host in self.hosts.names], ["h1", "other"])
        self.assertEqual(self.said("h1", "cat", "/proc/1/comm"), "sleep")
        self.said("h1", "touch", "/dev/shm/mine")
        self.assertEqual(self.said("h2", "ls", "/dev/shm"), "")
        self.assertEqual(self.said("h1", "ls", "/sys/class/net").split(), ["docker0", "eth0", "eth1", "lo"])

    def test_a_command_keeps_folder_and_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.hosts.run("h2", "sh", "-c", "pwd; echo $COLOUR", cwd=folder, env={**os.environ, "COLOUR": "red"})
        self.assertEqual(done.stdout.split(), [folder, "red"])

    def test_bytes_cross_the_links_in_both_families_and_are_counted(self):
        receiver = self.hosts.start("h2", sys.executable, "-c", RECEIVE.format(connections=2))
        self.assertEqual(receiver.stdout.readline(), "ready\n")
        before = self.hosts.bytes_sent("h1")
        for address in self.hosts.plan.addresses("h2"):
            self.said("h1", sys.executable, "-c", SEND.format(address=address, count=100000, seconds=5))
        self.assertEqual(receiver.communicate(timeout=10)[0].split(), ["100000", "100000"])
        self.assertGreater(self.hosts.bytes_sent("h1"), before + 200000)
        self.assertEqual(self.said("h1", "getent", "hosts", "h2").split()[0], "fd77::2")

    def test_a_remote_shell_runs_a_command_there(self):
        shell = subprocess.Popen(self.hosts.enter("h1", self.hosts.agent, "me@h2", "hostname; cat; exit 7"),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(shell.communicate("hello", timeout=30)[0], "other\nhello")
        self.assertEqual(shell.returncode, 7)

    def test_a_remote_shell_knows_no_other_host(self):
        done = self.hosts.run("h1", self.hosts.agent, "h9", "true")
        self.assertEqual((done.returncode, "h9" in done.stderr), (255, True))

    def test_the_end_of_a_remote_shell_ends_the_streams_of_the_command(self):
        shell = subprocess.Popen(self.hosts.enter("h1", self.hosts.agent, "h2", "echo up; cat; touch /dev/shm/ended"),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(shell.stdout.readline(), "up\n")
        for process in self.hosts.processes("h1"):
            os.kill(process, signal.SIGKILL)
        shell.communicate()
        self.assertEqual(self.hosts.left(), [])
        self.said("h2", "rm", "/dev/shm/ended")

    def test_all_processes_of_a_host_are_killed_and_it_goes_on(self):
        sleepers = [self.hosts.start("h2", "sleep", "60") for _ in range(3)]
        while len(self.hosts.processes("h2")) < 3:
            time.sleep(0.01)
        self.hosts.kill_all("h2")
        self.assertEqual([each.wait(10) for each in sleepers], [-9, -9, -9])
        self.assertEqual(self.said("h2", "hostname"), "other")

    def test_links_are_cut_and_muted_and_mended(self):
        receiver = self.hosts.start("h2", sys.executable, "-c", RECEIVE.format(connections=1))
        receiver.stdout.readline()
        probe = [sys.executable, "-c", SEND.format(address="10.77.0.2", count=1, seconds=0.3)]
        self.hosts.cut("h2")
        self.assertIn("NO-CARRIER", self.said("h2", "ip", "link", "show", "eth0"))
        self.assertNotEqual(self.hosts.run("h1", *probe).returncode, 0)
        self.hosts.mend("h2")
        self.hosts.mute("h2")
        self.assertNotEqual(self.hosts.run("h1", *probe).returncode, 0)
        self.hosts.mend("h2")
        self.assertEqual(self.hosts.run("h1", *probe).returncode, 0)
        receiver.communicate(timeout=10)


class LongPackets(HostsTest):
    wishes = {"mtu": 9000, "switch_mtu": 1500}

    def test_a_switch_drops_what_is_too_long_for_it(self):
        receiver = self.hosts.start("h2", sys.executable, "-c", RECEIVE.format(connections=2))
        receiver.stdout.readline()
        for count in (1000, 1000000):
            self.hosts.run("h1", sys.executable, "-c", SEND.format(address="h2", count=count, seconds=0.5))
            if count == 1000:
                self.assertEqual(receiver.stdout.readline(), "1000\n")
        time.sleep(0.5)
        self.hosts.kill_all("h2")
        self.assertEqual(receiver.communicate()[0], "")


class Ends(unittest.TestCase):
    """Nothing is left, however the hosts end."""

    def start(self, *options):
        """`make` with a command that says what the hosts are."""
        script = "cat $TEST_HOSTS/keeper; echo; echo $TEST_HOSTS; sleep 60"
        made = subprocess.Popen([COMMAND, "make", *options, "--", "sh", "-c", script], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)
        facts, folder = json.loads(made.stdout.readline()), made.stdout.readline().strip()
        return made, [facts["keeper"], *facts["hosts"].values()], folder

    def ends(self, made, kept):
        deadline = time.monotonic() + 20
        while not all(map(gone, kept)) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(all(map(gone, kept)), "a host is left")
        made.stdout.close()
        made.stderr.close()
        made.wait(20)

    def test_after_a_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=number):
                made, kept, folder = self.start()
                os.killpg(made.pid, number)
                self.ends(made, kept)
                if number != signal.SIGKILL:
                    self.assertFalse(os.path.exists(folder))
        with Hosts():  # the next run removes what a killed one could not
            self.assertFalse(os.path.exists(folder))

    def test_after_the_death_of_the_keeper(self):
        made, kept, _ = self.start()
        os.kill(kept[0], signal.SIGKILL)
        made.kill()  # it would wait for its command, which is no host
        self.ends(made, kept)

    def test_after_what_ran_on_a_host_was_stopped(self):
        with Hosts() as hosts:
            # It says that it is up when both run: a shell that waits in vfork for its child's exec cannot be stopped.
            with subprocess.Popen(hosts.enter("h1", hosts.agent, "h2", "sleep 60 & echo up; wait"), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE) as shell:
                shell.stdout.readline()
                # nsenter, which stops as its child does, and is not on the host.
                entered = {int(stat_of(process)[1]) for process in hosts.processes("h2")} - set(hosts.processes("h2"))
                self.assertEqual(len(entered), 1)
                hosts.signal_all("h2", signal.SIGSTOP)
                while stat_of(*entered)[0] != "T":
                    time.sleep(0.01)
                hosts.kill_all("h1")
        deadline = time.monotonic() + 20
        while not gone(*entered) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(gone(*entered), "a stopped process is left")

    def test_after_their_time(self):
        with Hosts(limit_s=1) as hosts:
            self.assertNotEqual(hosts.run("h1", "sleep", "30", limit_s=10).returncode, 0)

    def test_two_runs_do_not_meet(self):
        with Hosts() as first, Hosts() as second:
            self.assertEqual(first.plan.addresses("h1"), second.plan.addresses("h1"))
            self.assertNotEqual(namespaces_of(first.first_processes["h1"]), namespaces_of(second.first_processes["h1"]))

    def test_without_root_it_says_so(self):
        done = subprocess.run([COMMAND, "make", "true"], capture_output=True, text=True, check=False, user="nobody",
                              group="nogroup")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("only root can make hosts", done.stderr)

    def test_without_the_capability_it_says_so(self):
        done = subprocess.run(["setpriv", "--bounding-set=-sys_admin", COMMAND, "make", "true"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("CAP_SYS_ADMIN", done.stderr)


if __name__ == "__main__":
    main()
