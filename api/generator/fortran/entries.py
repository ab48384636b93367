# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The C entries that Fortran's compilers call: mpi_send_ for mpif.h and the module mpi, mpi_send_f08ts_ for mpi_f08.

An entry without choice buffers serves all three. Those that convert more than handles, text and statuses stand in src/fortran.
"""
from ..cpp import BANNER
from . import direct, sections
from .model import texts


def link_names(routine, f08):
    """Fortran's name of the routine in the linker's eyes, and its PMPI name."""
    name = routine.name.lower() + ("" if not f08 else "_f08ts" if routine.has_buffers else "_f08") + "_"
    return name, "p" + name


def own_f08_entry(routine):
    """Whether mpi_f08 needs an entry of its own: for descriptors, for large counts and for pointers that mpif.h ignores."""
    return routine.has_buffers or routine.large or _ignored_pointer(routine)


def _ignored_pointer(routine):
    return routine.chapter == "buffered" and any(a.role == "pointer" for a in routine.arguments)


def _parameter(argument, f08):
    name, c_type = argument.name, argument.c_type
    if argument.role == "buffer":
        return f"const CFI_cdesc_t* {name}" if f08 else f"void* {name}"
    if argument.role in ("text", "out_text"):
        return f"{'const ' if argument.role == 'text' else ''}{'CFI_cdesc_t' if f08 == 'ts' else 'char'}* {name}"
    if argument.role == "pointer":
        return f"void* {name}"
    if argument.role in ("status", "statuses"):
        return f"{'const ' if argument.const else ''}MPI_Status* {name}"
    if argument.role.startswith("handle"):
        return f"{'const ' if argument.role in ('handle', 'handles') else ''}int* {name}"
    const = "const " if argument.role == "in" or argument.const else ""
    return f"{const}{c_type}* {name}"


def parameters(routine, f08):
    listed = [_parameter(a, f08) for a in routine.arguments]
    if routine.fallible:
        listed.append("int* ierror")
    if f08 != "ts":
        listed += [f"std::size_t {a.name}_length" for a in texts(routine)]
    return ", ".join(listed)


def _array_length(routine, argument):
    """How many handles an array has."""
    if argument.kind == "elems":
        if routine.chapter == "topology":
            side = "kDestinations" if argument.name.startswith("send") else "kSources"
            return f"neighbors(from<MPI_Comm>(*comm), Neighbors::{side})"
        return f"peers(from<MPI_Comm>(*comm), {'sendbuf' if argument.name.startswith('send') else 'recvbuf'}_given)"
    return f"*{argument.arguments[0]}"


_COMPLETING = ("MPI_Wait", "MPI_Test", "MPI_Request_get_status")
_FIRST = {"MPI_Session_init": "tell_facts();", "MPI_Session_finalize": "forget_section_types();"}


class Call:
    """The statements before and after the C call, and its arguments."""

    def __init__(self, routine, f08, through_sections=False, known=False):
        self.before, self.after, self.passed = [], [], []
        self.routine, self.f08, self.sections = routine, f08, through_sections
        self.known = known  # whether all handles are predefined
        if routine.name in _FIRST:
            self.before.append(_FIRST[routine.name])
        for argument in routine.c_arguments:
            getattr(self, "_" + argument.role)(argument)
        if routine.name.startswith(_COMPLETING):
            self.after.append("keep_any_promises();")

    def _in(self, a):
        self.passed.append(sections.count_of(self, a) or f"*{a.name}")

    def _pass(self, a):
        self.passed.append(f"reinterpret_cast<int(*)[3]>({a.name})" if a.many == "[][3]" else a.name)

    def _handle(self, a):
        handle = f"known<{a.c_type}>({a.name})" if self.known else f"from<{a.c_type}>(*{a.name})"
        self.passed.append(sections.type_of(self, a) or handle)

    def _handle_inout(self, a):
        self.before.append(f"auto {a.name}_c = from<{a.c_type}>(*{a.name});")
        self.passed.append(f"&{a.name}_c")
        self.after.append(f"*{a.name} = to({a.name}_c);")

    def _handle_out(self, a):
        if a.c_type == "MPI_Comm" and self.routine.waits:  # C writes it when the request is complete
            self.before.append(f"MPI_Comm* const {a.name}_c = promise({a.name});")
            self.passed.append(f"{a.name}_c")
            self.after.append(f"if (code != MPI_SUCCESS) take_back({a.name}_c);")
            return
        self.before.append(f"{a.c_type} {a.name}_c = nullptr;")
        self.passed.append(f"&{a.name}_c")
        self.after.append(f"if ({a.name}_c != nullptr) *{a.name} = to({a.name}_c);")

    def _handles(self, a):
        if a.kind == "elems":
            buffer = "sendbuf" if a.name.startswith("send") else "recvbuf"
            given = f"{sections.base(buffer) if self.f08 else buffer} != &mpi_fortran_in_place_"
            if self.routine.chapter == "collective":
                self.before.append(f"const bool {buffer}_given = {given};")
        keep = "Kept" if a.kind == "elems" and self.routine.waits else "Handles"
        self.before.append(f"{keep}<{a.c_type}> {a.name}_c({a.name}, {_array_length(self.routine, a)});")
        self.passed.append(f"{a.name}_c.data()")

    def _handles_inout(self, a):
        self._handles(a)
        self.after.append(f"{a.name}_c.give({a.name});")

    def _handles_out(self, a):
        self.before.append(f"Handles<{a.c_type}> {a.name}_c({_array_length(self.routine, a)});")
        self.passed.append(f"{a.name}_c.data()")
        self.after.append(f"{a.name}_c.give({a.name});")

    def _status(self, a):
        self.passed.append(a.name if a.kind in ("status", "status_inout") else f"status_or_ignored({a.name})")

    def _statuses(self, a):
        self.passed.append(f"statuses_or_ignored({a.name})")

    def _buffer(self, a):
        if self.sections:
            self.passed.append(f"{a.name}_section.address()")
            return
        where = f"{a.name}->base_addr" if self.f08 else a.name
        place = "buffer_or_in_place" if a.in_place else "buffer_or_automatic" if a.name == "buffer" else "buffer"
        # MPI_BOTTOM is of no use with a datatype that is predefined.
        self.passed.append(where if self.known and place == "buffer" else f"{place}({where})")

    def _pointer(self, a):
        if _ignored_pointer(self.routine) and not self.f08:
            self.before.append(f"void* {a.name}_ignored = nullptr;")
            self.after.append(f"static_cast<void>({a.name});")
            self.passed.append(f"&{a.name}_ignored")
        else:
            self.passed.append(a.name)

    def _text(self, a):
        read = "trimmed_text" if self.routine.chapter == "info" else "text"
        given = a.name if self.f08 == "ts" else f"{a.name}, {a.name}_length"
        self.passed.append(f"{read}({given}).c_str()")

    def _out_text(self, a):
        self.before.append(f"char {a.name}_c[{a.arguments[0]}] = \"\";")
        self.passed.append(f"{a.name}_c")
        self.after.append(f"if (code == MPI_SUCCESS) give_text({a.name}_c, {a.name}, {a.name}_length);")

    def _index(self, a):
        self.before.append(f"int {a.name}_c = MPI_UNDEFINED;")
        self.passed.append(f"&{a.name}_c")
        self.after.append(f"*{a.name} = from_one({a.name}_c);")

    def _indices(self, a):
        self.before.append(f"*{a.arguments[1]} = MPI_UNDEFINED;")
        self.passed.append(a.name)
        self.after.append(f"count_from_one({a.name}, *{a.arguments[1]});")

    def _weights(self, a):
        self.passed.append(f"weights_or_constant({a.name})")

    def call(self):
        return f"{self.routine.name}({', '.join(self.passed)})"

    def text(self):
        call = self.call()
        if not self.routine.fallible:
            return [f"return {call};"]
        if not self.after:
            return self.before + [f"give(ierror, {call});"]
        return self.before + [f"const int code = {call};"] + self.after + ["give(ierror, code);"]


def _definition(routine, f08):
    form = "ts" if f08 and routine.has_buffers else f08
    name, profiled = link_names(routine, f08)
    returns = "void" if routine.fallible else routine.returns
    lines = sections.slow_path(routine, Call) if form == "ts" else []
    call = Call(routine, form)
    lines += ["  " + line for line in call.text()]
    listed = parameters(routine, form)
    before = ""
    if direct.is_direct(routine, call):
        mpif_name = link_names(routine, False)[1]
        general, before = direct.general(routine, lines, f08, listed, mpif_name)
        lines = direct.body(routine, Call(routine, form, known=True).call(), general, f08, mpif_name)
    names = [name]
    if not f08 and not own_f08_entry(routine) and routine.fallible:
        names += link_names(routine, True)
    if not f08 and routine.name in WITH_CPTR:
        names += [n.removesuffix("_") + "_cptr_" for n in (name, profiled)]
    body = "\n".join(lines)
    aliases = "".join(f'STARLING_PUBLIC {returns} {n}({listed}) __attribute__((weak, alias("{profiled}")));\n' for n in names)
    return f"{before}\nSTARLING_PUBLIC {returns} {profiled}({listed}) {{\n{body}\n}}\n{aliases}"


WITH_CPTR = ("MPI_Alloc_mem", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_shared_query")


def entries_cpp(title, routines):
    """The entries of one chapter."""
    definitions = ""
    for routine in routines:
        if routine.by_hand:
            continue
        if not routine.large:
            definitions += _definition(routine, False)
        if own_f08_entry(routine):
            definitions += _definition(routine, True)
    return f"""{BANNER}// Entries for Fortran: {title}
#include "fortran/direct.hpp"
#include "fortran/entry.hpp"
#include "fortran/facts.hpp"
#include "fortran/promises.hpp"

using namespace starling::fortran;

extern "C" {{
{definitions}
}}  // extern "C"
"""
