#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs MPICH's public test suite, as a yardstick beside the project, with a build of Starling.

usage: mpich_suite.py --source MPICH [--build FOLDER] [--work FOLDER] [--match REGEX] [--page FILE] [CHAPTER...]

MPICH is a checkout of its public repository; nothing of it is copied into the project. Its test/mpi is copied into the
work folder, configured with Starling's mpicc and built a program at a time. A line is printed for each failure, its
output is kept in the work folder; reasons.txt explains those that the standard does not decide. Needs autoconf, automake,
libtool and make. Exits with 1 if a case failed without a reason.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import page
from testlist import cases

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHAPTERS = ["attr", "coll", "comm", "datatype", "errhan", "errors", "group", "info", "init", "pt2pt", "rma", "topo", "part",
            "session", "spawn", "threads", "io", "mpi_t"]
DEFAULT_LIMIT_S = 180
LONGEST_LIMIT_S = 300


@dataclass(frozen=True)
class Outcome:
    chapter: str
    case: str
    verdict: str  # passed, failed, explained or not built
    why: str = ""


def run_logged(command, folder, environment, log):
    with open(log, "ab") as out:
        result = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    if result.returncode != 0:
        sys.exit(f"mpich_suite: {' '.join(map(str, command))} failed; its output is in {log}")


def prepare(source, work, environment):
    """Copies, configures and builds what all tests share; done once for a work folder."""
    tests = work / "test" / "mpi"
    if (work / "ready").exists():
        return tests
    if not (source / "test" / "mpi" / "autogen.sh").is_file():
        sys.exit(f"mpich_suite: {source} is not a checkout of MPICH: it has no test/mpi/autogen.sh")
    work.mkdir(parents=True, exist_ok=True)
    for part in ("test/mpi", "confdb", "maint", "src/mpl"):
        shutil.copytree(source / part, work / part, symlinks=True, dirs_exist_ok=True)
    log = work / "prepare.log"
    with_macros = dict(environment, MPICH_CONFDB=str(work / "confdb"), CC="mpicc", MPICC="mpicc")
    run_logged(["./autogen.sh"], tests, with_macros, log)
    run_logged(["./configure", "--disable-fortran", "--disable-cxx", "--enable-strictmpi"], tests, with_macros, log)
    for part in ("dtpools", "util"):
        run_logged(["make", f"-j{os.cpu_count()}"], tests / part, environment, log)
    (work / "ready").touch()
    return tests


def folders_of(tests, chapter):
    """The chapter's folder and those below it that have lists of their own."""
    return sorted({path.parent for path in (tests / chapter).rglob("testlist*") if path.is_file()})


def passed(case, text, status):
    if case.must_fail:
        return status != 0
    return status == 0 and re.search("no errors|test passed", text, re.IGNORECASE) is not None


def run_case(case, folder, build, environment):
    limit_s = min(case.limit_s or DEFAULT_LIMIT_S, LONGEST_LIMIT_S)
    command = [str(build / "bin" / "mpiexec"), "--timeout", str(limit_s), "-n", str(case.ranks), f"./{case.program}",
               *case.arguments]
    try:
        result = subprocess.run(command, cwd=folder, env={**environment, **dict(case.settings)}, text=True,
                                errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=limit_s + 60)
        return result.stdout, result.returncode
    except subprocess.TimeoutExpired as late:
        return f"mpiexec itself did not end: {late}", -1


def reasons():
    """Case patterns and why the standard does not decide them."""
    lines = [line for line in (HERE / "reasons.txt").read_text().splitlines() if line and not line.startswith("#")]
    return [(re.compile(pattern.strip()), why.strip()) for pattern, _, why in (line.partition(" | ") for line in lines)]


def judge(chapter, case, folder, build, environment, out):
    if not (folder / case.program).exists():
        made = subprocess.run(["make", case.program], cwd=folder, env=environment, text=True, capture_output=True)
        if not (folder / case.program).exists():
            return Outcome(chapter, case.name, "not built", (made.stderr.strip().splitlines() or ["make failed"])[-1])
    text, status = run_case(case, folder, build, environment)
    if passed(case, text, status):
        return Outcome(chapter, case.name, "passed")
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{case.name[:120]}.txt").write_text(text)
    if case.known_there:
        return Outcome(chapter, case.name, "explained", "the suite itself marks it as expected to fail")
    first = next((line for line in text.splitlines() if line.strip()), "no output")
    return Outcome(chapter, case.name, "failed", f"exit status {status}: {first[:160]}")


def explained(outcome, table):
    for pattern, why in table:
        if outcome.verdict in ("failed", "not built") and pattern.fullmatch(f"{outcome.chapter}/{outcome.case}"):
            return Outcome(outcome.chapter, outcome.case, "explained", why)
    return outcome


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "conformance")
    parser.add_argument("--match", default="")
    parser.add_argument("--page", type=Path)
    parser.add_argument("chapters", nargs="*", default=CHAPTERS)
    return parser.parse_args()


def main():
    chosen = options()
    build = chosen.build.resolve()
    environment = dict(os.environ, PATH=f"{build}/bin:{os.environ['PATH']}", LD_LIBRARY_PATH=f"{build}/lib")
    work = chosen.work.resolve()
    tests = prepare(chosen.source.resolve(), work, environment)
    table = reasons()
    outcomes = []
    for chapter in chosen.chapters:
        for folder in folders_of(tests, chapter):
            label = str(folder.relative_to(tests))
            for case in cases(folder):
                if not re.search(chosen.match, case.name):
                    continue
                outcome = explained(judge(label, case, folder, build, environment, work / "output" / label), table)
                outcomes.append(outcome)
                if outcome.verdict != "passed":
                    print(f"{outcome.verdict} {label}/{case.name}: {outcome.why}", flush=True)
        print(f"{chapter}: {dict(Counter(o.verdict for o in outcomes if o.chapter.split('/')[0] == chapter))}", flush=True)
    if chosen.page:
        page.write(chosen.page, outcomes, ROOT)
    return 1 if any(o.verdict in ("failed", "not built") for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
