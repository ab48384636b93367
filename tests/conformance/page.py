# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/conformance.md and conformance-hosts.md: what the suite said, chapter by chapter."""
import re
import subprocess
import time
from collections import Counter
from dataclasses import dataclass

HEAD = """<!-- SPDX-FileCopyrightText: 2026 The Starling authors -->
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Conformance

Written by `tests/conformance/mpich_suite.py`; do not edit.

MPICH's public test suite, configured for strict MPI without C++, run beside the project as a yardstick with
Starling's `mpicc` and `mpiexec`, last on {date} ({cores} cores; each chapter on the commit beside it). Lines of its lists that differ only in
settings of MPICH's own are run once; programs that expect errors where they went before MPI-4.0 are run with
`mpiexec -initial-errhandler mpi_errors_return`. *Explained* are cases whose outcome the standard does not decide, or that
ask for what it does not have; *skipped* are those that take more memory than there was. The reasons stand below.
[Over two hosts](conformance-hosts.md) has a page of its own.

"""
HEAD_OVER_HOSTS = """<!-- SPDX-FileCopyrightText: 2026 The Starling authors -->
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Conformance over several hosts

Written by `tests/conformance/mpich_suite.py --hosts 2`; do not edit.

MPICH's public test suite as on [one machine](conformance.md), with the ranks of each case dealt in turns to two hosts that
`scripts/test_hosts` makes of namespaces, last on {date} ({cores} cores; each chapter on the commit beside it).
Neighbours in MPI_COMM_WORLD are never on one host. *Refused* are cases that need what Starling refuses, with a
sentence, on communicators that span hosts ([the list](../howto/several-machines.md)); cases of
processes that pass ask for them on one host only, or not at all. *Not applicable* are those of one rank.
Chapters that are not in the table were not run.

"""


def commit_of(root):
    return subprocess.run(["git", "-C", str(root), "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True).stdout.strip()


@dataclass(frozen=True)
class Kind:
    """A kind of page: what is said on top, the columns, and which of them name counts of cases and not each case."""
    head: str
    verdicts: tuple
    counted: tuple = ()

    @property
    def table(self):
        columns = ["chapter", *self.verdicts, "commit"]
        return f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|\n"

    @property
    def row(self):
        return re.compile(r"^\| (\S+) \|" + r" (\d+) \|" * len(self.verdicts) + r"(?: (\S*) \|)?$")


ON_ONE_MACHINE = Kind(HEAD, ("passed", "failed", "explained", "skipped", "not built"))
OVER_HOSTS = Kind(HEAD_OVER_HOSTS, ("passed", "failed", "explained", "refused", "not applicable", "skipped", "not built"),
                  ("refused", "not applicable"))
REASON = re.compile(r"^- `(?:([^`]+)` \(\d+ cases?\)|(.+)/[^/]+`): ")


def rows_of(text, kind):
    """chapter -> (the counts, the commit) of an earlier page."""
    matches = [match.groups() for match in map(kind.row.match, text.splitlines()) if match]
    found = {chapter: ([int(count) for count in counts], commit) for chapter, *counts, commit in matches}
    of_all = re.search(r"\(commit (\w+),", text)  # pages once named one commit for all chapters
    return {chapter: (counts, commit or (of_all[1] if of_all else "")) for chapter, (counts, commit) in found.items()
            if chapter != "all"}


def reasons_of(text, kind):
    """verdict -> [(chapter, line)] of an earlier page."""
    found = {verdict: [] for verdict in kind.verdicts}
    verdict = "passed"
    for line in text.splitlines():
        if line.startswith("## "):
            verdict = line[3:].lower()
        elif match := REASON.match(line):
            found[verdict].append((match[1] or match[2], line))
    return found


def lines_of(chapter, outcomes, verdict, kind):
    """The reasons of the cases of a chapter with this verdict, each as (chapter, line)."""
    those = [o for o in outcomes if o.verdict == verdict]
    if verdict not in kind.counted:
        return [(chapter, f"- `{chapter}/{o.case}`: {o.why}") for o in those]
    return [(chapter, f"- `{chapter}` ({count} case{'s' * (count > 1)}): {why}")
            for why, count in Counter(o.why for o in those).items()]


def write(path, outcomes, root, kind=ON_ONE_MACHINE):
    before = path.read_text() if path.exists() else ""
    rows, reasons = rows_of(before, kind), reasons_of(before, kind)
    for chapter in {o.chapter for o in outcomes}:
        of_chapter = [o for o in outcomes if o.chapter == chapter]
        rows[chapter] = ([sum(o.verdict == verdict for o in of_chapter) for verdict in kind.verdicts], of_chapter[0].commit)
        for verdict in kind.verdicts[1:]:
            kept = [entry for entry in reasons[verdict] if entry[0] != chapter]
            reasons[verdict] = kept + lines_of(chapter, of_chapter, verdict, kind)
    cores = subprocess.run(["nproc"], capture_output=True, text=True).stdout.strip()
    text = kind.head.format(date=time.strftime("%Y-%m-%d", time.gmtime()), cores=cores) + kind.table
    for chapter, (counts, commit) in sorted(rows.items()):
        text += f"| {chapter} | {' | '.join(map(str, counts))} | {commit} |\n"
    totals = [sum(counts[i] for counts, _ in rows.values()) for i in range(len(kind.verdicts))]
    text += f"| all | {' | '.join(map(str, totals))} | |\n"
    for verdict in kind.verdicts[1:]:
        if reasons[verdict]:
            text += f"\n## {verdict.capitalize()}\n\n" + "".join(f"{line}\n" for _, line in sorted(reasons[verdict]))
    path.write_text(text)
