# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The tuning file: starling tune writes it, jobs go by it, all ranks alike, and info tells what follows."""
import os
import re
import subprocess
import unittest

from fake_launcher import FakeLauncher
from launch_support import BIN, SANITIZED, STARLING, main, run
from named_hosts import NamedHostsTest

SUM = os.path.join(BIN, "launch_sum")
SECTIONS = ("line_ns", "message_ns", "next_ns", "send_ns", "byte_ns", "long_ns", "long_byte_ns", "copy_byte_ns", "fold_byte_ns")


def starling(*words, **variables):
    return subprocess.run([STARLING, *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **variables}, check=False)


def cpu():
    """As the kernel names it, or as the header of a file that was written here."""
    with open("/proc/cpuinfo") as file:
        facts = dict(re.findall(r"^(model name|CPU implementer|CPU part)\s*: (.*)$", file.read(), re.MULTILINE))
    if "model name" in facts:
        return facts["model name"]
    return f"{facts['CPU implementer']}/{facts['CPU part']}" if "CPU part" in facts else os.uname().machine


class Tuning(NamedHostsTest):
    def file(self, name, near, **facts):
        path = os.path.join(self.folder, name)
        told = {"format": 1, "cpu": cpu(), "cores": os.sysconf("SC_NPROCESSORS_CONF"), **facts}
        with open(path, "w") as file:
            file.write(f"format = {told['format']}\n[machine]\ncpu = \"{told['cpu']}\"\ncores = {told['cores']}\n[near]\n")
            file.writelines(f"{key} = {value}\n" for key, value in near.items())
        return path

    def chosen(self, *words, **variables):
        """The algorithm that info names, and all that it says."""
        said = starling("info", "--collectives", *words, **variables)
        self.assertEqual(said.returncode, 0, said.stderr)
        return re.match(r".*: (\S+)", said.stdout).group(1), said

    def test_the_file_changes_the_choice_and_info_says_where_its_constants_are_from(self):
        words = ("bcast", "8", "2")
        usual, said = self.chosen(*words, STARLING_TUNE_FILE="none")
        self.assertEqual(usual, "shared")
        self.assertIn("from the defaults", said.stdout)
        path = self.file("dear_lines", {"line_ns": 100000, "message_ns": 1})
        self.assertNotEqual(self.chosen(*words, STARLING_TUNE_FILE=path)[0], "shared")
        self.assertIn(f"from {path}", self.chosen(*words, STARLING_TUNE_FILE=path)[1].stdout)
        overridden, said = self.chosen(*words, STARLING_TUNE_FILE=path, STARLING_COLL_MESSAGE_NS="1e9")
        self.assertEqual(overridden, "shared")
        self.assertIn("STARLING_COLL_MESSAGE_NS", said.stdout)

    def test_ranks_get_what_the_launcher_has_read(self):
        path = self.file("one", {"line_ns": 321})
        for job in (run("-n", "2", "printenv", "STARLING_JOB_TUNING", environment={"STARLING_TUNE_FILE": path}),
                    run("-genvnone", "-x", f"STARLING_TUNE_FILE={path}", "-n", "2", "/usr/bin/printenv",
                        "STARLING_JOB_TUNING")):
            self.assertEqual(job.out, "near.line_ns=321\n" * 2, job.err)

    def test_ranks_on_hosts_with_other_files_get_those_of_the_launchers_host(self):
        own = self.file("one", {"line_ns": 321})
        other = self.file("two", {"line_ns": 654})
        inside = self.script("inside", f"""
            host=$1; shift
            export STARLING_TUNE_FILE={other} XDG_CONFIG_HOME=/nowhere
            exec "$@"
            """)
        job = self.run_on_hosts("-n", "4", "printenv", "STARLING_JOB_TUNING", shell=inside,
                                environment={"STARLING_TUNE_FILE": own})
        self.assertEqual(job.out, "near.line_ns=321\n" * 4, job.err)

    def test_ranks_of_another_launcher_go_by_the_file_of_rank_0(self):
        self.file("0", {"line_ns": 321})
        self.file("1", {"line_ns": 100000, "message_ns": 1})
        script = self.script("rank", f"STARLING_TUNE_FILE={self.folder}/$((PMI_RANK / 2)) exec {SUM}\n")
        for version in (1, 2):
            with self.subTest(version):
                job = FakeLauncher(version, 4, "(vector,(0,2,2))").run(script)
                self.assertEqual(job.codes, [0] * 4, job.err)
                self.assertEqual(job.out.count("sum 6, nodes 2"), 4, job.err)

    def test_ranks_of_one_node_with_different_files_go_by_those_of_the_first(self):
        self.file("0", {"line_ns": 321})
        self.file("1", {"line_ns": 100000, "message_ns": 1})
        script = self.script("rank", f"STARLING_TUNE_FILE={self.folder}/$((PMI_RANK / 2)) exec {SUM}\n")
        job = FakeLauncher(1, 4).run(script)
        self.assertEqual(job.codes, [0] * 4, job.err)
        self.assertEqual(job.out.count("sum 6, nodes 1"), 4, job.err)
        self.assertIn("have different settings where all need the same", job.err)

    def test_a_file_that_does_not_hold_warns_once_and_changes_nothing(self):
        broken = os.path.join(self.folder, "broken")
        with open(broken, "w") as file:
            file.write("format = 1\n[near]\nline_ns = fast\n")
        for path, why in ((broken, "line 3"), (self.file("elsewhere", {"line_ns": 1}, cpu="Another"), "measured on Another"),
                          (self.file("larger", {"line_ns": 1}, cores=4096), "4096 cores"),
                          (self.file("later", {"line_ns": 1}, format=7), "format 7"),
                          (os.path.join(self.folder, "missing"), "cannot be read")):
            with self.subTest(path):
                job = run("-n", "3", SUM, environment={"STARLING_TUNE_FILE": path})
                self.assertEqual(job.code, 0, job.err)
                self.assertEqual(job.out.count("sum 3"), 3)
                self.assertEqual(job.err.count("starling:"), 1, job.err)
                self.assertIn(why, job.err)
                self.assertIn("starling tune -o", job.err)
                self.assertEqual(run("printenv", "STARLING_JOB_TUNING", environment={"STARLING_TUNE_FILE": path}).out, "\n")
                said = self.chosen("bcast", "8", "2", STARLING_TUNE_FILE=path)[1]
                self.assertIn(why, said.stderr)
                self.assertIn("from the defaults", said.stdout)

    def test_a_program_without_a_launcher_reads_the_file_itself(self):
        path = self.file("broken", {"line_ns": "fast"})
        alone = subprocess.run([SUM], capture_output=True, text=True, timeout=60,
                               env={**os.environ, "STARLING_TUNE_FILE": path}, check=False)
        self.assertIn("sum 0", alone.stdout)
        self.assertIn("line 6", alone.stderr)

    @unittest.skipIf(SANITIZED, "it would measure the sanitizer")
    def test_tune_writes_a_file_that_is_read_back(self):
        path = os.path.join(self.folder, "config", "starling", "tune.conf")
        variables = {"XDG_CONFIG_HOME": os.path.join(self.folder, "config")}
        # What a former tune has found of another machine goes; what it has of a network stays.
        network = ('[hosts]\nnames = "h1 h2"\nmeasured = "2026-11-28T00:00:00Z"\nslowest = "h1 and h2: 8 B in 9 us"\n'
                   'fastest = "h1 and h2: 8 B in 9 us"\n\n[network]\nmessage_ns = 4567')
        os.makedirs(os.path.dirname(path))
        with open(path, "w") as file:
            file.write('format = 1\n[machine]\ncpu = "Another"\ncores = 77\n[all]\nturn_ns = 777777\n\n' + network + "\n")
        said = starling("tune", "--quick", **variables)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn(path, said.stdout)
        with open(path) as file:
            text = file.read()
        self.assertIn(f'cpu = "{cpu()}"', text)
        self.assertRegex(text, r"turn_ns = \d")
        self.assertNotIn("Another", text)
        self.assertNotIn("777777", text)
        self.assertIn(network, text)
        if len(os.sched_getaffinity(0)) > 1:
            for key in SECTIONS:
                self.assertRegex(text, rf"(?m)^{key} = \d")
        told = run("-n", "2", "printenv", "STARLING_JOB_TUNING", environment=variables)
        self.assertIn("turn_ns=", told.out)
        self.assertEqual(told.err, "")
        self.assertIn(f"from {path}, measured 2", self.chosen("allreduce", "8192", "4", **variables)[1].stdout)

    def test_a_file_that_cannot_be_written_is_an_error(self):
        said = starling("tune", "--quick", "-o", "/dev/null/file")
        self.assertEqual(said.returncode, 1)
        self.assertIn("/dev/null/file", said.stderr)


if __name__ == "__main__":
    main()
