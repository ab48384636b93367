// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OfiPeers: what a rank knows of those that it reaches over the fabric, from the first time that there is something to
// know. Thread safety: the world's lock. Invariants: a peer stays where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/lazy_table.hpp"
#include "transport/ofi/fabric.hpp"
#include "transport/single_copy.hpp"

namespace starling::transport::ofi {

struct OfiPeer {
  enum class State : std::uint8_t {
    kUnknown,  ///< it has not said where it is
    kJoined,
    kGone,  ///< it has ended as it should; what is sent to it is dropped
    kDead,
  };

  Address address;
  PeerId number;
  State state = State::kUnknown;
  bool is_told = false;       ///< where this rank is
  bool is_listed = false;     ///< there is something to do for it, see OfiTransport::work
  bool owes_credits = false;  ///< it has not been told held_here
  bool owes_answer = false;   ///< it has asked
  bool is_unseen = false;     ///< there is something that it may not have seen, see OfiTransport::ask_around
  bool has_goodbye = false;   ///< this rank has said goodbye to it, and sent nothing since
  Place place = 0;
  std::uint32_t token = 0;  ///< which it wants to see
  std::uint64_t held_there = 0;
  std::uint64_t held_here = 0;

  // Numbers of frames.
  std::uint64_t sent = 0;
  std::uint64_t sent_packet = 0;  ///< the last that was no question or answer
  std::uint64_t asked = 0;        ///< the last question
  std::uint64_t seen = 0;         ///< by the peer
  std::uint64_t sent_before = 0;  ///< the last packet when OfiTransport::ask_around looked before
  std::uint64_t received = 0;
  std::deque<CopyOffer> copied;  ///< of its memory that has been read, and it has not been told

  std::uint32_t under_way = 0;                                ///< buffers that the provider has
  std::deque<Buffer*> unsent;                                 ///< that it did not take
  std::map<std::uint64_t, std::vector<std::byte>> too_early;  ///< frames before which others are missing
  std::int64_t broken_at_ns = 0;                              ///< when the provider has reported an error; 0: never
  std::string death;                                          ///< why it is dead, or broken, a sentence
};

class OfiPeers {
 public:
  /// first: the number of the peer with address 0; the others follow it.
  OfiPeers(PeerId first, std::size_t size) : first_(first), peers_(size) {}

  /// Null where nothing is known.
  [[nodiscard]] OfiPeer* find(Address address) const noexcept { return peers_.find(address.index()); }
  [[nodiscard]] OfiPeer& operator[](Address address) {
    OfiPeer* const known = peers_.find(address.index());
    return known != nullptr ? *known : make(address);
  }
  [[nodiscard]] std::size_t size() const noexcept { return peers_.size(); }
  /// Of which something is known. More may be added while one goes through them by index.
  [[nodiscard]] const std::vector<std::unique_ptr<OfiPeer>>& known() const noexcept { return peers_.made(); }
  /// The address of a peer's number.
  [[nodiscard]] Address address_of(PeerId number) const noexcept { return Address(number.value - first_.value); }

 private:
  OfiPeer& make(Address address) {
    OfiPeer& peer = peers_.make(address.index());
    peer.address = address;
    peer.number = PeerId(first_.value + address.value);
    return peer;
  }

  PeerId first_;
  LazyTable<OfiPeer> peers_;
};

}  // namespace starling::transport::ofi
