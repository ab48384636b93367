#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec starts programs inside of images, as 'mpiexec -n 8 apptainer exec image program' does: root folders that hold the
program, libmpi_abi.so.1, and of the C library what these two need, but no shell, no /proc, no /dev and no /tmp. chroot and
unshare stand in for the container's runtime, with the namespaces that each kind of container has.

usage: container_test.py BUILD_FOLDER

Exit status 77 without root, who alone can make root folders and namespaces.
"""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path()
RANKS = 8
NAMESPACES = {
    "a root folder alone": [],
    "a user of its own, as apptainer without root": ["--user", "--map-root-user", "--mount"],
    "a network, names and processes of its own for each rank, as docker": ["--mount", "--ipc", "--uts", "--net", "--pid", "--fork"],
    "all of these": ["--user", "--map-root-user", "--mount", "--ipc", "--uts", "--net", "--pid", "--fork"],
}


def run(*command, code=0, **environment):
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("STARLING_", "LD_"))}
    done = subprocess.run([str(word) for word in command], env=clean | environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=120)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def can_make(*options):
    return subprocess.run(["unshare", *options, "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


class Image:
    """A root folder. What is put into it brings the libraries that it needs."""

    def __init__(self, top):
        self.top = top

    def put(self, file, place=None):
        copy = self.top / (place or file).relative_to("/")
        if copy.exists():
            return
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
        for library in re.findall(r"(?:=> |^\s+)(/\S+) \(0x", run("ldd", file, LD_LIBRARY_PATH=str(BUILD / "lib")), re.MULTILINE):
            self.put(Path(library), Path("/app/libmpi_abi.so.1") if "libmpi_abi" in library else None)


class Container(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = Path(folder.name).resolve()
        cls.image = Image(cls.top / "image")
        run(BUILD / "bin/mpicc", HERE / "swapped/wide.c", "-o", cls.top / "wide")
        cls.image.put(cls.top / "wide", Path("/app/wide"))

    def job(self, namespaces, *words, code=0):
        inside = ["chroot", self.top / "image", "/app/wide", *words]
        return run(BUILD / "bin/mpiexec", "-n", RANKS, *(["unshare", *namespaces] if namespaces else []), *inside, code=code,
                   LD_LIBRARY_PATH="/app")

    def test_the_image_holds_only_the_program_the_abi_and_the_c_library(self):
        held = {path.name for path in (self.top / "image").rglob("*") if path.is_file()}
        self.assertLessEqual({"wide", "libmpi_abi.so.1", "libc.so.6"}, held)
        self.assertEqual([name for name in sorted(held)
                          if not re.fullmatch(r"wide|libmpi_abi\.so\.1|ld-linux.*|lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+)\.so\.\d+", name)], [])

    def test_jobs_run_in_it(self):
        for name, namespaces in NAMESPACES.items():
            with self.subTest(name):
                if not can_make(*namespaces):
                    self.skipTest(f"{' '.join(namespaces)}: not here")
                self.assertEqual(self.job(namespaces), f"wide: {RANKS} ranks on Starling, good\n")

    def test_a_rank_that_dies_in_it_is_named_and_ends_the_job(self):
        for name, namespaces in NAMESPACES.items():
            with self.subTest(name):
                if not can_make(*namespaces):
                    self.skipTest(f"{' '.join(namespaces)}: not here")
                said = self.job(namespaces, "crash", code=134)
                self.assertRegex(said, r"starling: rank 1 \(.*\) died of SIGABRT \(abort\); the job ends\.")
        self.assertRegex(self.job([], "crash", code=134), r"#\d+ main in /\S+/app/wide")  # the image can be read from outside

    def test_mpiexec_itself_needs_dev_null_but_no_proc(self):
        whole = Image(self.top / "whole")
        for file in ("bin/starling", "bin/mpiexec"):
            whole.put(BUILD / file, Path("/app") / Path(file).name)
        whole.put(self.top / "wide", Path("/app/wide"))
        enter = ["unshare", "--mount", "--ipc", "--uts", "--net", "--pid", "--fork", "chroot", whole.top]
        said = run(*enter, "/app/mpiexec", "-n", RANKS, "/app/wide", code=1, LD_LIBRARY_PATH="/app")
        self.assertEqual(said, "starling: mpiexec cannot open /dev/null: No such file or directory.\n")
        said = run(*enter, "/app/starling", "doctor", code=1, LD_LIBRARY_PATH="/app")
        self.assertRegex(said, r"(?m)^FAIL container +.* There is no /dev/null, which mpiexec needs\.$")
        (whole.top / "dev").mkdir()
        os.mknod(whole.top / "dev/null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        said = run(*enter, "/app/mpiexec", "-n", RANKS, "/app/wide", LD_LIBRARY_PATH="/app")
        self.assertEqual(said, f"wide: {RANKS} ranks on Starling, good\n")
        said = run(*enter, "/app/starling", "doctor", LD_LIBRARY_PATH="/app")
        self.assertRegex(said, r"(?m)^note container +no trace of .* There is no /proc: jobs run, but")
        self.assertRegex(said, r"(?m)^ok +job segment ")

    def test_the_doctor_names_a_process_table_of_its_own(self):
        said = run("unshare", "--mount", "--pid", "--fork", "--mount-proc", BUILD / "bin/starling", "doctor")
        self.assertRegex(said, r"(?m)^note process numbers +private \(a pid namespace\): ")
        # Where this test itself runs in one, as in docker, that is so outside, too.
        outside = run(BUILD / "bin/starling", "doctor")
        own = os.stat("/proc/self/ns/pid").st_ino == 0xEFFFFFFC
        self.assertRegex(outside, r"(?m)^ok +process numbers +those of the machine" if own else "process numbers +private")


if __name__ == "__main__":
    if os.geteuid() != 0 or not can_make("--mount"):
        print("skipped: only root can make root folders and namespaces")
        sys.exit(77)
    BUILD = Path(sys.argv[1]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
