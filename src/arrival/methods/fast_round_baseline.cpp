// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/fast_round_body.hpp"

namespace starling::arrival {

const FastKernels kFastBaseline{run_fast_round};

const FastKernels& fast_kernels_for_this_machine() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("bmi2") != 0) {
    return kFastAvx512;
  }
#endif
  return kFastBaseline;
}

}  // namespace starling::arrival
