# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The C++ tables beside the boundary: functions.hpp, calls.hpp, constant_names.hpp and their sources."""
from .rows import CHAPTERS, EXTENSIONS, RowError

BANNER = """// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Generated from api/; do not edit.
"""


def enumerator(c_name):
    """MPI_Comm_split_type_c -> kCommSplitTypeC."""
    return "k" + "".join(word[0].upper() + word[1:] for word in c_name.split("_")[1:])


def _c_names(surface):
    names = [name for function in surface.functions + surface.extensions for name, _ in function.forms]
    if len({enumerator(name) for name in names}) != len(names):
        raise RowError("two functions have one enumerator")
    return names


def functions_hpp(surface):
    names = _c_names(surface)
    entries = "\n".join(f"  {enumerator(name)}," for name in names)
    return f"""{BANNER}// Function: a number for each C function of the MPI surface, and its name.
#pragma once

#include <cstdint>

namespace starling::mpi {{

enum class Function : std::uint16_t {{
  kNone,
{entries}
}};

inline constexpr std::uint16_t kFunctionCount = {len(names) + 1};

/// "MPI_Send" for Function::kSend; "no MPI function" for kNone and for a number that is none.
const char* function_name(Function function) noexcept;

}}  // namespace starling::mpi
"""


def functions_cpp(surface):
    entries = "\n".join(f'    "{name}",' for name in _c_names(surface))
    return f"""{BANNER}#include "api/functions.hpp"

namespace starling::mpi {{
namespace {{

constexpr const char* kNames[kFunctionCount] = {{
    "no MPI function",
{entries}
}};

}}  // namespace

const char* function_name(Function function) noexcept {{
  const auto index = static_cast<std::uint16_t>(function);
  return index < kFunctionCount ? kNames[index] : kNames[0];
}}

}}  // namespace starling::mpi
"""


def calls_hpp(surface):
    lines = []
    for chapter in CHAPTERS + EXTENSIONS:
        bodies = [f for f in surface.chapter(chapter) if "body" not in f.options]
        if not bodies:
            continue
        lines += ["", f"// {surface.titles[chapter]}"]
        for function in bodies:
            parameters = [p.declare_in_body() for p in function.parameters if p.kind.name != "varargs"]
            lines.append(f"{function.returns} {function.body}({', '.join(parameters)});")
    declarations = "\n".join(lines)
    return f"""{BANNER}// The bodies of the MPI functions that this version provides, one for both forms. The boundary has checked the
// arguments as the kinds in api/kinds.txt say; a body fails with `return fail(...)` (mpi/boundary/fail.hpp).
#pragma once

#include <mpi.h>

#include "mpi/boundary/counts.hpp"

namespace starling::mpi {{
{declarations}

}}  // namespace starling::mpi
"""


def constant_names_hpp(_surface):
    return f"""{BANNER}// The names of predefined handles and error classes, for messages.
#pragma once

namespace starling::mpi {{

/// "MPI_COMM_WORLD"; null for a handle that is not predefined.
const char* predefined_handle_name(const void* handle) noexcept;

/// "MPI_ERR_RANK"; null for a code that is not a predefined error class.
const char* error_class_name(int error_class) noexcept;

}}  // namespace starling::mpi
"""


def constant_names_cpp(surface):
    handles, classes = [], []
    for section in surface.sections:
        for constant in section.constants:
            if section.form == "handle" and not constant.is_alias:
                handles.append(f'    case {constant.value}: return "{constant.name}";')
            elif section.title.startswith("Error c") and constant.name != "MPI_ERR_LASTCODE":
                classes.append(f'    case {constant.value}: return "{constant.name}";')
    handle_cases, class_cases = "\n".join(handles), "\n".join(classes)
    return f"""{BANNER}#include "api/constant_names.hpp"

#include <cstdint>

namespace starling::mpi {{

const char* predefined_handle_name(const void* handle) noexcept {{
  switch (reinterpret_cast<std::uintptr_t>(handle)) {{
{handle_cases}
    default: return nullptr;
  }}
}}

const char* error_class_name(int error_class) noexcept {{
  switch (error_class) {{
{class_cases}
    default: return nullptr;
  }}
}}

}}  // namespace starling::mpi
"""
