# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starling beside the better peer in pairs of alternated runs: the ratio with its interval, and what is behind.

A pair is one round: both libraries ran one after the other, on cores of one class, whichever. The interval is that of the
median of the pairs' ratios, of order statistics: it assumes nothing of how figures are spread, and one disturbed run does
not widen it.
Source: Hahn, Meeker, "Statistical Intervals", 1991, 5.2.
"""
import math
import statistics
from dataclasses import dataclass

CONFIDENCE = 0.95
BEHIND_RATIO = 1.05  # the interval lies above
BEHIND_NS = 20.0     # and the row is that much slower
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def interval(values):
    """The narrowest symmetric one that holds the median at least as surely; None where there are too few values."""
    ordered = sorted(values)
    count = len(ordered)
    found = None
    for skipped in range((count + 1) // 2):
        outside = 2 * sum(math.comb(count, i) for i in range(skipped + 1)) / 2**count
        if outside > 1 - CONFIDENCE:
            break
        found = (ordered[skipped], ordered[count - 1 - skipped])
    return found


@dataclass(frozen=True)
class Pairing:
    """Of one row. A ratio above 1 is worse for Starling, also where more is better."""
    ratio: float
    low: float | None
    high: float | None
    slower_ns: float | None  # None: no time
    empty: bool              # a collective without data

    @property
    def behind(self):
        if self.low is None:
            return False
        if self.empty:
            return self.low > 1.0 and self.slower_ns > BEHIND_NS
        return self.low > BEHIND_RATIO and (self.slower_ns is None or self.slower_ns > BEHIND_NS)


def pair(result, key):
    """None where there is nothing to compare with."""
    runs = {library: {(s.number, s.placement): s.figures[key] for s in samples if key in s.figures}
            for library, samples in result.samples.items()}
    own = runs.pop("starling", {})
    peers = {library: figures for library, figures in runs.items() if figures}
    if not own or not peers or next(iter(own.values())).unit == "x":
        return None
    more = next(iter(own.values())).more_is_better
    middles = {library: statistics.median(f.value for f in figures.values()) for library, figures in peers.items()}
    better = (max if more else min)(middles, key=middles.get)
    rounds = [n for n in own if n in peers[better] and own[n].value > 0 and peers[better][n].value > 0]
    if not rounds:
        return None
    ratios = [own[n].value / peers[better][n].value for n in rounds]
    if more:
        ratios = [1 / ratio for ratio in ratios]
    low, high = interval(ratios) or (None, None)
    scale = NANOSECONDS.get(own[rounds[0]].unit)
    slower = None if scale is None else scale * statistics.median(own[n].value - peers[better][n].value for n in rounds)
    empty = result.group.program == "collective" and key[1] == 0 and key[0] != "barrier"
    return Pairing(statistics.median(ratios), low, high, slower, empty)


def of(results):
    """Pairings by (group name, figure key)."""
    found = {(result.group.name, key): pair(result, key) for result in results for key in result.keys()}
    return {name: pairing for name, pairing in found.items() if pairing is not None}


def geometric_mean(ratios):
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios)) if ratios else None


def summary(results):
    """The geometric means of rows with payload by the number of ranks, and each row that is behind."""
    pairings = of(results)
    lines = []
    def place(group):
        """Of groups over two hosts, which are few and of other kinds, there is no mean."""
        return (group.hosts, group.computing, group.ranks) if group.hosts != 2 else None

    for hosts, computing, ranks in sorted({place(result.group) for result in results} - {None}):
        names = {result.group.name for result in results if place(result.group) == (hosts, computing, ranks)}
        rows = {name: p for name, p in pairings.items() if name[0] in names}
        full = [p for p in rows.values() if not p.empty]
        if not rows:
            continue
        mean = geometric_mean([p.ratio for p in full])
        where = (f" on {hosts} hosts" if hosts > 1 else "") + (f" beside {computing} programs that compute" if computing else "")
        text = f"{ranks} ranks{where}: " + (f"geometric mean {mean:.2f} of {len(full)} rows" if full else "no rows with data")
        judged = [p for p in rows.values() if p.low is not None]
        lines.append(text + f"; {sum(p.behind for p in judged)} of {len(judged)} with an interval are behind")
        lines += [f"  behind: {group} {key[0]} {key[1]} B: {p.ratio:.2f} ({p.low:.2f} to {p.high:.2f})"
                  for (group, key), p in rows.items() if p.behind]
    return "\n".join(lines)
