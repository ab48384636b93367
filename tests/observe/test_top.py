# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling top, as text and on a terminal, on programs that run until they are ended (load.c)."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../launch"))
from launch_support import BIN, MPIEXEC, STARLING  # noqa: E402 pylint: disable=wrong-import-position
from named_hosts import NamedHostsTest  # noqa: E402 pylint: disable=wrong-import-position

LOAD = os.path.join(BIN, "observe_load")
PATIENCE_S = 30


def top(*arguments):
    return subprocess.run([STARLING, "top", *arguments], capture_output=True, text=True, timeout=60)


class Job:
    """A job that is ended when its test is over."""

    def __init__(self, ranks, *program):
        self.process = subprocess.Popen([MPIEXEC, "-n", str(ranks), LOAD, *program], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.id = str(self.process.pid)

    def __enter__(self):
        self.table_with("RANK")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_S)

    def table_with(self, pattern, *options, interval="0.1"):
        """The first output of top that has the pattern: the ranks have to come there first."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            said = top("--once", "-i", interval, *options, self.id)
            if re.search(pattern, said.stdout):
                return said
            if time.monotonic() > deadline:
                raise AssertionError(f"{pattern!r} does not come; the last output is:\n{said.stdout}{said.stderr}")


class Terminal:
    """starling top on a terminal of its own, as seen by whoever sits there."""

    def __init__(self, *arguments, lines=24, columns=80):
        self.master, slave = pty.openpty()
        self.resize(lines, columns)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.text = ""
        self.process = subprocess.Popen([STARLING, "top", "-i", "0.1", *arguments], stdin=slave, stdout=slave,
                                        stderr=slave, env={**os.environ, "TERM": "xterm"}, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def resize(self, lines, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys):
        os.write(self.master, keys.encode())

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            self.text += os.read(self.master, 1 << 16).decode(errors="replace")

    def screen(self):
        """The last whole frame."""
        frames = self.text.split("\x1b[H")
        whole = [frame for frame in frames[1:] if "\x1b[J" in frame]
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", whole[-1].split("\x1b[J")[0]) if whole else ""

    def wait_for(self, pattern):
        deadline = time.monotonic() + PATIENCE_S
        while not re.search(pattern, self.screen()):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"{pattern!r} does not come; the screen is:\n{self.screen()}\n{self.text[-300:]!r}")
            self.read(0.2)
        return self.screen().split("\r\n")

    def end(self):
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.05)
        self.read(0)
        return self.process.wait(timeout=1)

    def is_restored(self):
        return self.text.count("\x1b[?1049h") == self.text.count("\x1b[?1049l") == 1 and \
            self.text.rindex("\x1b[?25h") > self.text.rindex("\x1b[?25l") and termios.tcgetattr(self.slave) == self.before


class TopAsText(unittest.TestCase):
    def test_shows_who_waits_for_whom(self):
        with Job(2, "stuck") as job:
            pattern = (rf"^job {job.id}, 2 ranks, \d+\.\d s: .*mpiexec -n 2 .*observe_load stuck\n"
                       r"0 waits for 1 in MPI_Recv with tag 7; 1 (is|has been) outside MPI.*\n"
                       r"RANK +SINCE +WAITERS +MPI +CALLS/S +SENDS/S +BYTES/S +CPU +CORE +RSS  DOES\n"
                       r" +0 +\d+\.\d s +100% +0 +0 +0 +\d+% +\d+ +[\d.]+M  MPI_Recv with tag 7, for 1\n"
                       r" +1 +>?\d+\.\d s +1 +0% +0 +0 +0 +\d+% +\d+ +[\d.]+M  outside MPI\n$")
            said = job.table_with(pattern)
        self.assertRegex(said.stdout, pattern)
        self.assertEqual(said.returncode, 0)

    def test_counts_calls_and_bytes(self):
        with Job(2, "small") as job:
            said = job.table_with(r"(?m)^ +0 .*% +[\d.]+[kM] +[\d.]+[kM] +[\d.]+[kM] ", interval="0.3")
        rates = re.search(r"(?m)^ +0 .*?% +(\S+) +(\S+) +(\S+) ", said.stdout)
        self.assertIsNotNone(rates, said.stdout + said.stderr)
        calls, sends, sent = (float(each[:-1]) * {"k": 1e3, "M": 1e6}[each[-1]] for each in rates.groups())
        self.assertAlmostEqual(sends / calls, 1, delta=0.2)
        self.assertAlmostEqual(sent / sends, 8, delta=1)

    def test_draws_the_matrix(self):
        with Job(2, "sent") as job:
            said = job.table_with("3 messages, 3.0k bytes", "--matrix")
        self.assertRegex(said.stdout, r"sent so far: 3 messages, 3\.0k bytes;.*\n@ is up to 3\.0k bytes, .*\n"
                         r"   0  \. @\n   1  \. \.\n$")

    def test_prints_so_many_tables(self):
        with Job(2, "healthy") as job:
            job.table_with("MPI")
            said = top("-n", "3", "-i", "0.1", job.id)
        self.assertEqual(said.stdout.count("RANK "), 3)
        self.assertEqual(said.stdout.count("\n\njob "), 2)
        self.assertEqual(said.returncode, 0)

    def test_ends_with_the_job(self):
        with Job(2, "healthy") as job:
            job.table_with("MPI")
            with subprocess.Popen([STARLING, "top", "-i", "0.1", job.id], stdout=subprocess.PIPE, text=True) as watcher:
                first = watcher.stdout.readline()
                job.process.terminate()
                said = first + watcher.communicate(timeout=PATIENCE_S)[0]
            self.assertTrue(said.endswith(f"job {job.id} has ended\n"), said[-200:])
            self.assertEqual(watcher.returncode, 0)

    def test_refuses_what_is_no_job(self):
        said = top("1")
        self.assertEqual(said.stderr, "starling top: no job 1 runs on this machine; 'starling ps' lists those that do\n")
        self.assertEqual(said.returncode, 1)
        self.assertEqual(top("-n", "0", "1").returncode, 2)


class TopOnATerminal(unittest.TestCase):
    def test_shows_sorts_and_opens(self):
        with Job(2, "stuck") as job, Terminal(job.id) as terminal:
            screen = terminal.wait_for(r"DOES[\s\S]*outside MPI[\s\S]*tag 7, f")  # the late one first
            self.assertEqual(len(screen), 24)
            self.assertTrue(all(len(line.rstrip("\r")) < 80 for line in screen), screen)
            self.assertTrue(screen[-1].startswith("Q quit"), screen)
            terminal.press("r")
            terminal.wait_for(r"tag 7, f[\s\S]*outside MPI\r")
            terminal.press("r")
            terminal.wait_for(r"DOES[\s\S]*outside MPI[\s\S]*tag 7, f")
            terminal.press("x")
            terminal.wait_for("who sends to whom")
            terminal.press("q")
            terminal.wait_for("RANK")
            terminal.press("\r")
            terminal.wait_for("stack of rank 1")
            terminal.press("\x1b")
            terminal.wait_for("RANK")
            terminal.press("q")
            self.assertEqual(terminal.end(), 0)
            self.assertTrue(terminal.is_restored())

    def test_follows_the_size_and_scrolls(self):
        with Job(8, "stuck") as job, Terminal(job.id, lines=8) as terminal:
            terminal.press("r")
            terminal.wait_for(r"rows 1 to 4 of 8[\s\S]*\n> +0 ")
            terminal.press("\x1b[F")
            terminal.wait_for(r"rows 5 to 8 of 8[\s\S]*\n> +7 ")
            terminal.press("k\x1b[A")
            terminal.wait_for(r"\n> +5 ")
            terminal.resize(30, 120)
            screen = terminal.wait_for("SENDS/S")
            self.assertEqual(len(screen), 30)
            terminal.resize(4, 30)
            terminal.wait_for("^too small: 40 x 6 neede")
            terminal.press("q")
            self.assertEqual(terminal.end(), 0)

    def test_leaves_the_terminal_as_it_was(self):
        with Job(2, "stuck") as job:
            for how, status in ((signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGSEGV, -signal.SIGSEGV),
                                ("\x03", 0)):
                with self.subTest(how=how), Terminal(job.id) as terminal:
                    terminal.wait_for("RANK")
                    self.assertNotEqual(termios.tcgetattr(terminal.slave), terminal.before)
                    if isinstance(how, str):
                        terminal.press(how)
                    else:
                        terminal.process.send_signal(how)
                    self.assertEqual(terminal.end(), status)
                    self.assertTrue(terminal.is_restored())

    def test_ends_with_the_job(self):
        with Job(2, "stuck") as job, Terminal(job.id) as terminal:
            terminal.wait_for("RANK")
            job.process.terminate()
            self.assertEqual(terminal.end(), 0)
            self.assertTrue(terminal.is_restored())
            self.assertTrue(terminal.text.endswith(f"job {job.id} has ended\r\n"), terminal.text[-100:])


class TopOverHosts(NamedHostsTest):
    def test_shows_the_ranks_of_all_hosts(self):
        job = self.job_on_hosts(LOAD, "stuck", hosts="one:1,two:1", environment={"STARLING_NET_DEAD_AFTER_MS": "120000"})
        self.addCleanup(job.process.communicate)
        self.addCleanup(job.process.terminate)
        deadline = time.monotonic() + PATIENCE_S
        said = None
        while time.monotonic() < deadline and not (said and "two: outside MPI" in said.stdout and "one: MPI_" in said.stdout):
            said = top("--once", "-i", "0.1", str(job.process.pid))
        self.assertRegex(said.stdout, r"(?m)^ +0 +\d+\.\d s +100% .* [\d.]+M  one: MPI_Recv with tag 7, for 1$")
        self.assertRegex(said.stdout, r"(?m)^ +1 +>?\d+\.\d s +1 +0% .* [\d.]+M  two: outside MPI$")
        self.assertEqual(said.returncode, 0)

    def test_shows_what_hosts_have_sent(self):
        job = self.job_on_hosts(LOAD, "sent", hosts="one:1,two:1", environment={"STARLING_NET_DEAD_AFTER_MS": "120000"})
        self.addCleanup(job.process.communicate)
        self.addCleanup(job.process.terminate)
        pattern = (r"(?m)^sent so far: \d+ messages, 3\.\dk bytes; a line for each sender, a column for each receiver\n"
                   r"@ is up to 3\.\dk bytes.*\n   0  \. @\n   1  ")
        deadline = time.monotonic() + PATIENCE_S
        said = ""
        while time.monotonic() < deadline and not re.search(pattern, said):
            said = top("--once", "--matrix", "-i", "0.1", str(job.process.pid)).stdout
        self.assertRegex(said, pattern)


if __name__ == "__main__":
    unittest.main()
