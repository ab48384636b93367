// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The shared-memory transport: one connection for each ordered pair of processes of a segment that talk. An address is
// the local rank in the segment.
// Source: Sun HPC ClusterTools, "Sun MPI Implementation", Shared-Memory Point-to-Point Message Passing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "memory/job_segment.hpp"
#include "transport/shm/connections.hpp"
#include "transport/shm/incoming.hpp"
#include "transport/shm/peer_memory.hpp"
#include "transport/shm/shm_single_copy.hpp"
#include "transport/surroundings.hpp"
#include "transport/transport.hpp"

namespace starling::transport::shm {

class ShmTransport final : public Transport {
 public:
  static std::optional<Address> reaches(const Surroundings& surroundings, WorldRank rank);
  /// Over the job's segment of this node.
  static Result<std::unique_ptr<Transport>> create_of_node(const Surroundings& surroundings);

  /// The segment outlives the transport. peers: under which number each process of the segment is reported, by its
  /// local rank. Opens every connection now where the configuration asks for full connections.
  static Result<std::unique_ptr<ShmTransport>> create(const memory::JobSegment& segment, LocalRank own,
                                                      std::vector<PeerId> peers, const config::Store& config);

  bool try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) override;
  bool try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2], const void* payload,
                      std::size_t bytes) override;
  bool try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override;
  bool poll(Sink& sink) override;

  [[nodiscard]] Limits limits() const noexcept override { return limits_; }
  [[nodiscard]] std::uint64_t in_flight(Address to) override;
  void keep_buffers_to(Address to, std::uint64_t bytes) override;
  [[nodiscard]] std::uint64_t held_by(Address peer) override;
  void publish_held(Address peer, std::uint64_t bytes) override;
  [[nodiscard]] SingleCopy* single_copy() noexcept override { return &copy_; }
  [[nodiscard]] RemoteMemory* remote_memory() noexcept override { return &memory_; }
  [[nodiscard]] bool is_dead(Address peer) const override {
    const memory::RankBlock& block = connections_.segment().rank(rank_at(peer));
    return block.state.load(std::memory_order_acquire) == memory::RankState::kDead;
  }
  void peer_failed(Address peer, Sink& sink) override;
  [[nodiscard]] Status take_failure() override { return std::move(connections_.failure()); }

 private:
  ShmTransport(const memory::JobSegment& segment, LocalRank own, std::vector<PeerId> peers, Limits limits,
               const config::Store& config);

  /// The open connection to peer with its next postbox, of `postboxes` free ones, in *box; null when there is no room.
  Outgoing* claim(Address to, std::uint32_t postboxes, Postbox** box);
  /// A buffer for the next postbox, whose words and form it sets, or null.
  std::byte* claim_buffer(Outgoing& out, Postbox& box, const std::uint64_t (&words)[2], std::size_t bytes,
                          Filling filling);
  /// How the next buffer is written.
  /// Of a packet in a buffer.
  Form form_for(Outgoing& out, std::size_t bytes) const;
  Filling filling_for(Outgoing& out, Form form, std::size_t bytes) const;
  /// Polls from now on what has been opened since the last look.
  void look_for_senders() {
    for (std::size_t word = 0; word < known_.size(); ++word) {
      // acquire: pairs with the sender's fetch_or in Outgoing::open.
      const std::uint64_t open_now = open_now_[word].load(std::memory_order_acquire);
      if (open_now != known_[word]) [[unlikely]]
        meet(word, open_now);
    }
  }
  void meet(std::size_t word, std::uint64_t open_now);

  Connections connections_;
  std::vector<PeerId> peers_;  ///< by local rank
  bool sender_fences_;
  Limits limits_;
  std::size_t cached_bytes_;
  std::size_t cached_near_bytes_;
  bool learns_filling_;
  std::uint32_t poll_batch_;
  std::vector<Incoming> incoming_;
  std::span<std::atomic<std::uint64_t>> open_now_;  ///< the incoming map of this process
  std::vector<std::uint64_t> known_;                ///< its bits that have an Incoming, or had one
  PeerMemory memory_;
  ShmSingleCopy copy_;
};

}  // namespace starling::transport::shm
