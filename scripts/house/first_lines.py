# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses a file without its two SPDX lines, and a header without a guard."""
import re

from house.tree import HEADERS, SOURCES

SPDX = ("SPDX-FileCopyrightText: 2026 The Starling authors", "SPDX-License-Identifier: BSD-3-Clause")
LICENSED = SOURCES | {".py", ".sh", ".cmake"}
FOLDERS = ("src", "include", "libs", "tools", "api", "tests", "bench", "examples", "cmake", "recipes", "scripts", ".ci")


def check(tree):
    for path in tree.all:
        if not is_licensed(tree, path):
            continue
        text = tree.text(path)
        head = text.splitlines()[:4]
        if not all(any(wanted in line for line in head) for wanted in SPDX):
            tree.refuse(path, 1, "the two SPDX lines are missing at the top (see CONTRIBUTING.md)")
        if path.suffix in HEADERS and not is_guarded(path, text):
            tree.refuse(path, 1, "the header has no '#pragma once'")


def is_licensed(tree, path):
    parts = tree.parts[path]
    if len(parts) == 1:
        return path.name == "CMakeLists.txt"
    return parts[0] in FOLDERS and (path.suffix in LICENSED or path.name == "CMakeLists.txt" or is_script(path))


def is_guarded(path, text):
    """#pragma once; a C header that other people's compilers read may use #ifndef instead."""
    return "#pragma once" in text or (path.suffix == ".h" and re.search(r"^#ifndef \w+\n#define \w+", text, re.M))


def is_script(path):
    if path.suffix:
        return False
    with path.open("rb") as file:
        return file.read(2) == b"#!"
