// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#if defined(__x86_64__)
#include "arrival/methods/tree_round_body.hpp"

namespace starling::arrival {

extern const TreeKernels kTreeAvx512;
const TreeKernels kTreeAvx512{"AVX-512", run_tree_round, run_tree_renew};

}  // namespace starling::arrival
#endif
