// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The switch between two stacks: what a called function must preserve is pushed on the stack that is left and popped
// from the one that goes on. For x86-64 and aarch64 in assembly, which costs a few ns; elsewhere by ucontext, which
// also saves the signal mask by a call of the system.
//
// Where STARLING_FIBER_CONTEXT is defined, ucontext is taken on any processor.
//
// On x86-64 the value by which functions see that their stack was smashed (-fstack-protector) lies beside the thread
// pointer and differs between processes. It is saved and restored with the registers, so that a stack which goes on in
// another process finds the value that its functions began with.
//
// **Thread safety**: a stack runs on one thread at a time. **Invariants**: a saved stack has all of its state in its
// own memory, below its top.
#pragma once

#include <cstddef>

#if !defined(STARLING_FIBER_CONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define STARLING_FIBER_CONTEXT
#endif

#ifdef STARLING_FIBER_CONTEXT
#include <ucontext.h>
#endif

namespace starling::array::detail {

#ifdef STARLING_FIBER_CONTEXT

struct SavedStack {
  ucontext_t context;
};
constexpr bool kSavesStackGuard = false;

#else

struct SavedStack {
  void* pointer = nullptr;
};
#ifdef __x86_64__
constexpr bool kSavesStackGuard = true;
#else
constexpr bool kSavesStackGuard = false;
#endif

#endif

/// `into` is a stack of `bytes` at `bottom` on which `body(argument)` will run; it must not return.
void prepare_stack(SavedStack& into, char* bottom, std::size_t bytes, void (*body)(void*), void* argument);
/// Leaves this stack, kept in `from`, and goes on with `to`.
void switch_stack(SavedStack& from, SavedStack& to);

}  // namespace starling::array::detail
