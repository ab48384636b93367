# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses an include that goes up or sideways in src/layers.txt, a library or a tool that reaches into the engine, and an
x.cpp that does not include x.hpp first."""
PUBLIC = ("mpi.h", "mpi-ext.h")
# The launcher shares the engine's lower layers, up to the line that holds this component (docs/adr/0001-the-house.md).
HIGHEST_FOR_TOOLS = "bootstrap"
# What libraries may use of the engine: it knows nothing of MPI and builds anywhere (docs/adr/0003-pure-components.md,
# docs/adr/0009-observe-for-other-mpis.md).
PURE = ("arrival", "base", "observe")
# The library that all others may use: their private wrapper of MPI.
COMMON_LIBRARY = "mpi"
# Headers that the generator in api/ writes into the build folder, and the folders whose business they are.
GENERATED_PREFIX, GENERATED_READERS = "api/", ("src/mpi/", "tools/", "libs/see/")


def check(tree):
    Layers(tree).check()


class Layers:
    """The table of layers, and what each folder may include by it."""

    def __init__(self, tree):
        self.tree = tree
        self.root = tree.root
        self.level = {}  # component -> line number in layers.txt, counted from the top
        table = self.root / "src" / "layers.txt"
        for number, line in enumerate(tree.text(table).splitlines(), 1):
            for name in [] if line.startswith("#") else line.split():
                if name in self.level:
                    tree.refuse(table, number, f"component '{name}' stands twice in the table; keep one line for it")
                self.level[name] = number

    def check(self):
        for folder in self.tree.folders("src"):
            if folder.name not in self.level:
                self.tree.refuse(folder, 0, f"component '{folder.name}' has no line in src/layers.txt; add it to its layer")
        self.check_folder("src", self.engine_rule)
        self.check_folder("libs", self.library_rule)
        self.check_folder("tools", self.tool_rule)

    def check_folder(self, folder, rule):
        for path in self.tree.files(folder):
            for number, name, quoted in self.tree.includes(path):
                reason = rule(path, name, quoted)
                if reason:
                    self.tree.refuse(path, number, f"includes '{name}': {reason}")
            if folder == "src":
                self.check_own_header(path)

    def component_of(self, name):
        """The component that an include names, or None for a header that is not the engine's."""
        first = name.split("/")[0]
        return first if "/" in name and first in self.level else None

    def is_of_engine(self, name):
        return self.tree.resolve(name, self.root / "src") is not None

    def engine_rule(self, path, name, quoted):
        inside = path.relative_to(self.root / "src").parts[0]
        target = self.component_of(name)
        if target is None:
            return self.foreign_in_engine(path, name, quoted, inside)
        if not self.is_of_engine(name):
            return "there is no such file in src/"
        if target == inside or inside not in self.level or self.level[inside] < self.level[target]:
            return None
        way = "sideways" if self.level[inside] == self.level[target] else "up"
        return (f"{inside} may not include {target}, which goes {way} in src/layers.txt; "
                "hand a callback down, or move the piece to a lower layer")

    def foreign_in_engine(self, path, name, quoted, inside):
        if name in PUBLIC or name.startswith("starling/"):
            return None if inside in ("mpi", "fortran", "simulate") else "the public headers are for src/mpi and above; the engine does not see them"
        if quoted and name.startswith(GENERATED_PREFIX):
            return None if self.reads_generated(path) else "generated headers are for src/mpi and tools only"
        return 'quoted includes are written from src/, as "component/file.hpp"' if quoted else None

    def library_rule(self, path, name, quoted):
        libs = self.root / "libs"
        if self.own(path, name, libs / path.relative_to(libs).parts[0], libs):
            return None
        if quoted and self.tree.resolve(name, libs, path.parent) in self.tree.files(f"libs/{COMMON_LIBRARY}"):
            return None
        if quoted and name.startswith(GENERATED_PREFIX) and self.reads_generated(path):
            return None
        if self.component_of(name):
            if self.component_of(name) in PURE and self.is_of_engine(name):
                return None
            return ("libraries stand on <mpi.h>, <starling/...>, their own headers, those of "
                    f"libs/{COMMON_LIBRARY} and the pure components only (docs/adr/0003)")
        return "not a header of this library; others are reached through <starling/...>" if quoted else None

    def tool_rule(self, path, name, quoted):
        target = self.component_of(name)
        if target:
            if self.level[target] >= self.level.get(HIGHEST_FOR_TOOLS, 0):
                return None
            return f"tools may use the engine up to {HIGHEST_FOR_TOOLS}, and {target} lies above it (docs/adr/0001)"
        tools = self.root / "tools"
        if quoted and not name.startswith(GENERATED_PREFIX) and not self.own(path, name, tools, tools):
            return "not a header of tools/ or of a component"
        return None

    def reads_generated(self, path):
        return str(path.relative_to(self.root)).startswith(GENERATED_READERS)

    def own(self, path, name, top, area):
        """Whether name is a header below top: of the same library, or of the tools."""
        target = self.tree.resolve(name, path.parent, top, area)
        return target is not None and target.is_relative_to(top)

    def check_own_header(self, path):
        """x.cpp includes x.hpp first: so its compilation shows that the header stands alone (target check_headers)."""
        header = path.with_suffix(".hpp")
        if path.suffix != ".cpp" or str(header) not in self.tree.names:
            return
        number, name, _ = next(iter(self.tree.includes(path)), (0, "", True))
        wanted = str(header.relative_to(self.root / "src"))
        if name != wanted:
            self.tree.refuse(path, number, f"includes '{name}' before its own header; put \"{wanted}\" first")
