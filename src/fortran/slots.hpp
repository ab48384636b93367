// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// C functions for Fortran procedures where the library passes no state along: reduction operators and error handlers.
// Each of a fixed number of slots holds a procedure and has a C function of its own that calls it; equal procedures
// share a slot, and a slot is never given back, as nobody says when the last object is gone. A program has only so many
// procedures. Thread safety: all of it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace starling::fortran {

inline constexpr std::size_t kSlots = 128;

/// Adapter::Procedure is the Fortran procedure's type; Adapter::call<N> the C function of slot N, which calls
/// procedure(N).
template <typename Adapter>
class Slots {
 public:
  using Procedure = typename Adapter::Procedure;

  /// The C function of this procedure's slot; null when all are taken.
  static auto function_of(Procedure* wanted) {
    using Function = decltype(&Adapter::template call<0>);
    static constexpr auto functions = []<std::size_t... N>(std::index_sequence<N...>) {
      return std::array<Function, kSlots>{&Adapter::template call<N>...};
    }
    (std::make_index_sequence<kSlots>());
    for (std::size_t i = 0; i < kSlots; ++i) {
      Procedure* taken = nullptr;
      // Whoever finds the procedure in a slot must find it there in full: acquire, release.
      if (procedures_[i].compare_exchange_strong(taken, wanted, std::memory_order_acq_rel) || taken == wanted) {
        return functions[i];
      }
    }
    return Function{};
  }
  static Procedure* procedure(std::size_t slot) { return procedures_[slot].load(std::memory_order_acquire); }

 private:
  static inline std::array<std::atomic<Procedure*>, kSlots> procedures_{};
};

}  // namespace starling::fortran
