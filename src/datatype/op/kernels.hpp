// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The tables of reduction kernels, one for each instruction set. Internal to the component.
// Thread safety: constants.
#pragma once

#include "datatype/op/predefined_op.hpp"
#include "datatype/types/basic.hpp"

namespace starling::datatype {

/// Null where the operator has no meaning for the bits, and at Arithmetic::kNone; which types may use an entry is
/// decided by their group.
struct KernelTable {
  Kernel entries[kKernelOpCount][kArithmeticCount + 1];
};

extern const KernelTable kBaselineKernels;
#if defined(__x86_64__)
extern const KernelTable kAvx2Kernels;    // call only where the processor has AVX2
extern const KernelTable kAvx512Kernels;  // call only where has_avx512()

inline bool has_avx512() noexcept {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

/// The fastest that run here. In a file of its own, for src/simulate has another one.
[[nodiscard]] const KernelTable& kernels_of_processor() noexcept;

}  // namespace starling::datatype
