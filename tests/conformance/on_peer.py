#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs Starling's MPI cases (tests/mpi/<chapter>) on another MPI, to know that they ask for what the standard says.

usage: on_peer.py PEER [--ranks N,N...] [--case SUBSTRING] [--judge-all] [--page FILE] [CHAPTER...]
       on_peer.py PEER --page FILE --only-page

PEER is the suffix of its wrappers: mpicxx.PEER, mpiexec.PEER. on_PEER.txt names the cases that it cannot be asked, with the
reason; --judge-all runs them as well. A case that ends or hangs the job fails, and the others go on without it. Cases of a
newer MPI than the peer's are not compiled. A line is printed for each run and each failure; with --page the outcomes of all chapters
that were run whole in the work folder (build/peers/PEER) are written as a page. Exits with 1 if a case failed.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import peer_page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TESTS = ROOT / "tests"
COMPANIONS = {"spawn": (TESTS / "mpi/spawn_child/child.cpp", "mpi_spawn_child")}  # what a chapter's program starts
RUNNER = ["mpi_cases", "options", "watchdog", "main_processes"]
DEFAULT_RANKS = "1,2,3,4"
CASE_LIMIT_S = 60
OVERSUBSCRIBED_CASE_LIMIT_S = 300  # of more ranks than cores, which spin: a barrier of the peer's takes a tenth of a second then
JOB_LIMIT_S = 900
COMPILE = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Wno-cast-function-type", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
VERDICT = re.compile(r"^(ok|FAILED) +[0-9.]+ ms  (.*)$")


@dataclass(frozen=True)
class Outcome:
    chapter: str
    case: str
    ranks: int
    verdict: str  # passed, failed, not judged, or not there: of a newer MPI
    why: str = ""


@dataclass(frozen=True)
class Case:
    name: str
    least: int
    most: int


class Peer:
    def __init__(self, name):
        self.name = name
        self.work = ROOT / "build" / "peers" / name
        self.work.mkdir(parents=True, exist_ok=True)
        self.unjudged = read_list(HERE / f"on_{name}.txt")

    def why_not(self, chapter, case, ranks):
        """Why the case is not judged with so many ranks; None if it is."""
        for where, why in self.unjudged.get((chapter, case), []) + self.unjudged.get((chapter, "*"), []):
            if where is None or ranks in where:
                return why
        return None

    def build(self, chapter):
        """The chapter's program; compiles what is older than its source or a header, and the chapter's files as one."""
        cases = sorted((TESTS / "mpi" / chapter).glob("*.cpp"))
        together = self.work / f"{chapter}.cpp"
        text = "".join(f'#include "{source}"\n' for source in cases)
        if not together.exists() or together.read_text() != text:
            together.write_text(text)
        runner = [TESTS / "support" / f"{name}.cpp" for name in RUNNER]
        sources = [together, *runner]
        headers = [*(TESTS / "support").glob("*.hpp"), *(TESTS / "mpi" / chapter).glob("*.hpp"), *cases]
        newest_header = max(header.stat().st_mtime for header in headers)
        objects = [self.work / f"{source.stem}.o" for source in sources]
        stale = [(source, made) for source, made in zip(sources, objects)
                 if not made.exists() or made.stat().st_mtime <= max(source.stat().st_mtime, newest_header)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda pair: self.compile(["-c", pair[0], "-o", pair[1]]), stale))
        program = self.work / chapter
        if stale or not program.exists():
            self.compile([*objects, "-pthread", "-o", program])
            if chapter in COMPANIONS:
                source, companion = COMPANIONS[chapter]
                self.compile([source, "-pthread", "-o", self.work / companion])
        return program

    def compile(self, arguments):
        subprocess.run([f"mpicxx.{self.name}", *COMPILE, f"-I{TESTS}", *map(str, arguments)], check=True)

    def launch(self, program, ranks, arguments):
        """The cases that were reported, with whether they held, and the output."""
        launcher = [f"mpiexec.{self.name}", *(["--oversubscribe"] if self.name == "openmpi" else []), "-n", str(ranks)]
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        run = subprocess.run(["timeout", "-k", "10", str(JOB_LIMIT_S), *launcher, program, *arguments], env=environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        held = {match[2]: match[1] == "ok" for match in map(VERDICT.match, run.stdout.splitlines()) if match}
        return held, run.stdout


def read_list(path):
    """(chapter, case) -> [(the counts of ranks or None for all, why)]."""
    found = defaultdict(list)
    lines = path.read_text().splitlines() if path.exists() else []
    for line in lines:
        if line and not line.startswith("#"):
            case, ranks, why = (part.strip() for part in line.split(" | "))
            where = None if ranks == "all" else {int(one) for one in ranks.split(",")}
            found[tuple(case.split("/", 1))].append((where, why))
    return found


def declared_cases(chapter):
    """The cases in the chapter's sources, whatever the version of MPI."""
    text = "".join(source.read_text() for source in sorted((TESTS / "mpi" / chapter).glob("*.cpp")))
    found = re.findall(r'MPI_(?:NODE_)?CASE\("([^"]+)",\s*(\d+),\s*(\w+)\)', text)
    return [Case(name, int(least), int(most) if most.isdigit() else sys.maxsize) for name, least, most in found]


def cases_in(chapter):
    return [case.name for case in declared_cases(chapter)]


def cases_of(program):
    """What the program has, in the order in which it runs them."""
    listed = subprocess.run([program, "--list"], check=True, text=True, capture_output=True).stdout
    rows = (line.split(" ", 2) for line in listed.splitlines())
    return [Case(name, int(least), int(most)) for least, most, name in rows]


def run(peer, chapter, ranks, chosen):
    """The outcomes of a chapter with so many ranks."""
    if (chapter, "*") in peer.unjudged and not chosen.judge_all:  # it may not even compile there
        why = peer.why_not(chapter, "*", ranks)
        return [Outcome(chapter, case.name, ranks, "not judged", why) for case in declared_cases(chapter)
                if chosen.case in case.name and case.least <= ranks <= case.most]
    program = peer.build(chapter)
    present = cases_of(program)
    mine = [case.name for case in present if chosen.case in case.name and case.least <= ranks <= case.most]
    why_not = {name: None if chosen.judge_all else peer.why_not(chapter, name, ranks) for name in mine}
    outcomes = [Outcome(chapter, name, ranks, "not judged", why) for name, why in why_not.items() if why]
    names = {case.name for case in present}
    outcomes += [Outcome(chapter, name, ranks, "not there") for name in cases_in(chapter) if name not in names]
    left = [name for name in mine if not why_not[name]]
    limit_s = CASE_LIMIT_S if ranks <= os.cpu_count() else OVERSUBSCRIBED_CASE_LIMIT_S
    log = peer.work / f"{chapter}.{ranks}.log"
    log.write_text("")
    while left:
        without = [argument for name in mine if name not in left for argument in ("--except", name)]
        held, text = peer.launch(program, ranks, ["--case", chosen.case, "--case-timeout", str(limit_s), *without])
        with log.open("a") as kept:
            kept.write(text)
        for name in [name for name in left if name in held]:
            outcomes.append(Outcome(chapter, name, ranks, "passed" if held[name] else "failed", "" if held[name] else said_of(name, text)))
        left = [name for name in left if name not in held]
        if left:
            outcomes.append(Outcome(chapter, left[0], ranks, "failed", "ended the job: " + said_of(left[0], text)))
            left = left[1:]
    return outcomes


def said_of(name, text):
    """The first line of the output about the case, or the last of all."""
    lines = [line for line in text.splitlines() if f'"{name}"' in line]
    return (lines or text.strip().splitlines()[-1:] or ["no output"])[0][:300]


def listed(peer, outcome):
    """The outcome, where a case that failed has come into the list since."""
    why = peer.why_not(outcome.chapter, outcome.case, outcome.ranks) if outcome.verdict == "failed" else None
    return replace(outcome, verdict="not judged", why=why) if why else outcome


def stale_entries(peer, chapters):
    """Entries of the list that name no case."""
    return [f"{chapter}/{case}" for chapter, case in peer.unjudged
            if chapter in chapters and case != "*" and case not in cases_in(chapter)]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer")
    parser.add_argument("--ranks", default=DEFAULT_RANKS)
    parser.add_argument("--case", default="")
    parser.add_argument("--judge-all", action="store_true")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--only-page", action="store_true")
    parser.add_argument("chapters", nargs="*", default=all_chapters())
    return parser.parse_intermixed_args()


def all_chapters():
    folders = {source.parent for source in (TESTS / "mpi").glob("*/*.cpp")}
    return sorted(folder.name for folder in folders if cases_in(folder.name))


def main():
    chosen = options()
    peer = Peer(chosen.peer)
    store = peer.work / "outcomes"
    store.mkdir(exist_ok=True)
    bad = [f"on_{peer.name}.txt names a case that is not there: {entry}" for entry in stale_entries(peer, chosen.chapters)]
    for chapter in [] if chosen.only_page else chosen.chapters:
        for ranks in map(int, chosen.ranks.split(",")):
            outcomes = run(peer, chapter, ranks, chosen)
            count = defaultdict(int)
            for outcome in outcomes:
                count[outcome.verdict] += 1
            bad += [f"{o.chapter}, {o.ranks} ranks: \"{o.case}\": {o.why}" for o in outcomes if o.verdict == "failed"]
            print(f"{chapter} with {ranks}: {count['passed']} passed, {count['failed']} failed, {count['not judged']} not judged",
                  flush=True)
            if not chosen.case and not chosen.judge_all:
                (store / f"{chapter}.{ranks}.json").write_text(json.dumps([asdict(one) for one in outcomes], indent=1))
    for line in bad:
        print(line)
    if chosen.page:
        kept = [Outcome(**fields) for path in sorted(store.glob("*.json")) for fields in json.loads(path.read_text())]
        peer_page.write(chosen.page, peer.name, [listed(peer, outcome) for outcome in kept])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
