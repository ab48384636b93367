# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts a job has, which ranks they get, and how they are called: the options of mpiexec about hosts. The hosts are
names (named_hosts.py)."""
import os
import re
import shutil
import subprocess

from launch_support import MPIEXEC, PROBE, STARLING, main, run
from named_hosts import NamedHostsTest

WHERE = ("-l", "sh", "-c", "echo $HOSTNAME")


class HostOptionsTest(NamedHostsTest):
    def hosts_of_ranks(self, *options, **how):
        """The host of each rank, in the order of ranks."""
        job = run("--rsh-agent", self.shell, *options, *WHERE, **how)
        self.assertEqual((job.code, job.err), (0, ""))
        lines = [re.fullmatch(r"\[(\d+)\] (.*)", line).groups() for line in job.out.splitlines()]
        self.assertEqual(sorted(int(rank) for rank, _ in lines), list(range(len(lines))))
        return [host for _, host in sorted(lines, key=lambda line: int(line[0]))]

    def assert_one_note(self, job, text):
        self.assertEqual(len(job.err.splitlines()), 1, job.err)
        self.assertIn(f"starling: note: {text}", job.err)

    def file(self, text):
        path = os.path.join(self.folder, "hosts")
        with open(path, "w") as file:
            file.write(text)
        return path


class HostFiles(HostOptionsTest):
    def test_every_form_of_a_line_is_understood(self):
        path = self.file("# all\n\none slots=2 max_slots=3  # the large one\nme@two:1\n[2001:db8::2]:2\nthree slots = 1\n")
        for option in ("--hostfile", "-f", "-machinefile"):
            self.assertEqual(self.hosts_of_ranks(option, path), ["one", "one", "me@two", "2001:db8::2", "2001:db8::2", "three"])

    def test_a_host_without_a_number_has_its_usable_cores_for_slots(self):
        cores = int(run("-n", "1", PROBE, "hello").out.split(" on ")[1].split()[0])
        self.assertEqual(self.hosts_of_ranks("--hostfile", self.file("one\ntwo slots=1\n")), ["one"] * cores + ["two"])

    def test_a_list_chooses_from_the_file(self):
        path = self.file("one slots=2\ntwo slots=2\nthree slots=3\n")
        self.assertEqual(self.hosts_of_ranks("--hostfile", path, "--host", "three,one:1"), ["three"] * 3 + ["one"])

    def test_max_slots_are_never_exceeded(self):
        path = self.file("one slots=1 max_slots=1\ntwo slots=1 max_slots=2\n")
        job = run("--rsh-agent", self.shell, "--hostfile", path, "-n", "3", *WHERE)
        self.assertEqual(sorted(job.out.splitlines()), ["[0] one", "[1] two", "[2] two"])
        self.assert_one_note(job, "1 of the 3 ranks is beyond the hosts' slots; the hosts get them in turn")
        job = run("--rsh-agent", "/no/such/shell", "--hostfile", path, "-n", "4", *WHERE)
        self.assertEqual((job.code, job.out), (2, ""))
        self.assertIn("4 ranks do not fit: max_slots is 1 on 'one', 2 on 'two', which leaves room for 3", job.err)

    def test_a_file_that_is_wrong_is_refused_with_its_line(self):
        job = run("--hostfile", self.file("one\ntwo slot=2\n"), "true")
        self.assertEqual((job.code, job.out), (2, ""))
        self.assertRegex(job.err, r"^mpiexec: host file '.*hosts', line 2: 'slot=2' is not understood\. ")


class Dealing(HostOptionsTest):
    def test_so_many_ranks_on_each_host(self):
        for options in (("-N", "2"), ("-ppn", "2"), ("--map-by", "ppr:2:node")):
            self.assertEqual(self.hosts_of_ranks("--host", "one,two", *options), ["one", "one", "two", "two"], options)
            self.assertEqual(self.hosts_of_ranks("--host", "one,two", "-n", "3", *options), ["one", "one", "two"], options)

    def test_slots_are_filled_or_hosts_taken_in_turn(self):
        for options, expected in ((("--map-by", "slot"), ["one", "one", "two"]), (("--map-by", "node"), ["one", "two", "one"])):
            self.assertEqual(self.hosts_of_ranks("--host", "one:2,two:2", "-n", "3", *options), expected)

    def test_programs_have_hosts_of_their_own(self):
        job = run("--rsh-agent", self.shell, "-host", "one", *WHERE, ":", "-host", "two:2", *WHERE[1:])
        self.assertEqual((job.code, sorted(job.out.splitlines())), (0, ["[0] one", "[1] two", "[2] two"]), job.err)

    def test_ranks_beyond_the_slots_are_dealt_in_turn_with_one_note(self):
        job = run("--rsh-agent", self.shell, "--host", "one,two:2", "-n", "6", *WHERE)
        self.assertEqual([line.split()[1] for line in sorted(job.out.splitlines())], ["one", "two", "two", "one", "two", "one"])
        self.assert_one_note(job, "3 of the 6 ranks are beyond the hosts' slots; the hosts get them in turn")
        self.assertEqual(run("-q", "--rsh-agent", self.shell, "--host", "one,two:2", "-n", "6", "true").err, "")


class RemoteShells(HostOptionsTest):
    """Each is called as CMD HOST COMMAND..., where COMMAND's words have nothing special to a shell."""

    def setUp(self):
        super().setUp()
        self.calls = os.path.join(self.folder, "calls")
        os.mkdir(self.calls)

    def recorder(self, name, skip=0):
        """Writes its arguments down, one a line, and does what a remote shell does."""
        return self.script(name, f"""
            printf '%s\\n' "$@" > {self.calls}/$$
            shift {skip}
            export HOSTNAME=$1
            shift
            exec "$@"
            """)

    def assert_called(self, before_host, options, **how):
        for name in os.listdir(self.calls):
            os.remove(os.path.join(self.calls, name))
        self.assertEqual(self.hosts_by(options, **how), ["one", "two"])
        calls = [self.lines_of(name) for name in os.listdir(self.calls)]
        command = [os.path.realpath(STARLING), "agent"]
        self.assertEqual(sorted(calls), [[*before_host, host, *command] for host in ("one", "two")], options)

    def lines_of(self, call):
        with open(os.path.join(self.calls, call)) as file:
            return file.read().splitlines()

    def hosts_by(self, options, **how):
        job = run(*options, "--host", "one,two", *WHERE, **how)
        self.assertEqual((job.code, job.err), (0, ""), options)
        return sorted(line.split()[1] for line in job.out.splitlines())

    def test_every_way_to_name_one(self):
        shell = self.recorder("recorder")
        for options in (("--rsh-agent", shell), ("-launcher-exec", shell), ("--mca", "plm_rsh_agent", shell),
                        ("-mca", "plm_rsh_agent", f"{shell}:rsh"), ("-launcher", "rsh", "-launcher-exec", shell)):
            self.assert_called([], options)
        self.assert_called([], (), environment={"STARLING_RSH_AGENT": shell})
        self.assert_called(["-p", "2222"], ("--rsh-agent", self.recorder("with_options", skip=2) + " -p 2222"))

    def test_ssh_is_called_where_none_is_named(self):
        self.recorder("ssh", skip=2)
        self.recorder("rsh")
        on = {"PATH": self.folder + ":" + os.environ["PATH"]}
        self.assert_called(["-x", "-T"], (), environment=on)
        self.assert_called(["-x", "-T"], ("-launcher", "ssh"), environment=on)
        self.assert_called([], ("-launcher", "rsh"), environment=on)

    def test_a_remote_shell_may_join_the_words_of_the_command(self):
        joining = self.script("joining", 'export HOSTNAME=$1; shift; exec sh -c "$*"')
        self.assertEqual(self.hosts_by(("--rsh-agent", joining)), ["one", "two"])

    def test_a_relative_one_is_not_found_where_the_folder_is_gone(self):
        gone = os.path.join(self.folder, "gone")
        os.mkdir(gone)
        done = subprocess.run(["sh", "-c", f"rmdir {gone}; exec {MPIEXEC} --rsh-agent ./shell --host one true"], cwd=gone,
                              capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("there is no program './shell'", done.stderr)

    def test_a_path_that_a_shell_would_change_is_refused(self):
        folder = os.path.join(self.folder, "my tools")
        os.mkdir(folder)
        shutil.copy(STARLING, os.path.join(folder, "mpiexec"))
        done = subprocess.run([os.path.join(folder, "mpiexec"), "--host", "one", "true"], capture_output=True, text=True,
                              timeout=30)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Install Starling in a folder whose path has only letters, digits", done.stderr)


if __name__ == "__main__":
    main()
