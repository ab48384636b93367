// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#if defined(__x86_64__)
#include "arrival/methods/fast_round_body.hpp"

namespace starling::arrival {

extern const FastKernels kFastAvx512;
const FastKernels kFastAvx512{"AVX-512", run_fast_round};

}  // namespace starling::arrival
#endif
