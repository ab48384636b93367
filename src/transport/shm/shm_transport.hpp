// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The shared-memory transport: one connection for each ordered pair of ranks on a node that talk.
// Source: Sun HPC ClusterTools, "Sun MPI Implementation", Shared-Memory Point-to-Point Message Passing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/config.hpp"
#include "memory/job_segment.hpp"
#include "transport/remote_memory.hpp"
#include "transport/shm/incoming.hpp"
#include "transport/shm/outgoing.hpp"
#include "transport/transport.hpp"

namespace starling::transport::shm {

class ShmTransport final : public Transport {
 public:
  /// The segment outlives the transport. Opens every connection now where the configuration asks for full connections.
  static Result<std::unique_ptr<ShmTransport>> create(const memory::JobSegment& segment, std::uint32_t rank,
                                                      const config::Store& config);

  bool try_send(std::int32_t peer, const PacketHeader& header, const void* payload, std::size_t bytes) override;
  bool try_send_words(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                      const void* payload, std::size_t bytes) override;
  bool try_send_packed(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override;
  bool poll(Sink& sink) override;

  [[nodiscard]] std::size_t max_payload() const noexcept override { return max_payload_; }
  [[nodiscard]] std::size_t max_inline() const noexcept override { return max_inline_; }
  [[nodiscard]] std::uint64_t in_flight(std::int32_t peer) override;
  [[nodiscard]] std::uint64_t held_by(std::int32_t peer) override;
  void publish_held(std::int32_t peer, std::uint64_t bytes) override;
  [[nodiscard]] SingleCopy* single_copy() noexcept override { return copy_.get(); }
  [[nodiscard]] RemoteMemory& remote_memory() noexcept { return *remote_memory_; }
  [[nodiscard]] Status take_failure() override { return std::move(failure_); }
  [[nodiscard]] bool is_dead(std::int32_t peer) const override {
    const memory::RankBlock& block = segment_.rank(static_cast<std::uint32_t>(peer));
    return block.state.load(std::memory_order_acquire) == memory::RankState::kDead;
  }

  /// The copy descriptors of the connection to a peer (the sender's side) and from a peer (the receiver's side).
  /// The former are null when the connection cannot be opened.
  [[nodiscard]] CopyDescriptor* copy_descriptors_to(std::int32_t peer);
  [[nodiscard]] CopyDescriptor* copy_descriptors_from(std::int32_t peer);
  void ring(std::int32_t peer) noexcept {
    memory::ring(segment_.rank(static_cast<std::uint32_t>(peer)).doorbell, sender_fences_);
  }
  [[nodiscard]] const memory::JobSegment& segment() const noexcept { return segment_; }
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }

 private:
  ShmTransport(const memory::JobSegment& segment, std::uint32_t rank, const config::Store& config);

  /// The open connection to peer with its next postbox, of `postboxes` free ones, in *box; null when there is no room.
  Outgoing* claim(std::int32_t peer, std::uint32_t postboxes, Postbox** box);
  bool open(Outgoing& out, std::int32_t peer);
  /// A buffer for the next postbox, whose words and form it sets, or null.
  std::byte* claim_buffer(Outgoing& out, Postbox& box, const std::uint64_t (&words)[2], std::size_t bytes,
                          Filling filling);
  /// Polls from now on what has just been opened.
  void meet(std::size_t word, std::uint64_t open_now);

  const memory::JobSegment& segment_;
  std::uint32_t rank_;
  bool sender_fences_;
  std::size_t max_payload_;
  std::size_t max_inline_;
  std::size_t cached_bytes_;
  std::uint32_t poll_batch_;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  std::span<std::atomic<std::uint64_t>> open_now_;  ///< the incoming map of this rank
  std::vector<std::uint64_t> known_;                ///< its bits that have an Incoming
  SenderPool sender_pool_;
  Status failure_;
  std::unique_ptr<SingleCopy> copy_;
  RemoteMemory* remote_memory_ = nullptr;  ///< copy_'s
};

}  // namespace starling::transport::shm
