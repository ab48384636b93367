# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What earlier runs have written with --json, put together: a machine may be quiet for one group at a time only."""
import json

from comparison.runner import Figure, GroupResult, Sample


def figures_of(rows):
    return {(name, size): Figure(value, unit, low, high, limit) for name, size, value, unit, low, high, limit in rows}


def sample_of(data, first_number):
    return Sample(data["control_ns"], data["placement"], data["busy"], figures_of(data["figures"]), first_number + data["number"])


def read(paths):
    """The contents of the files. Within a group runs of different libraries are not put together."""
    kept = []
    measured = {}  # group -> its first file, and with which libraries that was measured
    for path in paths:
        with open(path, encoding="utf-8") as file:
            kept.append(json.load(file))
        for group in kept[-1]["groups"]:
            first, versions = measured.setdefault(group["name"], (path, kept[-1]["versions"]))
            if kept[-1]["versions"] != versions:
                raise ValueError(f"{group['name']} was measured with other libraries in {path} than in {first}: {versions}")
    return kept


def versions(kept):
    """All that a library had in any of the files, by library."""
    names = dict.fromkeys(name for data in kept for name in data["versions"])
    return {name: "; ".join(dict.fromkeys(data["versions"][name] for data in kept if name in data["versions"])) for name in names}


def results(kept, groups):
    """In the order of the groups; a group's rounds are those of all files."""
    found = []
    for group in groups:
        result = GroupResult(group)
        for data in kept:
            for each in data["groups"]:
                if each["name"] == group.name:
                    add(result, each)
        if result.samples:
            result.choose_placement()
            found.append(result)
    return found


def add(result, data):
    result.commands.update({key: [text] for key, text in data["commands"].items()})
    result.sockets += [sample_of(each, 0) for each in data["sockets"]]
    first = 1 + max((sample.number for samples in result.samples.values() for sample in samples), default=-1)
    for key, samples in data["samples"].items():
        result.samples.setdefault(key, []).extend(sample_of(each, first) for each in samples)
        result.failures.setdefault(key, []).extend(data["failures"].get(key, []))


def facts(kept):
    """The machine, and for how long and under which load it was measured."""
    machine = dict(kept[0]["machine"])
    dates = sorted(data["machine"]["date"] for data in kept)
    if dates[0] != dates[-1]:
        machine["date"] = f"{dates[0]} to {dates[-1]}"
    return machine
