// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "arrival/methods/instruction_sets.hpp"
#include "arrival/methods/tree_round_body.hpp"

namespace starling::arrival {
namespace {

constexpr TreeKernels kBaseline{"baseline", run_tree_round, run_tree_renew};

}  // namespace

#if defined(__x86_64__)
extern const TreeKernels kTreeAvx2;
extern const TreeKernels kTreeAvx512;

std::span<const TreeKernels* const> tree_kernels() {
  static constexpr std::array kAll = {&kBaseline, &kTreeAvx2, &kTreeAvx512};
  return std::span(kAll).first(has_avx512() ? 3 : has_avx2() ? 2 : 1);
}
#else
std::span<const TreeKernels* const> tree_kernels() {
  static constexpr std::array kAll = {&kBaseline};
  return kAll;
}
#endif

}  // namespace starling::arrival
