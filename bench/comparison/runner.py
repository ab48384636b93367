# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a group: in every round each library once, in turn, with the cache-line control before and after each run."""
import os
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field

from comparison import over_hosts
from comparison.libraries import FIFO

# The classes of a control, each with the round trip of a cache line (ns) that it stays below.
PLACEMENTS = (("sibling", 70.0), ("near", 180.0), ("far", float("inf")))
BUSY_SPREAD = 1.5  # median of the control over its minimum; more means that other work disturbs it
MAX_FAILURES = 2


@dataclass(frozen=True)
class Figure:
    value: float
    unit: str
    low: float
    high: float
    at_limit: bool = False  # the run did not end; the value is its time limit

    @property
    def more_is_better(self):
        return self.unit in ("MB/s", "Mmsg/s")


@dataclass(frozen=True)
class Control:
    """The bare cache line, one way. The minimum shows where the cores are, the median what they give just now."""
    median_ns: float
    min_ns: float

    @property
    def placement(self):
        return next(name for name, round_trip_ns in PLACEMENTS if 2 * self.min_ns < round_trip_ns)

    @property
    def busy(self):
        return self.median_ns > BUSY_SPREAD * self.min_ns


@dataclass
class Sample:
    """One run: its control (ns one way), its class, whether the machine was busy, and its figures by (name, size)."""
    control_ns: float | None
    placement: str
    busy: bool
    figures: dict
    number: int = 0  # of its round

    @staticmethod
    def between(before, after, figures, number=0):
        if before is None or after is None:
            return Sample(None, "unknown", False, figures, number)
        placement = before.placement if before.placement == after.placement else "mixed"
        return Sample((before.median_ns + after.median_ns) / 2, placement, before.busy or after.busy, figures, number)


@dataclass
class GroupResult:
    group: object
    commands: dict = field(default_factory=dict)
    samples: dict = field(default_factory=dict)   # library key -> [Sample]
    failures: dict = field(default_factory=dict)  # library key -> [text]
    placement: str = "unknown"
    sockets: list = field(default_factory=list)   # over hosts: [Sample] of plain sockets, around each run

    def chosen(self, key):
        return [s for s in self.samples.get(key, []) if s.placement == self.placement]

    def keys(self):
        found = {}
        for key in self.samples:
            for sample in self.chosen(key):
                found.update(dict.fromkeys(sample.figures))
        return list(found)

    def median(self, key, figure_key):
        """The median of the chosen runs, with the smallest and largest repetition of them all; None without any."""
        figures = [s.figures[figure_key] for s in self.chosen(key) if figure_key in s.figures]
        if not figures:
            return None
        middle = statistics.median(f.value for f in figures)
        if any(f.at_limit for f in figures):  # no mean of a figure and a limit: of two in the middle the better one
            better = statistics.median_high if figures[0].more_is_better else statistics.median_low
            middle = better(f.value for f in figures)
        return Figure(middle, figures[0].unit, min(f.low for f in figures), max(f.high for f in figures),
                      any(f.at_limit and f.value <= middle for f in figures))

    def socket_us(self, size):
        """Plain sockets: half a round trip, the median of the chosen runs; None without any."""
        values = [sample.figures[("socket", size)].value for sample in self.sockets
                  if sample.placement == self.placement and ("socket", size) in sample.figures]
        return statistics.median(values) if values else None

    def control_ns(self):
        values = [s.control_ns for key in self.samples for s in self.chosen(key) if s.control_ns is not None]
        return statistics.median(values) if values else None

    def busy_runs(self):
        return sum(s.busy for key in self.samples for s in self.chosen(key))

    def choose_placement(self):
        """The class that leaves every library the most runs; returns how many it leaves the poorest."""
        def counts(placement):
            return [sum(s.placement == placement for s in samples) for samples in self.samples.values() if samples]
        names = [name for name, _ in PLACEMENTS] + ["unknown"]
        best = max(names, key=lambda p: (min(counts(p), default=0), sum(counts(p))))
        self.placement = best
        return min(counts(best), default=0)


def measure_control(workbench):
    """None where two cores are not to be had."""
    priority = FIFO if workbench.fifo else ()
    result = subprocess.run([*priority, workbench.control], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return None
    fields = result.stdout.split("\t")
    return Control(float(fields[2]), float(fields[4]))


def execute(command, limit_s, clear=lambda: None):
    """The output, the wall time and, when something went wrong, why. `clear` ends what the launcher may leave."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        clear()
        try:
            out, _ = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
        return out, limit_s, f"no end after {limit_s:.0f} s"
    wall_s = time.perf_counter() - start
    if process.returncode != 0:
        return out, wall_s, f"exit status {process.returncode}: {err.strip()[:400]}"
    return out, wall_s, None


def parse_figures(text):
    figures = {}
    for line in text.splitlines():
        parts = line.split("\t")
        if len(parts) != 6 or line.startswith("#"):
            continue
        name, size, value, unit, low, high = parts
        figures[(name, int(size))] = Figure(float(value), unit, float(low), float(high))
    return figures


def at_limit(unit, limit_s):
    """What a run that does not end counts as: its time limit, or one message in it."""
    value = {"us": 1e6 * limit_s, "Mmsg/s": 1e-6 / limit_s}.get(unit, limit_s)
    return Figure(value, unit, value, value, True)


def payload_of(group, figures):
    """The least that the ranks of a host must have sent to those of another for these figures: a sixteenth of what the time of
    each figure had room for, of its size (a ping-pong sends at every second figure, and the number of repetitions follows from
    a first one that may be slow); an operation without data is one byte."""
    payload = 0
    for (_, size), figure in figures.items():
        operations = {"us": 1e6 * group.budget_s / figure.value, "Mmsg/s": 1e6 * group.budget_s * figure.value}
        payload += max(1, operations.get(figure.unit, 0) / 16) * max(1, size)
    return payload


def run_over_hosts(group, command, hosts):
    """Here a run that does not end has an error and figures."""
    before = over_hosts.bytes_sent(hosts)
    out, wall_s, error = execute(command, group.limit_s, lambda: over_hosts.clear(hosts))
    over_hosts.clear(hosts)
    figures = parse_figures(out)
    sent = max(now - then for now, then in zip(over_hosts.bytes_sent(hosts), before))
    if sent <= payload_of(group, figures):
        return {}, f"{sent} bytes have left a host, and the payload is {payload_of(group, figures):.0f}: it took another way"
    if error and wall_s >= group.limit_s:
        missing = {(name, size): at_limit(unit, group.limit_s) for name, size, unit in group.expected}
        return {**missing, **figures}, error
    return ({}, error) if error else (figures, None if figures else "no figures were printed")


# $0: Python; $1: how many.
BESIDE_OTHERS = """n=$1; shift; others=
while [ "$n" -gt 0 ]; do "$0" -c "while True: pass" & others="$others $!"; n=$((n - 1)); done
"$@"; status=$?
kill $others
exit $status"""


def beside_others(count, command):
    """The command beside so many programs that compute, in one session: a system that shares the cores out among sessions
    first would else keep the two apart, and others do not."""
    return ["sh", "-c", BESIDE_OTHERS, sys.executable, str(count), *command] if count else command


def run_once(group, command, hosts=None):
    if group.hosts > 1:
        return run_over_hosts(group, command, hosts)
    command = beside_others(group.computing, command)
    if not group.timed_from_outside:
        out, _, error = execute(command, group.limit_s)
        figures = parse_figures(out)
        return figures, error or (None if figures else "no figures were printed")
    walls = []
    for _ in range(group.timed_from_outside):
        _, wall_s, error = execute(command, group.limit_s)
        if error:
            return {}, error
        walls.append(wall_s)
    return {("startup", 0): Figure(statistics.median(walls), "s", min(walls), max(walls))}, None


class GroupRun:
    def __init__(self, workbench, group, patience_s):
        self.workbench = workbench
        self.patience_s = patience_s
        self.result = GroupResult(group)
        self.used_s = {library.key: 0.0 for library in workbench.libraries}
        for library in workbench.libraries:
            program = workbench.program(library, group.program)
            self.result.commands[library.key] = (
                over_hosts.command(library, group, workbench) if group.hosts > 1 else
                [*library.launch(group.ranks, workbench), program, *group.arguments])
            self.result.samples[library.key] = []
            self.result.failures[library.key] = []

    def control(self):
        """The cache line, as it is after a run and before the next. Over hosts plain sockets are measured between the two."""
        after = measure_control(self.workbench)
        if self.result.group.hosts == 1:
            return after, after
        figures = parse_figures(over_hosts.measure_sockets(self.workbench))
        before = measure_control(self.workbench)
        self.result.sockets.append(Sample.between(after, before, figures))
        return after, before

    def round(self, number):
        _, before = self.control()
        for library in self.workbench.libraries:
            key = library.key
            if self.used_s[key] > self.patience_s or len(self.result.failures[key]) >= MAX_FAILURES:
                continue
            start = time.perf_counter()
            figures, error = run_once(self.result.group, self.result.commands[key], self.workbench.hosts)
            self.used_s[key] += time.perf_counter() - start
            after, next_before = self.control()
            if figures and error:  # over hosts: it did not end
                missing = any(figure.at_limit for figure in figures.values())
                counts = "counts as that long" if missing else "had printed its figures"
                print(f"compare: {library.title}, {self.result.group.name}: {error}; it {counts}", file=sys.stderr)
                self.result.samples[key].append(Sample.between(before, after, figures, number))
            elif error:
                self.result.failures[key].append(error)
                print(f"compare: {library.title}, {self.result.group.name}: {error}", file=sys.stderr)
            else:
                self.result.samples[key].append(Sample.between(before, after, figures, number))
            before = next_before


def run_group(workbench, group, rounds, patience_s):
    """All rounds; as many again when no class of placement has a run of every library yet."""
    run = GroupRun(workbench, group, patience_s)
    rounds = max(rounds, group.least_rounds)
    for number in range(2 * rounds):
        if number >= rounds and run.result.choose_placement() > 0:
            break
        print(f"compare: {group.name}, round {number + 1} of {rounds}", file=sys.stderr)
        run.round(number)
    run.result.choose_placement()
    return run.result
