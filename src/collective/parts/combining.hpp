// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a rank contributes to a reduction, and the two buffers that a chain of combinations needs.
// Thread safety: none; belongs to one coroutine.
#pragma once

#include <optional>

#include "collective/parts/buffers.hpp"

namespace starling::collective {

/// The caller's contribution: the send buffer, or what is in the receive buffer when it is in place.
inline const void* input(const Arguments& a) noexcept { return a.in_place ? a.receive_buffer : a.send_buffer; }

/// How reduce_scatter and reduce_scatter_block divide the result among the ranks.
inline Blocks result_blocks(const Arguments& a) noexcept {
  return a.operation == Operation::kReduceScatter ? Blocks::packed(a.receive_counts) : Blocks(a.receive_count);
}

/// Combines in rank order without copying the first contribution: the incoming operand lands in one of two spare
/// buffers, which then holds the result.
class Combining {
 public:
  Combining(Call& call, const void* first, std::int64_t count, const datatype::Datatype& type)
      : call_(call), current_(first), count_(count), type_(type) {}

  /// Where to receive the next operand; null when memory is short.
  [[nodiscard]] void* incoming() {
    turn_ = 1 - turn_;
    if (!spare_[turn_]) spare_[turn_].emplace(call_, count_, type_);
    return landing_ = spare_[turn_]->data();
  }
  /// The same for the last operand, which may land where the result is wanted unless something lies there.
  [[nodiscard]] void* last_incoming(void* result) { return current_ == result ? incoming() : landing_ = result; }
  /// result = result OP incoming: the incoming operand comes from higher ranks.
  void append() {
    call_.reduce(current_, landing_, count_, type_);
    current_ = landing_;
  }
  /// The result so far.
  [[nodiscard]] const void* current() const noexcept { return current_; }

 private:
  Call& call_;
  const void* current_;
  std::int64_t count_;
  const datatype::Datatype& type_;
  std::optional<Scratch> spare_[2];
  int turn_ = 0;
  void* landing_ = nullptr;  ///< of the operand that is coming
};

}  // namespace starling::collective
