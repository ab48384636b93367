# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of jobs on several hosts share. The hosts are names: a remote shell of ours runs each agent on this
machine, so no network and no root is needed. tests/hosts has hosts with networks of their own."""
import os
import stat
import tempfile
import textwrap
import time

from launch_support import Job, LaunchTest, run

# Called as SHELL HOST COMMAND...: what differs from host to host differs by the name.
SHELL = """
host=$1
shift
export HOSTNAME=$host XDG_RUNTIME_DIR=/run/$host
cd /
exec "$@"
"""


# How long a host may be silent, and an agent whose machine answers for it.
SOON = {"STARLING_NET_DEAD_AFTER_MS": "2000", "STARLING_LAUNCH_DEADLINE_MS": "6000"}


class NamedHostsTest(LaunchTest):
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

    def refused(self, code, *arguments, hosts="one,two", shell=None, environment=None, limit_s=10):
        """Runs a job that must not start; what it says. Nothing of it is left."""
        started = time.monotonic()
        job = self.run_on_hosts(*arguments, hosts=hosts, shell=shell, environment=environment)
        self.assertEqual(job.code, code, job.err)
        self.assertLess(time.monotonic() - started, limit_s)
        self.assertEqual(job.out, "")
        self.assert_clean(job)
        return job.err
