# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""mpi.h from include/mpi.h.in: types and constants by section, prototypes by chapter. mpi-ext.h from include/mpi-ext.h.in: a
prototype where its name stands, and the standard's names for what has been voted into it."""
import re

from .rows import CHAPTERS, RowError


def _comment(text):
    return f"/* {text} */"


def _handle_section(section):
    tag = section.type.replace("MPI_", "MPI_ABI_")
    lines = [f"typedef struct {tag} *{section.type};"]
    for constant in section.constants:
        value = constant.value if constant.is_alias else f"(({section.type})0x{constant.number:08x})"
        lines.append(f"#define {constant.name:<34} {value}")
    return lines


def _plain_section(section):
    lines = []
    for constant in section.constants:
        if section.form == "define":
            value = constant.value
        else:
            value = f"(({constant.type}){constant.value})"
        lines.append(f"#define {constant.name:<34} {value}")
    return lines


def _enum_section(section):
    entries = [f"  {c.name:<34} = {c.value}" for c in section.constants]
    head, tail = ("enum {", "};")
    if section.type:
        head, tail = f"typedef enum {section.type} {{", f"}} {section.type};"
    return [head] + [entry + "," for entry in entries[:-1]] + [entries[-1], tail]


def _sections(sections):
    writers = {"handle": _handle_section, "enum": _enum_section}
    lines = []
    for section in sections:
        lines += [_comment(section.title)] + writers.get(section.form, _plain_section)(section) + [""]
    return "\n".join(lines).rstrip()


def _prototypes_of(function):
    deprecated = f" STARLING_MPI_DEPRECATED({function.options['deprecated']})" if "deprecated" in function.options else ""
    return [f"{function.returns} {prefix}{name}({function.prototype(large)}){deprecated};"
            for name, large in function.forms for prefix in ("", "P")]


def _prototypes(surface):
    lines = []
    for chapter in CHAPTERS:
        lines += ["", _comment(surface.titles[chapter])]
        for function in surface.chapter(chapter):
            lines += _prototypes_of(function)
    return "\n".join(lines).lstrip()


def mpi_h(surface, template):
    early = [s for s in surface.sections if s.form in ("handle", "define") or s.title.startswith("Status")]
    late = [s for s in surface.sections if s not in early]
    text = template.replace("@HANDLES@", _sections(early))
    text = text.replace("@CONSTANTS@", _sections(late))
    return text.replace("@FUNCTIONS@", _prototypes(surface))


def mpi_ext_h(surface, template):
    functions = {function.name: function for function in surface.extensions}
    named = re.findall(r"@(MPIX_\w+)@", template)
    if sorted(named) != sorted(functions):
        raise RowError(f"mpi-ext.h.in and the rows differ in {sorted(set(named) ^ set(functions)) or 'a name that stands twice'}")
    text = re.sub(r"@(MPIX_\w+)@", lambda match: "\n".join(_prototypes_of(functions[match.group(1)])), template)
    aliases = [f"#define {prefix}{function.options['alias']} {prefix}{name}"
               for name, function in functions.items() if "alias" in function.options for prefix in ("", "P")]
    return text.replace("@ALIASES@", "\n".join(aliases))
