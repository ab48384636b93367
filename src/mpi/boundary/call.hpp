// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// BoundaryCall: what the generated C boundary does around every MPI call.
//
// The boundary is generated from api/ and has one shape: make a BoundaryCall, enter it, check the arguments one by one
// (check_handles.hpp, check_arguments.hpp), run the body, and report what failed. Every step returns MPI_SUCCESS or an
// error class, so the good path is a chain of tests; fail.hpp says how a step fails.
//
// Thread safety: a BoundaryCall belongs to the thread that made it. Invariants: between a successful enter() and the
// end of the BoundaryCall the world's lock is held when the thread level asks for one. What nearly every call runs is
// inlined always: GCC stops doing so by itself where it reads many files as one (STARLING_TOGETHER), and the shortest
// calls feel it. Sources: MPI-5.0 chapters 2.8 and 9.3 (error handling), 11.4 (what may be called before and after the
// world's life).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "api/functions.hpp"
#include "mpi/boundary/call_text.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"

namespace starling::mpi {

/// When a function may be called.
enum class When {
  kInside,   ///< between init and finalize only
  kAnytime,  ///< also before init and after finalize
  kTool,     ///< at any time, and its failures never go through an error handler (MPI_T)
};

namespace internal {
/// How many MPI calls of this thread are inside each other: user callbacks may call MPI while the lock is held.
extern thread_local constinit int call_depth [[gnu::tls_model("initial-exec")]];
}  // namespace internal

class BoundaryCall {
 public:
  explicit BoundaryCall(Function function, When when = When::kInside) noexcept : function_(function), when_(when) {}
  inline ~BoundaryCall();
  BoundaryCall(const BoundaryCall&) = delete;
  BoundaryCall& operator=(const BoundaryCall&) = delete;

  /// Takes the world's lock where the thread level needs it. MPI_ERR_OTHER before init and after finalize.
  [[nodiscard]] inline int enter();

  /// Adds the text of the call to the noted failure and passes it to the owner's error handler; when the owner is not a
  /// valid handle, to MPI_COMM_SELF's. Returns the code for the caller.
  template <typename Owner, typename Describe>
  [[gnu::cold, gnu::noinline]] int report(int code, Owner owner, Describe describe) {
    CallText text(function_name(function_));
    describe(text);
    return raise(code, owner, std::move(text).finish());
  }

 private:
  /// Which lock the call holds: the world's, or, for a call outside the world's life, the context's.
  enum class Held : std::uint8_t { kNothing, kWorld, kAnytime };
  [[gnu::cold]] int enter_outside();
  void leave() noexcept;

  int raise(int code, std::nullptr_t no_owner, std::string call_text);
  int raise(int code, MPI_Comm owner, std::string call_text);
  int raise(int code, MPI_Win owner, std::string call_text);
  int raise(int code, MPI_File owner, std::string call_text);
  int raise(int code, MPI_Session owner, std::string call_text);
  int raise(int code, MPI_Errhandler owner, std::string call_text);

  Function function_;
  When when_;
  Held held_ = Held::kNothing;
};

[[gnu::always_inline]] inline int BoundaryCall::enter() {
  if (when_ != When::kInside) return enter_outside();
  Context* context = current();
  if (context == nullptr || !context->running) [[unlikely]]
    return enter_outside();
  if (context->threaded) [[unlikely]] {
    if (internal::call_depth++ == 0) context->progress->lock();
    held_ = Held::kWorld;
  }
  // Relaxed: the card is a hint for readers.
  observe::StatusCard& card = *context->card;
  card.call.store(static_cast<std::uint32_t>(function_), std::memory_order_relaxed);
  card.calls.store(card.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

inline BoundaryCall::~BoundaryCall() {
  current()->card->call.store(0, std::memory_order_relaxed);
  if (held_ != Held::kNothing) [[unlikely]]
    leave();
}

}  // namespace starling::mpi
