// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The communicators of the program, and its windows and files, whose collectives are counted as a communicator's.
//
// All members give a communicator one number, its context, and say nothing to each other for that: it follows from the
// parent's number and from how many collectives the parent has had, which is the same on all of them. Where a
// constructor is not collective over a parent it follows from the members. A communicator that was made in a way that
// nobody has seen has no number.
//
// **Thread safety**: any thread may find(); the rest takes a lock. **Invariants**: only local calls of MPI are made.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "handle_table.hpp"
#include "mpi/handle.hpp"
#include "observe/awaited.hpp"
#include "observe/communicator_directory.hpp"
#include "seat.hpp"

namespace starling::see {

struct Communicator {
  std::uint32_t context = observe::Awaited::kNoContext;
  std::uint32_t shown = 0;          ///< its handle in the last calls
  std::vector<std::int32_t> peers;  ///< world ranks of those that it talks to; empty: as in MPI_COMM_WORLD
  std::vector<WorldRank> members;   ///< of both groups, in order
  bool is_inter = false;
  bool is_of_job = true;  ///< no process of another job takes part
  std::uint32_t place = observe::CommunicatorDirectory::kNoPlace;
  std::atomic<std::uint32_t>* begun = nullptr;  ///< collectives of this rank on it, so far
  std::atomic<std::uint32_t> unlisted{0};       ///< the same, where the directory has no place

  /// None: any rank, nobody, or a process of another job.
  [[nodiscard]] PeerId peer(int rank) const noexcept {
    if (rank < 0) return {};
    if (peers.empty()) return PeerId(rank);
    const auto index = static_cast<std::size_t>(rank);
    return index < peers.size() ? PeerId(peers[index]) : PeerId();
  }
  /// The number of the next collective, from 1.
  [[nodiscard]] std::uint32_t next_sequence() noexcept {
    const std::uint32_t sequence = begun->load(std::memory_order_relaxed) + 1;
    begun->store(sequence, std::memory_order_relaxed);
    return sequence;
  }
  /// The number of what its latest collective makes.
  [[nodiscard]] std::uint32_t context_of_child() const noexcept;
};

class Communicators {
 public:
  /// After MPI is up.
  explicit Communicators(const Seat& seat);

  /// Any MPI_Comm, MPI_Win or MPI_File. One that was made unseen is taken in without a number where it is a
  /// communicator. Null: it is not known, or null.
  [[nodiscard]] Communicator* find(MPI_Comm comm) {
    if (comm == MPI_COMM_WORLD) return &world_;
    if (comm == MPI_COMM_NULL) return nullptr;
    Communicator** const found = table_.find(any_mpi::bits_of(comm));
    return found != nullptr ? *found : adopt(comm);
  }
  template <typename Handle>
  [[nodiscard]] Communicator* find_other(Handle handle) {
    Communicator** const found = table_.find(any_mpi::bits_of(handle));
    return found != nullptr ? *found : nullptr;
  }

  /// A new communicator of this number.
  void make(MPI_Comm comm, std::uint32_t context);
  /// One that is not collective over a parent: its number follows from the members and the tag.
  void make_by_members(MPI_Comm comm, int tag);
  /// What has the members of another one: a copy, also one that is not complete yet, a window, a file.
  void make_like(std::uintptr_t bits, const Communicator& like, std::uint32_t context);
  void forget(std::uintptr_t bits);
  void rename(MPI_Comm comm, std::string_view name);

  /// The one of this number; null: there is none.
  [[nodiscard]] Communicator* of_context(std::uint32_t context);

 private:
  [[nodiscard]] Communicator* adopt(MPI_Comm comm);
  /// With its members.
  [[nodiscard]] Communicator* described(MPI_Comm comm) const;
  [[nodiscard]] std::vector<std::int32_t> world_ranks_of(MPI_Group group) const;
  Communicator* keep(std::uintptr_t bits, Communicator* made, std::uint32_t context);
  void list(Communicator& made);

  static constexpr std::size_t kMost = 4096;

  Seat seat_;
  MPI_Group world_group_ = MPI_GROUP_NULL;
  Communicator world_;
  std::mutex lock_;
  HandleTable<Communicator*, kMost> table_;
  std::map<std::uint32_t, Communicator*> by_context_;
  std::map<std::uint32_t, std::uint32_t> times_made_;  ///< by members and tag
  std::uint32_t next_shown_;
};

}  // namespace starling::see
