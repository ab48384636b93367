# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The C boundary of one chapter: PMPI_X and its weak alias MPI_X in both forms, with the checks of the rows."""
import re

from .cpp import BANNER, enumerator
from .rows import RowError

_OWNERS = ("comm", "win", "file", "file_or_null", "session")
_OWNERS_INOUT = ("comm_inout", "win_inout", "file_inout", "session_inout")
_FIRST = _OWNERS + ("root", "dest", "source", "member")
_LAST = ("sends", "receives")  # they look at a count and a datatype that check themselves


# The header of a chapter that has checks of its own beside those that all chapters share.
_OWN_CHECKS = {"attribute": "mpi/attribute/check_keyval.hpp", "topology": "mpi/topology/neighbors.hpp"}


def _own_checks(chapter):
    return f'#include "{_OWN_CHECKS[chapter]}"\n' if chapter in _OWN_CHECKS else ""


def _quoted_name(check, parameter):
    """The name that an error text blames: the parameter's own, or the bracketed one that the check is about."""
    if re.search(r"\$(?!\w)", check):
        return f'"{parameter.name}"'
    numbers = re.findall(r"\$(\d)", check)
    return f'"{parameter.arguments[int(numbers[-1])]}"'


def _check_call(check, parameter, comm):
    name = _quoted_name(check, parameter)
    text = check.replace("NAME", name) if "NAME" in check else f"{check[:-1]}, {name})"
    text = text.replace("$comm", comm)
    text = re.sub(r"\$(\d)", lambda m: parameter.arguments[int(m.group(1))], text)
    return f"(rc = {re.sub(r'[$]', parameter.name, text)})"


def _unless_proc_null(function, parameter):
    """A send to nobody and a receive from nobody touch no buffer."""
    by_kind = {p.kind.name: p.name for p in function.parameters}
    if "target" in by_kind:
        return f"{by_kind['target']} != MPI_PROC_NULL"
    replaces = function.name.endswith("_replace")
    ranks = [by_kind[k] for k in ("dest", "source")
             if k in by_kind and (replaces or (k == "dest") == parameter.kind.small.startswith("const"))]
    return " || ".join(f"{rank} != MPI_PROC_NULL" for rank in ranks)


def _unless_no_neighbor(function, parameter, comm):
    """Among neighbours there may be nobody to send to or to receive from."""
    if "eighbor_" not in function.name:
        return ""
    side = "kDestinations" if parameter.kind.small.startswith("const") else "kSources"
    return f"has_neighbors({comm}, NeighborSide::{side})"


def _guard(function, parameter, comm):
    """When the argument counts at all: on which ranks, and not when it is MPI_IN_PLACE."""
    terms = []
    if parameter.where:
        question = {"root": "at_root", "leaf": "contributes", "party": "takes_part"}[parameter.where]
        terms.append(f"{question}({comm}, root)")
    if parameter.in_place:
        not_in_place = f"{parameter.name} != MPI_IN_PLACE"
        if parameter.where == "leaf":
            not_in_place = f"({not_in_place} || !at_root({comm}, root))"
        terms.append(not_in_place)
    return " && ".join(terms)


def _order(parameter):
    kind = parameter.kind.name
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST) + (kind in _LAST)


def _checks(function):
    """C++ expressions, each true when a check failed and rc says how."""
    comm = next((p.name for p in function.parameters if p.kind.name == "comm"), "")
    ordered = sorted(function.parameters, key=_order)
    seen, result = set(), []
    for parameter in ordered:
        calls = []
        for check in parameter.kind.checks:
            if "$comm" in check and not comm:
                raise RowError(f"{function.name}: {parameter.name} needs a communicator to check")
            call = _check_call(check, parameter, comm)
            real = _unless_proc_null(function, parameter) or _unless_no_neighbor(function, parameter, comm)
            if check.startswith("check_buffer") and real:
                call = f"({f'({real})' if '||' in real else real} && {call})"
            if call not in seen:
                calls.append(call)
        guard = _guard(function, parameter, comm)
        if guard and calls:
            result.append(f"({guard} && ({' || '.join(calls)}))")
        else:
            seen.update(calls)
            result += calls
    return result


def _describe(function):
    adds = []
    for p in function.parameters:
        if p.kind.name == "varargs":
            continue
        member, value = p.kind.text, p.name
        if member == "add_callback" or "_function" in p.kind.small:
            member, value = "add", f"reinterpret_cast<const void*>({p.name})"
        elif member == "add_pointer":
            member, value = "add", f"static_cast<const void*>({p.name})"
        elif p.kind.small == "MPI_T_cb_safety %":
            member, value = "add", f"static_cast<int>({p.name})"
        elif member == "add_raw":
            member = "add"
        adds.append(f'text.{member}("{p.name}", {value});')
    if not adds:
        return "[](CallText&) {}"
    return "[=](CallText& text) {\n    " + "\n    ".join(adds) + "\n  }"


def _owner(function):
    """Whose error handler hears of a failure."""
    for parameter in function.parameters:
        if parameter.kind.name in _OWNERS and not (function.chapter == "io" and parameter.kind.name == "comm"):
            return parameter.name
        if parameter.kind.name in _OWNERS_INOUT:
            null = parameter.kind.small.split()[0].upper() + "_NULL"
            return f"{parameter.name} != nullptr ? *{parameter.name} : {null}"
    # Where the object is still to be made, the caller gives the handler that it will have (11.3, 7.4.2).
    if function.chapter == "session" and any(p.name == "errhandler" for p in function.parameters):
        return "errhandler"
    return "MPI_FILE_NULL" if function.chapter == "io" else "nullptr"


# The kinds of parameters that a rank shows of its last calls, in the order in which they are looked for: what the
# parameter is told as, and the member of ShownArguments. Of each member the first counts.
_SHOWN = (("dest", "Destination", "peer"), ("source", "Source", "peer"), ("root", "Root", "peer"),
          ("target", "Target", "peer"), ("send_tag", "Tag", "tag"), ("recv_tag", "Tag", "tag"),
          ("comm", "Comm", "comm"), ("comm_or_null", "Comm", "comm"))
_REQUESTS = ("requests", "requests_inout", "live_requests")


def _shown_message(function):
    """A count with its type, or the number of an array's requests."""
    by_kind = {p.kind.name: p for p in reversed(function.parameters)}
    for kind in _REQUESTS:
        if kind in by_kind:
            return ["Requests"], {"count": by_kind[kind].arguments[0]}
    for i, parameter in enumerate(function.parameters):
        types = [p.name for p in function.parameters[i:] if p.kind.name in ("elem", "committed")]
        if parameter.kind.name in ("n", "count") and types:
            return ["Count"], {"count": parameter.name, "type": types[0]}
    return [], {}


def shown(function):
    """What a call shows of its arguments: bits of observe::Tells, and the members of what holds them."""
    by_kind = {p.kind.name: p for p in reversed(function.parameters)}
    tells, members = _shown_message(function)
    for kind, told, member in _SHOWN:
        if kind not in by_kind:
            continue
        if member not in members:
            members[member] = by_kind[kind].name
            tells.append(told)
        elif kind == "source" and "Destination" in tells:
            members["other"] = by_kind[kind].name
            tells.append(told)
    order = ("peer", "other", "tag", "comm", "count", "type")
    bits = " | ".join(f"starling::observe::kTells{told}" for told in tells) or "0"
    return bits, f"{{{', '.join(f'.{member} = {members[member]}' for member in order if member in members)}}}"


def _when(function):
    for flag, when in (("tool", "kTool"), ("anytime", "kAnytime"), ("locks", "kMayLock")):
        if function.has(flag):
            return f"When::{when}"
    return "When::kInside"


def _narrowed(function, large):
    """Results that the int form gets through a wide local."""
    if large:
        return []
    return [p for p in function.parameters if p.kind.small == "int *%" and p.kind.body == "MPI_Count *%"]


def _checked(function, name, large):
    narrowed = _narrowed(function, large)
    passed = [f"&{p.name}_wide" if p in narrowed else p.name for p in function.parameters if p.kind.name != "varargs"]
    body = f"(rc = starling::mpi::{function.body}({', '.join(passed)}))"
    checks = _checks(function)
    bits, arguments = shown(function)
    steps = [f"(rc = call.enter<{bits}>({arguments}))"]
    if checks:
        steps.append("(kChecked && (" + " ||\n       ".join(checks) + "))")
    lines = [f"  BoundaryCall call(Function::{enumerator(name)}, {_when(function)});",
             "  int rc = MPI_SUCCESS;"]
    if function.chapter == "collective":
        lines.insert(0, "  internal::call_site = starling::program_site(__builtin_frame_address(0));")
    lines += [f"  MPI_Count {p.name}_wide = 0;" for p in narrowed]
    if any(p.kind.name == "inout_count" for p in narrowed):
        for p in narrowed:
            steps.append(f"({p.name}_wide = *{p.name}, false)")
    lines.append("  if (" + " ||\n      ".join(steps + [body]) + ") [[unlikely]] {")
    lines += [f"    return call.report(rc, {_owner(function)}, {_describe(function)});", "  }"]
    lines += [f"  *{p.name} = to_int({p.name}_wide);" for p in narrowed]
    return "\n".join(lines + ["  return MPI_SUCCESS;"]) + "\n"


def _definition(function, name, large):
    prototype = function.prototype(large)
    if function.has("direct"):
        passed = ", ".join(p.name for p in function.parameters)
        text = f"  return starling::mpi::{function.body}({passed});\n"
    else:
        text = _checked(function, name, large)
    return f"""
STARLING_PUBLIC {function.returns} P{name}({prototype}) {{
{text}}}
STARLING_PUBLIC {function.returns} {name}({prototype}) __attribute__((weak, alias("P{name}")));
"""


def boundary_cpp(surface, chapter):
    definitions = "".join(_definition(function, name, large)
                          for function in surface.chapter(chapter) for name, large in function.forms)
    return f"""{BANNER}// {surface.titles[chapter]}
#include <mpi.h>

#include "api/calls.hpp"
#include "base/program_site.hpp"
{_own_checks(chapter)}#include "mpi/boundary/call_site.hpp"
#include "mpi/boundary/entry.hpp"

#define STARLING_PUBLIC __attribute__((visibility("default")))

using namespace starling::mpi;

extern "C" {{
{definitions}
}}  // extern "C"
"""
