# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what starling why says of a program (drawn_programs.py) with what the oracle knows: each word of the sentence that
names a rank, a call, a tag, a number, a root, a communicator or what somebody does has to be true, and nobody who waits, or for
whom is waited, may be left out.

A comparison that lets wrong answers pass would find nothing, so corrupted() spoils a right answer in all the ways that matter.
"""
import re

import drawn_programs as drawn

RANKS = r"\d+(?:(?:, | and | or | to )\d+)*"
CALL = r"MPI_\w+(?: with tag \d+)?(?: on (?:'\w+'|MPI_COMM_WORLD|the communicator of \d+ (?:to|and) \d+))?"
WINDOW_CALLS = {"P": {"MPI_Win_wait"}, "G": {"MPI_Win_start", "MPI_Win_complete"}}


class Wrong(Exception):
    pass


def numbers(text):
    """The ranks in "0 to 3, 5 and 8"."""
    found = set()
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", text):
        need(all(rank < int(first) for rank in found) and int(last or first) >= int(first), f"'{text}' is no list of ranks")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def need(truth, what):
    if not truth:
        raise Wrong(what)


class Answer:
    """What starling why has printed."""

    def __init__(self, text):
        self.text = text
        lines = text.splitlines() or [""]
        self.sentence = lines[0]
        self.verdict = "deadlock" if self.sentence.startswith("deadlock: ") else \
            "probably" if self.sentence.startswith("probably deadlock: ") else "other"
        self.doing = {}
        for line in lines[1:]:
            if match := re.match(r"  ranks? ([\d, andto]+?)  +(\S.*)$", line):
                for rank in numbers(match[1]):
                    need(rank not in self.doing, f"rank {rank} is there twice")
                    self.doing[rank] = match[2]


def check_call(program, rank, text):
    """A call as the sentence has it: "MPI_Recv with tag 7", "MPI_Barrier on 'solver'"."""
    need(rank < len(program.hangs), f"there is no rank {rank}")
    hang = program.hangs[rank]
    name, tag, place = re.fullmatch(rf"(MPI_\w+)(?: with tag (\d+))?(?: on (.*))?", text).groups()
    wanted = WINDOW_CALLS.get(hang.kind) or {"MPI_Finalize" if hang.kind == "F" else drawn.CALLS[hang.kind]}
    need(name in wanted, f"rank {rank} is in {wanted}, and '{text}' is said")
    tags = {hang.step.tag} if hang.kind in "RS" else {tag for _, tag in hang.awaited} if len(hang.awaited) == 1 else set()
    need({int(tag)} == tags if tag else not tags, f"rank {rank} waits for the tags {tags}, and '{text}' is said")
    size = len(program.scripts)
    comm = drawn.comm_name(hang.step.comm, rank, size) if hang.kind in drawn.COLLECTIVES else None
    everywhere = f"the communicator of {'0 and 1' if size == 2 else f'0 to {size - 1}'}"
    on = f"'{comm}'" if comm else everywhere if hang.kind in WINDOW_CALLS else None
    need(place == on, f"rank {rank} is in a call on {on}, and '{text}' is said")


def check_activity(program, rank, text):
    """What is said of a rank that does not wait."""
    need(rank < len(program.hangs), f"there is no rank {rank}")
    hang = program.hangs[rank]
    wanted = {"O": r"(?:is|are|has been|have been) outside MPI(?: for [\d.]+ \w+)?",
              "T": r"(?:is|are) in a loop of MPI_Test that gets nowhere(?: for (\d+))?",
              "Z": r"(?:is|are) in a loop of (?:MPI_Test|tests) that gets nowhere(?: for (\d+))?"}.get(hang.kind, "nothing")
    match = re.fullmatch(wanted, text)
    need(match, f"rank {rank} does {hang.kind}, and '{text}' is said")
    if hang.kind == "O" or (program.threads and match[1] is None):  # several threads may test for something each
        return
    need(match[1] and int(match[1]) == hang.step.number, f"rank {rank} tests for {hang.step.number}: '{text}'")


def check_line(program, rank, text):
    """The line of a rank below the sentence."""
    text = re.sub(r" \([\d.]+ \w+\)$", "", text)
    if rank not in program.waiting:
        return check_activity(program, rank, text)
    match = re.fullmatch(rf"waits? in ({CALL})(?:, its number (\d+))?(?:, for (?:one of )?({RANKS}))?", text)
    need(match, f"rank {rank} waits, and '{text}' is said")
    hang = program.hangs[rank]
    check_call(program, rank, match[1])
    number = hang.sequence + program.made(hang.step.comm) if hang.kind in drawn.COLLECTIVES else None
    need((int(match[2]) if match[2] else None) == number, f"rank {rank} is in number {number}, and '{text}' is said")
    said = numbers(match[3] or "")
    need(said == set(hang.targets), f"rank {rank} waits for {sorted(hang.targets)}, and '{text}' is said")


def circle_of(program, part):
    """The ranks of "0 waits for 1 in MPI_Recv with tag 7, 1 for 0 in MPI_Finalize", once that is found right."""
    shared = re.fullmatch(rf"(.*?)(?:, (?:both|all))? in ({CALL})", part)
    edge = re.compile(rf"(\d+)(?: waits)? for (itself|\d+(?:(?:, | and | or | to )\d+(?! for| waits))*)(?: in ({CALL}))?(?:, |$)")
    edges, at = [], 0
    text = part
    if re.search(r", (both|all) in ", part) or len(re.findall(r"\bfor\b", part)) == 1:
        need(shared, f"no circle is '{part}'")
        text = shared[1]
    while at < len(text):
        match = edge.match(text, at)
        need(match, f"no circle is '{part}'")
        edges.append((int(match[1]), match[2], match[3] or shared[2]))
        at = match.end()
    circle = {rank for rank, _, _ in edges}
    for rank, targets, call in edges:
        need(rank in program.waiting, f"rank {rank} does not wait")
        check_call(program, rank, call)
        said = {rank} if targets == "itself" else numbers(targets)
        need(said == set(program.hangs[rank].targets) & circle, f"rank {rank} waits for other ranks than {sorted(said)}")
    need(circle and drawn.stuck_among(program.hangs, circle) == circle, f"{sorted(circle)} do not wait for each other")
    return circle


def followers_of(program, part, leaders):
    """The ranks of "3 and 4 wait for them in MPI_Barrier, 5 in MPI_Finalize", and how many more there are."""
    more = int(match[1]) if (match := re.search(r", (\d+) more elsewhere$", part)) else 0
    found = set()
    for ranks, whom, call in re.findall(rf"({RANKS})(?: waits? for (them|{RANKS}))? in ({CALL})", part):
        need(whom == ("" if found else "them" if len(leaders) > 1 else str(min(leaders))), f"'{part}' waits for others")
        for rank in numbers(ranks):
            need(rank in program.waiting and rank not in found, f"rank {rank} does not follow")
            check_call(program, rank, call)
            found.add(rank)
    need(found, f"nobody follows in '{part}'")
    return found, more


def who_wait_for(program, leaders):
    """The ranks that wait for one of these, or for one that does, and so on."""
    found = set(leaders)
    while True:
        more = {rank for rank in program.waiting - found if program.hangs[rank].targets & found}
        if not more:
            return found - set(leaders)
        found |= more


def check_followers(program, part, leaders):
    wanted = who_wait_for(program, leaders)
    said, more = followers_of(program, part, leaders) if part else (set(), 0)
    need(said <= wanted and len(said) + more == len(wanted), f"{sorted(wanted)} wait for them, and {sorted(said)} are said to")


def check_deadlock(program, answer):
    need(answer.verdict != "other", f"there is a deadlock of {sorted(program.stuck)}")
    parts = answer.sentence.split(": ", 1)[1].split("; ")
    circles = [circle_of(program, parts.pop(0))]
    while parts and parts[0].startswith("and ") and "more such circles" not in parts[0]:
        circles.append(circle_of(program, parts.pop(0)[4:]))
    if parts and "more such circles" in parts[0]:
        return  # six ranks have three circles at most
    leaders = set().union(*circles)
    need(len(leaders) == sum(map(len, circles)), "a rank is in two circles")
    need(len(parts) <= 1, f"nothing is known of '{parts}'")
    check_followers(program, parts[0] if parts else None, leaders)
    needs_probably = bool(program.threads) or any(program.hangs[rank].kind in "PG" for rank in leaders)
    need(needs_probably == (answer.verdict == "probably"), "probable is what involves windows or threads, and nothing else")


def is_activity(part):
    return re.match(rf"(?:it|they|{RANKS}) (?:is|are|has|have) (?:been )?(?:outside|in a loop)", part)


def check_activities(program, part, culprits):
    """ "it has been outside MPI for 8 s", "0 is in a loop of MPI_Test that gets nowhere for 2 and 4 has been outside MPI". """
    pieces = re.findall(rf"(it|they|{RANKS}) ((?:is|are|has|have) .*?)(?=(?:, | and ){RANKS} (?:is|are|has|have) |$)", part)
    told = set()
    for named, text in pieces:
        ranks = set(culprits) if named in ("it", "they") else numbers(named)
        for rank in ranks:
            check_activity(program, rank, text)
        told |= ranks
    need(told == set(culprits), f"{sorted(culprits)} are late, and '{part}' is said")


def late_of(program, rank):
    """Those for whom the rank waits, and who do not wait."""
    return set(program.hangs[rank].targets) - program.waiting


def wait_of(program, rank):
    """Two ranks that wait alike are named together."""
    hang = program.hangs[rank]
    tag = hang.step.tag if hang.kind in "RS" else None
    comm = drawn.comm_name(hang.step.comm, rank, len(program.scripts)) if hang.kind in drawn.COLLECTIVES else None
    tags = next(iter(hang.awaited))[1] if len(hang.awaited) == 1 else None
    return hang.kind, hang.for_one, tag, comm, tags


def claim_key(program, rank):
    """Ranks with the same key are in one claim."""
    hang = program.hangs[rank]
    if hang.kind in drawn.COLLECTIVES:
        return hang.step.comm, drawn.members(hang.step.comm, rank, len(program.scripts))[0], hang.sequence
    return tuple(sorted(late_of(program, rank))), wait_of(program, rank)


def claim_of(program, part):
    """Who wait, and for whom who does not wait, in "rank 2 is missing in MPI_Barrier number 4 on 'odd'" and in "3 waits for 1 and
    2 in MPI_Finalize", once that is found right; None: it is no such claim."""
    culprits = program.culprits
    if match := re.fullmatch(rf"ranks? ({RANKS}) (?:is|are) missing in (MPI_\w+) number (\d+) on (?:'(\w+)'|MPI_COMM_WORLD)", part):
        missing = numbers(match[1])
        waiters = set()
        for rank in program.waiting:
            hang = program.hangs[rank]
            if hang.kind in drawn.COLLECTIVES and drawn.CALLS[hang.kind] == match[2] and set(hang.targets) & culprits and \
                    hang.sequence + program.made(hang.step.comm) == int(match[3]) and \
                    drawn.comm_name(hang.step.comm, rank, len(program.scripts)) == match[4]:
                waiters.add(rank)
                need(late_of(program, rank) == missing, f"{sorted(missing)} are not what rank {rank} lacks")
        need(waiters, f"nobody waits there: '{part}'")
        return waiters, missing
    if match := re.fullmatch(rf"({RANKS}) waits? for (one of )?({RANKS}) in ({CALL})", part):
        waiters, awaited = numbers(match[1]), numbers(match[3])
        if not awaited & culprits:
            return None
        for rank in waiters:
            need(rank in program.waiting, f"rank {rank} does not wait")
            check_call(program, rank, match[4])
            late = late_of(program, rank)
            need(late == awaited, f"rank {rank} waits for {sorted(late)}, and '{part}' is said")
            need(bool(match[2]) == (program.hangs[rank].for_one and len(late) > 1), f"one or all: '{part}'")
        alike = {rank for rank in program.waiting if late_of(program, rank) == awaited and
                 {wait_of(program, rank)} == {wait_of(program, each) for each in waiters}}
        need(alike == waiters, f"{sorted(alike)} wait like that, and '{part}' is said")
        return waiters, awaited
    return None


def check_late(program, answer):
    need(answer.verdict == "other", "there is no deadlock")
    parts = answer.sentence.split("; ")
    leaders, named, more, followers = set(), set(), 0, None
    while parts:
        part = parts.pop(0)
        if match := re.fullmatch(r"and (\d+) more such waits", part):
            more = int(match[1])
        elif (claim := claim_of(program, part)) is not None:
            waiters, late = claim
            need(not waiters & leaders, f"'{part}' is said twice")
            leaders |= waiters
            if not late <= named:
                need(parts and is_activity(parts[0]), f"it is not said what {sorted(late)} do")
                check_activities(program, parts.pop(0), late)
            named |= late
        else:
            need(followers is None and not parts, f"nothing is known of '{part}'")
            followers = part
    direct = {rank for rank in program.waiting if late_of(program, rank)}
    unnamed = {claim_key(program, rank) for rank in direct - leaders}
    need(more == len(unnamed), f"{sorted(direct)} wait for ranks that do not wait, and {sorted(leaders)} are named")
    need(more or named == program.culprits, f"{sorted(program.culprits)} keep others waiting, and {sorted(named)} are named")
    check_followers(program, followers, direct)


def check(program, answer):
    """Raises Wrong where the answer is not what the oracle knows."""
    missing = [rank for rank in range(len(program.scripts)) if rank not in answer.doing]
    need(not missing, f"nothing is said of {missing}")
    need(len(answer.doing) == len(program.scripts), "ranks are said that are not there")
    for rank, doing in answer.doing.items():
        check_line(program, rank, doing)
    check_deadlock(program, answer) if program.stuck else check_late(program, answer)


def is_false(program, text):
    """Whether the answer is wrong at whatever moment it is given."""
    return text.startswith(("deadlock: ", "probably deadlock: ")) and not program.stuck


# --- collectives that members call otherwise -----------------------------------------------------------------------


def mismatch_of(sentence):
    """Who called what, as the sentence of a mismatch says it: {(call, root, bytes): ranks}, and on which communicator."""
    found, call = {}, None
    part = re.compile(r"ranks? ([\d, andto]+?)(?: called)?(?: (MPI_\w+))?(?: with (?:root (\d+)|(\d+)(?: bytes)?))?(?=, rank| on |$)")
    first = sentence.split("; ")[0]
    for named, of_part, root, size in part.findall(first):
        call = of_part or call
        found[call, int(root) if root else None, int(size) if size else None] = numbers(named)
    on = re.search(r" on '(\w+)'$", first)
    return found, on and on[1]


def calls_at(program, rank, positions):
    """What the line of a rank has when it has left so many steps behind it."""
    need(rank < len(program.scripts), f"there is no rank {rank}")
    script = program.scripts[rank]
    if positions[rank] >= len(script):
        return {"MPI_Finalize"}
    kind = script[positions[rank]].kind
    return {"tests", "MPI_Test"} if kind in "TZ" else WINDOW_CALLS.get(kind) or {drawn.CALLS.get(kind, "outside MPI")}


def check_mixed(program, answer, positions):
    """Raises Wrong where the answer does not say who called the mixed collective how, or where the ranks are. positions: how
    many steps each rank has left behind it, as it says itself."""
    (comm, first), number = program.mixed
    size = len(program.scripts)
    said, wanted = mismatch_of(answer.sentence), (program.mixed_groups(), drawn.comm_name(comm, first, size))
    need(said == wanted, f"{wanted} is what was called, and {said} is said")
    for part in answer.sentence.split("; ")[1:]:
        for ranks, call in re.findall(rf"({RANKS})(?: waits? for (?:them|{RANKS}))? in ({CALL})", part):
            for rank in numbers(ranks):
                need(call.split(" ")[0] in calls_at(program, rank, positions), f"rank {rank} is not in {call}")
    for rank in range(size):
        calls = calls_at(program, rank, positions)
        doing = answer.doing.get(rank, "")
        need(any(re.search(rf"\b{call}\b", doing) for call in calls), f"rank {rank} is in {calls}, and '{doing}' is said")
        if program.mixed_steps().get(rank) == positions[rank]:
            its_number = f", its number {number + program.made(comm)}"
            need(re.search(rf"{its_number}\b", doing), f"rank {rank} waits in the mixed collective, and '{doing}' is said")


# --- answers that are wrong ----------------------------------------------------------------------------------------


def corrupted(program, answer):
    """Texts like that of the answer, in each of which one thing is wrong. Of a collective that members have called otherwise only
    what is said of it is known."""
    text = answer.text
    known = text.split("\n")[0].split("; ")[0] if program.mixed else text
    for match in re.finditer(r"(?<![\d.'])\d+(?![\d.]| \w?s\b)", known):  # ranks, tags, numbers, roots, sizes; not times
        yield text[:match.start()] + str(int(match[0]) + 1) + text[match.end():]
    for match in re.finditer(r"MPI_[A-Z]\w+", known.splitlines()[0]):
        if match[0] != "MPI_COMM_WORLD":
            yield text[:match.start()] + "MPI_Gather" + text[match.end():]
    for match in re.finditer(r" on '\w+'", known):
        yield text[:match.start()] + text[match.end():]
    for before, after in (("probably deadlock: ", "deadlock: "), ("deadlock: ", "probably deadlock: "), ("deadlock: ", ""),
                          ("outside MPI", "in a loop of MPI_Test that gets nowhere for 0")):
        if before in known and not (before == "deadlock: " and text.startswith("probably")):
            yield text.replace(before, after, 1)
    sentence, rest = text.split("\n", 1)
    parts = sentence.split("; ")
    for place in range(1 if program.mixed else len(parts)):
        yield "; ".join(parts[:place] + parts[place + 1:]) + "\n" + rest
