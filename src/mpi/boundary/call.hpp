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
#include "base/program_site.hpp"
#include "mpi/boundary/call_text.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "observe/last_calls.hpp"

namespace starling::mpi {

/// When a function may be called.
enum class When {
  kInside,   ///< between init and finalize only
  kMayLock,  ///< the same, and the call may turn the world's lock on (lock_from_now_on)
  kAnytime,  ///< also before init and after finalize
  kTool,     ///< at any time, and its failures never go through an error handler (MPI_T)
};

namespace internal {
/// How many MPI calls of this thread are inside each other: user callbacks may call MPI while the lock is held.
extern thread_local constinit int call_depth [[gnu::tls_model("initial-exec")]];
}  // namespace internal

/// Arguments of a call that its rank shows to others (observe/last_calls.hpp).
struct ShownArguments {
  int peer = 0;
  int other = 0;
  int tag = 0;
  MPI_Comm comm = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = nullptr;
};

/// Its address is never taken where a call goes well, so that its members need no memory.
class BoundaryCall {
 public:
  explicit BoundaryCall(Function function, When when = When::kInside) noexcept : function_(function), when_(when) {}
  inline ~BoundaryCall();
  BoundaryCall(const BoundaryCall&) = delete;
  BoundaryCall& operator=(const BoundaryCall&) = delete;

  /// Takes the world's lock where the thread level needs it. MPI_ERR_OTHER before init and after finalize. tells: which
  /// of the arguments are there.
  template <observe::Tells tells>
  [[nodiscard]] inline int enter(const ShownArguments& arguments);

  /// Adds the text of the call to the noted failure and passes it to the owner's error handler; when the owner is not a
  /// valid handle, to MPI_COMM_SELF's. Returns the code for the caller.
  template <typename Owner, typename Describe>
  [[gnu::always_inline]] int report(int code, Owner owner, Describe describe) const {
    return report_failure(function_, when_, code, owner, describe);
  }

 private:
  /// What the call has to give back: the world's lock or, for a call outside the world's life, the context's; and it
  /// tells the tracer and who listens of its end. Bits.
  using Held = std::uint8_t;
  static constexpr Held kNothing = 0;
  static constexpr Held kWorld = 1;
  static constexpr Held kAnytime = 2;
  static constexpr Held kTrace = 4;
  static constexpr Held kListening = 8;
  static constexpr Held kPerhapsWorld = 16;  ///< if it turned the lock on itself
  struct Entrance {
    int code = MPI_SUCCESS;
    Held held = kNothing;
  };
  /// Of a call that needs a lock, is traced or listened to, or that may be called outside the world's life, or is.
  /// site: where the program goes on after it.
  [[gnu::cold]] static Entrance enter_with_care(Function function, When when, const void* site);
  static Entrance enter_outside(Context& context, Function function, When when);
  static void leave(Held held) noexcept;

  template <typename Owner, typename Describe>
  [[gnu::cold, gnu::noinline]] static int report_failure(Function function, When when, int code, Owner owner,
                                                         Describe describe) {
    CallText text(function_name(function));
    describe(text);
    return raise(when, code, owner, std::move(text).finish());
  }
  static int raise(When when, int code, std::nullptr_t no_owner, std::string call_text);
  static int raise(When when, int code, MPI_Comm owner, std::string call_text);
  static int raise(When when, int code, MPI_Win owner, std::string call_text);
  static int raise(When when, int code, MPI_File owner, std::string call_text);
  static int raise(When when, int code, MPI_Session owner, std::string call_text);
  static int raise(When when, int code, MPI_Errhandler owner, std::string call_text);

  Function function_;
  When when_;
  Held held_ = kNothing;
  observe::StatusCard* card_ = nullptr;  ///< that shows the call; kept, so that its end need not ask for it again
};

namespace internal {

/// Adds 1 to a counter of which the caller knows the value, and which nobody else writes: one instruction, where a
/// relaxed store is two.
[[gnu::always_inline]] inline void count_up(std::atomic<std::uint64_t>& counter, std::uint64_t before) noexcept {
#if defined(__x86_64__)
  (void)before;
  asm volatile("incq %0" : "+m"(counter) : : "cc");
#else
  counter.store(before + 1, std::memory_order_relaxed);
#endif
}

/// Tells others of a call: on the rank's card, and as the latest of its last calls. Relaxed: the card is a hint for
/// readers. The entry comes before the count that makes it one, also where the rank dies between the two.
template <observe::Tells tells>
[[gnu::always_inline]] inline void show(observe::StatusCard& card, Function function,
                                        const ShownArguments& arguments) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const auto number_of = [](auto handle) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
  };
  const std::uint64_t number = card.calls.load(kRelaxed);
  // That of number % kMost, in a way that leaves the place of the entries in the card to the addresses of the stores.
  auto* const entries = reinterpret_cast<std::byte*>(card.last.entries);
  const std::uint64_t offset = number * sizeof(observe::LastCalls::Entry) % sizeof(card.last.entries);
  auto& entry = *reinterpret_cast<observe::LastCalls::Entry*>(entries + offset);
  const auto call = static_cast<std::uint32_t>(function);
  constexpr observe::Tells kPeer =
      observe::kTellsDestination | observe::kTellsSource | observe::kTellsRoot | observe::kTellsTarget;
  constexpr observe::Tells kBoth = observe::kTellsDestination | observe::kTellsSource;
  entry.call.store(call | tells << observe::LastCalls::kTellsShift, kRelaxed);
  if constexpr ((tells & kPeer) != 0) entry.peer.store(arguments.peer, kRelaxed);
  if constexpr ((tells & kBoth) == kBoth) entry.other.store(arguments.other, kRelaxed);
  if constexpr ((tells & observe::kTellsTag) != 0) entry.tag.store(arguments.tag, kRelaxed);
  if constexpr ((tells & observe::kTellsComm) != 0) entry.comm.store(number_of(arguments.comm), kRelaxed);
  if constexpr ((tells & (observe::kTellsCount | observe::kTellsRequests)) != 0)
    entry.count.store(arguments.count, kRelaxed);
  if constexpr ((tells & observe::kTellsCount) != 0) entry.type.store(number_of(arguments.type), kRelaxed);
  card.call.store(call, kRelaxed);
  std::atomic_signal_fence(std::memory_order_release);
  count_up(card.calls, number);
}

}  // namespace internal

template <observe::Tells tells>
[[gnu::always_inline]] inline int BoundaryCall::enter(const ShownArguments& arguments) {
  Context* context = current();
  if (when_ != When::kInside || context == nullptr || context->manner() != Context::kRunning) [[unlikely]] {
    const Entrance entrance = enter_with_care(function_, when_, program_site(__builtin_frame_address(0)));
    held_ = entrance.held;
    context = current();
    card_ = context->card;
    if ((when_ != When::kInside && when_ != When::kMayLock) || entrance.code != MPI_SUCCESS) return entrance.code;
  } else {
    card_ = context->card;
  }
  internal::show<tells>(*card_, function_, arguments);
  return MPI_SUCCESS;
}

[[gnu::always_inline]] inline BoundaryCall::~BoundaryCall() {
  // A tool's call within a callback is not the call that the rank is in.
  if (when_ != When::kTool) card_->call.store(0, std::memory_order_relaxed);
  if (held_ != kNothing) [[unlikely]]
    leave(held_);
}

}  // namespace starling::mpi
