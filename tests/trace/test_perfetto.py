#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A trace as an independent reader finds it: protoc, with the public numbers of Perfetto's fields (perfetto.proto).

usage: test_perfetto.py WRITE_EXAMPLE

Checked is what ui.perfetto.dev relies on: every field is one that the format knows, words are interned before they are
used, slices of a track nest and end, flows go forward in time and have both ends, tracks have parents. Skipped (exit
status 77) where protoc is missing.
"""
import collections
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RANKS, STEPS = 4, 25
HERE = Path(__file__).resolve().parent
LINE = re.compile(r"\s*(\w+)(?:: (.*)| \{)$")


def messages(lines):
    """The text format of protoc as nested dictionaries of lists."""
    fields = collections.defaultdict(list)
    for line in lines:
        if line.strip() == "}":
            break
        name, value = LINE.match(line).groups()
        fields[name].append(messages(lines) if value is None else value)
    return fields


def decoded(path):
    with open(path, "rb") as file:
        done = subprocess.run(["protoc", "--decode=perfetto.protos.Trace", f"-I{HERE}", "perfetto.proto"], stdin=file,
                              capture_output=True, text=True, check=True)
    return messages(iter(done.stdout.splitlines()))["packet"]


def number(fields, name):
    return int(fields[name][0]) if fields[name] else None


def check_known(fields, path="packet"):
    """protoc prints a field that the format does not have by its number."""
    for name, values in fields.items():
        assert not name[0].isdigit(), f"{path} has the unknown field {name}"
        for value in values:
            if not isinstance(value, str):
                check_known(value, f"{path}.{name}")


class Words:
    """The interned words; each must be there before it is used."""

    def __init__(self):
        self.tables = collections.defaultdict(dict)

    def add(self, data):
        for table, entries in data.items():
            for entry in entries:
                iid = number(entry, "iid")
                assert iid and iid not in self.tables[table], f"{table} has the number {iid} twice"
                self.tables[table][iid] = (entry["name"] or entry["str"])[0].strip('"')

    def word(self, table, iid):
        assert iid in self.tables[table], f"{table} has no number {iid} yet"
        return self.tables[table][iid]


class Trace:
    def __init__(self, packets):
        self.words, self.tracks, self.open = Words(), {}, collections.defaultdict(list)
        self.slices, self.instants, self.flows = [], [], collections.defaultdict(list)
        assert number(packets[0], "sequence_flags") == 1, "the first packet clears the state of the sequence"
        for packet in packets:
            check_known(packet)
            assert number(packet, "trusted_packet_sequence_id") == 1
            assert number(packet, "sequence_flags") == (1 if packet is packets[0] else 2)
            for data in packet["interned_data"]:
                self.words.add(data)
            for track in packet["track_descriptor"]:
                self.add_track(track)
            for event in packet["track_event"]:
                self.add_event(number(packet, "timestamp"), event)
        left = {track: slices for track, slices in self.open.items() if slices}
        assert not left, f"slices without an end: {left}"

    def add_track(self, track):
        uuid, parent = number(track, "uuid"), number(track, "parent_uuid")
        assert uuid not in self.tracks and (parent is None or parent in self.tracks), track
        self.tracks[uuid] = (track["name"][0].strip('"'), parent)

    def add_event(self, ns, event):
        track, kind = number(event, "track_uuid"), event["type"][0]
        assert track in self.tracks and ns is not None
        for flow in event["flow_ids"]:
            self.flows[int(flow)].append((ns, track, False))
        for flow in event["terminating_flow_ids"]:
            self.flows[int(flow)].append((ns, track, True))
        if kind == "TYPE_SLICE_END":
            begin, name, notes = self.open[track].pop()
            assert ns >= begin
            self.slices.append((self.tracks[track][0], name, begin, ns, len(self.open[track]), notes))
            return
        self.words.word("event_categories", number(event, "category_iids"))
        name = self.words.word("event_names", number(event, "name_iid"))
        notes = dict(self.note(note) for note in event["debug_annotations"])
        if kind == "TYPE_SLICE_BEGIN":
            assert not self.open[track] or ns >= self.open[track][-1][0], "a slice begins before the one around it"
            self.open[track].append((ns, name, notes))
        else:
            assert kind == "TYPE_INSTANT"
            self.instants.append((self.tracks[track][0], name, ns, notes))

    def note(self, note):
        key = self.words.word("debug_annotation_names", number(note, "name_iid"))
        if note["string_value_iid"]:
            return key, self.words.word("debug_annotation_string_values", number(note, "string_value_iid"))
        return key, number(note, "int_value") if note["int_value"] else note["bool_value"][0]


def check_example(trace):
    names = [name for name, _ in trace.tracks.values()]
    assert names[:2] == [f"Starling job of {RANKS} ranks", "this host"], names
    assert names[2:] == [f"rank {rank}" for rank in range(RANKS)] + [f"rank {RANKS - 1}, thread 1"], names
    calls = collections.Counter(name for _, name, _, _, depth, _ in trace.slices if depth == 0)
    assert calls == {"MPI_Send": RANKS * STEPS, "MPI_Recv": RANKS * STEPS, "MPI_Allreduce": RANKS * STEPS,
                     "MPI_Iprobe": STEPS}, calls
    waits = [(track, name, end - begin, notes) for track, name, begin, end, depth, notes in trace.slices if depth == 1]
    assert {name for _, name, _, _ in waits} == {"late sender", "wait at collective", "library"}, waits
    late = [(track, ns) for track, name, ns, notes in waits if name != "library" and notes.get("for rank") == 2]
    assert ("rank 0", 3000) in late and ("rank 3", 2400) in late, late
    sites = {(name, notes.get("call site")) for _, name, _, _, depth, notes in trace.slices if depth == 0}
    assert sites == {("MPI_Send", None), ("MPI_Recv", None), ("MPI_Iprobe", None), ("MPI_Allreduce", "solver+0x40")}, sites
    sent = [each for each in trace.instants if each[1] == "sent"]
    assert len(sent) == RANKS * STEPS
    assert sent[0][3] == {"peer": 1, "tag": 7, "bytes": 2048, "communicator": "MPI_COMM_WORLD"}, sent[0]
    totals = [notes for track, name, _, notes in trace.instants if name == "all messages to a rank"]
    assert {"peer": 1, "count": STEPS, "bytes": 2048 * STEPS} in totals, totals


def check_flows(trace):
    arrows = [ends for ends in trace.flows.values() if any(last for _, _, last in ends)]
    assert len(arrows) == RANKS * STEPS, len(arrows)
    for ends in arrows:
        (first, last) = sorted(ends)
        assert not first[2] and last[2] and first[0] < last[0] and first[1] != last[1], ends
    joined = [ends for ends in trace.flows.values() if not any(last for _, _, last in ends)]
    assert [len({track for _, track, _ in ends}) for ends in joined] == [RANKS] * STEPS, joined


def main(arguments):
    if shutil.which("protoc") is None:
        print("skipped: protoc is not here (apt install protobuf-compiler)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.pftrace"
        subprocess.run([arguments[0], path, str(RANKS), str(STEPS)], check=True)
        trace = Trace(decoded(path))
    check_example(trace)
    check_flows(trace)
    print(f"{len(trace.slices)} slices, {len(trace.instants)} instants and {len(trace.flows)} flows are as they must be")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
