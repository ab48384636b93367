// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The directory of communicators: which communicators of two ranks or more the ranks of a node have, with their names
// and members, and how many collectives each rank has begun on each. It lies in the job segment and is a help for
// readers only: where it is full a communicator has no place, and its ranks do without.
//
// A constructor that makes disjoint communicators may give them all one context id, so it and the lowest member
// together name a communicator. It takes the first free one of a few places that follow from its name. Its ranks write
// the same words there, each before it goes on, and the last that frees the communicator empties the place. Two ranks
// that come at once may take two places for one communicator, so a reader asks all places. A rank that dies keeps its
// places.
//
// In the directory are no communicators with processes of other jobs, whose context ids differ from process to process.
//
// Thread safety: any rank may join, leave and rename, any process may read. A rank's counts are its own to write. The
// words of a place hold when written, read before them with acquire, names the communicator of the key, and both are
// the same behind them (CommunicatorDirectory::at does that). A name may be torn while it changes: read it twice.
// Layout: DirectoryHead | Place[kPlaces] | counts [ranks][kPlaces] | members [kPlaces][words].
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu.hpp"
#include "base/id.hpp"

namespace starling::observe {

struct alignas(kCacheLine) DirectoryHead {
  std::atomic<std::uint32_t> used{0};      ///< not 0: there is something in the directory
  std::atomic<std::uint32_t> overflow{0};  ///< communicators that found no place, so far
};
static_assert(sizeof(DirectoryHead) == kCacheLine);

struct alignas(kCacheLine) DirectoryPlace {
  static constexpr std::size_t kNameBytes = 32;
  enum Flag : std::uint32_t {
    kInter = 1,     ///< an intercommunicator: the members are those of both groups
    kInternal = 2,  ///< the library's own (MPI_Finalize, constructors without a parent)
  };

  std::atomic<std::uint64_t> key{0};      ///< context id << 32 | lowest member + 1 << 12 | ranks here that have it
  std::atomic<std::uint64_t> written{0};  ///< the key without its lowest 12 bits, once all else is written
  std::atomic<std::uint32_t> size{0};     ///< members
  std::atomic<std::uint32_t> flags{0};
  std::array<std::atomic<std::uint64_t>, kNameBytes / 8> name{};  ///< zero-padded, the longer ones cut
  std::uint64_t reserved = 0;
};
static_assert(sizeof(DirectoryPlace) == kCacheLine);

/// A communicator that a rank tells the directory.
struct CommunicatorFacts {
  std::uint32_t context_id = 0;
  std::uint32_t flags = 0;         ///< of DirectoryPlace::Flag
  std::vector<WorldRank> members;  ///< of both groups of an intercommunicator; the lowest comes first
};

/// A communicator as a reader finds it.
struct CommunicatorEntry {
  std::uint32_t context_id = 0;
  std::uint32_t flags = 0;
  std::uint32_t size = 0;
  std::string name;                    ///< empty where the program has given none
  std::vector<std::uint64_t> members;  ///< bit r % 64 of word r / 64: world rank r
  [[nodiscard]] bool has(WorldRank rank) const noexcept {
    const std::size_t word = rank.index() / 64;
    return !rank.is_none() && word < members.size() && (members[word] >> (rank.index() % 64) & 1) != 0;
  }
};

class CommunicatorDirectory {
 public:
  static constexpr std::uint32_t kPlaces = 512;
  static constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};
  /// Places that a communicator may take.
  static constexpr std::uint32_t kReach = 16;

  /// Bytes of a directory for the ranks of a node and all ranks of the job, which may be told as fewer on one node.
  [[nodiscard]] static std::uint64_t bytes(std::uint32_t ranks, std::uint32_t world_ranks) noexcept;

  CommunicatorDirectory() = default;
  /// memory: of bytes(ranks, world_ranks), zero at first.
  CommunicatorDirectory(std::byte* memory, std::uint32_t ranks, std::uint32_t world_ranks) noexcept;

  // By ranks. kNoPlace: the directory has no room near, and has counted that.
  [[nodiscard]] std::uint32_t join(const CommunicatorFacts& facts) noexcept;
  void leave(std::uint32_t place) noexcept;
  void rename(std::uint32_t place, std::string_view name) noexcept;
  /// Where a rank counts the collectives that it has begun on a communicator. It starts at 0 when the rank joins.
  [[nodiscard]] std::atomic<std::uint32_t>& count(LocalRank rank, std::uint32_t place) const noexcept {
    return counts_[rank.index() * kPlaces + place];
  }

  // By readers.
  /// None: the place is free, or just now being taken.
  [[nodiscard]] std::optional<CommunicatorEntry> at(std::uint32_t place) const;
  /// The places of the communicators of a context id that have this member: usually one.
  [[nodiscard]] std::vector<std::uint32_t> places_of(std::uint32_t context_id, WorldRank member) const;
  /// Collectives that a rank of this node has begun on the communicator; 0 as well where it does not have it.
  [[nodiscard]] std::uint32_t begun(LocalRank rank, WorldRank world_rank, std::uint32_t context_id) const;
  [[nodiscard]] bool empty() const noexcept { return head_->used.load(std::memory_order_acquire) == 0; }
  /// Communicators that found no place, so far: what is not found may be one of them.
  [[nodiscard]] std::uint32_t overflow() const noexcept { return head_->overflow.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] bool take(std::uint32_t place, std::uint64_t name) noexcept;
  [[nodiscard]] bool enter(std::uint32_t place, std::uint64_t name) noexcept;
  void write(std::uint32_t place, std::uint64_t name, const CommunicatorFacts& facts) noexcept;

  DirectoryHead* head_ = nullptr;
  DirectoryPlace* places_ = nullptr;
  std::atomic<std::uint32_t>* counts_ = nullptr;
  std::atomic<std::uint64_t>* members_ = nullptr;
  std::size_t words_ = 0;  ///< of a place's members
};

}  // namespace starling::observe
