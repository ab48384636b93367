// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallCounter: counts the collectives that a rank begins on a communicator, from 1, and tells the status card and the
// directory of communicators. A constructor of communicators that talks over its parent several times is one.
// Thread safety: the holder of the world's lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collective/arguments/arguments.hpp"
#include "observe/status_card.hpp"

namespace starling::collective {

/// What an operation tells of its arguments.
struct ToldOfOperation {
  bool root = false;
  bool sent = false;      ///< the bytes that the rank sends, where it names them
  bool received = false;  ///< else those that it receives
};
[[nodiscard]] constexpr ToldOfOperation told_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::kBcast:
    case Operation::kReduce: return {true, false, true};
    case Operation::kGather:
    case Operation::kScatter: return {true, true, true};
    case Operation::kGatherv:
    case Operation::kScatterv: return {true, false, false};
    case Operation::kAllgather:
    case Operation::kAlltoall: return {false, true, true};
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
    case Operation::kReduceScatterBlock: return {false, false, true};
    default: return {};  // the ranks' parts may differ, or there are none
  }
}
inline constexpr std::array kTold = [] {
  std::array<ToldOfOperation, kOperationCount> told{};
  for (const Operation operation : kOperations) told[static_cast<std::size_t>(operation)] = told_of(operation);
  return told;
}();

/// Bytes of a rank's part, or of one block of it where it has several; 0 where the ranks' parts may differ.
[[nodiscard]] inline std::uint64_t bytes_of(const Arguments& a, const ToldOfOperation& told) noexcept {
  if (!told.received) return 0;
  const bool sent = told.sent && a.send_type != nullptr && !a.in_place;
  const std::int64_t count = sent ? a.send_count : a.receive_count;
  const datatype::Datatype* const type = sent ? a.send_type : a.receive_type;
  return type != nullptr ? static_cast<std::uint64_t>(count * type->size()) : 0;
}

class CallCounter {
 public:
  /// A collective begins. mpi_call: that of a persistent one has made it; 0: the one that the rank is in. Returns its
  /// number.
  std::uint32_t begin(observe::StatusCard& card, const Arguments& arguments, std::uint32_t mpi_call = 0) noexcept {
    // Relaxed, but for told: a reader compares it with begun.
    const std::uint64_t calls = card.calls.load(std::memory_order_relaxed);
    if (arguments.form == Form::kInternal && begun_ != 0 && calls == calls_) [[unlikely]]
      return begun_;
    const ToldOfOperation& told = kTold[static_cast<std::size_t>(arguments.operation)];
    return begin(card, *arguments.comm, told.root ? arguments.root : kNoRoot, bytes_of(arguments, told), mpi_call);
  }

  static constexpr std::int32_t kNoRoot = -1;
  /// The same for a call that is not described by arguments; root: as the card tells it.
  std::uint32_t begin(observe::StatusCard& card, const comm::Communicator& comm, std::int32_t root, std::uint64_t bytes,
                      std::uint32_t mpi_call = 0) noexcept {
    calls_ = card.calls.load(std::memory_order_relaxed);
    ++begun_;
    observe::CollectiveCard& mine = card.collective;
    const std::uint32_t of_rank = mine.begun.load(std::memory_order_relaxed) + 1;
    mine.begun.store(of_rank, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    observe::CollectiveCard::Entry& entry = mine.entry(of_rank);
    entry.context_id.store(comm.context_id(), std::memory_order_relaxed);
    entry.sequence.store(begun_, std::memory_order_relaxed);
    entry.call.store(mpi_call != 0 ? mpi_call : card.call.load(std::memory_order_relaxed), std::memory_order_relaxed);
    entry.root.store(root, std::memory_order_relaxed);
    entry.bytes.store(bytes, std::memory_order_relaxed);
    mine.told.store(of_rank, std::memory_order_release);
    if (comm.listing) comm.listing->set_collectives(begun_);
    return begun_;
  }

  /// The number of the next.
  [[nodiscard]] std::uint32_t next() const noexcept { return begun_ + 1; }

 private:
  std::uint32_t begun_ = 0;
  std::uint64_t calls_ = 0;  ///< StatusCard::calls at the latest
};

}  // namespace starling::collective
