# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads api/: the kinds of parameters, the function rows of each chapter, the constants."""
import dataclasses
import pathlib
import re

CHAPTERS = ("p2p", "buffered", "request", "partitioned", "datatype", "collective", "op", "group", "comm", "attribute",
            "topology", "env", "error", "info", "session", "spawn", "rma", "io", "convert", "tool")


EXTENSIONS = ("resilience",)  # not in mpi.h but in mpi-ext.h


class RowError(Exception):
    """A row that cannot be read; the text names the file and the row."""


@dataclasses.dataclass(frozen=True)
class ParameterKind:
    name: str
    small: str    # C declaration with % for the name
    large: str    # the same in the large-count form
    body: str     # the same for the C++ body
    text: str     # the CallText member that shows it
    checks: tuple


@dataclasses.dataclass(frozen=True)
class Parameter:
    name: str
    kind: ParameterKind
    arguments: tuple   # what the row gives in brackets
    in_place: bool     # MPI_IN_PLACE is accepted
    where: str         # "", "root", "leaf" or "party": on which ranks of a rooted collective it counts

    def declare(self, large):
        return (self.kind.large if large else self.kind.small).replace("%", self.name)

    def declare_in_body(self):
        return self.kind.body.replace("%", self.name)

    @property
    def differs(self):
        return self.kind.small != self.kind.large


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    chapter: str
    flags: frozenset
    options: dict
    parameters: tuple

    def has(self, flag):
        return flag in self.flags

    @property
    def returns(self):
        return self.options.get("returns", "int")

    @property
    def body(self):
        return self.options.get("body", self.name.split("_", 1)[1].lower())

    @property
    def forms(self):
        """(C name, is it the large-count form) of each C function of this row."""
        if self.has("large"):
            return ((self.name, False), (self.name + "_c", True))
        return ((self.name, self.name.endswith("_c")),)

    def prototype(self, large):
        return ", ".join(p.declare(large) for p in self.parameters) or "void"


def _lines(path):
    """Rows of a file, continuation lines joined, comments dropped."""
    rows = []
    for line in path.read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line[0].isspace() and rows:
            rows[-1] += " " + line.strip()
        else:
            rows.append(line.strip())
    return rows


def _title(path):
    return path.read_text().splitlines()[2].lstrip("# ")


def read_kinds(folder):
    kinds = {}
    for row in _lines(folder / "kinds.txt"):
        columns = [column.strip() for column in row.split("|")]
        if len(columns) != 6:
            raise RowError(f"kinds.txt: '{row}' has {len(columns)} columns instead of 6")
        name, small, large, body, text, checks = columns
        large = large or small
        kinds[name] = ParameterKind(name, small, large, body or large, text,
                                    tuple(check.strip() for check in checks.split(";") if check.strip()))
    return kinds


_FLAGS = ("large", "anytime", "tool", "locks", "direct", "returns", "body", "deprecated", "alias")
_PARAMETER = re.compile(r"(\w+):(\w+)(\??)(?:\(([^)]*)\))?(?:@(root|leaf|party))?")


def _parameter(text, kinds, place):
    match = _PARAMETER.fullmatch(text)
    if not match:
        raise RowError(f"{place}: '{text}' is not name:kind?(arguments)@where")
    name, kind, in_place, arguments, where = match.groups()
    if kind == "raw":
        declaration = f"{arguments[:-1]} *%" if arguments.endswith("*") else f"{arguments} %"
        text_member = "add_callback" if arguments.endswith("_function*") else "add_raw"
        return Parameter(name, ParameterKind("raw", declaration, declaration, declaration, text_member, ()), (), False, "")
    if kind not in kinds:
        raise RowError(f"{place}: kind '{kind}' of {name} is not in kinds.txt")
    split = tuple(a.strip() for a in arguments.split(",")) if arguments else ()
    return Parameter(name, kinds[kind], split, bool(in_place), where or "")


def read_functions(folder, kinds, chapters):
    """The functions of these chapters, and the chapters' titles."""
    functions, titles = [], {}
    for chapter in chapters:
        path = folder / "functions" / f"{chapter}.txt"
        titles[chapter] = _title(path)
        for row in _lines(path):
            name, flags, *parameters = row.split()
            words = [] if flags == "-" else flags.split(",")
            place = f"{path.name}: {name}"
            unknown = [word for word in words if word.split("=")[0] not in _FLAGS]
            if unknown:
                raise RowError(f"{place}: '{unknown[0]}' is no flag; flags are {', '.join(_FLAGS)}")
            functions.append(Function(
                name, chapter, frozenset(w for w in words if "=" not in w), dict(w.split("=") for w in words if "=" in w),
                tuple(_parameter(p, kinds, place) for p in parameters)))
    return functions, titles


@dataclasses.dataclass(frozen=True)
class Section:
    title: str
    form: str   # define, enum, handle, cast
    type: str
    constants: tuple


@dataclasses.dataclass(frozen=True)
class Constant:
    name: str
    value: str
    type: str
    deprecated: str

    @property
    def is_alias(self):
        return self.value.startswith("MPI_")

    @property
    def number(self):
        return int(self.value, 0)


def read_sections(folder):
    sections = []
    for row in _lines(folder / "constants.txt"):
        heading = re.fullmatch(r"\[(.*)\] (\w+) ?(.*)", row)
        if heading:
            title, form, type_name = heading.groups()
            sections.append(Section(title, form, type_name, []))
            continue
        name, value, *options = row.split()
        options = dict(option.split("=") for option in options)
        section = sections[-1]
        section.constants.append(Constant(name, value, options.get("type", section.type), options.get("deprecated", "")))
    return sections


class Surface:
    """Everything in api/."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.kinds = read_kinds(folder)
        self.functions, self.titles = read_functions(folder, self.kinds, CHAPTERS)
        self.extensions, titles = read_functions(folder, self.kinds, EXTENSIONS)
        self.titles |= titles
        self.sections = read_sections(folder)

    def chapter(self, chapter):
        return [f for f in self.functions + self.extensions if f.chapter == chapter]
