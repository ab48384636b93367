// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OverflowWatch: while it lives, a rank whose stack overflows into the guard below it is named on the standard error
// before the process ends by SIGSEGV as it would have.
//
// **Thread safety**: any thread; it is for the thread that makes it. **Invariants**: a handler that the program or its
// MPI had for SIGSEGV is called after it.
#pragma once

#include <memory>

#include "fiber/slots.hpp"

namespace starling::array::detail {

class OverflowWatch {
 public:
  OverflowWatch(std::shared_ptr<const Slots> slots, int process);
  ~OverflowWatch();
  OverflowWatch(const OverflowWatch&) = delete;
  OverflowWatch& operator=(const OverflowWatch&) = delete;

 private:
  std::shared_ptr<const Slots> slots_;
  std::size_t place_;
  std::unique_ptr<char[]> signal_stack_;  // where the thread had none
};

}  // namespace starling::array::detail
