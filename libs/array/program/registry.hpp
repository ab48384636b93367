// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The methods, functions and operators that the program uses, in the order in which they registered themselves before
// main.
//
// **Thread safety**: read only once main runs. **Invariants**: all processes of a job run one program, so numbers are
// equal; fingerprint() shows it.
#pragma once

#include <cstdint>
#include <starling/array/core.hpp>

namespace starling::array::detail {

const MethodInfo& method_numbered(std::uint32_t number);
const ReducerInfo& reducer_numbered(std::uint32_t number);
/// Of all names: processes that have another one run another program.
std::uint64_t fingerprint();
inline constexpr const char* kOtherProgram =
    "the processes run different programs, or the program was built differently for some: methods have no common "
    "numbers; start one and the same binary everywhere";

// Numbers of what is no method.
constexpr std::uint32_t kDestroyMethod = 0xffffffff;
constexpr std::uint32_t kMoveMethod = 0xfffffffe;
constexpr std::uint32_t kOrderedMethod = 0xfffffffd;  // a StreamHeader, then the arguments of its method
constexpr std::uint32_t kSectionMethod = 0xfffffffc;  // the same, of a section; others ignore it
constexpr std::uint32_t kJoinMethod = 0xfffffffb;     // a SectionName
constexpr std::uint32_t kLeaveMethod = 0xfffffffa;    // the last broadcast to a section
constexpr std::uint32_t kMarkMethod = 0xfffffff9;     // of a collection
constexpr std::uint32_t kFirstOfLibrary = 0xfffffff0;

/// For messages, also of those above.
std::string method_name(std::uint32_t number);

}  // namespace starling::array::detail
