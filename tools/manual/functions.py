# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A manual page for each MPI function, of the rows in api/functions and the texts beside them."""
import re
import textwrap

from generator import rows
from generator.fortran import model, modules

import roff

SECTION = 3
_RECEIVES = ("room", "room_v", "room_w", "room_from_each", "room_from_each_w", "receives", "any_room")
# What is read as well as written, though its kind does not say so.
_BOTH_WAYS = {("MPIX_Comm_agree", "flag"), ("MPIX_Comm_iagree", "flag"), ("MPI_Sendrecv_replace", "buf"), ("MPI_Reduce_local", "inoutbuf"),
              ("MPI_Isendrecv_replace", "buf"), ("MPI_Bcast", "buffer"), ("MPI_Ibcast", "buffer"), ("MPI_Bcast_init", "buffer")}

# What the checks of kinds.txt answer with (src/mpi/boundary/refusals.cpp): class and reason; NAME is the argument, $0 what
# stands in the row's brackets. The class of a check without a row here is asked for when pages are made.
_ERRORS = {
    "check_comm": ("COMM", "NAME is not the handle of a live communicator"),
    "check_comm_or_null": ("COMM", "NAME is neither MPI_COMM_NULL nor the handle of a live communicator"),
    "check_win": ("WIN", "NAME is not the handle of a live window"),
    "check_win_or_null": ("WIN", "NAME is neither MPI_WIN_NULL nor the handle of a live window"),
    "check_file": ("FILE", "NAME is not the handle of an open file"),
    "check_session": ("SESSION", "NAME is not the handle of a live session"),
    "check_group": ("GROUP", "NAME is not the handle of a live group"),
    "check_info": ("INFO", "NAME is not the handle of a live info object"),
    "check_errhandler": ("ERRHANDLER", "NAME is not the handle of a live error handler"),
    "check_keyval": ("KEYVAL", "NAME is not a live key of this kind of object"),
    "check_datatype": ("TYPE", "NAME is not the handle of a live datatype"),
    "check_datatype_or_null": ("TYPE", "NAME is neither MPI_DATATYPE_NULL nor the handle of a live datatype"),
    "check_datatypes": ("TYPE", "an entry of NAME is not the handle of a live datatype"),
    "check_committed": ("TYPE", "NAME is not a live datatype, or not committed"),
    "check_committed_each": ("TYPE", "an entry of NAME is not a live datatype, or not committed"),
    "check_neighbor_types": ("TYPE", "an entry of NAME is not a live datatype, or not committed"),
    "check_op": ("OP", "NAME is not a live reduction operation, or not defined for the datatype"),
    "check_op_handle": ("OP", "NAME is not the handle of a live reduction operation"),
    "check_request": ("REQUEST", "NAME is not the handle of a live request"),
    "check_requests": ("REQUEST", "an entry of NAME is not the handle of a live request"),
    "check_message": ("REQUEST", "NAME is not the handle of a live message"),
    "check_count": ("COUNT", "NAME is negative"),
    "check_counts": ("COUNT", "an entry of NAME is negative"),
    "check_local_counts": ("COUNT", "an entry of NAME is negative"),
    "check_neighbor_counts": ("COUNT", "an entry of NAME is negative"),
    "check_not_negative": ("ARG", "NAME is negative"),
    "check_positive": ("ARG", "NAME is not at least 1"),
    "check_rank": ("RANK", "NAME is no rank of the communicator"),
    "check_root": ("ROOT", "NAME is no rank of the communicator"),
    "check_tag": ("TAG", "NAME is negative"),
    "check_displs": ("ARG", "NAME is a null pointer"),
    "check_pointer": ("ARG", "NAME is a null pointer"),
    "check_array": ("ARG", "NAME is a null pointer where there are entries"),
    "check_buffer": ("BUFFER", "NAME is a null pointer where there are data, or a constant that has no meaning here"),
    "check_not_in_place": ("BUFFER", "NAME is MPI_IN_PLACE"),
}


class Texts:
    """api/sentences.txt and api/argument_texts.txt."""

    def __init__(self, folder):
        self.sentences = {}
        for row in rows._lines(folder / "sentences.txt"):  # pylint: disable=protected-access
            name, summary, *more = [part.strip() for part in row.split("|", 2)]
            self.sentences[name] = (summary, more[0] if more else "")
        self.arguments = dict([part.strip() for part in row.split("|", 1)]
                              for row in rows._lines(folder / "argument_texts.txt"))  # pylint: disable=protected-access
        self.used = set()

    def sentence(self, name):
        """Summary and more of a function; that of a form which the blocking one's says is made of it."""
        for candidate, turn in self._candidates(name):
            if candidate in self.sentences:
                self.used.add(candidate)
                summary, more = self.sentences[candidate]
                return turn.format(summary), more
        raise rows.RowError(f"api/sentences.txt has no line for {name}")

    @staticmethod
    def _candidates(name):
        yield name, "{}"
        if name.endswith("_c"):
            yield name[:-2], "{}"
        if name.endswith("_init"):
            yield name[:-5], "make a persistent request to {}"
        if re.match(r"MPI_I[a-z]", name):
            yield f"MPI_{name[5:].capitalize()}" if "neighbor" not in name else f"MPI_N{name[6:]}", "begin to {}"

    def argument(self, function, parameter):
        kind, name = parameter.kind.name, parameter.name
        for key in (f"{function.name}.{name}", f"{kind}.{name}", f".{name}", kind):
            if key in self.arguments:
                self.used.add(key)
                return self.arguments[key]
        raise rows.RowError(f"api/argument_texts.txt says nothing of {name} of {function.name}, a {kind}")

    def check_all_used(self):
        left = (self.sentences.keys() | self.arguments.keys()) - self.used
        if left:
            raise rows.RowError(f"no function needs what api/sentences.txt or api/argument_texts.txt says of {', '.join(sorted(left))}")


def direction(function, parameter):
    kind, declared = parameter.kind.name, parameter.kind.small
    if (function.name, parameter.name) in _BOTH_WAYS or "inout" in kind or kind == "live_requests":
        return "in, out"
    if kind == "raw" and declared.endswith("*%") and "_function" not in declared and not declared.startswith("const"):
        return "in, out" if function.name.endswith("_free") else "out"
    if kind == "maybe_out_int" and parameter.name.endswith("_len"):
        return "in, out"
    return "out" if kind.startswith("out_") or "_out_" in kind or kind in _RECEIVES else "in"


def _wrapped(head, words, tail):
    """A call, of which no argument is broken."""
    kept = "\0"
    text = head + ", ".join(word.replace(" ", kept) for word in words) + tail
    return [line.replace(kept, " ") for line in textwrap.wrap(text.replace(f"{head}", head.replace(" ", kept), 1), 78,
                                                              subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)]


def _prototype(function, name, large):
    return _wrapped(f"{function.returns} {name}(", [p.declare(large) for p in function.parameters] or ["void"], ");")


def _errors(function):
    """Reasons by class."""
    found = {}
    for parameter in function.parameters:
        for check in parameter.kind.checks:
            base = check[:check.index("(")]
            if base not in _ERRORS:
                raise rows.RowError(f"tools/manual/functions.py does not know what {base} answers")
            error_class, reason = _ERRORS[base]
            blamed = re.findall(r"\$(\d)", check)
            name = parameter.name if re.search(r"\$(?!\w)", check) or not blamed else parameter.arguments[int(blamed[-1])]
            name = f"_{name}_"
            if reason.replace("NAME", name) not in found.setdefault(error_class, []):
                found[error_class].append(reason.replace("NAME", name))
    return found


class Chapters:
    """The error classes that the sources of a chapter name."""

    def __init__(self, source, surface):
        names = [constant.name for section in surface.sections for constant in section.constants]
        self.known = {name for name in names if name.startswith("MPI_ERR_")}
        self.found = {}
        for chapter in rows.CHAPTERS:
            text = "\n".join(path.read_text() for path in (source / "src/mpi" / chapter).rglob("*.cpp"))
            names = set(re.findall(r"\bMPI_ERR_\w+", text))
            names |= {"MPI_ERR_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word).upper() for word in re.findall(r"ErrorClass::k(\w+)", text)}
            self.found[chapter] = names & self.known

    def others(self, function, told):
        return sorted(self.found.get(function.chapter, set()) - {f"MPI_ERR_{name}" for name in told} - {"MPI_ERR_OTHER"})


def _write_errors(page, function, chapters):
    page.head("ERRORS")
    if function.has("direct"):
        page.text("It cannot fail.")
        return
    found = _errors(function)
    if function.chapter == "tool":
        page.text("It returns MPI_SUCCESS, or an error code, and never calls an error handler.")
        page.item("*MPI_T_ERR_NOT_INITIALIZED*", "it is called before MPI_T_init_thread or after the last MPI_T_finalize")
        if found:
            page.item("*MPI_T_ERR_INVALID*", "; ".join(reason for reasons in found.values() for reason in reasons))
        return
    ends = "ends the job and prints the call with its arguments, what is wrong and what to do"
    by_default = "returns" if function.chapter == "io" else ends
    page.text(f"It returns MPI_SUCCESS, or an error code after the error handler has been called, which by default {by_default}. "
              "MPI_Error_string gives the whole text.")
    for error_class, reasons in found.items():
        page.item(f"*MPI_ERR_{error_class}*", "; ".join(reasons))
    told = set(found)
    if function.chapter == "p2p" and any(p.kind.name in ("room", "message_inout") for p in function.parameters) and \
            not re.search("[PpI]m?probe", function.name):
        page.item("*MPI_ERR_TRUNCATE*", "the message is longer than the buffer; what fits is there" +
                  ("; the completion of the request tells it" if any(p.kind.name == "out_request" for p in function.parameters) else ""))
        told.add("TRUNCATE")
    if not function.has("anytime"):
        page.item("*MPI_ERR_OTHER*", "it is called before MPI_Init or after MPI_Finalize")
    others = chapters.others(function, told)
    if others:
        page.text(f"Functions of this chapter also report {', '.join(others)}.")
    page.text("In a job that goes on when processes die (mpiexec --survive) a call that needs a dead one returns "
              "MPIX_ERR_PROC_FAILED, and one on a revoked communicator MPIX_ERR_REVOKED (mpi-ext.h).")


def _write_arguments(page, function, texts):
    if not function.parameters:
        return
    page.head("ARGUMENTS")
    for parameter in function.parameters:
        said = texts.argument(function, parameter)
        for number, argument in enumerate(parameter.arguments):
            said = said.replace(f"${number}", argument)
        if parameter.in_place:
            said += "; or MPI_IN_PLACE"
        said += {"root": "; counts at the root only", "leaf": "; does not count at the root of an intercommunicator",
                 "party": "; counts where data go in or out", "": ""}[parameter.where]
        name = "..." if parameter.kind.name == "varargs" else parameter.name
        page.item(f"*{name}* ({direction(function, parameter)})", said)


def _write_description(page, function, texts, surface):
    page.head("DESCRIPTION")
    summary, more = texts.sentence(function.name)
    page.text(f"{summary[0].upper()}{summary[1:]}.{' ' + more if more else ''}")
    notes = []
    if function.chapter == "collective" or (function.chapter == "topology" and "eighbor_" in function.name):
        notes.append("All ranks of the communicator call it.")
    if any(p.kind.name == "out_request" for p in function.parameters):
        if function.name.endswith("_init"):
            notes.append("MPI_Start begins what it stands for, as often as the program likes, and MPI_Request_free ends it.")
        else:
            notes.append("It returns at once; what it stands for is done when its request is complete.")
    if function.has("large"):
        notes.append(f"{function.name}_c is the same with counts of type MPI_Count.")
    if function.has("anytime"):
        notes.append("It may be called before MPI_Init and after MPI_Finalize.")
    if "deprecated" in function.options:
        notes.append(f"It is deprecated since MPI-{function.options['deprecated']}.")
    if "alias" in function.options:
        notes.append(f"mpi-ext.h also calls it {function.options['alias']}.")
    if notes:
        page.text(" ".join(notes))
    title = surface.titles[function.chapter]
    page.text(f"{title}." if "MPI" in title else f"{title[:-1]} of MPI-5.0)." if title.endswith(")") else f"{title}.")


def _kin(function, surface):
    """Functions of the chapter whose names differ by how they do it."""
    def stem(name):
        name = re.sub(r"_(init|c|x|begin|end)$", "", name)
        return re.sub(r"^MPI_I(?=[a-z])", "MPI_", name).lower().removesuffix("v").removesuffix("w")
    kin = [f.name for f in surface.chapter(function.chapter) if stem(f.name) == stem(function.name) and f is not function]
    return [name for name in kin if not (name.endswith("_c") and name[:-2] == function.name)]


def _page(function, surface, texts, chapters, routines, version):
    names = [name for name, _ in function.forms]
    page = roff.Page(function.name, SECTION, version, "MPI functions")
    page.head("NAME")
    page.lines.append(f"{', '.join(map(roff.escaped, names))} \\- {roff.escaped(texts.sentence(function.name)[0])}")
    page.head("SYNOPSIS")
    page.subhead("C")
    page.code([f"#include <{'mpi-ext.h' if function.chapter in rows.EXTENSIONS else 'mpi.h'}>", ""] +
              [line for name, large in function.forms for line in _prototype(function, name, large)])
    routine = routines.get(function.name)
    if routine:
        for f08, title in ((True, "Fortran: use mpi_f08"), (False, "Fortran: use mpi, or mpif.h")):
            if (f08 and not routine.in_f08) or (not f08 and routine.large):
                continue
            page.subhead(title)
            head, words, declared = modules.shown(routine, f08)
            page.code(_wrapped(head, words, ")") + [f"    {line}" for line in declared])
    _write_description(page, function, texts, surface)
    _write_arguments(page, function, texts)
    _write_errors(page, function, chapters)
    page.head("SEE ALSO")
    page.text(", ".join(f"*{name}*(3)" for name in _kin(function, surface)) or "*mpicc*(1), *mpiexec*(1)")
    return str(page)


def pages(source, version):
    """The text of each page by its file's name, below man/."""
    surface = rows.Surface(source / "api")
    texts = Texts(source / "api")
    chapters = Chapters(source, surface)
    routines = {routine.name: routine for routine in model.routines(surface)}
    made = {}
    for function in surface.functions + surface.extensions:
        made[f"man{SECTION}/{function.name}.{SECTION}"] = _page(function, surface, texts, chapters, routines, version)
        for name, _ in function.forms[1:]:
            made[f"man{SECTION}/{name}.{SECTION}"] = roff.link(function.name, SECTION)
        if "alias" in function.options:
            made[f"man{SECTION}/{function.options['alias']}.{SECTION}"] = roff.link(function.name, SECTION)
    texts.check_all_used()
    return made
