// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ContextIdBroadcast: a nonblocking broadcast of one word to both groups of an intercommunicator. The first rank of the
// group that knows the word sends it to the first rank of the other group, and both pass it down a binomial tree over
// their group.
//
// Thread safety: the holder of the world's lock.
// Invariants: broadcasts of a communicator start in the same order on every rank, so that the messages of one never
// meet those of another: between two ranks they keep their order. The word outlives the broadcast.
#pragma once

#include <cstdint>
#include <vector>

#include "world/world.hpp"

namespace starling::world {

class ContextIdBroadcast final : public p2p::Request, private progress::Poller {
 public:
  /// Which group's first rank has the word already.
  enum class Side : std::uint8_t { kKnows, kReceives };
  ContextIdBroadcast(World& world, Ref<comm::Communicator> inter, Side side, std::uint32_t* word);

  void dispose() override;

 private:
  ~ContextIdBroadcast() override;

  bool poll() override;
  [[nodiscard]] bool received();
  void pass_on();
  void send(comm::Communicator& comm, std::int32_t rank);

  World& world_;
  Ref<comm::Communicator> inter_;
  Side side_;
  std::uint32_t* word_;
  p2p::Request* receive_ = nullptr;
  std::vector<p2p::Request*> sends_;
};

}  // namespace starling::world
