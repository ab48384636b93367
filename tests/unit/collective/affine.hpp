// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A reduction that shows the order of its operands: the composition of affine maps x -> a * x + b modulo a prime, which
// is associative and does not commute.
#pragma once

#include <cstdint>
#include <cstring>

#include "datatype/op/op.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::collective::test {

struct Affine {
  std::int64_t a;
  std::int64_t b;
  bool operator==(const Affine&) const = default;
};

inline constexpr std::int64_t kPrime = 1000003;

/// First `left`, then `right`.
inline Affine compose(const Affine& left, const Affine& right) {
  return {left.a * right.a % kPrime, (left.b * right.a + right.b) % kPrime};
}

/// What a rank contributes at an index.
inline Affine affine_of(std::int64_t rank, std::int64_t index) {
  return {(rank * 37 + index * 11 + 2) % kPrime, (rank * 101 + index * 7 + 3) % kPrime};
}

/// The composition of ranks [first, last] at an index.
inline Affine composed(std::int64_t first, std::int64_t last, std::int64_t index) {
  Affine result = affine_of(first, index);
  for (std::int64_t rank = first + 1; rank <= last; ++rank) result = compose(result, affine_of(rank, index));
  return result;
}

/// As a user's function on elements that lie `kStride` bytes apart.
template <int kStride>
void compose_all(void* in, void* inout, std::int64_t* count, void* /*type*/) {
  auto* left = static_cast<std::byte*>(in);
  auto* right = static_cast<std::byte*>(inout);
  for (std::int64_t i = 0; i < *count; ++i, left += kStride, right += kStride) {
    Affine first{};
    Affine second{};
    std::memcpy(&first, left, sizeof first);
    std::memcpy(&second, right, sizeof second);
    const Affine both = compose(first, second);
    std::memcpy(right, &both, sizeof both);
  }
}

}  // namespace starling::collective::test
