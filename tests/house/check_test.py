#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/check in a small repository of its own: it sees what has changed, refuses what scripts/test would, and names what it
skips."""
import importlib.machinery
import importlib.util
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from planted import Planted

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check", str(SCRIPTS / "check"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
loader.exec_module(check)

TESTS = ["unit.p2p", "unit.collective", "unit.mpi", "mpi.env.processes.2", "mpi.env.processes.8", "mpi.env.singleton",
         "mpi.rma.threads.4", "mpi.rma.processes.2", "any_mpi.starling.2", "any_mpi.mpich.2", "any_mpi.death", "house.layers_hold"]


class WhatIsTouched(unittest.TestCase):
    def test_a_component_touches_its_own_tests(self):
        self.assertEqual(check.touched_tests(["src/p2p/protocol/sender.cpp"], TESTS), ["unit.p2p"])
        self.assertEqual(check.touched_tests(["tests/unit/collective/bcast_test.cpp", "docs/README.md"], TESTS), ["unit.collective"])

    def test_a_chapter_touches_its_cases_and_the_boundary_some(self):
        self.assertEqual(check.touched_tests(["tests/mpi/rma/put.cpp"], TESTS), ["mpi.rma.processes.2", "mpi.rma.threads.4"])
        self.assertEqual(check.touched_tests(["src/mpi/rma/win.cpp"], TESTS),
                         ["mpi.env.processes.2", "mpi.rma.processes.2", "mpi.rma.threads.4", "unit.mpi"])

    def test_what_libraries_share_touches_its_tests_on_the_engine(self):
        touched = check.touched_tests(["libs/mpi/requests.hpp"], TESTS)
        self.assertEqual(touched, ["any_mpi.death", "any_mpi.starling.2"])
        self.assertEqual(check.targets_of(touched), ["any_mpi_death", "any_mpi_starling", "starling"])

    def test_pages_touch_none(self):
        self.assertEqual(check.touched_tests(["docs/README.md", "CONTRIBUTING.md"], TESTS), [])

    def test_their_programs_are_built_first(self):
        self.assertEqual(check.targets_of(["unit.p2p", "mpi.rma.processes.2", "mpi.rma.threads.4"]),
                         ["mpi_rma", "mpi_rma_threads", "starling", "unit_p2p"])


class Check(Planted):
    def setUp(self):
        super().setUp()
        shutil.copytree(SCRIPTS, self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__", "exceptions.txt"))
        shutil.copy(SCRIPTS.parent / ".clang-format", self.root)
        (self.root / ".gitignore").write_text("/build/\n")
        for path in self.root.rglob("*.hpp"):
            path.write_text(path.read_text().replace("#pragma once\n", "#pragma once\n\n"))
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "good"], ["checkout", "-qb", "mine"]):
            self.git(*words)

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=x", "-c", "user.email=x@x", *words], check=True, capture_output=True)

    def says(self, *words):
        done = subprocess.run([sys.executable, self.root / "scripts/check", *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def refused(self, *words):
        code, said = self.says()
        self.assertEqual(code, 1, said)
        for word in words:
            self.assertIn(word, said)

    def test_a_good_change_passes_and_the_rest_is_named(self):
        self.write("src/base/clock.hpp", "#pragma once\n\nint now();\n")
        code, said = self.says()
        self.assertEqual(code, 0, said)
        self.assertIn("1 files have changed", said)
        for word in ("skipped headers: ", "skipped tests: ", "not run sanitizers", "0 refused, 2 skipped"):
            self.assertIn(word, " ".join(said.split()))

    def test_an_untracked_file_that_is_not_laid_out(self):
        self.write("src/base/clock.hpp", "#pragma once\n\nint    now( );\n")
        self.refused("REFUSED layout of 1 files", "src/base/clock.hpp")

    def test_a_committed_file_that_goes_up(self):
        self.write("src/base/clock.hpp", '#pragma once\n\n#include "p2p/engine.hpp"\n')
        self.git("add", "-A")
        self.git("commit", "-qm", "bad")
        self.refused("REFUSED scripts/check_layers", "src/base/clock.hpp:5:")

    def test_a_page_with_a_dead_link(self):
        self.page("docs/page.md", "[it](nothing.md)\n")
        self.refused("REFUSED scripts/check_layers", "docs/page.md:1:")

    def test_a_header_that_does_not_compile_alone(self):
        compiler = shutil.which("g++") or shutil.which("c++")
        (self.root / "build/release").mkdir(parents=True)
        (self.root / "build/release/compile_commands.json").write_text(json.dumps([{
            "file": str(self.root / "src/p2p/engine.cpp"), "directory": str(self.root / "build/release"),
            "command": f"/usr/bin/ccache {compiler} -I{self.root}/src -std=c++20 -o engine.o -c {self.root}/src/p2p/engine.cpp"}]))
        self.write("src/p2p/size.hpp", "#pragma once\n\n#include <cstddef>\n\nstd::size_t size();\n")
        code, said = self.says()
        self.assertEqual(code, 0, said)
        self.assertIn("1 headers, each compiled alone", said)
        self.write("src/p2p/size.hpp", "#pragma once\n\nstd::size_t size();\n")
        self.refused("REFUSED 1 headers", "src/p2p/size.hpp does not compile alone")

    def test_what_there_is_no_time_for_is_skipped(self):
        _, said = self.says("--seconds", "0")
        self.assertIn("scripts/check_layers: no time left", said)

    def test_a_base_that_is_given(self):
        self.write("src/base/clock.hpp", "#pragma once\n\nint now();\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "one")
        self.assertIn("1 files have changed since", self.says()[1])
        self.assertIn("0 files have changed since", self.says("--base", "HEAD")[1])


if __name__ == "__main__":
    sys.exit(unittest.main())
