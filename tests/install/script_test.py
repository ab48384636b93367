#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/install, copied into a small tree with a project of its own and a scripts/setup that only notes that it was called.
"""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PRESETS = """{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja",
 "binaryDir": "${sourceDir}/build/release", "cacheVariables": {"STARLING_CMAKE": "%s"}}],
 "buildPresets": [{"name": "release", "configurePreset": "release"}]}
"""


def program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


class InstallScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name).resolve()
        self.tree = self.top / "tree"
        shutil.copytree(HERE / "product", self.tree)
        (self.tree / "CMakePresets.json").write_text(PRESETS % (ROOT / "cmake"))
        program(self.tree / "scripts/setup", f"echo called >>{self.top}/setup\n")
        shutil.copy(ROOT / "scripts/install", self.tree / "scripts")
        (self.tree / "cmake").mkdir()
        shutil.copy(ROOT / "cmake/check_prefix.cmake", self.tree / "cmake")

    def install(self, *words, code=0, **environment):
        done = subprocess.run([self.tree / "scripts/install", *map(str, words)], text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, cwd=self.top,
                              env=os.environ | environment, check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def with_commands(self, user):
        """The environment in which `id -u` says this, and cmake only notes its words."""
        program(self.top / "bin/id", f"echo {user}\n")
        program(self.top / "bin/cmake", f'echo "$@" >>{self.top}/cmake\n')
        return {"PATH": f"{self.top}/bin:{os.environ['PATH']}", "HOME": "/home/somebody"}

    def test_installs_what_is_needed_builds_the_product_and_puts_it_there(self):
        said = self.install("here/below")  # from the folder in which it was called
        prefix = self.top / "here/below"
        self.assertEqual((self.top / "setup").read_text(), "called\n")
        self.assertEqual(sorted(path.name for path in prefix.rglob("*") if path.is_file()), ["libone.so", "libtwo.so"])
        self.assertRegex(said, r"\nSmall 1\.2\.3 has:\n +one +yes\n +three +no: it is not here\n")
        self.assertTrue(said.endswith(f"Starling is in {prefix}. To use it:\n  export PATH={prefix}/bin:$PATH\n"), said)

    def test_a_failed_build_shows_why_and_installs_nothing(self):
        (self.tree / "one.c").write_text("int one(void) { return two; }\n")
        said = self.install(self.top / "here", code=1)
        self.assertRegex(said, r"(?s)error: .*two.* undeclared.*the build failed; the whole log is build/release/install\.log\n$")
        self.assertFalse((self.top / "here").exists())

    def test_a_refused_prefix_is_said_before_anything_is_built(self):
        (self.top / "file").write_text("")
        other = self.top / "other"
        (other / "bin").mkdir(parents=True)
        (other / "bin/mpiexec").write_text("")
        for prefix, why in ((self.top / "file/below", "takes no files"), (other, "holds another MPI (bin/mpiexec)")):
            said = self.install(prefix, code=1)
            self.assertIn(why, said.replace("\n  ", " "))
            self.assertNotIn("To use it", said)
        self.assertEqual([path.name for path in other.rglob("*")], ["bin", "mpiexec"])
        self.assertFalse((self.tree / "build").exists())

    def test_root_gets_it_in_opt_and_others_at_home(self):
        for user, prefix in ((0, "/opt/starling"), (1000, "/home/somebody/starling")):
            self.assertIn(f"Starling is in {prefix}.", self.install(**self.with_commands(user)))
            self.assertEqual((self.top / "cmake").read_text().splitlines()[-1], f"--install build/release --prefix {prefix}")

    def test_a_setup_that_fails_ends_it(self):
        program(self.tree / "scripts/setup", "exit 1\n")
        self.install(self.top / "here", code=1)
        self.assertFalse((self.tree / "build").exists())

    def test_options_and_a_second_word_are_refused(self):
        self.assertIn("usage: scripts/install [PREFIX]\n", self.install("--help", code=2))
        self.assertIn("takes one folder, but got 2\n", self.install("a", "b", code=2))
        self.assertFalse((self.top / "setup").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
