#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs MPICH's public test suite, as a yardstick beside the project, with a build of Starling.

usage: mpich_suite.py --source MPICH [--build FOLDER] [--work FOLDER] [--hosts N] [--limit S] [--match REGEX] [--page FILE]
                      [CHAPTER...]
       mpich_suite.py --work FOLDER [--hosts N] --page FILE --only-page

MPICH is a checkout of its public repository; nothing of it is copied into the project. Its test/mpi is copied into the
work folder, configured with Starling's mpicc and built a program at a time. A line is printed for each failure, its
output is kept in the work folder; reasons.txt explains those that the standard does not decide (reasons_hosts.txt over hosts), handlers.txt names those
that expect errors where they went before MPI-4.0. A chapter's outcomes are kept in the work folder too (with --match they replace those of the same cases),
so that the suite may be run chapter by chapter, several at a time, and the page be written of all; a chapter without outcomes
keeps what the page said of it before. With --hosts N the ranks of a case are dealt in turns to N hosts, which scripts/test_hosts
makes of namespaces (root); those outcomes are kept apart and have a page of their own. A case has the time that its list gives
it, at most --limit seconds. Needs autoconf, automake, libtool and make. Exits with 1 if a case failed without a reason.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import page
from launchers import launcher
from testlist import cases

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHAPTERS = ["attr", "coll", "comm", "datatype", "errhan", "errors", "group", "info", "init", "pt2pt", "rma", "topo", "part",
            "session", "spawn", "threads", "io", "mpi_t"]
FORTRAN = ["f77", "f90", "f08"]  # chapters as well, where Starling was built with Fortran
OTHER_LANGUAGES = {"cxx", *FORTRAN}
DEFAULT_LIMIT_S = 180
LONGEST_LIMIT_S = 600
MEMORY_SHARE = 0.8  # of what is free when a case begins
REFUSED = re.compile(r"(?:are on several nodes, and|processes on several nodes, and|on host \S+, and) (.*?) yet")


@dataclass(frozen=True)
class Outcome:
    chapter: str
    case: str
    verdict: str  # passed, failed, explained, skipped or not built; over hosts also refused or not applicable
    why: str = ""
    commit: str = ""  # of Starling


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
    with_macros = dict(environment, MPICH_CONFDB=str(work / "confdb"), CC="mpicc", MPICC="mpicc", F77="mpif77", FC="mpifort",
                       MPIF77="mpif77", MPIFC="mpifort")
    languages = ["--disable-cxx", *([] if has_fortran(environment) else ["--disable-fortran"])]
    run_logged(["./autogen.sh"], tests, with_macros, log)
    run_logged(["./configure", *languages, "--enable-strictmpi"], tests, with_macros, log)
    for part in ("dtpools", "util"):
        run_logged(["make", f"-j{os.cpu_count()}"], tests / part, environment, log)
    (work / "ready").touch()
    return tests


def folders_of(tests, chapter):
    """The chapter's folder and those below it that have lists of their own."""
    found = {path.parent for path in (tests / chapter).rglob("testlist*") if path.is_file()}
    return sorted(folder for folder in found if not (OTHER_LANGUAGES - {chapter}) & set(folder.relative_to(tests).parts))


def has_fortran(environment):
    return shutil.which("mpifort", path=environment["PATH"].split(":")[0]) is not None


def passed(case, text, status):
    if case.must_fail:
        return status != 0
    return status == 0 and re.search("no errors|test passed", text, re.IGNORECASE) is not None


def needs_handler(name):
    """Whether the case is one of handlers.txt."""
    patterns = [line for line in (HERE / "handlers.txt").read_text().splitlines() if line and not line.startswith("#")]
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def run_case(chapter, case, folder, start):
    limit_s = min(case.limit_s or DEFAULT_LIMIT_S, start.longest_s)
    handler = ["-initial-errhandler", "mpi_errors_return"] if needs_handler(f"{chapter}/{case.program}") else []
    return start.run(case, handler, folder, limit_s)


def reasons(hosts):
    """Case patterns and why the standard does not decide them; some only where the ranks are on several hosts."""
    files = ["reasons.txt", "reasons_hosts.txt"] if hosts else ["reasons.txt"]
    lines = [line for file in files for line in (HERE / file).read_text().splitlines() if line and not line.startswith("#")]
    return [(re.compile(pattern.strip()), why.strip()) for pattern, _, why in (line.partition(" | ") for line in lines)]


def available_gb():
    """The memory that programs may still take."""
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return int(lines["MemAvailable"].split()[0]) * 1024 / 1e9


def judge(chapter, case, folder, start, out):
    if why := start.not_applicable(case):
        return Outcome(chapter, case.name, "not applicable", why)
    if not (folder / case.program).exists():
        made = subprocess.run(["make", case.program], cwd=folder, env=start.environment, text=True, capture_output=True)
        if not (folder / case.program).exists():
            return Outcome(chapter, case.name, "not built", (made.stderr.strip().splitlines() or ["make failed"])[-1])
    if case.memory_gb > MEMORY_SHARE * available_gb():
        return Outcome(chapter, case.name, "skipped", f"takes {case.memory_gb:g} GB of memory")
    text, status = run_case(chapter, case, folder, start)
    if passed(case, text, status):
        return Outcome(chapter, case.name, "passed")
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{case.name[:120]}.txt").write_text(text)
    if refusal := REFUSED.search(text):
        return Outcome(chapter, case.name, "refused", refusal[1])
    if case.known_there:
        return Outcome(chapter, case.name, "explained", "the suite itself marks it as expected to fail")
    first = next((line for line in text.splitlines() if line.strip()), "no output")
    return Outcome(chapter, case.name, "failed", f"exit status {status}: {first[:160]}")


def explained(outcome, table):
    """With its reason, where the table has one. A reason "refused: ..." is of a program that does not print what it was told."""
    for pattern, why in table:
        if outcome.verdict in ("failed", "not built", "explained") and pattern.fullmatch(f"{outcome.chapter}/{outcome.case}"):
            refusal = why.removeprefix("refused: ")
            return replace(outcome, verdict="explained" if refusal == why else "refused", why=refusal)
    return outcome


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=Path("."))
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "conformance")
    parser.add_argument("--hosts", type=int, default=0, metavar="N")
    parser.add_argument("--limit", type=int, default=LONGEST_LIMIT_S, metavar="S")
    parser.add_argument("--match", default="")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--only-page", action="store_true")
    parser.add_argument("chapters", nargs="*", help="all by default")
    return parser.parse_args()


def kind_of(chosen):
    return "-hosts" if chosen.hosts else ""


def run_chapter(tests, chapter, chosen, start):
    """The outcomes of a chapter, each failure printed as it comes."""
    outcomes = []
    for folder in folders_of(tests, chapter):
        label = str(folder.relative_to(tests))
        for case in cases(folder):
            if not re.search(chosen.match, case.name):
                continue
            outcome = judge(label, case, folder, start, chosen.work / ("output" + kind_of(chosen)) / label)
            outcomes.append(outcome)
            if outcome.verdict not in ("passed", "not applicable"):
                print(f"{outcome.verdict} {label}/{case.name}: {outcome.why}", flush=True)
    print(f"{chapter}: {dict(Counter(o.verdict for o in outcomes))}", flush=True)
    return outcomes


def keep(folder, chapter, outcomes, whole):
    """Keeps the outcomes of a whole chapter, or replaces some of those that were kept."""
    path = folder / f"{chapter}.json"
    commit = page.commit_of(ROOT)
    marked = {(o.chapter, o.case): asdict(replace(o, commit=commit)) for o in outcomes}
    if not whole:
        if not path.exists():
            return
        before = json.loads(path.read_text())
        marked = {(fields["chapter"], fields["case"]): fields for fields in before} | marked
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(marked.values()), indent=1))


def kept(folder):
    """The outcomes of every chapter, or folder of a chapter, that was ever run whole in this work folder; the newest of
    each case."""
    files = sorted(folder.rglob("*.json"), key=lambda path: path.stat().st_mtime)
    outcomes = [Outcome(**fields) for path in files for fields in json.loads(path.read_text())]
    return list({(outcome.chapter, outcome.case): outcome for outcome in outcomes}.values())


def main():
    chosen = options()
    build = chosen.build.resolve()
    environment = dict(os.environ, PATH=f"{build}/bin:{os.environ['PATH']}", LD_LIBRARY_PATH=f"{build}/lib")
    chosen.work = chosen.work.resolve()
    store = chosen.work / ("outcomes" + kind_of(chosen))
    outcomes = []
    if not chosen.only_page:
        tests = prepare(chosen.source.resolve(), chosen.work, environment)
        start = launcher(build, environment, chosen.hosts, chosen.limit)
        for chapter in chosen.chapters or CHAPTERS + (FORTRAN if has_fortran(environment) else []):
            found = run_chapter(tests, chapter, chosen, start)
            outcomes += found
            keep(store, chapter, found, whole=not chosen.match)
    table = reasons(chosen.hosts)
    if chosen.page:
        page.write(chosen.page, [explained(outcome, table) for outcome in kept(store)], ROOT,
                   page.OVER_HOSTS if chosen.hosts else page.ON_ONE_MACHINE)
    return 1 if any(explained(o, table).verdict in ("failed", "not built") for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
