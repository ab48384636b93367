// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/op/kernels.hpp"

namespace starling::datatype {

const KernelTable& kernels_of_processor() noexcept {
#if defined(__x86_64__)
  if (has_avx512()) return kAvx512Kernels;
  if (__builtin_cpu_supports("avx2")) return kAvx2Kernels;
#endif
  return kBaselineKernels;
}

}  // namespace starling::datatype
