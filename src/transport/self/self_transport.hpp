// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The transport of a rank to itself: a queue. Delivery waits for the next poll, so that a send never runs a receive.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "memory/doorbell.hpp"
#include "transport/transport.hpp"

namespace starling::transport::self {

class SelfTransport final : public Transport {
 public:
  /// Larger payloads go by single copy, so nothing long is ever queued here.
  static constexpr std::size_t kMaxPayload = 64 * 1024;

  /// `bell` is the rank's own: a thread of it may sleep while another sends to the rank.
  SelfTransport(std::int32_t rank, memory::Doorbell& bell) noexcept : rank_(rank), bell_(bell) {}

  bool try_send(std::int32_t peer, const PacketHeader& header, const void* payload, std::size_t bytes) override;
  bool try_send_words(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                      const void* payload, std::size_t bytes) override;
  bool try_send_packed(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override;
  bool poll(Sink& sink) override;
  /// Whether a poll would find anything.
  [[nodiscard]] bool idle() const noexcept { return queue_.empty(); }

  [[nodiscard]] std::size_t max_payload() const noexcept override { return kMaxPayload; }
  [[nodiscard]] std::size_t max_inline() const noexcept override { return kMaxPayload; }
  [[nodiscard]] std::uint64_t in_flight(std::int32_t) override { return queue_.size(); }
  [[nodiscard]] std::uint64_t held_by(std::int32_t) override { return held_; }
  void publish_held(std::int32_t, std::uint64_t bytes) override { held_ = bytes; }
  [[nodiscard]] SingleCopy* single_copy() noexcept override { return &copy_; }
  [[nodiscard]] Status take_failure() override { return {}; }
  [[nodiscard]] bool is_dead(std::int32_t) const override { return false; }

 private:
  /// Copies within the process, always alone and at once.
  class LocalCopy final : public SingleCopy {
   public:
    std::uint32_t offer(std::int32_t, const void*) override { return kNoDescriptor; }
    CopyState help(std::int32_t, std::uint32_t) override { return CopyState::kWaiting; }
    void withdraw(std::int32_t, std::uint32_t) override {}
    bool permitted(std::int32_t) override { return true; }
    CopyState take_back(std::int32_t, std::uint32_t) override { return CopyState::kGone; }
    bool open(std::int32_t, std::uint32_t, void*, std::uint64_t) override { return true; }
    bool refuse(std::int32_t, std::uint32_t) override { return true; }
    void decline(std::int32_t, std::uint32_t) override {}
    CopyState advance(std::int32_t, std::uint32_t) override { return CopyState::kRefused; }
    void close(std::int32_t, std::uint32_t) override {}
    bool read(std::int32_t, std::uint64_t source, void* destination, std::uint64_t bytes) override;
  };

  struct Queued {
    PacketHeader header;
    std::uint64_t words[2];
    std::vector<std::byte> payload;
  };

  bool queue(Queued packet);

  std::int32_t rank_;
  memory::Doorbell& bell_;
  std::deque<Queued> queue_;
  std::uint64_t held_ = 0;
  LocalCopy copy_;
};

}  // namespace starling::transport::self
