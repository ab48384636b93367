// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SingleCopy over the copy descriptors of the connections: both ends take pieces off one counter in shared memory.
// Where no descriptor is free the receiver reads alone. Thread safety: the world's lock. Invariants: a descriptor is
// offered anew only when the receiver is through with it (its state says so) and so is the sender (held_ says so):
// either may learn of the end before the other.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "config/config.hpp"
#include "transport/shm/connections.hpp"
#include "transport/shm/peer_memory.hpp"
#include "transport/single_copy.hpp"

namespace starling::transport::shm {

/// Whether the configuration lets processes reach into each other's memory.
[[nodiscard]] bool copies_directly(const config::Store& config);

class ShmSingleCopy final : public SingleCopy {
 public:
  ShmSingleCopy(Connections& connections, PeerMemory& memory, const config::Store& config);

  CopyOffer offer(Address to, const void* source, std::uint64_t bytes, Withdrawal withdrawal) override;
  [[nodiscard]] bool is_joint(const CopyOffer& offer) const noexcept override { return offer.words[1] != 0; }
  CopyState help(Address to, const CopyOffer& offer) override;
  void withdraw(Address to, const CopyOffer& offer) override;
  CopyState take_back(Address to, const CopyOffer& offer) override;

  bool permitted(Address from) override { return memory_.permitted(from); }
  bool open(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) override;
  CopyState advance(Address from, const CopyOffer& offer) override;
  bool refuse(Address from, const CopyOffer& offer) override { return answer(from, offer, CopyDescriptor::kRefused); }
  void decline(Address from, const CopyOffer& offer) override { answer(from, offer, CopyDescriptor::kDeclined); }
  void close(Address from, const CopyOffer& offer) override;
  [[nodiscard]] bool can_take() const noexcept override { return copies_directly_; }
  CopyState take(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) override;
  bool read(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) override {
    return memory_.read(rank_at(from), offer.words[0], destination, bytes);
  }

 private:
  enum class End : std::uint8_t { kSender, kReceiver };

  using Held = std::uint32_t;
  static_assert(kCopyDescriptors <= std::numeric_limits<Held>::digits, "held_ has a bit for each descriptor");

  // An offer's words: the address of the data, and 1 more than the number of the descriptor, or 0 without one.
  [[nodiscard]] static std::uint64_t number_of(const CopyOffer& offer) noexcept { return offer.words[1] - 1; }
  [[nodiscard]] CopyDescriptor& sent(Address to, const CopyOffer& offer) {
    return connections_.copy_descriptors_to(rank_at(to))[number_of(offer)];
  }
  [[nodiscard]] CopyDescriptor& received(Address from, const CopyOffer& offer) const {
    return connections_.copy_descriptors_from(rank_at(from))[number_of(offer)];
  }
  /// The number of a descriptor that now offers `source`, or kCopyDescriptors when none is free.
  std::uint32_t take_descriptor(LocalRank to, const void* source);
  /// Answers an offer; false when it has been taken back, and the descriptor is closed then.
  bool answer(Address from, const CopyOffer& offer, CopyDescriptor::DescriptorState with);
  CopyState take_piece(LocalRank peer, CopyDescriptor& descriptor, End end);

  void let_go(Address to, const CopyOffer& offer) {
    Held& held = held_[rank_at(to).index()];
    const Held one = Held{1} << number_of(offer);
    if ((held & one) != 0) --offers_;
    held &= ~one;
  }

  Connections& connections_;
  PeerMemory& memory_;
  bool copies_directly_;
  std::vector<Held> held_;    ///< of each peer: bit t while a send of ours uses descriptor t
  std::uint32_t offers_ = 0;  ///< bits of held_ that are set
  std::uint64_t piece_bytes_;
};

}  // namespace starling::transport::shm
