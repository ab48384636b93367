// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which thread runs. Thread safety: any thread.
#pragma once

namespace starling {

/// Differs between the threads of a process that run.
inline const void* own_thread() noexcept {
  static thread_local constinit char mark = 0;
  return &mark;
}

}  // namespace starling
