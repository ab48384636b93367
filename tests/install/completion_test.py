#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What bash and zsh complete words of mpiexec and starling to.

usage: completion_test.py BUILD_FOLDER
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BUILD = ""
BASH = r"""
. "$1"
while IFS= read -r line; do
  COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
  function=$(complete -p "${line%% *}" | sed 's/.*-F \([^ ]*\).*/\1/')
  $function
  echo "${COMPREPLY[*]}"
done
"""
LINES = (
    ("mpiexec --bin", "--bind-to"),
    ("mpiexec -bin", "-bind-to"),
    ("mpiexec --soft 2,4 --arch x86_64 --oversub", "--oversubscribe"),
    ("mpiexec --bind-to ", "none hwthread core l3 numa package"),
    ("mpiexec --bind-to n", "none numa"),
    ("mpiexec -bind-to=n", "none numa"),
    ("mpirun --initial-errhandler mpi_errors_a", "mpi_errors_are_fatal mpi_errors_abort"),
    ("mpiexec -env A B --merge", "--merge-stderr-to-stdout"),
    ("mpiexec -n 4 ./p", "./program"),
    ("mpiexec -n 4 ./program --bin", ""),
    ("mpiexec -n 4 ./program inp", "input.txt"),
    ("mpiexec -n 1 ./program : --bin", "--bind-to"),
    ("mpiexec --hostfile ho", "hosts.txt"),
    ("mpiexec --wdir f", "folder"),
    ("mpiexec.starling --preload-b", "--preload-binary"),
    ("starling tr", "trace"),
    ("starling trace ", "summary convert report"),
    ("starling trace summary inp", "input.txt"),
    ("starling stack --r", "--ranks"),
    ("starling see --mpi ", "openmpi mpich"),
    ("starling run --map-by n", "node numa"),
    ("starling why ", "4711 4712"),
    ("starling why --q", "--quick"),
)


def folder_of_words():
    folder = tempfile.TemporaryDirectory()
    top = Path(folder.name)
    (top / "folder").mkdir()
    for name in ("input.txt", "hosts.txt", "program"):
        (top / name).write_text("")
    (top / "program").chmod(0o755)
    (top / "bin").mkdir()
    (top / "bin/starling").write_text("#!/bin/sh\n[ $1 = ps ] && printf '     JOB  RANKS\n    4711      2\n    4712      4\n'\n")
    (top / "bin/starling").chmod(0o755)
    return folder


class Completion(unittest.TestCase):
    def setUp(self):
        folder = folder_of_words()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.environment = {"PATH": f"{self.top}/bin:/usr/bin:/bin", "HOME": str(self.top), "TERM": "dumb", "LC_ALL": "C"}

    def test_bash_completes_words(self):
        for name in ("mpiexec", "mpirun", "starling", "mpiexec.starling"):
            self.assertTrue((Path(BUILD) / "share/bash-completion/completions" / name).is_file())
        said = subprocess.run(["bash", "--norc", "-c", BASH, "bash", Path(BUILD) / "share/bash-completion/completions/mpiexec"],
                              input="\n".join(line for line, _ in LINES) + "\n", text=True, capture_output=True, check=True,
                              cwd=self.top, env=self.environment, timeout=60)
        self.assertEqual(said.stderr, "")
        for (line, words), found in zip(LINES, said.stdout.split("\n"), strict=False):
            self.assertEqual(sorted(found.split()), sorted(words.split()), line)

    def test_bash_offers_each_option_of_the_help(self):
        said = subprocess.run([Path(BUILD) / "bin/mpiexec", "-h"], text=True, capture_output=True, check=True, timeout=60).stdout
        options = {name for names in re.findall(r"^  (-.*?)(?:   |$| [A-Z\[a-z])", said, re.M) for name in names.split(", ")}
        done = subprocess.run(["bash", "--norc", "-c", BASH, "bash", Path(BUILD) / "share/bash-completion/completions/mpiexec"],
                              input="mpiexec -\n", text=True, capture_output=True, check=True, cwd=self.top,
                              env=self.environment, timeout=60)
        self.assertEqual(options - set(done.stdout.split()), set())

    def test_zsh_completes_words(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not here")
        with Zsh(self.top, self.environment) as zsh:
            for typed, shows in (("mpiexec --bind-", "to"), ("mpiexec --bind-to=hw", "thread"), ("mpirun --map-by pack", "age"),
                                 ("mpiexec -n 4 ./prog", "ram"), ("mpiexec --hostfile hos", "ts.txt"), ("starling stac", "k"),
                                 ("starling trace sum", "mary"), ("starling run --map-by nu", "ma"), ("starling see --mpi mp", "ich")):
                self.assertTrue(zsh.completes(typed, shows), f"{typed}: {zsh.seen[-300:]!r}")


class Zsh:
    """An interactive zsh, to which keys are typed."""

    def __init__(self, top, environment):
        (top / ".zshrc").write_text(f"fpath=({BUILD}/share/zsh/site-functions $fpath)\nautoload -Uz compinit\ncompinit -u -d {top}/dump\n"
                                    "unsetopt zle_bracketed_paste prompt_cr prompt_sp\nPS1='ready>'\n")
        self.seen = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(top)
            os.execvpe("zsh", ["zsh", "-d", "-i"], {**environment, "ZDOTDIR": str(top), "COLUMNS": "200"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.terminal)
        os.waitpid(self.process, 0)

    def wait_for(self, text, limit_s=60):
        end = time.monotonic() + limit_s
        while text not in self.seen and time.monotonic() < end:
            if select.select([self.terminal], [], [], 1)[0]:
                self.seen += os.read(self.terminal, 4096).decode(errors="replace").replace("\r", "").replace("\x07", "")
        return text in self.seen

    def completes(self, typed, shows):
        """Whether the tabulator adds this to what is typed."""
        if not self.wait_for("ready>"):
            return False
        self.seen = ""
        os.write(self.terminal, f"{typed}\t".encode())
        found = self.wait_for(typed + shows)
        self.seen = "" if found else self.seen
        os.write(self.terminal, b"\x15\n")  # leaves nothing of the line
        return found


if __name__ == "__main__":
    BUILD = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
