// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Combs: the memory that a datatype names at a far target, as few regular rows of stretches, so that the target needs
// no datatypes. Thread safety: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rma/far/far_message.hpp"
#include "rma/target/target.hpp"

namespace starling::rma {

/// Lists the memory of a place from its first byte of data on, piece by piece.
class CombList {
 public:
  /// address: of displacement 0.
  CombList(const Place& place, std::uint64_t address) : place_(place), address_(address) {}

  /// The combs of the next bytes, at most what is left; valid until the next call.
  std::span<const Comb> next(std::int64_t bytes);

 private:
  void add(std::uint64_t address, std::uint64_t bytes);

  const Place& place_;
  std::uint64_t address_;
  std::int64_t position_ = 0;
  std::vector<Comb> combs_;
};

/// Copies the data of the combs one after the other to `out`, or from `in` into them. base: what their addresses count
/// from.
void gather(std::span<const Comb> combs, std::uint64_t base, std::byte* out) noexcept;
void scatter(std::span<const Comb> combs, std::uint64_t base, const std::byte* in) noexcept;

/// The address of data that are one stretch, else null.
[[nodiscard]] std::byte* one_stretch(std::span<const Comb> combs, std::uint64_t base) noexcept;

}  // namespace starling::rma
