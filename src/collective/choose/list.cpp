// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/choose/list.hpp"

#include <array>

namespace starling::collective {
namespace {

constexpr std::array kAlgorithms = {
#define STARLING_LIST_ALGORITHM(id, body) &id##_algorithm,
    STARLING_ALGORITHMS(STARLING_LIST_ALGORITHM)
#undef STARLING_LIST_ALGORITHM
};

}  // namespace

std::span<const Algorithm* const> algorithms() noexcept { return kAlgorithms; }

std::span<const Algorithm* const> algorithms(Operation operation) noexcept {
  std::size_t first = 0;
  while (first < kAlgorithms.size() && kAlgorithms[first]->operation != operation) ++first;
  std::size_t end = first;
  while (end < kAlgorithms.size() && kAlgorithms[end]->operation == operation) ++end;
  return std::span(kAlgorithms).subspan(first, end - first);
}

}  // namespace starling::collective
