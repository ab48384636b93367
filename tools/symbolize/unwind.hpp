// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// From a thread's registers and a copy of its stack to the addresses of its frames. The thread runs on meanwhile.
// Thread safety: none. Source: DWARF 5, chapter 6.4 (call frame information); libdw of elfutils reads the tables.
#pragma once

#include <cstdint>
#include <vector>

#include "memory_map.hpp"
#include "program_file.hpp"
#include "registers.hpp"

namespace starling::symbolize {

/// What a thread had on its stack; beyond the copy the memory is read as it is now.
struct StackCopy {
  std::uint64_t start = 0;
  std::vector<char> bytes;
};

/// The address of a frame, where the call stands that the next one inside it is.
struct FrameAddress {
  std::uint64_t address = 0;
  std::uint64_t stack_pointer = 0;
};

/// The innermost first.
[[nodiscard]] std::vector<FrameAddress> unwind(const MemoryMap& map, ProgramFiles& files, const Registers& registers,
                                               const StackCopy& stack);

}  // namespace starling::symbolize
