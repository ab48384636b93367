// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/tree_round_body.hpp"

namespace starling::arrival {

const TreeKernels kTreeBaseline{run_tree_round, run_tree_renew};

const TreeKernels& tree_kernels_for_this_machine() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return kTreeAvx512;
  }
#endif
  return kTreeBaseline;
}

}  // namespace starling::arrival
