// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The small expressions by which unwind tables say where a register of the caller lies.
// Thread safety: pure functions. Source: DWARF 5, chapter 2.5.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "registers.hpp"

namespace starling::symbolize {

using ReadWord = std::function<std::optional<std::uint64_t>(std::uint64_t address)>;

struct ExpressionValue {
  std::uint64_t value = 0;
  bool is_address = true;  ///< what is looked for lies there in memory
};

/// Nothing: it uses what is not known here. frame_address: what DW_OP_call_frame_cfa stands for.
[[nodiscard]] std::optional<ExpressionValue> evaluate(const Dwarf_Op* operations, std::size_t count,
                                                      const Registers& registers, std::uint64_t frame_address,
                                                      const ReadWord& read);

}  // namespace starling::symbolize
