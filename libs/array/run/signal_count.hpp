// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SignalCount: how often a signal came to this process since it is watched.
//
// **Thread safety**: count() in any thread. **Invariants**: a signal that is watched has this handler from then on; the
// sessions of one process that watch it all hear of each.
#pragma once

namespace starling::array::detail {

class SignalCount {
 public:
  /// Throws Error where the system has no such signal, or keeps it for itself.
  void watch(int signal);
  unsigned count() const;

 private:
  int signal_ = 0;  // 0: none is watched
  unsigned before_ = 0;
};

}  // namespace starling::array::detail
