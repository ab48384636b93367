# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/conformance-<peer>.md: what another MPI said to Starling's own cases, chapter by chapter."""
import subprocess
import time

HEAD = """<!-- SPDX-FileCopyrightText: 2026 The Starling authors -->
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Starling's cases on {title}

Written by `tests/conformance/on_peer.py`; do not edit.

The cases of tests/mpi, built with `mpicxx.{peer}` and run by `mpiexec.{peer}` ({version}), last on {date} ({cores} cores),
so that no case asks for what only Starling does. A case passed if it passed with every number of ranks with which
it ran; it is *not judged* if with one of them the peer cannot be asked, for the reason below; *not there* are cases of a
newer MPI than the peer's.

| chapter | ranks | cases | passed | failed | not judged | not there |
|---|---|---|---|---|---|---|
"""
VERDICTS = ["failed", "not judged", "not there", "passed"]  # a case has the first that it ever had


def version_of(peer):
    said = subprocess.run([f"mpiexec.{peer}", "--version"], capture_output=True, text=True).stdout
    lines = [line.split(":", 1)[-1].strip() for line in said.splitlines() if "ersion" in line or "mpiexec" in line]
    return lines[0] if lines else "of an unknown version"


def verdict_of(outcomes):
    return next(verdict for verdict in VERDICTS if any(o.verdict == verdict for o in outcomes))


def row(chapter, outcomes):
    by_case = {}
    for outcome in outcomes:
        by_case.setdefault((outcome.chapter, outcome.case), []).append(outcome)
    verdicts = [verdict_of(of_case) for of_case in by_case.values()]
    ranks = ", ".join(map(str, sorted({o.ranks for o in outcomes})))
    counts = " | ".join(str(verdicts.count(verdict)) for verdict in ["passed", "failed", "not judged", "not there"])
    return f"| {chapter} | {ranks} | {len(by_case)} | {counts} |\n"


def reasons(outcomes):
    """Each case that is not judged, with the ranks, once."""
    found = {}
    for o in outcomes:
        if o.verdict in ("not judged", "failed"):
            found.setdefault((o.verdict, o.chapter, o.case, o.why), []).append(o.ranks)
    lines = {"failed": "", "not judged": ""}
    for (verdict, chapter, case, why), ranks in sorted(found.items()):
        lines[verdict] += f"- {chapter}, \"{case}\" ({', '.join(map(str, sorted(ranks)))} ranks): {why}\n"
    return "".join(f"\n## {verdict.capitalize()}\n\n{text}" for verdict, text in lines.items() if text)


def write(path, peer, outcomes):
    cores = subprocess.run(["nproc"], capture_output=True, text=True).stdout.strip()
    title = {"mpich": "MPICH", "openmpi": "Open MPI"}.get(peer, peer)
    text = HEAD.format(peer=peer, title=title, version=version_of(peer), cores=cores, date=time.strftime("%Y-%m-%d", time.gmtime()))
    for chapter in sorted({o.chapter for o in outcomes}):
        text += row(chapter, [o for o in outcomes if o.chapter == chapter])
    text += row("all", outcomes) + reasons(outcomes)
    path.write_text(text)
