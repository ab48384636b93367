# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling stack on programs that hang: the whole tree that is shown of each, and what is said where it cannot be."""
import ctypes
import errno
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../launch"))
from named_hosts import NamedHostsTest  # noqa: E402 pylint: disable=wrong-import-position
from launch_support import BIN  # noqa: E402 pylint: disable=wrong-import-position

MPIEXEC = os.path.join(BIN, "mpiexec")
STARLING = os.path.join(BIN, "starling")
STACKS = os.path.join(BIN, "observe_stacks")
LIBRARY = os.path.join(BIN, "../lib/libmpi_abi.so.1")
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
PTRACE_CALLS = {"x86_64": 101, "aarch64": 117}  # the number of the system call


def refuse_ptrace():
    """From here on this process and what it starts may not trace: seccomp(2), with EPERM."""
    load_number, jump_if_equal, give_back = 0x20, 0x15, 0x06
    refuse, allow = 0x00050000 | errno.EPERM, 0x7fff0000
    program = struct.pack("HBBI" * 4, load_number, 0, 0, 0, jump_if_equal, 0, 1, PTRACE_CALLS[platform.machine()],
                          give_back, 0, 0, refuse, give_back, 0, 0, allow)
    text = ctypes.create_string_buffer(program)
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    pr_set_no_new_privs, pr_set_seccomp, mode_filter = 38, 22, 2
    if libc.prctl(pr_set_no_new_privs, 1, 0, 0, 0) != 0 or libc.prctl(pr_set_seccomp, mode_filter, filter_, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no filter for system calls can be set")


def place(file, name):
    with open(os.path.join(HERE, file)) as lines:
        for number, line in enumerate(lines, 1):
            if f"position: {name}" in line:
                return f"{file}:{number}"
    raise AssertionError(name)


class Job:
    """A job that hangs, and is ended when its test is over."""

    def __init__(self, *arguments, before=()):
        self.process = subprocess.Popen([*before, MPIEXEC, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)

    def stack(self, *options):
        return subprocess.run([STARLING, "stack", str(self.process.pid), *options], capture_output=True, text=True,
                              timeout=60)

    def shown(self, expected, *options):
        """What is said without times, as soon as it is as expected: the ranks have to come where they hang."""
        deadline = time.monotonic() + 30
        while True:
            said = self.stack(*options)
            text = re.sub(r" \(\d+\.?\d* (s|min)\)", " (TIME)", said.stdout)
            text = re.sub(r"(?m)^\d+ other threads? of .* asleep in libraries .*\n", "", text)  # the library's own
            text = re.sub(r"stopped for \d+\.\d ms", "stopped for TIME", text)
            if text.startswith(expected) or time.monotonic() > deadline:
                return text + said.stderr
            time.sleep(0.05)

    def process_of(self, rank):
        """The process of a rank, once it is there."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            worker = children_of(self.process.pid)
            for child in children_of(worker[0]) if worker else []:
                try:
                    with open(f"/proc/{child}/environ") as file:
                        if f"STARLING_JOB_RANK={rank}" in file.read().split("\0"):
                            return child
                except OSError:
                    pass
            time.sleep(0.02)
        raise AssertionError("the rank has not started")


def children_of(process):
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


class Stack(unittest.TestCase):
    maxDiff = None

    def tree(self):
        c = lambda name: place("stacks.c", name)  # noqa: E731
        return (f"0 and 1  main at {c('reduce')}\n"
                f"         MPI_Reduce_local\n"
                f"         slow_add at {c('operator')}\n"
                f"         wait_for_news at {c('inlined')}\n"
                f"         pause\n"
                f"         -> are in MPI_Reduce_local (TIME)\n"
                f"2        main at {c('walk')}\n"
                f"         walk at {c('recursion')} (5 times)\n"
                f"         walk at {c('depth')}\n"
                f"         pause\n"
                f"         -> is outside MPI (TIME)\n"
                f"3        main at {c('receive')}\n"
                f"         -> waits in MPI_Recv with tag 7, for 0 (TIME)\n"
                f"other threads:\n"
                f"1  serve at {c('serve')}\n"
                f"   pause\n")

    def test_merges_the_stacks_of_all_ranks(self):
        expected = self.tree() + "each of the 4 ranks was stopped for TIME at most\n"
        with Job("-n", "4", STACKS) as job:
            self.assertEqual(job.shown(expected), expected)
            c = lambda name: place("stacks.c", name)  # noqa: E731
            only = (f"3  main at {c('receive')}\n"
                    f"   -> waits in MPI_Recv with tag 7, for 0 (TIME)\n"
                    f"the rank was stopped for TIME\n")
            self.assertEqual(job.shown(only, "-r", "3"), only)
            everything = job.stack("--all", "-r", "2-3").stdout
            self.assertRegex(everything, r"(?m)^2 and 3 +_start\n")
            self.assertIn("starling::progress::", everything)

    def test_reads_a_program_that_was_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "observe_stacks")
            shutil.copy(STACKS, program)
            expected = self.tree() + "each of the 4 ranks was stopped for TIME at most\n"
            with Job("-n", "4", program) as job:
                job.process_of(3)
                os.unlink(program)
                shutil.copy(sys.executable, program)
                self.assertEqual(job.shown(expected), expected)

    def test_says_that_a_program_was_stripped(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "bare")
            subprocess.run(["strip", "-o", program, STACKS], check=True)
            with Job("-n", "4", program) as job:
                deadline = time.monotonic() + 30
                pattern = (r"^0 and 1 +bare\+0x[0-9a-f]+\n +MPI_Reduce_local\n(?: +bare\+0x[0-9a-f]+\n)+ +pause\n"
                           r" +-> are in MPI_Reduce_local.*\n2 ")
                text = job.stack().stdout
                while not re.search(pattern, text) and time.monotonic() < deadline:
                    text = job.stack().stdout
                self.assertRegex(text, pattern)
                self.assertIn(f"'{program}' has been stripped: its own functions have no names\n", text)

    def test_shows_a_rank_before_mpi_init(self):
        with Job("-n", "1", "sleep", "1000") as job:
            job.process_of(0)
            expected = ("0  clock_nanosleep\n"
                        "   -> has not reached MPI_Init (TIME)\n")
            deadline = time.monotonic() + 30
            text = job.stack().stdout
            while not re.search(r"nanosleep\n +-> has not reached MPI_Init", text) and time.monotonic() < deadline:
                text = job.stack().stdout
            self.assertRegex(text, r"nanosleep\n +-> has not reached MPI_Init", expected)

    def test_leaves_a_stopped_rank_stopped(self):
        with Job("-n", "4", STACKS) as job:
            expected = self.tree() + "each of the 4 ranks was stopped for TIME at most\n"
            self.assertEqual(job.shown(expected), expected)
            process = job.process_of(3)
            os.kill(process, signal.SIGSTOP)
            try:
                self.assertIn(f"main at {place('stacks.c', 'receive')}", job.stack("-r", "3").stdout)
                with open(f"/proc/{process}/stat") as file:
                    self.assertEqual(file.read().rsplit(")", 1)[1].split()[0], "T")
            finally:
                os.kill(process, signal.SIGCONT)
            self.assertEqual(job.shown(expected), expected)


class StackOverHosts(NamedHostsTest):
    maxDiff = None

    def test_shows_the_ranks_of_all_hosts(self):
        c = lambda name: place("stacks.c", name)  # noqa: E731
        expected = (f"2        main at {c('walk')}\n"
                    f"         walk at {c('recursion')} (5 times)\n"
                    f"         walk at {c('depth')}\n"
                    f"         pause\n"
                    f"         -> is outside MPI (TIME)\n"
                    f"3 and 4  main at {c('receive')}\n"
                    f"         -> wait in MPI_Recv with tag 7, for 0 (TIME)\n"
                    f"each of the 3 ranks was stopped for TIME at most\n")
        with Job(*self.on_hosts(STACKS, hosts="one:3,two:2")) as job:
            self.assertEqual(job.shown(expected, "-r", "2-4"), expected)


class PythonStack(unittest.TestCase):
    maxDiff = None

    def test_shows_python_functions_in_place_of_the_interpreter(self):
        p = lambda name: place("hang.py", name)  # noqa: E731
        expected = (f"0 and 1  <module> at {p('start')}\n"
                    f"0          main at {p('step')}\n"
                    f"           Solver.step at {p('barrier')}\n"
                    f"           -> waits in MPI_Barrier, its number 1, for 1 (TIME)\n"
                    f"1          main at {p('late')}\n"
                    f"           Solver.late at {p('sum')}\n"
                    f"           Solver.late.<locals>.<genexpr> at {p('sum')}\n"
                    f"           Solver.wait_for_ever at {p('read')}\n"
                    f"           read\n"
                    f"           -> is outside MPI (TIME)\n")
        python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
        version = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True,
                                 text=True).stdout.split()
        if version not in (["3", "11"], ["3", "12"], ["3", "13"]):
            self.skipTest("the layouts of this Python are not known")
        with Job("-n", "2", python, os.path.join(HERE, "hang.py"), LIBRARY) as job:
            said = job.shown(expected)
            self.assertTrue(said.startswith(expected), said)


class StackRefuses(unittest.TestCase):
    def refused(self, said, sentence):
        self.assertEqual(said.stderr, f"starling stack: {sentence}\n")
        self.assertEqual(said.returncode, 1)

    def test_a_job_that_does_not_run(self):
        said = subprocess.run([STARLING, "stack", "1"], capture_output=True, text=True, timeout=60)
        self.refused(said, "no job 1 runs on this machine; 'starling ps' lists those that do")

    def test_ranks_that_are_none(self):
        with Job("-n", "2", "sleep", "1000") as job:
            job.process_of(1)
            self.refused(job.stack("-r", "0-2"), "there is no rank 2: the job has 2, from 0 on")
            for text in ("1-", "x", "1,,0", "1-0", "-1", "1,"):
                self.refused(job.stack(f"--ranks={text}"), f"'{text}' is no list of ranks: write it as 0-3,7")

    def test_a_rank_that_another_debugger_has(self):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        with Job("-n", "2", "sleep", "1000") as job:
            process = job.process_of(1)
            if libc.ptrace(PTRACE_SEIZE, process, None, None) != 0:
                self.skipTest("this system lets nobody trace")
            try:
                said = job.stack()
                with open("/proc/self/comm") as file:
                    name = file.read().strip()
                self.assertIn(f"rank 1 is not shown whole: {name} (process {os.getpid()}) traces it, and only one can: "
                              "end that first\n", said.stdout)
                self.assertIn("the rank was stopped for", said.stdout)
                self.assertEqual(said.returncode, 0)
            finally:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0x40000000)

    @unittest.skipUnless(os.geteuid() == 0 and platform.machine() in PTRACE_CALLS, "needs root, and a known processor")
    def test_what_the_system_forbids(self):
        """A filter refuses ptrace, as that of a container does; what Yama says lies on a file system of the test's own."""
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        if subprocess.run([*nobody, STARLING, "ps"], capture_output=True, timeout=60).returncode != 0:
            self.skipTest("others may not read this folder")
        cases = ((nobody, "", "this container or system does not let it be traced (Operation not permitted): allow SYS_PTRACE, "
                              "as by docker run --cap-add SYS_PTRACE"),
                 (nobody, "1", "this system lets only root trace a process that is not its own child "
                               "(/proc/sys/kernel/yama/ptrace_scope is 1): ask as root"),
                 ([], "3", "this system lets nobody trace a process (/proc/sys/kernel/yama/ptrace_scope is 3)"),
                 ([], "", "the system refuses to trace it: Operation not permitted"))
        script = ("mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama && chmod 755 /proc/sys/kernel && "
                  '{ test -z "$0" || echo "$0" > /proc/sys/kernel/yama/ptrace_scope; } && exec "$@"')
        with Job("-n", "1", "sleep", "1000", before=nobody) as job:
            job.process_of(0)
            for user, scope, sentence in cases:
                said = subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", script, scope, *user,
                                       STARLING, "stack", str(job.process.pid)],
                                      capture_output=True, text=True, timeout=60, preexec_fn=refuse_ptrace)
                self.assertIn(f"rank 0 is not shown whole: {sentence}\n", said.stdout, said.stderr)

    def test_a_job_that_ends_meanwhile(self):
        for _ in range(3):
            with Job("-n", "4", "sleep", "0.2") as job:
                while job.process.poll() is None:
                    said = job.stack()
                    self.assertIn(said.returncode, (0, 1), said.stderr)
                    self.assertTrue(said.stdout or said.stderr)


if __name__ == "__main__":
    unittest.main()
