// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallCounter: counts the collectives that a rank begins on a communicator, from 1, and tells the status card and the
// directory of communicators. A constructor of communicators that talks over its parent several times is one.
// Thread safety: the holder of the world's lock.
#pragma once

#include <cstdint>

#include "collective/arguments/arguments.hpp"
#include "observe/status_card.hpp"

namespace starling::collective {

/// Bytes of a rank's part, or of one block of it where it has several; 0 where the ranks' parts may differ.
[[nodiscard]] inline std::uint64_t bytes_of(const Arguments& a) noexcept {
  const auto bytes = [](std::int64_t count, const datatype::Datatype* type) {
    return type != nullptr ? static_cast<std::uint64_t>(count * type->size()) : 0;
  };
  if (a.send_counts.given() || a.receive_counts.given() || among_neighbors(a.operation)) return 0;
  return a.send_type != nullptr && !a.in_place ? bytes(a.send_count, a.send_type)
                                               : bytes(a.receive_count, a.receive_type);
}

class CallCounter {
 public:
  /// A collective begins. mpi_call: that of a persistent one has made it; 0: the one that the rank is in. Returns its
  /// number.
  std::uint32_t begin(observe::StatusCard& card, const Arguments& arguments, std::uint32_t mpi_call = 0) noexcept {
    // Relaxed, but for told: a reader compares it with begun.
    const std::uint64_t calls = card.calls.load(std::memory_order_relaxed);
    if (arguments.form == Form::kInternal && begun_ != 0 && calls == calls_) return begun_;
    calls_ = calls;
    ++begun_;
    observe::CollectiveCard& mine = card.collective;
    const std::uint32_t of_rank = mine.begun.load(std::memory_order_relaxed) + 1;
    mine.begun.store(of_rank, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    mine.context_id.store(arguments.comm->context_id(), std::memory_order_relaxed);
    mine.sequence.store(begun_, std::memory_order_relaxed);
    mine.call.store(mpi_call != 0 ? mpi_call : card.call.load(std::memory_order_relaxed), std::memory_order_relaxed);
    mine.root.store(rooted(arguments.operation) ? arguments.root : -1, std::memory_order_relaxed);
    mine.bytes.store(bytes_of(arguments), std::memory_order_relaxed);
    mine.told.store(of_rank, std::memory_order_release);
    if (arguments.comm->listing) arguments.comm->listing->set_collectives(begun_);
    return begun_;
  }

 private:
  std::uint32_t begun_ = 0;
  std::uint64_t calls_ = 0;  ///< StatusCard::calls at the latest
};

}  // namespace starling::collective
