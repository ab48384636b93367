# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The modules mpi_f08 and mpi: an interface for each routine and for its PMPI name, a module for each chapter."""
from .entries import WITH_CPTR, link_names
from .model import CHAPTERS, SCALARS, texts

BANNER = """! SPDX-FileCopyrightText: 2026 The Starling authors
! SPDX-License-Identifier: BSD-3-Clause
! Generated from api/; do not edit.
"""
_SHORT_ATTRIBUTES = ("MPI_Attr_get", "MPI_Attr_put", "MPI_Keyval_create")  # of MPI-1, before addresses had a kind


def _continued(head, words, tail=""):
    """A statement whose list may need several lines."""
    lines, line = [], head
    for i, word in enumerate(words):
        word += ", " if i + 1 < len(words) else ""
        if len(line) + len(word) > 110:
            lines.append(line + "&")
            line = "        "
        line += word
    return "\n".join(lines + [line + tail])


def _type(argument, f08):
    if argument.role == "pointer":
        return "type(c_ptr)" if f08 else "integer(MPI_ADDRESS_KIND)"
    if argument.role in ("text", "out_text", "arguments"):
        return "character(len=*)"
    if argument.role == "attribute":
        return "integer(MPI_ADDRESS_KIND)"
    if argument.role.startswith("status"):
        return "type(MPI_Status)" if f08 else "integer"
    if argument.role.startswith("handle"):
        return f"type({argument.c_type})" if f08 else "integer"
    return "logical" if argument.logical else SCALARS[argument.c_type]


def _shape(argument, f08):
    if argument.kind == "argument_lists":
        return "(count, *)"
    if argument.role == "status" and not f08:
        return "(MPI_STATUS_SIZE)"
    if argument.role == "statuses":
        return "(*)" if f08 else "(MPI_STATUS_SIZE, *)"
    if argument.role == "arguments" or (argument.many and argument.role != "text"):
        return "(3, *)" if argument.many == "[][3]" else "(*)"
    return ""


def _callback(argument, f08):
    return f"procedure({argument.c_type})" if f08 else "external"


def _declare(routine, argument, f08, cptr):
    if argument.role == "buffer" or (argument.role == "pointer" and routine.chapter == "buffered" and not f08):
        if not f08:
            return f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {argument.name}\n      type(*), dimension(*) :: {argument.name}"
        words = ["type(*)", "dimension(..)"] + (["intent(in)"] if argument.const else []) + \
            (["asynchronous"] if routine.waits else [])
        return f"      {', '.join(words)} :: {argument.name}"
    if argument.role == "callback":
        return f"      {_callback(argument, f08)} :: {argument.name}"
    kind = "integer" if routine.name in _SHORT_ATTRIBUTES and argument.role == "attribute" else _type(argument, f08)
    if cptr and argument.role == "pointer":
        kind = "type(c_ptr)"
    intent = _intent(routine, argument, f08)
    return f"      {kind}{f', intent({intent})' if intent else ''} :: {argument.name}{_shape(argument, f08)}"


def _intent(routine, argument, f08):
    if argument.name == "extra_state" and routine.chapter == "request":
        return ""  # the variable itself, which the request's procedures may change
    if argument.role == "attribute":
        return "out" if argument.kind == "out_pointer" else "in"
    if argument.role == "pointer":
        return "out" if f08 else ""
    return argument.intent


def _specific(routine, f08, prefix, cptr=False):
    """An interface body. With cptr the module mpi takes an address as a type(c_ptr)."""
    symbol = link_names(routine, f08)[1 if prefix else 0]
    words = [a.name for a in routine.arguments] + (["ierror"] if routine.fallible else [])
    value = routine.returns != "int"
    suffix = "" if value else ("_f08ts" if routine.has_buffers else "_f08") if f08 else "_cptr" if cptr else ""
    bind = f' bind(C, name="{symbol}")' if f08 and routine.has_buffers else ""
    head = f"{SCALARS[routine.returns]} function" if value else "subroutine"
    lines = [_continued(f"    {head} {prefix}{routine.name}{suffix}(", words, f"){bind}"), "      import"]
    # An array whose shape is another argument is declared after it.
    lines += [_declare(routine, a, f08, cptr) for a in sorted(routine.arguments, key=lambda a: a.kind == "argument_lists")]
    if routine.fallible:
        lines.append(f"      integer, {'optional, ' if f08 else ''}intent(out) :: ierror")
    return "\n".join(lines + [f"    end {head.split()[-1]}"])


def _signature(routine):
    """What Fortran tells specific routines of one generic name apart by; all kinds of 8 bytes are one."""
    def kind(a):
        if a.role == "callback":
            return "procedure"
        text = _type(a, True) if a.role != "buffer" else "any"
        return "integer(8)" if text.startswith("integer(MPI_") else text
    return [(kind(a), bool(_shape(a, True))) for a in routine.arguments]


def _f08_chapter(routines):
    generics = {}
    for routine in (r for r in routines if r.in_f08):
        generic = routine.name
        small = generic.removesuffix("_c")
        if routine.large and small in generics and _signature(generics[small][0]) != _signature(routine):
            generic = small
        generics.setdefault(generic, []).append(routine)
    blocks = []
    for prefix in ("", "P"):
        for generic, forms in generics.items():
            specifics = "\n".join(_specific(routine, True, prefix) for routine in forms)
            name = "" if forms[0].returns != "int" else f" {prefix}{generic}"
            blocks.append(f"  interface{name}\n{specifics}\n  end interface")
    return blocks


def _mpi_chapter(routines):
    blocks = []
    for prefix in ("", "P"):
        for routine in routines:
            if routine.large:
                continue
            if routine.name in WITH_CPTR:
                blocks.append(f"  interface {prefix}{routine.name}\n{_specific(routine, False, prefix)}\n"
                              f"{_specific(routine, False, prefix, True)}\n  end interface")
            else:
                blocks.append(f"  interface\n{_specific(routine, False, prefix)}\n  end interface")
    return blocks


def chapter_module(chapter, title, routines, f08):
    family = "mpi_f08" if f08 else "mpi"
    uses = ["use, intrinsic :: iso_c_binding, only: c_ptr", "use starling_mpi_constants"]
    uses += ["use mpi_f08_types", "use mpi_f08_callbacks"] if f08 else []
    blocks = (_f08_chapter if f08 else _mpi_chapter)([r for r in routines if r.chapter == chapter])
    lines = "\n".join(f"  {use}" for use in uses)
    body = "\n".join(blocks)
    return (f"{BANNER}! {title}\nmodule starling_{family}_{chapter}\n{lines}\n  implicit none\n  public\n"
            f"  private :: c_ptr\n{body}\nend module\n")


def whole_module(f08):
    """The module that programs use."""
    family = "mpi_f08" if f08 else "mpi"
    own = ["starling_mpi_constants"] + (["mpi_f08_types", "mpi_f08_callbacks", "mpi_f08_more"] if f08 else
                                        ["starling_mpi_handles", "starling_mpi_more"])
    if not f08:  # 19.1.3: the types of mpi_f08 without its constants
        own.append("starling_mpi_types")
    uses = "\n".join(f"  use {name}" for name in own + [f"starling_{family}_{chapter}" for chapter in CHAPTERS])
    return f"{BANNER}module {family}\n{uses}\n  implicit none\n  public\nend module\n"


def shown(routine, f08):
    """The interface as a manual page shows it: what stands in front of the arguments, their names, and what they are."""
    value = SCALARS[routine.returns] + " " if routine.returns != "int" else ""
    lines = []
    for argument in routine.arguments:
        line = _declare(routine, argument, f08, False)
        lines.append(f"<type> :: {argument.name}(*)" if "GCC$" in line else line.strip())
    if routine.fallible:
        lines.append(f"integer, {'optional, ' if f08 else ''}intent(out) :: ierror")
    return f"{value}{routine.name}(", [a.name for a in routine.arguments] + (["ierror"] if routine.fallible else []), lines
