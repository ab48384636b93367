# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Buffers that mpi_f08 gets as array sections with gaps: how a routine uses each, so that src/fortran/section.hpp can describe
it by a datatype or copy it."""

_WHOLE = ("p2p", "rma", "io")  # one message of so many elements
_FIXED = ("MPI_Win_create", "MPI_Win_attach", "MPI_Win_detach", "MPI_Free_mem", "MPI_Get_address", "MPI_Buffer_attach",
          "MPI_Comm_attach_buffer", "MPI_Session_attach_buffer", "MPI_Fetch_and_op",
          "MPI_Compare_and_swap")  # they need the address only


def base(name):
    return f"{name}->base_addr"


def takes_addresses_only(routine):
    """Whether only the buffers' addresses matter, as the end of a split collective has seen them at its beginning."""
    name = routine.name.removesuffix("_c")
    return name in _FIXED or name.startswith("MPI_Abi_") or name.endswith("_end")


def _counts_here(routine, argument):
    """The C++ expression that says whether a collective with a root looks at this buffer here; the others' counts and
    datatypes may be anything."""
    if routine.chapter != "collective" or all(a.name != "root" for a in routine.arguments):
        return None
    buffers = [a.name for a in routine.arguments if a.role == "buffer"]
    if len(buffers) == 1:
        return "*root != MPI_PROC_NULL"
    of_root = "sendbuf" if "catter" in routine.name else "recvbuf"
    return "is_root(from<MPI_Comm>(*comm), *root)" if argument.name == of_root else "*root >= 0"


def _described(routine, argument):
    """The count and the datatype of a buffer, and whether it is one message, blocks of that type, or neither."""
    by_name = {a.name: a for a in routine.arguments}
    given = argument.arguments
    if not given and argument.name in ("origin_addr", "result_addr") and "origin_count" in by_name:
        prefix = argument.name.removesuffix("addr")
        given = (f"{prefix}count", f"{prefix}datatype")
    if argument.kind in ("data", "room", "any_data") and len(given) == 2 and given[1] in by_name:
        whole = routine.chapter in _WHOLE or "cast" in routine.name
        return given[0], given[1], "kMessage" if whole else "kBlocks"
    if argument.kind in ("sends", "receives") and routine.chapter == "datatype" and given[1] in by_name:
        return given[0], given[1], "kMessage"
    if argument.kind in ("data_v", "room_v", "data_to_each", "room_from_each"):
        return None, given[-1], "kBlocks"
    return None, None, "kAsItIs"


def _of_section(call, argument, which):
    if not call.sections:
        return None
    for buffer in (a for a in call.routine.arguments if a.role == "buffer"):
        if _described(call.routine, buffer)[which] == argument.name:
            return buffer
    return None


def count_of(call, argument):
    buffer = _of_section(call, argument, 0)
    return f"{buffer.name}_section.count<{argument.c_type}>(*{argument.name})" if buffer else None


def type_of(call, argument):
    buffer = _of_section(call, argument, 1)
    return f"{buffer.name}_section.type(from<MPI_Datatype>(*{argument.name}))" if buffer else None


def slow_path(routine, make_call):
    """What an entry does where a buffer has gaps."""
    buffers = [a for a in routine.arguments if a.role == "buffer"]
    if takes_addresses_only(routine):
        return []
    lines = [f"  if ({' || '.join(f'has_gaps({a.name})' for a in buffers)}) [[unlikely]] {{"]
    for a in buffers:
        count, datatype, use = _described(routine, a)
        here = _counts_here(routine, a)
        use = f"{here} ? Use::{use} : Use::kNone" if here else f"Use::{use}"
        moves = "kRead" if a.const else "kWritten"
        later = "kLater" if routine.waits else "kNow"
        lines.append(f"    Section {a.name}_section({a.name}, {use}, Moves::{moves}, Done::{later}, "
                     f"{f'*{count}' if count else '-1'}, {f'*{datatype}' if datatype else '0'});")
    bad = " || ".join(f"!{a.name}_section.good()" for a in buffers)
    lines.append(f'    if ({bad}) return give(ierror, refuse_section("{routine.name}"));')
    lines += ["    " + line for line in make_call(routine, "ts", True).text()]
    return lines + ["    return;", "  }"]
