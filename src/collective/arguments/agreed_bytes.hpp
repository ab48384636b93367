// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The size of a call that every rank knows, from arguments that are the same on every rank.
// Thread safety: pure.
#pragma once

#include <cstdint>

#include "collective/arguments/arguments.hpp"

namespace starling::collective {

/// Of the vector, of one block, or of all blocks together, as the operation has it (meaning_of_bytes); 0 where ranks do
/// not know each other's counts.
[[nodiscard]] std::int64_t agreed_bytes(const Arguments& arguments) noexcept;

/// Whether every rank knows agreed_bytes() of such a call to be all that it moves.
[[nodiscard]] bool agree_on_all(const Arguments& arguments) noexcept;

/// Whether every rank of the communicator knows from its own arguments that nobody sends or receives a byte. False
/// where a rank knows only its own part, and for a barrier, which synchronizes. bytes: agreed_bytes().
[[nodiscard]] inline bool moves_nothing(const Arguments& arguments, std::int64_t bytes) noexcept {
  return bytes == 0 && agree_on_all(arguments);
}

/// What agreed_bytes counts for this operation, in words.
[[nodiscard]] const char* meaning_of_bytes(Operation operation) noexcept;

}  // namespace starling::collective
