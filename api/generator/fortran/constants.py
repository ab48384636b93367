# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The constants in Fortran: mpif.h, and the modules that mpi and mpi_f08 share. A constant that is an address is a variable in
a common block, which the library knows by its place; src/fortran/sentinels.cpp has the same list."""
from .model import HANDLES
from .modules import BANNER

_BYTES = 8  # of addresses, counts and offsets in this ABI
KINDS = (("MPI_ADDRESS_KIND", _BYTES), ("MPI_COUNT_KIND", _BYTES), ("MPI_OFFSET_KIND", _BYTES), ("MPI_INTEGER_KIND", 4),
         ("MPI_STATUS_SIZE", 8), ("MPI_SOURCE", 1), ("MPI_TAG", 2), ("MPI_ERROR", 3))
_ADDRESSES = (("MPI_BOTTOM", "integer", ""), ("MPI_IN_PLACE", "integer", ""), ("MPI_BUFFER_AUTOMATIC", "integer", ""),
              ("MPI_UNWEIGHTED", "integer", "(1)"), ("MPI_WEIGHTS_EMPTY", "integer", "(1)"),
              ("MPI_ERRCODES_IGNORE", "integer", "(1)"), ("MPI_ARGV_NULL", "character", "(1)"),
              ("MPI_ARGVS_NULL", "character", "(1, 1)"))
_STATUSES = (("MPI_STATUS_IGNORE", "(MPI_STATUS_SIZE)", ""), ("MPI_STATUSES_IGNORE", "(MPI_STATUS_SIZE, 1)", "(1)"))
_LENGTHS = "Longest strings, with the terminating null"
_FUNCTIONS = ("MPI_COMM_DUP_FN", "MPI_COMM_NULL_COPY_FN", "MPI_COMM_NULL_DELETE_FN", "MPI_TYPE_DUP_FN",
              "MPI_TYPE_NULL_COPY_FN", "MPI_TYPE_NULL_DELETE_FN", "MPI_WIN_DUP_FN", "MPI_WIN_NULL_COPY_FN",
              "MPI_WIN_NULL_DELETE_FN", "MPI_DUP_FN", "MPI_NULL_COPY_FN", "MPI_NULL_DELETE_FN", "MPI_CONVERSION_FN_NULL",
              "MPI_CONVERSION_FN_NULL_C")

# What mpi_f08 alone does: its buffers are described, and ASYNCHRONOUS.
_PROMISES = ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING")
# What mpif.h cannot do, and would do wrong without a word.
_REFUSALS = ["! INTEGER must have 4 bytes: -fdefault-integer-8 is refused here.", "      integer STARLING_INTEGER_HAS_4_BYTES",
             "      parameter (STARLING_INTEGER_HAS_4_BYTES=1/(33/bit_size(1)))",
             "! MPI_SIZEOF needs the type of its argument: use the module mpi.", "      integer MPI_SIZEOF, PMPI_SIZEOF",
             "      parameter (MPI_SIZEOF=0, PMPI_SIZEOF=0)"]


def _common(name):
    return f"common /{name.lower().replace('mpi_', 'mpi_fortran_', 1)}/ {name}"


def _integers(surface):
    """Names and values of the constants that are numbers in Fortran."""
    for section in surface.sections:
        if section.form == "handle" or section.title.startswith("Status in Fortran"):
            continue
        for constant in section.constants:
            if constant.name.startswith("MPI_T_") or section.form == "cast":
                continue
            # Fortran's strings have no terminating null.
            yield constant.name, constant.number - (1 if section.title == _LENGTHS else 0)


def _handles(surface):
    values = {}
    for section in surface.sections:
        if section.form == "handle":
            for constant in section.constants:
                values[constant.name] = values[constant.value] if constant.is_alias else constant.number
                yield constant.name, section.type, values[constant.name]


def constants_module(surface):
    lines = [f"  integer, parameter :: {name} = {value}" for name, value in (*KINDS, *_integers(surface))]
    lines.append("  integer(MPI_OFFSET_KIND), parameter :: MPI_DISPLACEMENT_CURRENT = -1")
    for name, kind, shape in _ADDRESSES:
        lines += [f"  {kind} :: {name}{shape}", f"  {_common(name)}"]
    return _module("starling_mpi_constants", [], lines)


def handles_module(surface):
    """What handles and statuses are in the module mpi."""
    lines = [f"  integer, parameter :: {name} = {value}" for name, _, value in _handles(surface)]
    lines += [f"  logical, parameter :: {name} = .false." for name in _PROMISES]
    for name, shape, _ in _STATUSES:
        lines += [f"  integer :: {name}{shape}", f"  {_common(name)}"]
    return _module("starling_mpi_handles", ["starling_mpi_constants"], lines)


_COMPARED = """  elemental logical function {name}(a, b)
    type({handle}), intent(in) :: a, b
    {name} = a%MPI_VAL {operator} b%MPI_VAL
  end function"""


def types_module(surface):
    """What handles and statuses are in the module mpi_f08."""
    lines = ["  type, bind(C) :: MPI_Status", "    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR",
             f"    integer, private :: MPI_internal({8 - 3})", "  end type"]
    for handle in HANDLES:
        lines += [f"  type, bind(C) :: {handle}", "    integer :: MPI_VAL", "  end type"]
    constants = [f"  type({kind}), parameter :: {name} = {kind}({value})" for name, kind, value in _handles(surface)]
    constants += [f"  logical, parameter :: {name} = .true." for name in _PROMISES]
    for name, _, shape in _STATUSES:
        constants += [f"  type(MPI_Status) :: {name}{shape}", f"  {_common(name)}"]
    functions = []
    for word, operator in (("equal", "=="), ("unequal", "/=")):
        names = [f"{word}_{handle.lower()}" for handle in HANDLES]
        lines += [f"  interface operator({operator})"] + [f"    module procedure {name}" for name in names] + ["  end interface"]
        lines += [f"  private :: {name}" for name in names]
        functions += [_COMPARED.format(name=name, handle=handle, operator=operator) for name, handle in zip(names, HANDLES)]
    # The types by themselves, as mpi has them, too: no module may see the common blocks of both.
    return _module("starling_mpi_types", [], lines, functions) + \
        _module("mpi_f08_types", ["starling_mpi_constants", "starling_mpi_types"], constants)


def _module(name, uses, lines, functions=()):
    text = "\n".join([f"  use {use}" for use in uses] + ["  implicit none", "  public"] + lines +
                     (["contains"] if functions else []) + list(functions))
    return f"{BANNER}module {name}\n{text}\nend module\n"


def mpif_h(surface):
    """For fixed and for free form: no line has more than 72 columns, and none is continued."""
    lines = [f"      integer {name}\n      parameter ({name}={value})"
             for name, value in (*KINDS, *_integers(surface), *((n, v) for n, _, v in _handles(surface)))]
    lines += _REFUSALS + ["      integer(kind=8) MPI_DISPLACEMENT_CURRENT", "      parameter (MPI_DISPLACEMENT_CURRENT=-1)"]
    for name in _PROMISES:
        lines += [f"      logical {name}", f"      parameter ({name}=.false.)"]
    for name, kind, shape in (*_ADDRESSES, *((name, "integer", shape) for name, shape, _ in _STATUSES)):
        lines += [f"      {kind} {name}{shape}", f"      {_common(name)}"]
    lines += [f"      external {name}" for name in _FUNCTIONS]
    for prefix in ("", "P"):
        for kind, names in (("double precision", ("WTIME", "WTICK")), ("integer(kind=8)", ("AINT_ADD", "AINT_DIFF"))):
            lines += [f"      {kind} {prefix}MPI_{name}\n      external {prefix}MPI_{name}" for name in names]
    too_long = [line for text in lines for line in text.splitlines() if len(line) > 72]
    if too_long:
        raise ValueError(f"mpif.h: '{too_long[0]}' does not fit into 72 columns")
    return f"{BANNER}" + "\n".join(lines) + "\n"
