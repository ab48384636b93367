// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Fiber: a course of calls with a stack of its own, that runs when it is switched to.
// Thread safety: none.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <memory>

namespace starling::weak {

class Fiber {
 public:
  /// Begins anew at entry(argument), which never returns.
  void begin(void (*entry)());
  /// Leaves one course and goes on with another; null: with the thread's own, from which the first was switched to.
  static void switch_between(Fiber* from, Fiber* to);

 private:
  static constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

  ucontext_t context_{};
  std::unique_ptr<std::byte[]> stack_;
};

}  // namespace starling::weak
