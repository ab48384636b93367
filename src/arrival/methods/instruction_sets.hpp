// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets beyond the baseline that rounds are compiled for, and whether this machine has them.
//
// Thread safety: pure.
#pragma once

namespace starling::arrival {

/// What the files for 256 bits are compiled with.
inline bool has_avx2() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
#else
  return false;
#endif
}

/// And those for 512.
inline bool has_avx512() noexcept {
#if defined(__x86_64__)
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
#else
  return false;
#endif
}

}  // namespace starling::arrival
