// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Fiber: a function that runs on a stack of its own until it suspends itself, and goes on when it is resumed. It knows
// nothing of what it runs, or of where its stack comes from.
//
// A fiber that is suspended may go on in another process if its stack, this object and what its function refers to lie
// at the same addresses there, as bytes: arrive() tells it. Exceptions that are being handled are the fiber's own while
// it is suspended, but they lie on the heap of their process: see may_leave().
//
// **Thread safety**: resumed by one thread at a time, which may be another one each time. **Invariants**: resume() and
// suspend() alternate; an object that is dropped while its function is suspended leaves what that holds.
#pragma once

#include <cstddef>

#include "switch.hpp"

namespace starling::array::detail {

class Fiber {
 public:
  /// `body` must not throw. Runs at the first resume().
  Fiber(char* bottom, std::size_t bytes, void (*body)(void*), void* argument);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the function until it suspends itself or ends.
  void resume();
  /// Within the function: goes back to who resumed it.
  void suspend();
  bool is_done() const { return is_done_; }

  /// Why it cannot go on elsewhere from here, or null: an exception is being handled or thrown.
  static const char* may_leave();
  /// The lowest byte of its stack that is in use; while it is suspended.
  const char* used_from() const;
  /// Its bytes have come from another process.
  void arrive();
  /// Before its stack is given back, where its function is done or is dropped.
  void end();

 private:
  struct Exceptions {  // as the C++ ABI has them for each thread
    void* caught;
    unsigned thrown;
  };
  static void start(void* fiber);
  void exchange_exceptions();

  SavedStack own_;
  SavedStack resumer_;
  void (*body_)(void*);
  void* argument_;
  char* bottom_;
  std::size_t bytes_;
  Exceptions exceptions_{};
  bool is_done_ = false;
  // For sanitizers.
  [[maybe_unused]] void* sanitizer_fiber_ = nullptr;
  [[maybe_unused]] void* sanitizer_resumer_ = nullptr;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] const void* resumer_bottom_ = nullptr;
  [[maybe_unused]] std::size_t resumer_bytes_ = 0;
};

/// Whether AddressSanitizer keeps variables elsewhere than on the stack (detect_stack_use_after_return).
bool has_fake_stack();
/// Tells AddressSanitizer that this memory is used anew.
void forget_stack_marks(const char* from, std::size_t bytes);

}  // namespace starling::array::detail
