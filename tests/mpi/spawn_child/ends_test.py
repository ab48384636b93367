#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""How jobs end that are connected with others: alone, under mpiexec, with a parent or a child that fails."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

BIN = os.environ.get("MPI_SPAWN_BIN", os.path.join(os.path.dirname(__file__), "../../../build/release/bin"))
PARENT = os.path.join(BIN, "mpi_spawn_parent")
CHILD = os.path.join(BIN, "mpi_spawn_child")
# In the environment of all that this test starts: other tests may spawn at the same time.
MARK = f"SPAWN_ENDS_TEST={os.getpid()}"


def run(mode, end, ranks):
    """Exit status, output and errors of a parent, alone (0 ranks) or under mpiexec."""
    command = [PARENT, CHILD, mode, end]
    if ranks:
        command = [os.path.join(BIN, "mpiexec"), "-n", str(ranks), *command]
    name, _, value = MARK.partition("=")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          env={**os.environ, name: value})
    return done.returncode, done.stdout, done.stderr


def alive():
    """Processes of the child's program and of the launchers that serve a spawn."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            ours = MARK.encode() in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if ours and (CHILD.encode() == words[0] or b"--serve-spawn" in words):
            found.append(words)
    return found


class Ends(unittest.TestCase):
    def setUp(self):
        self.assertEqual(alive(), [])

    def tearDown(self):
        deadline = time.monotonic() + 15
        while alive() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(alive(), [])

    def test_parent_and_child_part_in_peace(self):
        for ranks in (0, 1, 3):
            for mode, end in (("quiet", "disconnect"), ("free", "free"), ("free", "leave")):
                with self.subTest(ranks=ranks, end=end):
                    code, out, err = run(mode, end, ranks)
                    self.assertEqual((code, err, out.count("is through")), (0, "", max(ranks, 1)))

    def test_a_launcher_whose_file_is_replaced_serves_a_spawn_all_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            # No other launcher is where the library looks.
            launcher, parent, library = (os.path.join(folder, name, of) for name, of in (
                ("bin", "mpiexec"), ("programs", "parent"), ("lib", "libmpi_abi.so.1")))
            for copy, file in ((launcher, os.path.join(BIN, "starling")), (parent, PARENT),
                               (library, os.path.join(BIN, "../lib/libmpi_abi.so.1"))):
                os.makedirs(os.path.dirname(copy))
                shutil.copy(file, copy)
            name, _, value = MARK.partition("=")
            job = subprocess.Popen([launcher, "-n", "1", "sh", "-c", f"read line; exec {parent} {CHILD} quiet disconnect"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, name: value, "LD_LIBRARY_PATH": os.path.dirname(library)})
            with open(launcher + ".new", "w", encoding="utf-8") as file:
                file.write("not yet whole, and nobody may execute it")
            os.rename(launcher + ".new", launcher)
            out, err = job.communicate("go\n", timeout=60)
            self.assertEqual((job.returncode, err), (0, ""))
            self.assertIn("the parent is through", out)

    def test_a_child_that_fails_takes_its_parent_along(self):
        for ranks in (0, 1, 3):
            for mode, word in (("abort", "code 7"), ("crash", "SIGABRT")):
                with self.subTest(ranks=ranks, mode=mode):
                    code, out, err = run(mode, "wait", ranks)
                    self.assertNotEqual(code, 0)
                    self.assertNotIn("is through", out)
                    self.assertIn(word, err)
                    self.assertIn("connected with this one has failed", err)

    def test_a_parent_that_fails_takes_its_child_along(self):
        for ranks in (0, 1, 3):
            for end in ("kill", "abort"):
                with self.subTest(ranks=ranks, end=end):
                    code, out, _ = run("sleep", end, ranks)
                    self.assertNotEqual(code, 0)
                    self.assertNotIn("is through", out)
                    self.tearDown()

    def test_a_child_lives_on_once_they_have_parted(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                code, out, err = run("later", "disconnect", ranks)
                self.assertEqual((code, err), (0, ""))
                # mpiexec waits for it, for its output is ours.
                self.assertIn("the child has lived on", out)

    def test_an_interrupt_ends_all(self):
        command = [os.path.join(BIN, "mpiexec"), "-n", "2", PARENT, CHILD, "sleep", "wait"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL) as job:
            self.assertIn("the child is there", job.stdout.readline())
            job.terminate()
            self.assertNotEqual(job.wait(timeout=30), 0)


if __name__ == "__main__":
    unittest.main()
