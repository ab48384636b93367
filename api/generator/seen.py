# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""seen_calls.cpp: the MPI calls whose place the preloaded library libs/see takes on another MPI. Each tells of itself
(libs/see/call.hpp) and goes on to PMPI."""
import re

from .boundary import shown
from .cpp import BANNER, enumerator
from .rows import RowError

# Calls that libs/see/begin.cpp has by hand.
_BY_HAND = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Comm_set_name", "MPI_Type_free", "MPI_Request_free"}
_WAITS = {"MPI_Wait": "kOne", "MPI_Waitall": "kAll", "MPI_Waitany": "kAny", "MPI_Waitsome": "kSome"}
_SENDS = ("MPI_Send", "MPI_Ssend", "MPI_Rsend")
_COPIES = ("MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_idup", "MPI_Comm_idup_with_info")
_CONNECTS = ("MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join", "MPI_Comm_spawn", "MPI_Comm_spawn_multiple")
# What names of file calls have in which all ranks of the file take part.
_OF_ALL = ("_all", "_ordered", "close", "set_view", "set_size", "preallocate", "sync", "set_atomicity", "set_info")
_WINDOW_WAITS = ("start", "wait", "complete", "lock", "lock_all", "unlock", "unlock_all", "flush", "flush_all", "flush_local",
                 "flush_local_all")
# The version of the standard, times ten, that brought a function; 3.1 is what every MPI has.
_LATER = ((41, r"MPI_P(send|recv)_init(_c)?|MPI_Request_get_status_\w+|MPI_\w*(flush|attach|detach)_buffer|MPI_Buffer_i?flush"),
          (40, r"\w+_c|MPI_Parrived|MPI_\w+_init|MPI_Isendrecv\w*|MPI_Comm_idup_with_info"
               r"|\w+_from_groups?|MPI_Session_\w+"))
_OLD_INITS = ("MPI_Send_init", "MPI_Bsend_init", "MPI_Ssend_init", "MPI_Rsend_init", "MPI_Recv_init")


# How many requests of a call are complete after it, and where their indices stand; the call has succeeded.
_COMPLETE = {
    "MPI_Wait": "1, nullptr", "MPI_Waitall": "count, nullptr", "MPI_Waitany": "*indx == MPI_UNDEFINED ? 0 : 1, indx",
    "MPI_Waitsome": "*outcount, array_of_indices", "MPI_Test": "*flag != 0 ? 1 : 0, nullptr",
    "MPI_Testall": "*flag != 0 ? count : 0, nullptr",
    "MPI_Testany": "*flag != 0 && *indx != MPI_UNDEFINED ? 1 : 0, indx", "MPI_Testsome": "*outcount, array_of_indices"}


def _since(name):
    if name in _OLD_INITS:
        return 0
    return next((version for version, names in _LATER if re.fullmatch(names, name)), 0)


class Parameters:
    """The names of a function's parameters, by kind."""

    def __init__(self, function):
        self.by_kind = {p.kind.name: p.name for p in reversed(function.parameters)}
        self.by_name = {p.name: p for p in function.parameters}

    def __contains__(self, kind):
        return kind in self.by_kind

    def __getitem__(self, kind):
        return self.by_kind[kind]

    def any_of(self, *kinds):
        return next((self.by_kind[kind] for kind in kinds if kind in self.by_kind), None)


def _requests(function, given):
    """(number, array) of the requests that a call is about."""
    for parameter in function.parameters:
        if parameter.kind.name in ("requests", "requests_inout", "live_requests"):
            return f"{parameter.arguments[0]}, {parameter.name}"
    one = given.any_of("request_inout", "live_request_inout")
    return f"1, {one}" if one else f"1, &{given.any_of('request', 'live_request')}"


def _bytes(function, given):
    """What a rank brings to a collective, or gets of it; 0 where only some ranks' arguments count."""
    names = given.by_name
    if "committed" in given and "count" in given:
        return f"call.bytes_of({given['count']}, {given['committed']})"
    if "buffer" in names:
        return "call.bytes_of(count, datatype)"
    side = "recv" if "catter" in function.name and "educe" not in function.name else "send"
    if f"{side}count" not in names or f"{side}type" not in names or names[f"{side}buf"].kind.name not in ("data", "room"):
        return "0"
    return f"{side}buf == MPI_IN_PLACE ? 0 : call.bytes_of({side}count, {side}type)"


def _message(function, given):
    """Lines before and after PMPI of a call between two."""
    name = function.name
    role = "kSend" if "dest" in given else "kReceive"
    if function.chapter == "partitioned" and name.endswith("_init"):
        role = "kPartitioned"
    if name.endswith("_init"):
        return [f"call.prepares(AwaitedAs::{role});"], [f"call.kept(code, {given['out_request']});"]
    if "out_request" in given:
        made = [f"call.made(code, {given['out_request']});"]
        if name == "MPI_Imrecv":
            return ["call.record.takes(message);"], made
        if "dest" in given and "source" in given:
            return ["call.exchanges_later(recvtag);"], made
        return ([f"call.starts(AwaitedAs::{role});"] if "dest" in given or "source" in given else []), made
    if name in _SENDS:
        return ["call.sends();"], []
    if name == "MPI_Bsend":
        return ["call.sends_buffered();"], []
    if "dest" in given and "source" in given:
        return ["call.exchanges(recvtag);"], ["call.record.received(code);"]
    if name in ("MPI_Probe", "MPI_Mprobe"):
        return ["call.probes();"], ["call.matched(code, true, message);"] if name == "MPI_Mprobe" else []
    if name in ("MPI_Iprobe", "MPI_Improbe"):
        found = "code == MPI_SUCCESS && *flag != 0"
        return [], ([f"call.matched(code, {found}, message);"] if name == "MPI_Improbe" else []) + [
            f"call.probed(code, {found});"]
    if name == "MPI_Recv":
        return ["call.receives();"], ["call.record.received(code);"]
    if name == "MPI_Mrecv":
        return ["call.record.takes(message);", "call.waits_as(WaitKind::kOther);"], ["call.record.received(code);"]
    if name == "MPI_Buffer_detach":
        return ["call.waits_as(WaitKind::kOther);"], []
    return None


def _completion(function, given):
    name = function.name
    complete = [f"if (code == MPI_SUCCESS) call.record.completed({_COMPLETE[name]});"] if name in _COMPLETE else []
    if name in _WAITS:
        return [f"call.waits(WaitKind::{_WAITS[name]}, {_requests(function, given)});"], complete
    if name in ("MPI_Start", "MPI_Startall"):
        return [f"call.begins({_requests(function, given)});"], []
    if re.match(r"MPI_(Test(all|any|some)?|Request_get_status\w*|Parrived)$", name):
        flag = "outcount" if "outcount" in given.by_name else "flag"
        watches = [f"call.record.watches({_requests(function, given)});"] if complete else []
        return watches, complete + [
            f"call.tested(code, code == MPI_SUCCESS && *{flag} != 0, {_requests(function, given)});"]
    if "out_request" in given:
        return [], [f"call.made(code, {given['out_request']});"]
    return None


def _collective(function, given):
    root = given["root"] if "root" in given else "-1"
    if function.name.endswith("_init"):
        return ["call.prepares_collective();"], [f"call.kept(code, {given['out_request']});"]
    arguments = f"{root}, {_bytes(function, given)}"
    if "out_request" in given:
        return [f"call.starts_collective({arguments});"], [f"call.made(code, {given['out_request']});"]
    return [f"call.collective({arguments});"], []


def _maker(function, given):
    """What makes or frees communicators."""
    name = function.name
    if name in _CONNECTS:
        return ["call.waits_as(WaitKind::kConnection);"], []
    if name in ("MPI_Comm_free", "MPI_Comm_disconnect"):
        handle = given["comm_inout"]
        return [f"call.on(*{handle});", f"const std::uintptr_t bits = any_mpi::bits_of(*{handle});",
                "call.collective(-1, 0);"], ["call.freed(code, bits);"]
    if "out_comm" not in given or "comm" not in given:
        return None
    made = given["out_comm"]
    if name in ("MPI_Comm_create_group", "MPI_Intercomm_create"):
        return ["call.waits_as(WaitKind::kOther);"], [f"call.made_comm_by_members(code, {made}, tag);"]
    before, after = _collective(function, given)
    way = "made_like" if name in _COPIES else "made_comm"
    return before, [f"call.{way}(code, {made});"] + after


def _shared(function, given, kind):
    """Calls on windows and files."""
    name, out = function.name, given.any_of(f"out_{kind}")
    if out:
        return (["call.collective(-1, 0);"], [f"call.made_like(code, {out});"]) if "comm" in given else None
    handle = given.any_of(kind, f"{kind}_inout")
    if handle is None:
        return None
    value = f"*{handle}" if f"{kind}_inout" in given else handle
    before, after = [f"call.on({value});"], []
    short = re.sub(r"MPI_(Win_|File_)?", "", name)
    if "out_request" in given and not short.endswith("_all"):
        return before, [f"call.made(code, {given['out_request']});"]
    frees = f"{kind}_inout" in given
    if frees:
        before.append(f"const std::uintptr_t bits = any_mpi::bits_of(*{handle});")
        after.append("call.freed(code, bits);")
    of_all = kind == "file" and any(part in short for part in _OF_ALL) and not short.startswith("get")
    if "out_request" in given:
        return before + ["call.starts_collective(-1, 0);"], [f"call.made(code, {given['out_request']});"]
    if frees or of_all or short == "fence":
        return before + ["call.collective(-1, 0);"], after
    if kind == "win" and short in _WINDOW_WAITS:
        return before + [f"call.window({given.any_of('target', 'member') or '-1'});"], after
    if kind == "file" and re.match(r"(read|write)", short):
        return before + ["call.waits_as(WaitKind::kFile);"], after
    if kind == "win" and "target" in given:
        return before, after
    return None


def _lines(function):
    """What a wrapper says before and after PMPI; None: the call is not wrapped."""
    if function.name in _BY_HAND:
        return None
    given = Parameters(function)
    chapter = function.chapter
    if chapter in ("p2p", "partitioned", "buffered"):
        return _completion(function, given) if "Parrived" in function.name else _message(function, given)
    if chapter == "request":
        return _completion(function, given)
    if chapter == "collective" or (chapter == "topology" and "eighbor_" in function.name):
        return _collective(function, given)
    if chapter in ("comm", "spawn") or (chapter == "topology" and "out_comm" in given):
        return _maker(function, given)
    if chapter in ("rma", "io"):
        return _shared(function, given, "win" if chapter == "rma" else "file")
    return None


def _passed(function, after):
    """The arguments of PMPI: where it looks at messages its statuses may be ours."""
    looks = any(re.search(r"call\.(record\.received|matched|record\.completed)", line) for line in after)
    own = {"status": "call.record.status(status)", "array_of_statuses": "call.record.statuses(array_of_statuses)"} if looks else {}
    return ", ".join(own.get(p.name, p.name) for p in function.parameters)


def _wrapper(function, name, large):
    lines = _lines(function)
    if lines is None:
        return ""
    before, after = lines
    bits, arguments = shown(function)
    is_test = any(line.startswith(("call.tested", "call.probed")) for line in after)
    passed = _passed(function, after)
    body = [f"Call call(Function::{enumerator(name)}, __builtin_return_address(0));",
            f"call.shows<{bits}{', CallIs::kTest' if is_test else ''}>({arguments});", *before]
    body += [f"const int code = P{name}({passed});", *after, "return code;"] if after else [f"return P{name}({passed});"]
    text = "\n  ".join(body)
    definition = f"""
STARLING_SEE_EXPORT int {name}({function.prototype(large)}) {{
  {text}
}}
"""
    since = _since(name)
    if since == 0:
        return definition
    return f"\n#if MPI_VERSION * 10 + MPI_SUBVERSION >= {since}{definition}#endif\n"


def _predefined_types(surface):
    lines = []
    for section in surface.sections:
        if section.form != "handle" or section.type != "MPI_Datatype":
            continue
        for constant in section.constants:
            if constant.is_alias or constant.name == "MPI_DATATYPE_NULL":
                continue
            lines.append(f"#ifdef {constant.name}\n  types.name({constant.name}, {constant.number:#x});\n#endif")
    if not lines:
        raise RowError("constants.txt: there are no predefined datatypes")
    return "\n".join(lines)


def seen_calls_cpp(surface):
    wrappers = "".join(_wrapper(function, name, large) for function in surface.functions for name, large in function.forms)
    return f"""{BANNER}// The MPI calls of another MPI that are seen.
#include <mpi.h>

#include "call.hpp"

using namespace starling::see;
using starling::mpi::Function;
using starling::observe::AwaitedAs;
using starling::observe::WaitKind;
namespace any_mpi = starling::any_mpi;

namespace starling::see {{

void name_predefined_types(Types& types) {{
{_predefined_types(surface)}
}}

}}  // namespace starling::see
{wrappers}"""
