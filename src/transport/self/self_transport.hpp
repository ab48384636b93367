// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The transport of a rank to itself: a queue. Delivery waits for the next poll, so that a send never runs a receive.
// Addresses are of no account: there is one peer.
// Thread safety: the world's lock.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "memory/doorbell.hpp"
#include "transport/self/self_memory.hpp"
#include "transport/surroundings.hpp"
#include "transport/transport.hpp"

namespace starling::transport::self {

class SelfTransport final : public Transport {
 public:
  /// Larger payloads go by single copy, so nothing long is ever queued here.
  static constexpr std::size_t kMaxPayload = 64 * 1024;

  static std::optional<Address> reaches(const Surroundings& surroundings, WorldRank rank);
  static Result<std::unique_ptr<Transport>> create(const Surroundings& surroundings);

  /// `bell` is the rank's own: a thread of it may sleep while another sends to the rank.
  SelfTransport(PeerId self, memory::Doorbell& bell) noexcept : self_(self), bell_(bell) { set_idle(true); }

  bool try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) override;
  bool try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2], const void* payload,
                      std::size_t bytes) override;
  bool try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override;
  bool poll(Sink& sink) override;

  [[nodiscard]] Limits limits() const noexcept override { return {kMaxPayload, kMaxPayload, std::nullopt}; }
  [[nodiscard]] std::uint64_t in_flight(Address) override { return queue_.size(); }
  [[nodiscard]] std::uint64_t held_by(Address) override { return held_; }
  void publish_held(Address, std::uint64_t bytes) override { held_ = bytes; }
  [[nodiscard]] SingleCopy* single_copy() noexcept override { return &copy_; }
  [[nodiscard]] RemoteMemory* remote_memory() noexcept override { return &memory_; }
  [[nodiscard]] bool is_dead(Address) const override { return false; }
  void peer_failed(Address, Sink&) override {}
  [[nodiscard]] Status take_failure() override { return {}; }

 private:
  struct Queued {
    PacketHeader header;
    std::uint64_t words[2];
    std::vector<std::byte> payload;
  };

  bool queue(Queued packet);

  PeerId self_;
  memory::Doorbell& bell_;
  std::deque<Queued> queue_;
  std::uint64_t held_ = 0;
  SelfCopy copy_;
  SelfMemory memory_;
};

}  // namespace starling::transport::self
