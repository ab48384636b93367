# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs drawn at random, scripts for drawn.c, and an oracle: it plays a program by the rules of MPI, in every order, and
says which ranks hang, in which calls, and for whom. It shares nothing with the library, nor with the tools that are tested.

A program is drawn as a correct one: steps of two or more ranks, one after the other. Then a mistake or two is put in. Programs
that end, or whose end depends on the order of events or on how a library moves messages, are drawn again.

In some programs the members of a communicator call one collective otherwise: another operation, root or size. What a library does
then is not said by MPI: some members may go on. The oracle says who called what under which number, and nothing of what follows.
"""
import random
from dataclasses import dataclass

COLLECTIVES = {"B": "MPI_Barrier", "C": "MPI_Bcast", "L": "MPI_Allreduce", "D": "MPI_Reduce"}
CALLS = {"R": "MPI_Recv", "S": "MPI_Ssend", "A": "MPI_Waitany", "W": "MPI_Waitall", "P": "MPI_Win_wait", **COLLECTIVES}
NEVER_WAIT = "OTZ"
SHARE_OF_MIXED = 0.25
SHARE_OF_THREADS = 0.15


def members(comm, rank, size):
    """The ranks of the communicator of this number that the rank has."""
    if comm == 1:
        return [other for other in range(size) if other % 2 == rank % 2]
    if comm == 3:
        return [other for other in range(size) if (other < size // 2) == (rank < size // 2)]
    return list(range(size))


def comm_name(comm, rank, size):
    return [None, "even" if rank % 2 == 0 else "odd", "solver", "low" if rank < size // 2 else "high"][comm]


@dataclass(frozen=True)
class Step:
    kind: str
    number: object = None  # a rank; None: any
    tag: int = 0
    comm: int = 0

    def text(self):
        number = "*" if self.kind in "RI" and self.number is None else "" if self.number is None else str(self.number)
        tag = f":{self.tag}" if self.kind in "RSsIJTZ" else ""
        comm = f"@{self.comm}" if self.kind in "RSsIJBCLD" else ""
        return self.kind + number + tag + comm


@dataclass
class Hang:
    """What a rank does at the end."""
    kind: str              # of its step; F: MPI_Finalize
    step: object = None
    targets: frozenset = frozenset()
    for_one: bool = False  # one of the targets would do
    sequence: int = 0      # of a collective on its communicator
    awaited: frozenset = frozenset()  # of Waitany and Waitall: (is a receive, tag) of what has not come


class Machine:
    """A state of a program. Everything is a tuple, so that states can be compared."""

    def __init__(self, scripts, lazy, mixed=None):
        self.scripts = scripts
        self.mixed = mixed  # the collective that nobody leaves: (communicator and first member, number)
        self.size = len(scripts)
        self.lazy = lazy  # the library does as little as it may: see can_receive() and can_leave()
        self.at = [0] * self.size
        self.entered = [False] * self.size   # the effects of the step have begun
        self.requests = [()] * self.size     # open ones: (is a receive, peer, tag, comm, done)
        self.messages = ()                   # sent and not matched: (source, target, tag, comm, request or None, is blocking)
        self.arrived = {}                    # (comm, first member) -> {rank: collectives begun}
        self.posted = frozenset()            # (target, origin) of windows
        self.accessed = frozenset()

    def copy(self):
        other = Machine.__new__(Machine)
        other.__dict__.update(self.__dict__)
        other.at, other.entered, other.requests = list(self.at), list(self.entered), list(self.requests)
        other.arrived = {key: dict(value) for key, value in self.arrived.items()}
        return other

    def key(self):
        arrived = tuple(sorted((key, tuple(sorted(value.items()))) for key, value in self.arrived.items()))
        return (tuple(self.at), tuple(self.entered), tuple(self.requests), self.messages, arrived, self.posted, self.accessed)

    def step(self, rank):
        script = self.scripts[rank]
        return script[self.at[rank]] if self.at[rank] < len(script) else None

    def go_on(self, rank):
        self.at[rank] += 1
        self.entered[rank] = False

    def add_request(self, rank, request):
        self.requests[rank] += (request,)
        return len(self.requests[rank]) - 1

    def complete(self, rank, index):
        changed = list(self.requests[rank])
        changed[index] = changed[index][:4] + (True,)
        self.requests[rank] = tuple(changed)

    def can_receive(self, rank):
        """A library need not take messages for a rank that is in its own code."""
        return not self.lazy or self.step(rank) is None or self.step(rank).kind != "O"

    def matches(self, target):
        """Pairs (message, receive) that a receive of this rank may take next: the first of each source."""
        if not self.can_receive(target):
            return
        for index, (is_receive, peer, tag, comm, done) in enumerate(self.requests[target]):
            if not is_receive or done:
                continue
            sources = set()
            for place, (source, to, sent_tag, sent_comm, _, _) in enumerate(self.messages):
                if to != target or sent_comm != comm or sent_tag != tag or source in sources:
                    continue
                earlier = any(each[0] and not each[4] and each[3] == comm and each[2] == tag and each[1] in (None, source)
                              for each in self.requests[target][:index])
                if peer in (None, source) and not earlier:
                    sources.add(source)
                    yield place, index

    def key_of(self, step, rank):
        return step.comm, members(step.comm, rank, self.size)[0]

    def enter(self, rank):
        """The effects that a step has at once; the states after them."""
        step = self.step(rank)
        after = self.copy()
        after.entered[rank] = True
        kind = step.kind
        if kind in "RITZ":
            after.add_request(rank, (True, step.number, step.tag, step.comm, False))
        elif kind in "SsJ":
            request = after.add_request(rank, (False, step.number, step.tag, step.comm, kind == "s")) if kind != "s" else None
            after.messages += ((rank, step.number, step.tag, step.comm, request, kind == "S"),)
        elif kind in COLLECTIVES:
            counts = after.arrived.setdefault(self.key_of(step, rank), {})
            counts[rank] = counts.get(rank, 0) + 1
        elif kind == "P":
            after.posted |= {(rank, step.number)}
        if kind in "IsJ":
            after.go_on(rank)
        return [after]

    def lacks(self, rank, step):
        counts = self.arrived.get(self.key_of(step, rank), {})
        own = counts.get(rank, 0)
        return [each for each in members(step.comm, rank, self.size) if counts.get(each, 0) < own]

    def can_leave(self, rank):
        """The states after the step, of which the rank is in the midst. In a lazy library collectives wait for all."""
        step, kind = self.step(rank), self.step(rank).kind
        found = []
        if kind in "RSTZ" and self.requests[rank][-1][4]:
            after = self.copy()
            after.requests[rank] = after.requests[rank][:-1]
            after.go_on(rank)
            found.append(after)
        elif kind == "W" and all(request[4] for request in self.requests[rank]):
            after = self.copy()
            after.requests[rank] = ()
            after.go_on(rank)
            found.append(after)
        elif kind == "A":
            for index, request in enumerate(self.requests[rank]):
                if request[4]:
                    after = self.copy()
                    after.requests[rank] = self.requests[rank][:index] + self.requests[rank][index + 1:]
                    after.go_on(rank)
                    found.append(after)
        elif kind in COLLECTIVES:
            lacks = self.lacks(rank, step)
            if not self.lazy and kind == "C":
                lacks = [each for each in lacks if each == step.number]
            if not self.lazy and kind == "D" and rank != step.number:
                lacks = []
            if self.is_mixed(rank):
                lacks = [rank]
            if not lacks:
                after = self.copy()
                after.go_on(rank)
                found.append(after)
        elif kind == "P" and (rank, step.number) in self.accessed or kind == "G" and (step.number, rank) in self.posted:
            after = self.copy()
            if kind == "G":
                after.accessed |= {(step.number, rank)}
                after.posted -= {(step.number, rank)}
            else:
                after.accessed -= {(rank, step.number)}
            after.go_on(rank)
            found.append(after)
        return found

    def is_mixed(self, rank):
        """Whether the rank is in the collective that members have called otherwise."""
        step = self.step(rank)
        if self.mixed is None or step is None or step.kind not in COLLECTIVES or not self.entered[rank]:
            return False
        key = self.key_of(step, rank)
        return (key, self.arrived[key][rank]) == self.mixed

    def nexts(self):
        """The states that may follow."""
        for rank in range(self.size):
            if self.step(rank) is None:
                continue
            if not self.entered[rank]:
                return self.enter(rank)
        found = []
        for target in range(self.size):
            for place, index in self.matches(target):
                after = self.copy()
                source, _, _, _, request, _ = self.messages[place]
                after.messages = self.messages[:place] + self.messages[place + 1:]
                after.complete(target, index)
                if request is not None:
                    after.complete(source, request)
                found.append(after)
        for rank in range(self.size):
            if self.step(rank) is not None:
                found += self.can_leave(rank)
        return found

    def hang_of(self, rank):
        step = self.step(rank)
        if step is None:
            return Hang("F", None, frozenset(each for each in range(self.size) if self.step(each) is not None))
        kind = step.kind
        if kind in "OTZ":
            return Hang(kind, step)
        if kind in "RS":
            if step.number is not None:
                return Hang(kind, step, frozenset([step.number]))
            return Hang(kind, step, frozenset(members(step.comm, rank, self.size)) - {rank}, True)
        if kind in "AW":
            peers = frozenset(request[1] for request in self.requests[rank] if not request[4])
            awaited = frozenset((request[0], request[2]) for request in self.requests[rank] if not request[4])
            return Hang(kind, step, peers, kind == "A", awaited=awaited)
        if kind in COLLECTIVES:
            sequence = self.arrived[self.key_of(step, rank)][rank]
            return Hang(kind, step, frozenset(self.lacks(rank, step)), sequence=sequence)
        return Hang(kind, step, frozenset([step.number]))


def ends(scripts, lazy, mixed=None, most=4000):
    """The states in which the program can end; None: too many states."""
    first = Machine(scripts, lazy, mixed)
    seen, left, found = {first.key()}, [first], {}
    while left:
        state = left.pop()
        nexts = state.nexts()
        if not nexts:
            found[state.key()] = state
        for after in nexts:
            if after.key() not in seen:
                seen.add(after.key())
                left.append(after)
        if len(seen) > most:
            return None
    return list(found.values())


def stuck_among(hangs, ranks):
    """Those of these ranks that never go on, though all others did what is wanted of them."""
    stuck = set(ranks)
    while True:
        free = {rank for rank in stuck if (hangs[rank].for_one and hangs[rank].targets - stuck) or
                (not hangs[rank].for_one and not hangs[rank].targets & stuck)}
        if not free:
            return stuck
        stuck -= free


@dataclass
class Program:
    seed: int
    scripts: list
    hangs: list  # of each rank
    mixed: object = None  # ((communicator, first member), number) of the collective that members call otherwise
    threads: str = ""     # as drawn.c has it: not empty where the ranks ask for MPI_THREAD_MULTIPLE
    at: tuple = ()        # how many steps each rank leaves behind

    def text(self):
        return "/".join(",".join(step.text() for step in script) for script in self.scripts)

    def mixed_groups(self):
        """Who calls the mixed collective how: {(call, root in the communicator, bytes): ranks}. Of the three only what
        differs first is not None, and the call."""
        calls = calls_by_number(self.scripts)[self.mixed]
        group = members(*self.mixed[0], len(self.scripts))
        other_calls = len({kind for kind, _ in calls.values()}) > 1
        found = {}
        for rank, (kind, number) in calls.items():
            root = group.index(number) if kind in "CD" and not other_calls else None
            size = 4 * number if kind == "L" and not other_calls else None
            found.setdefault((COLLECTIVES[kind], root, size), set()).add(rank)
        return found

    def made(self, comm):
        """The collectives that drawn.c has begun on the communicator before the script: on the world it makes others."""
        return 3 + any(step.kind in "PG" for script in self.scripts for step in script) if comm == 0 else 0

    def mixed_steps(self):
        """Of each member the place of the mixed collective in its script."""
        key, number = self.mixed
        found = {}
        for rank in members(*key, len(self.scripts)):
            places = [at for at, step in enumerate(self.scripts[rank]) if step.kind in COLLECTIVES and step.comm == key[0]]
            found[rank] = places[number - 1]
        return found

    @property
    def waiting(self):
        return {rank for rank, hang in enumerate(self.hangs) if hang.kind not in NEVER_WAIT}

    @property
    def stuck(self):
        return stuck_among(self.hangs, self.waiting)

    @property
    def culprits(self):
        """Those for whom others wait, and who do not wait."""
        awaited = set().union(*(self.hangs[rank].targets for rank in self.waiting))
        return awaited - self.waiting


def draw_correct(generator, size):
    scripts = [[] for _ in range(size)]
    tags = iter(range(1, 1000))
    for _ in range(generator.randint(2, 5)):
        kind = generator.choice("ppppPcccccaWAwr")
        one, other = generator.sample(range(size), 2)
        tag = next(tags)
        if kind == "p":
            scripts[one].append(Step(generator.choice("SSs"), other, tag))
            scripts[other].append(Step("R", one, tag))
        elif kind == "P":
            scripts[one].append(Step("P", other))
            scripts[other].append(Step("G", one))
        elif kind in "cr":
            collective = generator.choice("BBLLCD")
            comm = generator.randrange(4)
            rank = generator.randrange(size)
            group = members(comm, rank, size)
            number = generator.choice(group) if collective in "CD" else 1 if collective == "L" else None
            for each in group:
                scripts[each].append(Step(collective, number, 0, comm))
        elif kind == "a":
            scripts[one].append(Step("R", None, tag))
            scripts[other].append(Step("s", one, tag))
        else:
            peers = generator.sample([each for each in range(size) if each != one], min(2, size - 1))
            for peer in peers:
                scripts[one].append(Step("I", peer, tag))
                scripts[peer].append(Step("S" if kind == "W" else "s", one, tag))
            scripts[one].append(Step("A" if kind == "A" else "W"))
            if kind == "A":
                scripts[one].append(Step("W"))
    return scripts


def put_in_mistake(generator, scripts):
    size = len(scripts)
    rank = generator.choice([each for each in range(size) if scripts[each]])
    at = generator.randrange(len(scripts[rank]))
    step = scripts[rank][at]
    peers = [each for each in range(size) if each != rank]
    kind = generator.choice(["leave out", "leave out", "other tag", "other peer", "swap", "swap", "away", "away", "test",
                             "receive first", "receive first", "end", "ring", "partial"])
    if kind == "leave out":
        del scripts[rank][at]
    elif kind == "other tag" and step.kind in "RSsIJ":
        scripts[rank][at] = Step(step.kind, step.number, step.tag + 500, step.comm)
    elif kind == "other peer" and step.kind in "RSIPG":
        scripts[rank][at] = Step(step.kind, generator.choice(peers), step.tag, step.comm)
    elif kind == "swap" and at + 1 < len(scripts[rank]):
        scripts[rank][at:at + 2] = reversed(scripts[rank][at:at + 2])
    elif kind == "away":
        scripts[rank].insert(at, Step("O"))
    elif kind == "test":
        scripts[rank].insert(at, Step(generator.choice("TZ"), generator.choice(peers), 999))
    elif kind == "receive first":
        scripts[rank].insert(at, Step("R", generator.choice(peers), 998))
    elif kind == "end":
        del scripts[rank][at:]
    elif kind == "ring":
        # Each sends to the next before it receives from the one before.
        circle = generator.sample(range(size), generator.randint(2, size))
        how = generator.choice(["send", "send", "wait"])
        for place, each in enumerate(circle):
            to, source = circle[(place + 1) % len(circle)], circle[place - 1]
            begin = [Step("S", to, 997)] if how == "send" else [Step("J", to, 997), Step("W")]
            scripts[each] += begin + [Step("R", source, 997)]
    elif kind == "partial":
        # Some members of a communicator come to one collective more than the others.
        comm = generator.randrange(4)
        group = members(comm, rank, size)
        for each in generator.sample(group, generator.randint(1, len(group))):
            scripts[each].append(Step("B", None, 0, comm))


def calls_by_number(scripts):
    """Of each collective, by ((communicator, first member), number): how its members call it, as far as they come."""
    found = {}
    for rank, script in enumerate(scripts):
        counts = {}
        for step in script:
            if step.kind in COLLECTIVES:
                key = (step.comm, members(step.comm, rank, len(scripts))[0])
                counts[key] = counts.get(key, 0) + 1
                found.setdefault((key, counts[key]), {})[rank] = (step.kind, step.number)
    return found


def mixed_collectives(scripts):
    """Those that members call otherwise than others, by intent or because one of them has left one out."""
    return [each for each, calls in calls_by_number(scripts).items() if len(set(calls.values())) > 1]


def mix(generator, scripts):
    """Lets some members of a communicator call a collective otherwise."""
    size = len(scripts)
    places = [(rank, at) for rank in range(size) for at, step in enumerate(scripts[rank]) if step.kind in COLLECTIVES]
    rooted = [(rank, at) for rank, at in places if scripts[rank][at].kind in "CD"]
    if not places:
        return
    rank, at = generator.choice(rooted if rooted and generator.random() < 0.8 else places)
    step = scripts[rank][at]
    group = members(step.comm, rank, size)
    # Other sizes and calls are often refused by a library; other roots make it wait.
    kind = step.kind if step.kind in "CD" and generator.random() < 0.7 else generator.choice("BCLD")
    number = generator.choice(group) if kind in "CD" else generator.choice([2, 16]) if kind == "L" else None
    scripts[rank][at] = Step(kind, number, 0, step.comm)


def is_regular(scripts):
    """Whether no rank leaves requests open, or waits for none."""
    for script in scripts:
        open_requests = 0
        for step in script:
            if step.kind in "IJ":
                open_requests += 1
            elif step.kind in "TZ" and open_requests:
                return False
            elif step.kind in "AW" and not open_requests:
                return False
            elif step.kind in "AW":
                open_requests = open_requests - 1 if step.kind == "A" else 0
        if open_requests:
            return False
    return True


def draw(seed):
    """The program of a seed, which hangs."""
    generator = random.Random(seed)
    while True:
        scripts = draw_correct(generator, generator.randint(2, 6))
        is_mixed = generator.random() < SHARE_OF_MIXED
        for _ in range(generator.randint(0 if is_mixed else 1, 1 if is_mixed else 3)):
            if any(scripts):
                put_in_mistake(generator, scripts)
        if is_mixed:
            mix(generator, scripts)
        mixed = mixed_collectives(scripts)
        if not is_regular(scripts) or len(mixed) != is_mixed:
            continue
        mixed = mixed[0] if is_mixed else None
        loose, tight = ends(scripts, False, mixed), ends(scripts, True, mixed)
        if loose is None or tight is None or len(loose) != 1 or len(tight) != 1 or loose[0].key() != tight[0].key():
            continue
        state = loose[0]
        threads = "".join(generator.choice("-w") for _ in scripts) if generator.random() < SHARE_OF_THREADS else ""
        hangs = [state.hang_of(rank) for rank in range(len(scripts))]
        program = Program(seed, scripts, hangs, mixed, threads, tuple(state.at))
        # All members come to it, whatever becomes of those that are there.
        if mixed and not all(state.is_mixed(rank) for rank in members(*mixed[0], len(scripts))):
            continue
        # At the end all come together in MPI_Finalize. Where nobody waits there is nothing to say.
        if all(hang.kind == "F" for hang in program.hangs) or not program.waiting:
            continue
        return program


if __name__ == "__main__":
    import sys
    for number in sys.argv[1:]:
        drawn = draw(int(number))
        print(len(drawn.scripts), drawn.text(), drawn.threads)
        for of_rank, what in enumerate(drawn.hangs):
            print(f"  {of_rank}: {what}")
