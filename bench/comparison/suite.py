# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is measured: one group is one program with one number of ranks, run by every library in turn."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    program: str
    ranks: int
    arguments: tuple = ()
    title: str = ""
    timed_from_outside: int = 0  # how many times in a round; 0: the program prints its own figures
    needs: tuple = ()            # names of groups whose figures its targets refer to
    hosts: int = 1               # the ranks are spread over so many
    least_rounds: int = 0        # for an interval
    computing: int = 0           # so many programs of others compute on this machine meanwhile
    yielding: bool = False       # over hosts: a peer is told that its ranks share cores, where it has a word for it
    limit_s: float = 600.0       # a library that has not ended by then has the limit as its figure
    expected: tuple = ()         # (name, size, unit) of each figure that the limit stands for

    @property
    def name(self):
        return f"{self.title or self.program}-{self.ranks}"

    @property
    def budget_s(self):
        """The time of each figure, as far as the arguments say it."""
        words = [word.removeprefix("--budget=") for word in self.arguments if word.startswith("--budget=")]
        return float(words[0]) if words else 0.0


TWO_RANK_SIZES = "--sizes=0,8,1024,2048,16384,65536,1048576"
# Without compare_and_swap, in which Open MPI 4.1.4 crashes.
ONE_SIDED = "--only=" + ",".join(f"{memory}_{access}" for memory in ("shared", "private")
                                 for access in ("put", "put_stream", "get", "accumulate", "fetch_and_op"))
ONE_SIDED += ",latency_beside_window"

# Without the overlap: a ratio of a library to itself, in which no time of a peer's shows.
POLLS = "--only=token_test,token_iprobe,storm"


OLD_COLLECTIVES = "--only=barrier,bcast,reduce,allreduce,gather,scatter,gatherv,scatterv,allgather,alltoall"
ROW_RANKS = (2, 4, 8, 16)
ROW_FAMILIES = ("bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce_scatter")
V_FORMS = ("gather", "scatter", "allgather", "alltoall")
ROWS = ("--budget=0.04", "--repetitions=5", "--root=first")
ROW_SIZES = "--sizes=0,8,128,1024,8192,65536,524288"
INTERVAL_ROUNDS = 9


def row_groups():
    """Every collective by size, with one root for all calls, in as many pairs as an interval needs."""
    found = []
    for family in ROW_FAMILIES:
        forms = [family, f"i{family}"] + ([f"{family}v"] if family in V_FORMS else [])
        forms += [f"i{family}v"] if family in ("gather", "scatter") else []
        forms += ["reduce_scatter_block"] if family == "reduce_scatter" else []
        found += [Group("collective", n, (*ROWS, ROW_SIZES, "--only=" + ",".join(forms)), f"rows_{family}",
                        least_rounds=INTERVAL_ROUNDS) for n in ROW_RANKS]
    found += [Group("collective", n, (*ROWS, ROW_SIZES, "--only=barrier,reduce_local"), "rows_other",
                    least_rounds=INTERVAL_ROUNDS) for n in ROW_RANKS]
    return found


def groups(quick):
    if quick:
        return quick_groups() + groups_over_hosts(quick)
    return full_groups() + groups_on_a_busy_machine() + groups_over_hosts(quick) + groups_over_four_hosts()


def groups_on_a_busy_machine():
    """Collectives while somebody else computes on each of two cores, as a compiler does."""
    arguments = ("--budget=0.3", "--repetitions=5", "--sizes=8,8192,65536", "--only=barrier,bcast,allreduce,alltoall")
    return [Group("collective", n, arguments, "busy", computing=2) for n in (2, 4, 8)]


def groups_over_four_hosts():
    """Collectives of four ranks on each of four hosts. The peers are told that ranks share cores, where they have a word for it."""
    sizes = (8, 4096, 65536, 1 << 20)
    found = []
    for name in ("barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall"):
        rows = tuple((name, size, "us") for size in ((0,) if name == "barrier" else sizes))
        arguments = ("--budget=0.1", "--repetitions=5", "--sizes=" + ",".join(map(str, sizes)), f"--only={name}")
        found.append(Group("collective", 16, arguments, f"four_hosts_{name}", hosts=4, yielding=True, limit_s=40.0, expected=rows))
    return found


def groups_over_hosts(quick):
    budget = f"--budget={0.1 if quick else 0.3}"
    pair, eight = {"hosts": 2, "limit_s": 30.0}, {"hosts": 2, "limit_s": 45.0}
    sizes = (8, 65536, 1048576)
    return [
        Group("latency", 2, (budget, "--only=latency", "--sizes=" + ",".join(map(str, sizes))), "hosts_latency", **pair,
              expected=tuple(("latency", size, "us") for size in sizes)),
        Group("message_rate", 2, (budget,), "hosts_message_rate", **pair, expected=(("message_rate", 8, "Mmsg/s"),)),
        *[Group("collective", 8, (budget, "--sizes=8", "--repetitions=5", f"--only={name}"),
                f"hosts_{name}{'_yielding' if yielding else ''}", yielding=yielding, **eight, expected=((name, size, "us"),))
          for yielding in (False, True) for name, size in (("barrier", 0), ("allreduce", 8))],
        Group("idle_cpu", 8, ("--wait=5",), "hosts_idle_cpu", **eight, expected=(("idle_cpu", 0, "CPU-s"),)),
    ]


def full_groups():
    oversubscribed = [Group("collective", n, ("--budget=0.2", "--sizes=8,65536", OLD_COLLECTIVES)) for n in (4, 8)]
    oversubscribed += [Group("collective", n, ("--budget=0.2", "--sizes=8,65536", "--only=barrier,bcast,reduce,allreduce"))
                for n in (16, 32)]
    oversubscribed += [Group("collective", n, ("--budget=0.2", "--sizes=8", "--only=gather,scatter,allgather,alltoall"),
                      title="collective_rest") for n in (16, 32)]
    return [
        Group("latency", 2, ("--budget=0.2",)),
        Group("bandwidth", 2, ("--budget=0.2",)),
        Group("bidirectional", 2, ("--budget=0.2",)),
        *[Group("exchange", n, ("--budget=0.2",)) for n in (2, 4, 8)],
        Group("message_rate", 2, ("--budget=0.5",)),
        Group("collective", 2, ("--budget=0.1", OLD_COLLECTIVES)),
        *oversubscribed,
        *[Group("pair_among_idle", n, needs=("pair_among_idle-2",) if n > 2 else ()) for n in (2, 8, 16, 32)],
        *[Group("polling", n, ("--budget=0.2", POLLS)) for n in (2, 4, 8)],
        Group("guidelines", 2, ("--budget=0.02", "--repetitions=31")),
        Group("one_sided", 2, ("--budget=0.1", ONE_SIDED), least_rounds=INTERVAL_ROUNDS),
        Group("threads", 2, ("--budget=0.1",), least_rounds=INTERVAL_ROUNDS),
        *row_groups(),
        Group("message_rate", 8, ("--budget=0.5",)),
        Group("idle_cpu", 8),
        *[Group("empty", n, title="startup", timed_from_outside=3) for n in (8, 32)],
        Group("memory", 8),
    ]


def quick_groups():
    return [
        Group("latency", 2, ("--budget=0.05", TWO_RANK_SIZES)),
        Group("bandwidth", 2, ("--budget=0.05", TWO_RANK_SIZES.replace("=0,", "="))),
        Group("message_rate", 2, ("--budget=0.1",)),
        Group("collective", 2, ("--budget=0.05", "--sizes=8", "--only=barrier,bcast,reduce,allreduce")),
        Group("collective", 16, ("--budget=0.1", "--sizes=8,65536", "--only=barrier,allreduce")),
        Group("one_sided", 2, ("--budget=0.05", "--sizes=8,65536", ONE_SIDED)),
        Group("pair_among_idle", 2),
        Group("pair_among_idle", 16, needs=("pair_among_idle-2",)),
        Group("polling", 4, ("--budget=0.1", POLLS)),
        Group("idle_cpu", 8),
        Group("empty", 8, title="startup", timed_from_outside=2),
        Group("memory", 8),
    ]


def with_references(selected, everything):
    """Adds the groups that the selected ones are judged against, in the order of the whole suite."""
    wanted = {g.name for g in selected} | {name for g in selected for name in g.needs}
    return [g for g in everything if g.name in wanted]
