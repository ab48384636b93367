# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses a struct that processes or binaries share without a pinned size and a version.

Shared is what code makes out of raw bytes (reinterpret_cast<T*>, new (place) T, static_cast<T*>(memory)), and what the comment
above it says lies in shared memory or travels. Its file must pin it, static_assert(sizeof(T) == ...), and a version must tell
builds apart that disagree: sizeof(T) folded into a fingerprint({...}), or a magic word or version (kMagic, kVersion, kFormat)
in its file that the other side compares.
"""
import re

from house.tree import line_of

FOLDERS = ("src", "libs", "tools")
MADE = re.compile(r"(?:reinterpret_cast<(?:const )?((?:\w+::)*)([A-Z]\w*)\*>|\bnew \((?!std::nothrow)[\w.]+\) ((?:\w+::)*)([A-Z]\w*)|"
                  r"static_cast<(?:const )?((?:\w+::)*)([A-Z]\w*)\*>\((?:memory\b|map\())")
STRUCT = re.compile(r"^[ \t]*struct (?:alignas\((?:[^()]|\([^()]*\))*\) )?([A-Z]\w*)[^;{(]*\{", re.M)
COMMENT = re.compile(r"(?:[ \t]*///[^\n]*\n)*\Z")
SAID = re.compile(r"shared memory|\btravels?\b", re.I)
FINGERPRINT = re.compile(r"\bfingerprint\(\{.*?\}\)", re.S)
VERSION = re.compile(r"\bk(?:Magic|Version|Format)\b")


def check(tree):
    structs = {}  # name -> [(file, line, comment)]
    texts = []
    for folder in FOLDERS:
        for path in tree.files(folder):
            text = tree.text(path)
            texts += FINGERPRINT.findall(text)
            for found in STRUCT.finditer(text):
                above = COMMENT.search(text, max(0, found.start() - 1000), found.start()).group()
                structs.setdefault(found.group(1), []).append((path, line_of(text, found.start(1)), above))
    versioned = set(re.findall(r"sizeof\((?:\w+::)*(\w+)\)", "".join(texts)))
    shared = {(name, *place[:2]) for name, places in structs.items() for place in places if SAID.search(place[2])}
    for folder in FOLDERS:
        for path in tree.files(folder):
            if not re.search(r"_cast<|\bnew \(", tree.text(path)):
                continue
            for found in MADE.finditer(tree.code(path)):
                name = found.group(2) or found.group(4) or found.group(6)
                shared |= {(name, *place[:2]) for place in nearest(tree, path, structs.get(name, ()))}
    for name, path, line in sorted(shared, key=str):
        judge(tree, name, path, line, versioned)


def nearest(tree, path, places):
    """The structs of a name that a file may mean: its own, its header's, or those of its component."""
    for means in (lambda other: other == path, lambda other: other == path.with_suffix(".hpp"),
                  lambda other: tree.parts[other][:2] == tree.parts[path][:2]):
        if found := [place for place in places if means(place[0])]:
            return found
    return ()



def judge(tree, name, path, line, versioned):
    text = tree.text(path)
    subject = "/".join(tree.parts[path][:2]) + ": " + name
    pinned = any(re.search(r"sizeof\((?:\w+::)*%s\) ==" % name, asserted)
                 for asserted in re.findall(r"static_assert\((.*?)\);", text, re.S))
    if not pinned and not tree.excepted("size", subject):
        tree.refuse(path, line, f"struct {name} is shared between processes and its size is not pinned: "
                                f"static_assert(sizeof({name}) == ...) belongs below it")
    if name not in versioned and not VERSION.search(text) and not tree.excepted("version", subject):
        tree.refuse(path, line, f"struct {name} is shared between processes and no version tells builds apart: fold "
                                f"sizeof({name}) into the fingerprint of its layout (memory/layout.hpp)")
