# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/conformance.md: what the suite said, chapter by chapter."""
import re
import subprocess
import time

HEAD = """<!-- SPDX-FileCopyrightText: 2026 The Starling authors -->
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Conformance

Written by `tests/conformance/mpich_suite.py`; do not edit.

MPICH's public test suite, configured for strict MPI without Fortran and C++, run beside the project as a yardstick with
Starling's `mpicc` and `mpiexec`, last on {date} ({cores} cores; each chapter on the commit beside it). Lines of its lists that differ only in
settings of MPICH's own are run once; programs that expect errors where they went before MPI-4.0 are run with
`mpiexec -initial-errhandler mpi_errors_return`. *Explained* are cases whose outcome the standard does not decide, or that
ask for what it does not have; *skipped* are those that take more memory than there was. The reasons stand below.

| chapter | passed | failed | explained | skipped | not built | commit |
|---|---|---|---|---|---|---|
"""
VERDICTS = ["passed", "failed", "explained", "skipped", "not built"]
ROW = re.compile(r"^\| (\S+) \|" + r" (\d+) \|" * len(VERDICTS) + r"(?: (\S*) \|)?$")
REASON = re.compile(r"^- `(.+)/[^/]+`: ")


def commit_of(root):
    return subprocess.run(["git", "-C", str(root), "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True).stdout.strip()


def rows_of(text):
    """chapter -> (the counts, the commit) of an earlier page."""
    found = {match[1]: ([int(match[i]) for i in range(2, 7)], match[7]) for match in map(ROW.match, text.splitlines()) if match}
    of_all = re.search(r"\(commit (\w+),", text)  # pages once named one commit for all chapters
    return {chapter: (counts, commit or (of_all[1] if of_all else "")) for chapter, (counts, commit) in found.items()
            if chapter != "all"}


def reasons_of(text):
    """verdict -> [(chapter, line)] of an earlier page."""
    found = {verdict: [] for verdict in VERDICTS}
    verdict = "passed"
    for line in text.splitlines():
        if line.startswith("## "):
            verdict = line[3:].lower()
        elif match := REASON.match(line):
            found[verdict].append((match[1], line))
    return found


def write(path, outcomes, root):
    before = path.read_text() if path.exists() else ""
    rows, reasons = rows_of(before), reasons_of(before)
    for chapter in {o.chapter for o in outcomes}:
        of_chapter = [o for o in outcomes if o.chapter == chapter]
        rows[chapter] = ([sum(o.verdict == verdict for o in of_chapter) for verdict in VERDICTS], of_chapter[0].commit)
        for verdict in VERDICTS[1:]:
            kept = [entry for entry in reasons[verdict] if entry[0] != chapter]
            reasons[verdict] = kept + [(chapter, f"- `{chapter}/{o.case}`: {o.why}") for o in of_chapter if o.verdict == verdict]
    cores = subprocess.run(["nproc"], capture_output=True, text=True).stdout.strip()
    text = HEAD.format(date=time.strftime("%Y-%m-%d", time.gmtime()), cores=cores)
    for chapter, (counts, commit) in sorted(rows.items()):
        text += f"| {chapter} | {' | '.join(map(str, counts))} | {commit} |\n"
    totals = [sum(counts[i] for counts, _ in rows.values()) for i in range(len(VERDICTS))]
    text += f"| all | {' | '.join(map(str, totals))} | |\n"
    for verdict in VERDICTS[1:]:
        if reasons[verdict]:
            text += f"\n## {verdict.capitalize()}\n\n" + "".join(f"{line}\n" for _, line in sorted(reasons[verdict]))
    path.write_text(text)
