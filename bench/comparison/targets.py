# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The speed and memory that Starling must reach, and how a figure is judged against it.

Ratios are Starling's figure divided by the other one: for times and sizes a small ratio is good, for rates a large one.
"""
from dataclasses import dataclass

FALL_SIZES = range(2048, 65536 + 1)  # where both peers fall behind
OVERSUBSCRIBED = (16, 32)


@dataclass(frozen=True)
class Target:
    """against: 'better' peer, 'openmpi', 'control' (the bare cache line), 'own' (Starling's figure with 2 ranks), 'socket'
    (plain sockets between the same hosts), or 'absolute'."""
    against: str
    limit: float

    def text(self, more_is_better, unit):
        sign = "≥" if more_is_better else "≤"
        of = {"better": "of the better", "openmpi": "of Open MPI", "control": "of the cache line",
              "own": "of its own 2 ranks", "socket": "of plain sockets", "absolute": unit}[self.against]
        return f"{sign} {round(self.limit, 2):g} {of}"


def over_hosts(name, ranks, size, yielding=False):
    """The targets for one figure of ranks that are spread over hosts. `yielding`: peers were told that ranks share cores."""
    if ranks == 16:
        return [Target("better", 0.8)]
    if name == "latency":
        return {8: [Target("better", 0.95), Target("socket", 1.2)], 65536: [Target("better", 0.7)],
                1048576: [Target("socket", 1.15)]}.get(size, [])
    if name == "message_rate" and ranks == 2:
        return [Target("better", 3.0)]
    if name == "barrier" or (name == "allreduce" and size == 8):
        return [Target("better", 1.0 if yielding else 0.05)]
    return [Target("absolute", 0.1)] if name == "idle_cpu" else []


def beside_others():
    """The targets for each figure of ranks beside whom others compute: no row behind."""
    return [Target("better", 1.05)]


def of(name, ranks, size):
    """The targets for one figure of ranks on one machine."""
    if "/" in name:  # of guidelines: an operation beside what it may never cost more than
        return [Target("absolute", 1.05)]
    if name in ("sendrecv", "exchange"):
        return [Target("better", 1.05)]
    if ranks == 2:
        return two_ranks(name, size)
    if name == "pair_among_idle" and ranks in OVERSUBSCRIBED:
        return [Target("own", 1.5)]
    if ranks in OVERSUBSCRIBED and (name == "barrier" or (name == "allreduce" and size == 8)):
        return [Target("openmpi", 0.4)]
    if ranks in OVERSUBSCRIBED and name == "allreduce" and size == 65536:
        return [Target("openmpi", 0.6)]
    if name == "idle_cpu" and ranks == 8:
        return [Target("absolute", 0.1)]
    if name == "startup" and ranks in (8, 32):
        return [Target("better", 0.4)]
    if name in ("memory_at_rest", "memory_exchanged") and ranks == 8:
        return [Target("absolute", 2048.0)]
    return []


def two_ranks(name, size):
    if name == "latency":
        if size == 8:
            return [Target("better", 0.75), Target("control", 2.5)]
        return [Target("better", 1 / 1.3 if size in FALL_SIZES else 1.0)]
    if name == "latency_fresh":
        return [Target("better", 1.0)]
    if name in ("bandwidth", "bidirectional"):
        return [Target("better", 1.3 if size in FALL_SIZES else 1.0)]
    if name == "message_rate" and size == 8:
        return [Target("better", 1.3)]
    if name in ("shared_put", "shared_get", "shared_fetch_and_op") and size in (8, 65536):
        return [Target("openmpi", 1.0)]
    if name == "barrier" or (name in ("bcast", "reduce", "allreduce") and size == 8):
        return [Target("better", 0.8)]
    return []


def better_peer(figures):
    """The better figure of the peers, or None."""
    peers = [f for key, f in figures.items() if key != "starling" and f is not None]
    if not peers:
        return None
    pick = max if peers[0].more_is_better else min
    return pick(peers, key=lambda f: f.value)


@dataclass(frozen=True)
class Verdict:
    target: Target
    ratio: float | None  # None: something to compare with is missing
    met: bool | None


def judge(target, figures, control_ns, own_two_ranks, socket_us=None):
    """figures: library key -> Figure or None. own_two_ranks: Starling's Figure with 2 ranks, or None. socket_us: the time
    of plain sockets for as many bytes, or None."""
    own = figures.get("starling")
    reference = {
        "better": lambda: better_peer(figures),
        "openmpi": lambda: figures.get("openmpi"),
        "own": lambda: own_two_ranks,
    }
    if own is None:
        return Verdict(target, None, None)
    if target.against == "absolute":
        return Verdict(target, own.value, own.value <= target.limit)
    if target.against == "control":
        divisor = None if control_ns is None else control_ns / 1000.0  # latencies are in microseconds
    elif target.against == "socket":
        divisor = socket_us
    else:
        figure = reference[target.against]()
        divisor = None if figure is None else figure.value
    if not divisor:
        return Verdict(target, None, None)
    ratio = own.value / divisor
    return Verdict(target, ratio, ratio >= target.limit if own.more_is_better else ratio <= target.limit)
