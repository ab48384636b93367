// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the collective calls of files settle among the ranks before they act.
// Thread safety: the holder of the world's lock. Every function is collective over the communicator.
#pragma once

#include <vector>

#include "base/format.hpp"
#include "base/status.hpp"
#include "world/world.hpp"

namespace starling::io {

template <typename T>
Result<std::vector<T>> tell_all(world::World& world, comm::Communicator& comm, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(comm.size()));
  STARLING_TRY(world.collectives().allgather(comm, &mine, all.data(), sizeof mine));
  return all;
}

/// kNotSame, naming the argument, when the ranks' values differ.
template <typename T>
Status check_same(world::World& world, comm::Communicator& comm, const T& mine, const char* argument) {
  Result<std::vector<T>> all = tell_all(world, comm, mine);
  if (!all.ok()) return std::move(all).status();
  for (std::size_t rank = 1; rank < all.value().size(); ++rank) {
    if (all.value()[rank] == all.value().front()) continue;
    return Status::error(ErrorClass::kNotSame,
                         formatted("{} is not the same on ranks 0 and {}; all ranks must give the "
                                   "same",
                                   argument, rank));
  }
  return {};
}

/// Success when all have succeeded; else this rank's failure, or one that names the first rank that failed.
Status agree(world::World& world, comm::Communicator& comm, Status mine);

/// What rank 0 did for all: its Status there, and one of the same class elsewhere.
Status follow_first(world::World& world, comm::Communicator& comm, Status at_first);

}  // namespace starling::io
