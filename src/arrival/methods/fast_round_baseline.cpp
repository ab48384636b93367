// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "arrival/methods/fast_round_body.hpp"
#include "arrival/methods/instruction_sets.hpp"

namespace starling::arrival {
namespace {

constexpr FastKernels kBaseline{"baseline", run_fast_round};

}  // namespace

#if defined(__x86_64__)
extern const FastKernels kFastAvx2;
extern const FastKernels kFastAvx512;

std::span<const FastKernels* const> fast_kernels() {
  static constexpr std::array kAll = {&kBaseline, &kFastAvx2, &kFastAvx512};
  return std::span(kAll).first(has_avx512() ? 3 : has_avx2() ? 2 : 1);
}
#else
std::span<const FastKernels* const> fast_kernels() {
  static constexpr std::array kAll = {&kBaseline};
  return kAll;
}
#endif

}  // namespace starling::arrival
