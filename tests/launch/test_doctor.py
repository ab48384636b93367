# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What 'starling doctor' says of a machine that restricts its processes: refused system calls, a small /dev/shm, limits of
control groups. tests/install/container_test.py has what needs a container's root folder and process table."""
import contextlib
import errno
import os
import re
import subprocess
import tempfile
import time
import unittest

from launch_support import BIN, SANITIZED, STARLING, main

REFUSE = os.path.join(BIN, "launch_refuse")
GROUPS = "/sys/fs/cgroup"


def doctor(*before, enter=None, **environment):
    done = subprocess.run([*before, STARLING, "doctor"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          env=os.environ | environment, preexec_fn=enter, timeout=60, check=False)
    return done.returncode, dict(re.findall(r"^(.{24})(.*)$", done.stdout, re.MULTILINE))


def line_of(found, name):
    """The line of a probe: its mark and what it says."""
    for head, text in found.items():
        if head[5:].strip() == name:
            return f"{head[:5].strip()} {text}"
    raise AssertionError(f"nothing of {name} in {found}")


@contextlib.contextmanager
def control_group(controller, file, value):
    """A group with a limit, for what is started with the function that is handed out."""
    folder = f"{GROUPS}/{controller}/starling-test-{os.getpid()}"
    try:
        os.mkdir(folder)
        with open(os.path.join(folder, file), "w") as limit:
            limit.write(value)
    except OSError as error:
        if os.path.isdir(folder):
            os.rmdir(folder)
        raise unittest.SkipTest(f"no control group with a limit can be made here: {error}") from error

    def enter():
        with open(os.path.join(folder, "cgroup.procs"), "w") as processes:
            processes.write(str(os.getpid()))
    try:
        yield folder, enter
    finally:
        deadline = time.monotonic() + 10
        while os.path.isdir(folder) and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                os.rmdir(folder)
            time.sleep(0.02)


class Restricted(unittest.TestCase):
    def expect(self, pattern, name, *before, code=0, enter=None, **environment):
        status, found = doctor(*before, enter=enter, **environment)
        if status == 77:
            self.skipTest("no sandbox can be made here")
        self.assertRegex(line_of(found, name), pattern)
        self.assertEqual(status, code, found)

    @unittest.skipIf(SANITIZED, "the sanitizers' own start-up needs some of these calls")
    def test_refused_calls_are_named_with_what_they_cost(self):
        for refusal in (errno.EPERM, errno.ENOSYS):
            why = re.escape(os.strerror(refusal))
            for calls, name, pattern in (
                    ("process_vm_readv", "process_vm_readv", rf"^note refused \({why}\): long messages are copied twice"),
                    ("ptrace", "ptrace", rf"^note refused \({why}\): 'starling stack' .* --cap-add SYS_PTRACE\.$"),
                    ("memfd_create", "memfd", rf"^note refused \({why}\): unlinked files in /dev/shm take its place"),
                    ("membarrier", "membarrier", "^note refused: every send carries a memory fence"),
                    ("signalfd4,eventfd2", "system calls",
                     r"^note refused: signalfd, eventfd\. Jobs run by older means\. A seccomp filter is in force\.$"),
                    ("epoll_create1,pidfd_open,sched_setaffinity", "system calls",
                     r"^note refused: epoll, pidfd_open, sched_setaffinity\. Jobs run by older means, and ranks are not bound "),
                    ("ftruncate", "system calls", r"^ok all that are tried are allowed\. A seccomp filter is in force\.$")):
                with self.subTest(calls=calls, refusal=refusal):
                    self.expect(pattern, name, REFUSE, str(refusal), calls, code=1 if calls == "ftruncate" else 0)

    @unittest.skipIf(SANITIZED, "the sanitizers' own start-up needs some of these calls")
    def test_a_small_dev_shm_counts_where_memfd_is_refused(self):
        mount = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=4m none /dev/shm && exec "$@"', "sh"]
        if subprocess.run([*mount, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.expect(r"^ok writable, 4 MiB free; only needed where memfd is refused\.$", "/dev/shm", *mount)
        refused = [REFUSE, str(errno.EPERM), "memfd_create"]
        self.expect(r"^note writable, 4 MiB free; all memory that ranks share comes from here\. .*--shm-size\.$", "/dev/shm",
                    *mount, *refused)
        mount[4] = mount[4].replace("4m", "16k")
        self.expect(r"^FAIL .*No job can start\.$", "job segment", *mount, *refused, code=1)

    def test_limits_of_control_groups_are_named_with_their_files(self):
        for controller, file, value, name, said in (
                ("cpu", "cpu.cfs_quota_us", "50000", "cores", r"^note 1 usable \(affinity \d+, quota 0\.50 in {}/cpu\.cfs_quota_us\)"),
                ("memory", "memory.limit_in_bytes", "536870912", "memory", r"^note 512 of the machine's \d+ MiB \({}/memory\.limit_in"),
                ("pids", "pids.max", "77", "processes", r"^note at most 77 processes and threads \({}/pids\.max\)\.")):
            with self.subTest(controller), control_group(controller, file, value) as (folder, enter):
                self.expect(said.format(folder), name, enter=enter)

    def test_the_kind_of_container_is_told(self):
        if any(os.path.exists(path) for path in ("/.dockerenv", "/run/.containerenv", "/.singularity.d")):
            self.expect(r"^ok one of (docker|podman|apptainer) \(/\S+ is there\)\.$", "container")
        else:
            self.expect(r"^ok one of bottle \(the variable 'container' says so\)\.$", "container", container="bottle")


if __name__ == "__main__":
    main()
