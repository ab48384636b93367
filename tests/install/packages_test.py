#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Debian packages, made by CPack and installed beside what this machine has: in a namespace of their own, over a layer that is
thrown away. Only root can do that; the test is skipped without.

usage: packages_test.py CMAKE BUILD_FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSUMERS = Path(__file__).resolve().parent / "consumers"
CMAKE, BUILD = "cmake", ""
# A root whose changes go into a layer in memory; no other process sees it, and it ends with the first process in it.
ENTER = r"""
set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
for folder in dev sys tmp; do mount --rbind "/$folder" "$1/root/$folder"; done
mount -t proc proc "$1/root/proc"
exec chroot "$1/root" /bin/bash -e "$2"
"""
# What is done in there: each step says its name, so that the last one is known.
STEPS = r"""
export DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin MANWIDTH=100
cd "$WORK"
alternatives() { for name in mpi mpirun; do update-alternatives --query $name 2>/dev/null || true; done; }
step() { echo "== $1"; }
# What has come or changed since the beginning.
files() {
  find /usr /etc /opt /var/lib/dpkg/alternatives -xdev -cnewer "$WORK/stamp" ! -name 'ld.so.cache*' ! -type d | grep -i -e starling -e mpi_abi
}
rm -f /var/lib/man-db/auto-update  # a minute for pages of others
touch -d '1 second ago' stamp
alternatives >before
step install
dpkg --path-include='/usr/share/*' -i debs/*.deb
step auto
update-alternatives --query mpirun | sed -n 's/^Best: //p'
update-alternatives --query mpi | sed -n 's/^Best: //p'
step version
mpiexec.starling --version
mpicc.starling -showme:version
step compile
mpicc.starling sum.c -o sum
mpiexec.starling -n 2 ./sum
step fortran
if [ -e /usr/bin/mpifort.starling ] && command -v gfortran >/dev/null; then
  mpifort.starling total.f90 -o total
  mpirun.starling -n 2 ./total
fi
step chosen
update-alternatives --set mpirun /usr/bin/mpirun.starling >/dev/null
update-alternatives --set mpi /usr/bin/mpicc.starling >/dev/null
mpicxx ring.cpp -o ring
mpiexec -n 2 ./ring
mpirun --version | head -n 1
step unbound
mpicc.starling -c sum.c -o sum.o
cc sum.o -o unbound /usr/lib/*/libmpi_abi.so.1
readelf -d unbound | grep -c RUNPATH || true
mpiexec -n 2 ./unbound
step pkg-config
cc sum.c -o by_pkg_config $(pkg-config --cflags --libs starling)
$(pkg-config --variable=mpiexec starling) -n 2 ./by_pkg_config
step cmake
"$CMAKE" -S find_starling -B by_cmake >/dev/null
"$CMAKE" --build by_cmake >/dev/null
$(cat by_cmake/mpiexec.txt) 2 by_cmake/sum
step manual
man -P cat 3starling MPI_Send_c | head -n 20
man -P cat mpiexec.starling | head -n 4
man -P cat mpicc | head -n 4
step completion
bash -c '. /usr/share/bash-completion/completions/mpiexec.starling; complete -p mpiexec.starling'
step there
files | wc -l
step remove
dpkg --purge $(ls debs | sed 's/_.*//') >/dev/null 2>&1
alternatives >after
diff before after && echo the alternatives are as before
files || echo nothing is left
step alone
for name in mpi mpirun; do update-alternatives --remove-all $name 2>/dev/null || true; done
dpkg --path-include='/usr/share/*' -i debs/starling-library_* debs/starling-tools_* debs/starling-dev_* >/dev/null 2>&1
mpicc sum.c -o sum
mpirun -n 2 ./sum
mpiexec --version | head -n 1
dpkg --purge starling-dev starling-tools starling-library >/dev/null 2>&1
ls /usr/bin/mpirun /usr/bin/mpicc 2>/dev/null || echo no command is left
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=280, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))[:500]}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = Path(cls.folder.name)
        # Not packed: that takes longer than all else.
        run("cpack", "-G", "DEB", "-B", cls.work / "made", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-D", "CPACK_STRIP_FILES=OFF",
            cwd=BUILD)
        (cls.work / "debs").mkdir()
        for package in (cls.work / "made").glob("*.deb"):
            package.rename(cls.work / "debs" / package.name)
        cls.names = sorted(path.name.split("_")[0] for path in (cls.work / "debs").iterdir())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def contents(self):
        """The files and links of each package, by its name."""
        listed = {}
        for package in (self.work / "debs").iterdir():
            lines = run("dpkg-deb", "-c", package).splitlines()
            listed[package.name.split("_")[0]] = {line.split()[5].removeprefix(".") for line in lines if line[0] != "d"}
        return listed

    def test_each_file_that_is_installed_is_in_one_package(self):
        run(CMAKE, "--install", BUILD, "--prefix", self.work / "all")
        paths = [path for path in (self.work / "all").rglob("*") if path.is_symlink() or path.is_file()]
        installed = {str(path.relative_to(self.work / "all")) for path in paths}
        contents = self.contents()
        packed = [re.sub(r"^/usr/lib/[^/]+/starling/", "", name) for names in contents.values() for name in names]
        self.assertEqual(len(packed), len(set(packed)), "a file is in two packages")
        elsewhere = {name for name in installed if not name.startswith("share/")}
        self.assertEqual(sorted(elsewhere - set(packed)), [])
        pages = {Path(name).name.removesuffix(".gz").replace(".starling.1", ".1").replace(".3starling", ".3")
                 for name in packed if "/man/" in name}
        self.assertEqual({Path(name).name for name in installed if "/man/" in name} ^ pages, set())

    def test_packages_say_what_they_are_and_need(self):
        self.assertLessEqual({"starling-library", "starling-tools", "starling-dev", "starling-arrays"}, set(self.names))
        version = re.search(r"project\(starling VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(re.search(r"^## (\d\S*?),? ", (ROOT / "CHANGELOG.md").read_text(), re.M)[1], version)
        for package in (self.work / "debs").iterdir():
            control = run("dpkg-deb", "-f", package)
            self.assertIn(f"Version: {version}\n", control)
            self.assertRegex(control, r"\nDescription: .*Starling")
            name = package.name.split("_")[0]
            if name in ("starling-library", "starling-tools", "starling-dev"):
                self.assertNotRegex(control, r"openmpi|mpich", "no other MPI is needed")
            if name == "starling-tools":
                self.assertRegex(control, r"\nDepends: .*libhwloc15 .*", "what its programs load")
            if name in ("starling-tools", "starling-dev"):
                self.assertIn(f"starling-library (= {version})", control)

    def test_they_lie_beside_other_mpis_and_leave_nothing(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make a namespace with another root folder")
        for name in ("sum.c", "ring.cpp", "total.f90"):
            shutil.copy(CONSUMERS / name, self.work)
        shutil.copytree(CONSUMERS / "find_starling", self.work / "find_starling")
        text = (self.work / "find_starling/CMakeLists.txt").read_text()
        (self.work / "find_starling/CMakeLists.txt").write_text(text.replace("../", "${CMAKE_CURRENT_SOURCE_DIR}/../"))
        (self.work / "steps").write_text(STEPS)
        (self.work / "layer").mkdir()
        best = {name: re.findall(r"^Best: (.*)$", subprocess.run(["update-alternatives", "--query", name], text=True, capture_output=True,
                                                                check=False).stdout, re.M) for name in ("mpirun", "mpi")}
        said = run("unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", ENTER, "bash", self.work / "layer",
                   self.work / "steps", env=os.environ | {"WORK": str(self.work), "CMAKE": CMAKE})
        told = dict(re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", said, re.M | re.S))
        chosen = [(best["mpirun"] or ["/usr/bin/mpirun.starling"])[0], (best["mpi"] or ["/usr/bin/mpicc.starling"])[0]]
        self.assertEqual(told["auto"].split(), chosen)
        self.assertRegex(told["version"], r"^Starling \d.*\n.*\nmpicc: Starling ")
        for step, wanted in (("compile", "c: 2 ranks, sum 1\n"), ("unbound", "0\nc: 2 ranks, sum 1\n"),
                             ("pkg-config", "c: 2 ranks, sum 1\n"), ("cmake", "c: 2 ranks, sum 1\n")):
            self.assertEqual(told[step], wanted, step)
        self.assertIn(told["fortran"], ("", "fortran: 2 ranks, sum 1\n"))
        self.assertRegex(told["chosen"], r"^c\+\+: 2 ranks, good\nStarling \d")
        self.assertIn("MPI_Send, MPI_Send_c - send a message", told["manual"])
        self.assertIn("mpiexec(1)", told["manual"])
        self.assertIn("mpicc(1)", told["manual"])
        self.assertIn("complete -F _starling_mpiexec mpiexec.starling", told["completion"])
        self.assertGreater(int(told["there"]), 700)
        self.assertRegex(told["alone"], r"^c: 2 ranks, sum 1\nStarling \d\S+\nno command is left\n$")
        self.assertEqual(told["remove"], "the alternatives are as before\nnothing is left\n")


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
