# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a row is in Fortran: which functions there are, and how each parameter is passed."""
import dataclasses
import re

from ..rows import RowError

CHAPTERS = ("p2p", "buffered", "request", "partitioned", "datatype", "collective", "op", "group", "comm", "attribute",
            "topology", "env", "error", "info", "session", "spawn", "rma", "io")  # what Fortran has
SCALARS = {"int": "integer", "MPI_Aint": "integer(MPI_ADDRESS_KIND)", "MPI_Count": "integer(MPI_COUNT_KIND)",
           "MPI_Offset": "integer(MPI_OFFSET_KIND)", "double": "double precision"}
HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_File", "MPI_Group", "MPI_Info", "MPI_Message", "MPI_Op",
           "MPI_Request", "MPI_Session", "MPI_Win")
_DROPPED = ("argc", "argv", "varargs")  # Fortran's MPI_Init has no arguments
_LOGICAL = ("flag", "out_flag", "flags", "maybe_flags", "out_flags")
_NAMES = {"indx": "index"}  # C has a function of that name
_DECLARATION = re.compile(r"(const )?(.+?) ?(\**)%(\[\]|\[\]\[3\])?")


@dataclasses.dataclass(frozen=True)
class Argument:
    """One parameter of one form of a function."""
    name: str
    kind: str        # its name in kinds.txt
    c_type: str      # without const and stars
    const: bool
    many: str        # "", "[]" or "[][3]"
    role: str        # in, pass, handle, handle_inout, handle_out, handles, handles_inout, handles_out, status, statuses,
                     # buffer, text, out_text, pointer, callback, arguments, index, indices, weights, attribute
    arguments: tuple
    in_place: bool

    @property
    def intent(self):
        if self.role in ("in", "handle", "handles", "text", "arguments") or (self.role == "buffer" and self.const):
            return "in"
        if "inout" in self.kind or self.kind == "live_requests":
            return "inout"
        if self.kind.startswith("out_") or "_out_" in self.kind:
            return "" if self.role in ("status", "statuses", "weights") else "out"
        if self.kind == "status_inout":
            return "inout"
        if self.role == "pass" and (self.const or self.kind == "ranges"):
            return "in"
        return "in" if self.role in ("status", "attribute") else ""

    @property
    def logical(self):
        return self.kind in _LOGICAL


@dataclasses.dataclass(frozen=True)
class Routine:
    """One C function that Fortran can call."""
    name: str
    chapter: str
    large: bool
    returns: str
    arguments: tuple   # in Fortran's order, without ierror
    c_arguments: tuple  # as C takes them
    by_hand: bool      # its C entry stands in src/fortran
    in_f08: bool       # mpi_f08 has nothing that was deprecated before it

    @property
    def has_buffers(self):
        return any(a.role == "buffer" for a in self.arguments)

    @property
    def waits(self):
        """Whether it goes on after it has returned, so that the compiler must leave its buffers alone."""
        return self.chapter in ("rma", "partitioned") or any(a.name == "request" for a in self.arguments) or \
            self.name.removesuffix("_c").endswith(("_begin", "_end"))

    @property
    def fallible(self):
        return self.returns == "int" and not self.name.endswith("Pcontrol")


def _role(function, parameter, c_type, stars, many):
    kind = parameter.kind.name
    if c_type in HANDLES:
        if many:
            return "handles_inout" if kind in ("requests_inout", "live_requests") else \
                "handles_out" if kind.startswith("out_") else "handles"
        return "handle" if not stars else "handle_inout" if kind.endswith("_inout") else "handle_out"
    if c_type == "MPI_Status":
        return "statuses" if many else "status"
    if function.chapter == "attribute" and kind in ("pointer", "out_pointer"):
        return "attribute"
    if kind == "out_pointer" and not parameter.name.startswith("logical_"):
        return "pointer"
    if kind == "raw":
        return "callback"
    if parameter.name == "extra_state":
        return "attribute"
    if c_type == "void":
        return "buffer"
    if kind in ("string", "string_array"):
        return "text"
    if kind.endswith("out_string"):
        return "out_text"
    if kind in ("arguments", "argument_lists"):
        return "arguments"
    roles = {"out_index": "index", "out_indices": "indices"}
    return roles.get(kind) or ("weights" if kind.endswith("weights") else "pass" if stars or many else "in")


def _argument(function, parameter, large):
    declaration = parameter.kind.large if large else parameter.kind.small
    const, c_type, stars, many = _DECLARATION.fullmatch(declaration).groups()
    name = _NAMES.get(parameter.name, parameter.name)
    in_place = parameter.in_place or (c_type == "void" and function.chapter in ("collective", "topology"))
    role = _role(function, parameter, c_type, stars, many)
    if c_type not in SCALARS and role in ("in", "pass"):
        raise RowError(f"{function.name}: Fortran has nothing for {parameter.name}, a {declaration}")
    return Argument(name, parameter.kind.name, c_type, bool(const), many or "", role, parameter.arguments, in_place)


def _by_hand(function, arguments):
    return any(a.role in ("callback", "arguments", "attribute") or (a.role == "out_text" and not a.arguments)
               for a in arguments) or any(p.kind.name in _DROPPED for p in function.parameters) or \
        function.name == "MPI_Finalize"


def routines(surface, large_forms=True):
    """Every routine of Fortran, in the order of the rows. Only mpi_f08 has large counts."""
    result = []
    for function in (f for chapter in CHAPTERS for f in surface.chapter(chapter)):
        for name, large in function.forms:
            if large and not large_forms:
                continue
            arguments = [_argument(function, p, large) for p in function.parameters if p.kind.name not in _DROPPED]
            by_hand = _by_hand(function, arguments)
            fortran = arguments
            if function.name == "MPI_Info_create_env":  # Fortran has no arguments of main to hand over
                fortran = [a for a in arguments if a.name == "info"]
            result.append(Routine(name, function.chapter, large, function.returns, tuple(fortran), tuple(arguments),
                                  by_hand, function.options.get("deprecated") != "2.0"))
    return result


def texts(routine):
    """The character arguments, whose lengths follow all arguments."""
    return [a for a in routine.arguments if a.role in ("text", "out_text", "arguments")]
