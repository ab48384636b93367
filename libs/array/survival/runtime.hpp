// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Runtime: how checkpoints, recovery and resizing reach the loop of their process, which lies above them.
//
// **Thread safety**: none. **Invariants**: a communicator is changed only where nothing is under way.
#pragma once

#include <functional>
#include <starling/array/communicator.hpp>

namespace starling::array::detail {

/// Thrown by the scheduler when the wire finds that a process died. No std::exception: programs must not catch it.
struct Loss {};

class Runtime {
 public:
  virtual bool is_in_run() const = 0;
  /// Session::run().
  virtual void run(const std::function<void()>& main) = 0;
  /// Without a second attempt after a loss.
  virtual void run_once(const std::function<void()>& main) = 0;
  /// After a loss: no elements, nothing under way, on another communicator.
  virtual void begin_anew(Communicator comm) = 0;
  /// All processes, where nothing is under way: no elements, and nothing that was for them.
  virtual void forget_elements() = 0;
  /// Nothing is under way: another communicator, which it takes over.
  virtual void change_comm(Communicator comm) = 0;
  /// The same; the one from before is the caller's.
  virtual Communicator exchange_comm(Communicator comm) = 0;

 protected:
  ~Runtime() = default;
};

}  // namespace starling::array::detail
