# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Entries of which little but the call is left in most messages (src/fortran/direct.hpp): those that hand on what they got, but
for handles, addresses and the error code. Where handles are not predefined or a buffer has gaps they go on in a function that
does without these assumptions."""
from . import sections
from .model import texts

_HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Op")  # which have predefined ones


def is_direct(routine, call):
    return routine.has_buffers and not call.before and not call.after and not texts(routine) and \
        not sections.takes_addresses_only(routine) and \
        all(a.c_type in _HANDLES for a in routine.arguments if a.role == "handle")


def _passed(routine, ierror, f08):
    """The arguments of an entry as another one takes them."""
    listed = [f"{a.name}->base_addr" if f08 and a.role == "buffer" else a.name for a in routine.arguments]
    return ", ".join(listed + [ierror])


def general(routine, lines, f08, listed, mpif_name):
    """The function without assumptions, and its name; lines do what the entry would do by itself."""
    name = f"{routine.name.removeprefix('MPI_').lower()}_any{'_f08' if f08 else ''}"
    if f08 and not routine.large:  # the entry of mpif.h takes it from here
        lines = lines[:-1] + [f"  {mpif_name}({_passed(routine, 'ierror', True)});"]
    return name, f"\n[[gnu::noinline]] static void {name}({listed}) {{\n" + "\n".join(lines) + "\n}\n"


def body(routine, call, name, f08, mpif_name):
    """The lines of the entry; call is the C call."""
    assumed = " && ".join(f"predefined({a.name})" for a in routine.arguments if a.role == "handle")
    if not f08:
        return [f"  if (!({assumed})) [[unlikely]] return {name}({_passed(routine, 'ierror', False)});",
                f"  const int code = {call};", "  give_late(ierror, code);"]
    plain = " && ".join(f"is_plain({a.name})" for a in routine.arguments if a.role == "buffer")
    first = [f"  if (!({plain})) [[unlikely]] return {name}({_passed(routine, 'ierror', False)});"]
    other = name if routine.large else mpif_name
    without = not routine.large  # descriptors
    return first + [
        f"  if (ierror != nullptr) [[unlikely]] return {other}({_passed(routine, 'ierror', without)});",
        f"  if (!({assumed})) [[unlikely]] return {other}({_passed(routine, 'nullptr', without)});", f"  {call};"]
