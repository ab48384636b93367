# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The tree under one root: its files, their text and includes, what was refused, and the exceptions that are known."""
import os
import re
from functools import lru_cache
from pathlib import Path

HEADERS = {".h", ".hpp"}
SOURCES = {".c", ".cc", ".cpp"} | HEADERS
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
# A comment, a raw string, a string or a character: what the checks of C++ do not look into.
DEAD = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.S)
UNSEEN = re.compile(r"build|__pycache__|\.(?!ci$).*")  # folders that are no sources
EXCEPTIONS = "scripts/house/exceptions.txt"


class Tree:
    def __init__(self, root):
        self.root = Path(root)
        self.violations = []
        self.known = {}  # (check, subject) -> line of the exception
        self.used = set()
        self.text = lru_cache(None)(lambda path: path.read_text(errors="replace"))
        self.code = lru_cache(None)(lambda path: DEAD.sub(blank, self.text(path)))
        self.uncommented = lru_cache(None)(lambda path: DEAD.sub(blank_comment, self.text(path)))
        self.files = lru_cache(None)(self.find_files)
        self.all = sorted(self.walk())
        self.names = {str(path): path for path in self.all}
        self.parts = {path: tuple(name[len(str(self.root)) + 1:].split(os.sep)) for name, path in self.names.items()}
        self.by_suffix = {}
        for name, path in self.names.items():
            self.by_suffix.setdefault(path.suffix, []).append((name, path))
        self.includes = lru_cache(None)(lambda path: list(self.find_includes(path)))
        self.read_exceptions()

    def refuse(self, path, line, text):
        self.violations.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def walk(self):
        for folder, below, files in os.walk(self.root):
            below[:] = [name for name in below if not UNSEEN.fullmatch(name)]
            yield from (Path(folder, name) for name in files)

    def find_files(self, folder, suffixes=frozenset(SOURCES)):
        below = str(self.root / folder) + os.sep
        return [path for _, path in sorted((name, path) for suffix in suffixes for name, path in self.by_suffix.get(suffix, ())
                                           if name.startswith(below))]

    def folders(self, area):
        """The components of src, the libraries of libs, and so on."""
        return [self.root / area / name for name in sorted({parts[1] for parts in self.parts.values()
                                                            if parts[0] == area and len(parts) > 2})]

    def resolve(self, name, *bases):
        """The file of the tree that an include means, looked for below each base in turn; or None."""
        for base in bases:
            if found := self.names.get(os.path.normpath(f"{base}/{name}")):
                return found
        return None

    def find_includes(self, path):
        """Line, name and whether it is quoted, of each include."""
        text = self.text(path)
        for found in INCLUDE.finditer(text):
            yield line_of(text, found.start(2)), found.group(2), found.group(1) == '"'

    def read_exceptions(self):
        path = self.root / EXCEPTIONS
        for number, line in enumerate(self.text(path).splitlines() if path.is_file() else [], 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 3 or not all(parts):
                self.refuse(path, number, "an exception is written 'check | subject | reason'")
            else:
                self.known[tuple(parts[:2])] = number

    def excepted(self, check, subject):
        return self.excepted_if(check, lambda known: known == subject)

    def excepted_if(self, check, covers):
        """Whether an exception of this check covers what was found."""
        covering = {key for key in self.known if key[0] == check and covers(key[1])}
        self.used |= covering
        return bool(covering)

    def check_exceptions(self):
        for key, number in self.known.items():
            if key not in self.used:
                self.refuse(self.root / EXCEPTIONS, number, f"nothing needs the exception '{' | '.join(key)}' any more; "
                                                            "remove the line")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def blank_comment(found):
    text = found.group()
    return "\n" * text.count("\n") if text.startswith("/") else text


def blank(found):
    """As many lines as before, and no text; a literal stays one, so that what is around it is read as before."""
    text = found.group()
    return "\n" * text.count("\n") if text.startswith("/") else '""' + "\n" * text.count("\n")
