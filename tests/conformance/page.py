# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/conformance.md: what the suite said, chapter by chapter."""
import subprocess
import time

HEAD = """<!-- SPDX-FileCopyrightText: 2026 The Starling authors -->
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Conformance

Written by `tests/conformance/mpich_suite.py`; do not edit.

MPICH's public test suite, configured for strict MPI without Fortran and C++, run beside the project as a yardstick with
Starling's `mpicc` and `mpiexec` on {date} (commit {commit}, {cores} cores). Lines of its lists that differ only in
settings of MPICH's own are run once. *Explained* are cases whose outcome the standard does not decide, or that ask for
what it does not have; the reasons stand below.

| chapter | passed | failed | explained | not built |
|---|---|---|---|---|
"""
VERDICTS = ["passed", "failed", "explained", "not built"]


def counts(outcomes):
    return " | ".join(str(sum(o.verdict == verdict for o in outcomes)) for verdict in VERDICTS)


def write(path, outcomes, root):
    commit = subprocess.run(["git", "-C", str(root), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    cores = subprocess.run(["nproc"], capture_output=True, text=True).stdout.strip()
    text = HEAD.format(date=time.strftime("%Y-%m-%d", time.gmtime()), commit=commit.stdout.strip(), cores=cores)
    for chapter in sorted({o.chapter for o in outcomes}):
        text += f"| {chapter} | {counts([o for o in outcomes if o.chapter == chapter])} |\n"
    text += f"| all | {counts(outcomes)} |\n"
    for verdict in VERDICTS[1:]:
        listed = [o for o in outcomes if o.verdict == verdict]
        if listed:
            text += f"\n## {verdict.capitalize()}\n\n" + "".join(f"- `{o.chapter}/{o.case}`: {o.why}\n" for o in listed)
    path.write_text(text)
