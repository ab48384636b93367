# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the test lists of MPICH's suite: a line is `program ranks option=value...`."""
import re
from dataclasses import dataclass, field

LISTS = ("testlist", "testlist.dtp")
EXPECTS_FAILURE = ("TestErrFatal", "TestStatus")
# Settings of MPICH's own; under them a run is the same run for any other library.
FOREIGN_SETTING = re.compile(r"MPIR_|MPICH|MPIEXEC|UCX_|FI_")


@dataclass(frozen=True)
class Case:
    program: str
    ranks: int
    arguments: tuple = ()
    settings: tuple = field(default=())  # (name, value) for the environment
    limit_s: int = 0  # 0: the suite's default
    result: str = ""  # how the suite judges it; empty: 'No Errors' on standard output
    known_there: bool = False  # the suite itself marks it as expected to fail
    memory_gb: float = 0  # what the case takes; 0: nothing to speak of

    @property
    def name(self):
        words = re.sub(r"\W+", "_", " ".join(self.arguments)).strip("_")
        settings = "_".join(f"{name}={value}" for name, value in self.settings)
        return ".".join(part for part in (self.program, str(self.ranks), words, settings) if part)

    @property
    def must_fail(self):
        return self.result.startswith(EXPECTS_FAILURE)


def parse(line):
    """The case of a line, or None for a comment, a directory switch or an empty line."""
    words = line.split("#")[0].split()
    if not words or words[0].startswith("@"):
        return None
    options = [word.partition("=")[::2] for word in words[1:] if "=" in word]
    ranks = int(words[1]) if len(words) > 1 and words[1].isdigit() else 2
    settings = tuple(value.partition("=")[::2] for key, value in options if key == "env")
    single = dict(options)
    return Case(program=words[0], ranks=ranks,
                arguments=tuple(value for key, value in options if key == "arg"),
                settings=tuple(pair for pair in settings if not FOREIGN_SETTING.match(pair[0])),
                limit_s=int(single.get("timeLimit", 0)), result=single.get("resultTest", ""),
                known_there="xfail" in single, memory_gb=float(single.get("mem", 0)))


def cases(folder):
    """The cases of a folder, each once: many lines differ only in foreign settings."""
    found = {}
    for name in LISTS:
        path = folder / name
        if not path.is_file():
            path = folder / (name + ".in")
        if not path.is_file():
            continue
        for line in path.read_text().splitlines():
            case = parse(line)
            if case and not (folder / case.program).is_dir():
                found.setdefault(case.name, case)
    return list(found.values())
