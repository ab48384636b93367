// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Accumulator: the value of a reduction under construction, by an operator of the program.
//
// **Thread safety**: none. **Invariants**: all values that are added have the type and the operator of the first.
#pragma once

#include <cstdint>
#include <starling/array/core.hpp>

namespace starling::array::detail {

class Accumulator {
 public:
  static constexpr std::uint32_t kNoReducer = 0xffffffff;
  Accumulator() = default;
  Accumulator(Accumulator&& other) noexcept;
  Accumulator& operator=(Accumulator&& other) noexcept;
  ~Accumulator();

  bool empty() const { return value_ == nullptr; }
  std::uint32_t reducer() const { return reducer_; }
  void add(std::uint32_t reducer, const void* value);
  /// Adds a value that was packed.
  void add_packed(std::uint32_t reducer, Archive& in);
  void pack(Archive& into) const;
  Packed packed() const;

 private:
  std::uint32_t reducer_ = kNoReducer;
  void* value_ = nullptr;
};

}  // namespace starling::array::detail
