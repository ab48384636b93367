#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages of an installed tree: each command and each MPI function has one, man shows it, the formatter finds no fault,
and it names the options, arguments and errors that commands and functions have.

usage: manual_test.py CMAKE BUILD_FOLDER
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE, BUILD = "cmake", ""
OPTION = re.compile(r"(?<![\w<-])--?[A-Za-z][\w:-]*")


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=200, env=os.environ | {"MANWIDTH": "200", **more})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.TemporaryDirectory()
        cls.prefix = Path(cls.top.name) / "starling"
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)
        cls.man = cls.prefix / "share/man"

    @classmethod
    def tearDownClass(cls):
        cls.top.cleanup()

    def shown(self, name):
        return run("man", "-M", self.man, name)

    def has(self, section, names):
        self.assertTrue(names)
        self.assertEqual(sorted(name for name in names if not (self.man / f"man{section}/{name}.{section}").is_file()), [])

    def test_every_function_has_a_page(self):
        declared = "".join((self.prefix / "include" / name).read_text() for name in ("mpi.h", "mpi-ext.h"))
        names = set(re.findall(r"^\w+ (MPIX?_\w+)\(", declared, re.M))
        self.assertGreater(len(names), 670)
        self.has(3, names | set(re.findall(r"^#define (MPI_[A-Z][a-z]\w+) MPIX_", declared, re.M)))
        self.assertEqual(len(list((self.man / "man3").iterdir())), len(names) + 3)  # and nothing else has

    def test_every_command_has_a_page(self):
        self.has(1, {path.name for path in (self.prefix / "bin").iterdir()})
        self.has(1, {f"starling-{name}" for name in re.findall(r"^  (\w+) ", run(self.prefix / "bin/starling", "-h"), re.M)})
        self.has(7, {"starling-farm"})

    def test_the_formatter_finds_no_fault(self):
        for section in (1, 3, 7):
            pages = [path for path in (self.man / f"man{section}").iterdir() if not path.read_text().startswith(".so ")]
            self.assertEqual(run("groff", "-man", "-Tutf8", "-ww", "-z", *sorted(pages)), "")

    def test_man_shows_pages_by_all_their_names(self):
        for names, sentence in ((("MPI_Send", "MPI_Send_c"), "MPI_Send, MPI_Send_c - send a message"),
                                (("MPIX_Comm_revoke", "MPI_Comm_revoke"), "MPIX_Comm_revoke - end every call on a communicator"),
                                (("mpiexec", "mpirun", "starling-run"), "mpiexec, mpirun - run a program as the ranks of one MPI job"),
                                (("mpicxx", "mpic++", "mpiCC"), "compile and link C++ programs"),
                                (("starling-farm",), "options of programs that farm out work")):
            for name in names:
                self.assertIn(sentence, self.shown(name))

    def test_man_finds_pages_beside_the_folder_of_commands_in_the_path(self):
        environment = {key: value for key, value in os.environ.items() if key != "MANPATH"}
        said = subprocess.run(["man", "-w", "MPI_Send", "mpiexec"], text=True, capture_output=True, check=True, timeout=60,
                              env=environment | {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}"}).stdout
        self.assertEqual(said.split(), [str(self.man / "man3/MPI_Send.3"), str(self.man / "man1/mpiexec.1")])

    def test_the_page_of_a_function_has_bindings_arguments_and_their_directions(self):
        page = self.shown("MPI_Recv")
        self.assertIn("int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source,", page)
        self.assertIn("int MPI_Recv_c(void *buf, MPI_Count count,", page)
        self.assertIn("type(MPI_Status) :: status\n", page)
        self.assertIn("integer :: status(MPI_STATUS_SIZE)\n", page)
        for item in ("buf (out)", "count (in)", "status (out)", "MPI_ERR_TRUNCATE", "MPI_Irecv(3)"):
            self.assertIn(item, page)
        for name, item in (("MPI_Bcast", "buffer (in, out)"), ("MPI_Wait", "request (in, out)"), ("MPI_Pack", "position (in, out)"),
                           ("MPI_Comm_split", "newcomm (out)"), ("MPI_Igather", "Begin to gather equal blocks"),
                           ("MPI_Gather_init", "Make a persistent request to gather"), ("MPI_Info_get", "deprecated since MPI-4.0"),
                           ("MPI_T_cvar_read", "MPI_T_ERR_NOT_INITIALIZED"), ("MPI_Wtime", "double precision MPI_Wtime()")):
            self.assertIn(item, self.shown(name))

    def test_every_argument_is_told(self):
        for path in (self.man / "man3").iterdir():
            text = path.read_text().replace("\\&", "").replace("\\-", "-")
            if text.startswith(".so "):
                continue
            prototype = re.search(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\);", " ".join(text[text.index("#include"):].split()))[1]
            names = re.findall(r"(\w+)(?:\[\d*\])*(?:,|$)", prototype.replace("...", ""))
            told = re.findall(r"^\\fB([\w.]+)\\fP \((?:in|out|in, out)\)$", text, re.M)
            self.assertEqual([name for name in told if name != "..."], [] if names == ["void"] else names, path.name)

    def test_errors_that_the_library_answers_with_are_told(self):
        """Those that tests/mpi/surface provokes."""
        source = (ROOT / "tests/mpi/surface/arguments.c").read_text()
        provoked = re.findall(r"EXPECT\((MPI_ERR_\w+), (MPI_\w+)\(", source)
        self.assertGreater(len(provoked), 30)
        for error_class, name in provoked:
            self.assertRegex(self.shown(name), rf"\b{error_class}\b", name)

    def options_are_told(self, name, said):
        page = self.shown(name)
        told = set(OPTION.findall(page))
        options = {option for names in re.findall(r"^ {2,}(-.*?)(?:   |$| [A-Z\[])", said, re.M) for option in OPTION.findall(names)}
        self.assertTrue(options, name)
        self.assertEqual(sorted(options - told), [], name)
        return options

    def test_every_option_is_told(self):
        self.assertGreater(len(self.options_are_told("mpiexec", run(self.prefix / "bin/mpiexec", "-h"))), 70)
        for name in ("info", "explain", "ps", "why", "top", "see", "stack", "resize", "trace", "doctor", "pap"):
            self.options_are_told(f"starling-{name}", run(self.prefix / "bin/starling", name, "-h"))
        for words in (("explain", "net"), ("trace", "summary"), ("trace", "convert"), ("trace", "report"), ("pap", "schedule")):
            self.options_are_told(f"starling-{words[0]}", run(self.prefix / "bin/starling", *words, "-h"))
        for wrapper in (self.prefix / "bin").glob("mpi[cf]*"):
            self.options_are_told(wrapper.name, run(wrapper, "-help:mpi"))

    def test_every_option_of_the_farm_is_told(self):
        program = Path(BUILD) / "bin/farm_program_starling"
        if not program.is_file():
            self.skipTest("no program of the farm is built")
        self.assertGreater(len(self.options_are_told("starling-farm", run(program, "--farm-help"))), 12)


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
