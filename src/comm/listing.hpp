// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Listing: the place of a communicator in the directory of its node (observe/communicator_directory.hpp), for as long
// as this rank has it.
//
// Thread safety: the holder of the world's lock. Invariant: the segment of the directory outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/id.hpp"
#include "observe/communicator_directory.hpp"

namespace starling::comm {

class Listing {
 public:
  /// Null: the directory has no room.
  static std::unique_ptr<Listing> make(observe::CommunicatorDirectory directory, LocalRank rank,
                                       const observe::CommunicatorFacts& facts) {
    const std::uint32_t place = directory.join(facts);
    if (place == observe::CommunicatorDirectory::kNoPlace) return nullptr;
    return std::unique_ptr<Listing>(new Listing(directory, place, directory.count(rank, place)));
  }
  ~Listing() { directory_.leave(place_); }
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;

  void rename(std::string_view name) noexcept { directory_.rename(place_, name); }
  /// This rank has begun so many collectives on the communicator. Relaxed: a reader that sees less sees it soon.
  void set_collectives(std::uint32_t begun) noexcept { collectives_.store(begun, std::memory_order_relaxed); }

 private:
  Listing(observe::CommunicatorDirectory directory, std::uint32_t place, std::atomic<std::uint32_t>& collectives)
      : directory_(directory), place_(place), collectives_(collectives) {
    set_collectives(0);
  }

  observe::CommunicatorDirectory directory_;
  std::uint32_t place_;
  std::atomic<std::uint32_t>& collectives_;
};

}  // namespace starling::comm
