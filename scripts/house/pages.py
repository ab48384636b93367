# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses links in the Markdown pages that lead to no file or no heading, and names of code in them that the tree does not
have: in backticks an identifier in CamelCase or snake_case, ns::name, call(), a path, an option --x, and STARLING_X anywhere.

A name counts as known if it stands anywhere in the tree but in a page. Pages that scripts/docs writes are known to be right.

Lines of text end at 120 columns, as code does; tables, code, headings and pages that a program writes may be longer.
"""
import re
from pathlib import Path

from house.tree import SOURCES, line_of

FOLDERS = ("docs", "api", "bench", "examples", "include", "libs", "recipes", "scripts", "src", "tests", "tools")
OUTSIDE = (".ci", "cmake", *FOLDERS[1:])  # where names may come from
PLANTED = ("scripts/house/", "tests/house/")  # their names are examples
NO_TEXT = {".png", ".svg", ".gz", ".bin", ".pyc"}
WRITTEN = "<!-- Written by scripts/docs. -->"
BY_A_PROGRAM = "Written by "  # what a page that a program writes says of itself
WIDTH = 120

FENCE = re.compile(r"^( *)```.*?^\1```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^#+ +(.*?)#* *$", re.M)
CODE = re.compile(r"`([^`\n]+)`")
VARIABLE = re.compile(r"\bSTARLING_[A-Z][A-Z0-9_*<>A-Z]*\w?")
PATH = re.compile(r"(?<![\w/.~-])(?:[\w.*<>-]+/)*[\w*<>-]+\.(?:hpp|cpp|cc|h|c|py|md|txt|cmake|json|map)(?:\.in)?\b|"
                  r"(?<![\w/.~-])[a-z_]+\.\*|(?<![\w/.~<-])(?:%s)/[\w./*<>-]+" % "|".join(FOLDERS))
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
NAME = re.compile(r"(?<![\w.$/-])(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*\b(?![\w/-])(\()?")
SHAPED = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|^[A-Z][a-z]+$")
WORD = re.compile(r"\w+")


def check(tree):
    pages = find_pages(tree)
    if not pages:
        return
    names = Names(tree, pages)
    for page in pages:
        text = tree.text(page)
        check_links(tree, page, FENCE.sub(lines_only, text))
        check_width(tree, page, text)
        if WRITTEN not in text:
            names.check(page, text)


def find_pages(tree):
    return [path for path, parts in tree.parts.items() if path.suffix == ".md" and (len(parts) == 1 or parts[0] in FOLDERS)]


def lines_only(found):
    return "\n" * found.group().count("\n")


def check_width(tree, page, text):
    if BY_A_PROGRAM in text:
        return
    for number, line in enumerate(FENCE.sub(lines_only, text).splitlines(), 1):
        if len(line) > WIDTH and len(line.split()) > 2 and not line.lstrip().startswith(("|", "#")):
            tree.refuse(page, number, f"has {len(line)} columns; wrap text at {WIDTH}")


def check_links(tree, page, text):
    for found in LINK.finditer(CODE.sub(lambda code: " " * len(code.group()), text)):
        target, _, anchor = found.group(1).partition("#")
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        file = page.parent / target if target else page
        if not file.exists():
            tree.refuse(page, line_of(text, found.start()), f"the link '{found.group(1)}' leads to no file")
        elif anchor and file.suffix == ".md" and anchor not in anchors(tree.text(file)):
            tree.refuse(page, line_of(text, found.start()), f"the link '{found.group(1)}' leads to no heading of that page")


def anchors(text):
    """As GitHub makes them of headings."""
    seen = {}
    for heading in HEADING.findall(FENCE.sub(lines_only, text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        yield f"{name}-{count}" if count else name


class Names:
    """What the tree outside its pages names."""

    def __init__(self, tree, pages):
        self.tree = tree
        self.files = [str(path.relative_to(tree.root)) for path in named_files(tree)]
        texts = [self.text_of(tree, name) for name in self.files if not name.startswith(PLANTED)]
        # What scripts/docs writes comes from the programs themselves.
        texts += [tree.text(page) for page in pages if WRITTEN in tree.text(page)]
        self.made = "\n".join(texts)
        self.words = set().union(*(WORD.findall(text) for text in texts), (Path(name).stem for name in self.files))
        self.options = set().union(*(OPTION.findall(text) for text in texts))
        self.option_ends = set().union(*(re.findall(r'"([a-z][a-z-]*)"', text) for text in texts))
        self.files += [str(page.relative_to(tree.root)) for page in pages]
        self.folders = {str(parent) for name in self.files for parent in Path(name).parents}

    @staticmethod
    def text_of(tree, name):
        """A comment that still speaks of what is gone keeps no name alive."""
        path = tree.root / name
        return tree.uncommented(path) if path.suffix in SOURCES else tree.text(path)

    def check(self, page, text):
        prose = FENCE.sub(lines_only, text)
        for found in VARIABLE.finditer(text):
            self.judge(page, text, found, found.group(), self.has_variable)
        for code in CODE.finditer(prose):
            self.check_code(page, prose, code)

    def check_code(self, page, text, code):
        rest = VARIABLE.sub(" ", code.group(1))
        for pattern, has in ((PATH, self.has_path), (OPTION, self.has_option)):
            for found in pattern.finditer(rest):
                self.judge(page, text, code, re.sub(r"^<(?!\w+>)", "", found.group()), has)
            rest = pattern.sub(" ", rest)
        for found in NAME.finditer(rest):
            name = found.group().rstrip("(")
            if name.startswith("_"):  # the end of another name
                continue
            if "::" in name or SHAPED.search(name) or found.group() + ")" == code.group(1):
                self.judge(page, text, code, name, self.has_name)

    def judge(self, page, text, place, name, has):
        if not has(name) and not self.tree.excepted("name", name):
            self.tree.refuse(page, line_of(text, place.start()), f"'{name}' is nowhere in the tree; name what is there now")

    def has_name(self, name):
        return all(part in self.words for part in name.split("::") if part != "std")

    def has_option(self, name):
        """Also where a program puts it together, of a prefix and the option's own name; a NAME stands for anything."""
        return name != name.lower() or name in self.options or name.removeprefix("--").partition("-")[2] in self.option_ends

    def has_variable(self, name):
        """Also by the name in its declaration, which leaves out the prefix; * and <x> stand for anything."""
        pattern = re.compile(re.sub(r"<\w+>|\*", r"\\w+", name.rstrip("<")) + "$")
        short = re.compile(pattern.pattern.removeprefix("STARLING_"))
        return any(pattern.match(word) or short.match(word) for word in self.words) if "\\w" in pattern.pattern else (
            name in self.words or name.removeprefix("STARLING_") in self.words)

    def has_path(self, name):
        """As it stands in the tree, its end, a program made of it, or a name that the tree gives to a file."""
        name = name.removeprefix("../")
        pattern = re.compile(r"(?:^|.*/)" + re.sub(r"_?<\w+>|\*", "[^/]*", name.rstrip("/").replace(".", r"\.")) + r"(?:\.\w+)?$")
        known = name.rstrip("/") in self.folders or any(pattern.match(file) for file in (*self.files, *self.folders))
        return known or ("/" not in name and name in self.made)


def named_files(tree):
    return [path for path, parts in tree.parts.items()
            if path.suffix not in NO_TEXT | {".md"} and (len(parts) == 1 or parts[0] in OUTSIDE)]
