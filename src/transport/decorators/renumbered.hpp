// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Renumbered: a transport under other numbers. The transport within counts peers and context ids from 0; its user knows
// them by numbers from others on, because it has several transports, each with peers and communicators of its own.
//
// Thread safety: that of the transport within.
#pragma once

#include <memory>

#include "transport/transport.hpp"

namespace starling::transport {

class Renumbered final : public Transport, private Sink, private SingleCopy {
 public:
  struct Numbers {
    std::int32_t first_peer = 0;
    std::uint32_t first_context = 0;
  };

  Renumbered(std::unique_ptr<Transport> within, Numbers numbers) : within_(std::move(within)), numbers_(numbers) {}

  [[nodiscard]] std::int32_t first_peer() const noexcept { return numbers_.first_peer; }

  bool try_send(std::int32_t peer, const PacketHeader& header, const void* payload, std::size_t bytes) override {
    return within_->try_send(inner(peer), inner(header), payload, bytes);
  }
  bool try_send_packed(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override {
    return within_->try_send_packed(inner(peer), inner(header), words, cursor, bytes);
  }
  bool try_send_words(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                      const void* payload, std::size_t bytes) override {
    return within_->try_send_words(inner(peer), inner(header), words, payload, bytes);
  }
  bool poll(Sink& sink) override {
    sink_ = &sink;
    return within_->poll(*this);
  }
  [[nodiscard]] std::size_t max_payload() const noexcept override { return within_->max_payload(); }
  [[nodiscard]] std::size_t max_inline() const noexcept override { return within_->max_inline(); }
  [[nodiscard]] std::uint64_t in_flight(std::int32_t peer) override { return within_->in_flight(inner(peer)); }
  [[nodiscard]] std::uint64_t held_by(std::int32_t peer) override { return within_->held_by(inner(peer)); }
  void publish_held(std::int32_t peer, std::uint64_t bytes) override { within_->publish_held(inner(peer), bytes); }
  [[nodiscard]] SingleCopy* single_copy() noexcept override {
    return within_->single_copy() != nullptr ? this : nullptr;
  }
  [[nodiscard]] Status take_failure() override { return within_->take_failure(); }
  [[nodiscard]] bool is_dead(std::int32_t peer) const override { return within_->is_dead(inner(peer)); }

 private:
  [[nodiscard]] std::int32_t inner(std::int32_t peer) const noexcept { return peer - numbers_.first_peer; }
  /// Packets of the protocols carry no context; theirs comes out as it went in, for both ends wrap around.
  [[nodiscard]] PacketHeader inner(PacketHeader header) const noexcept {
    header.context_id -= numbers_.first_context;
    return header;
  }

  void on_packet(std::int32_t peer, const Packet& packet) override {
    Packet renumbered = packet;
    renumbered.header.context_id += numbers_.first_context;
    sink_->on_packet(peer + numbers_.first_peer, renumbered);
  }

  std::uint32_t offer(std::int32_t peer, const void* source) override { return copy().offer(inner(peer), source); }
  CopyState help(std::int32_t peer, std::uint32_t descriptor) override { return copy().help(inner(peer), descriptor); }
  void withdraw(std::int32_t peer, std::uint32_t descriptor) override { copy().withdraw(inner(peer), descriptor); }
  bool permitted(std::int32_t peer) override { return copy().permitted(inner(peer)); }
  CopyState take_back(std::int32_t peer, std::uint32_t descriptor) override {
    return copy().take_back(inner(peer), descriptor);
  }
  bool open(std::int32_t peer, std::uint32_t descriptor, void* destination, std::uint64_t bytes) override {
    return copy().open(inner(peer), descriptor, destination, bytes);
  }
  bool refuse(std::int32_t peer, std::uint32_t descriptor) override { return copy().refuse(inner(peer), descriptor); }
  void decline(std::int32_t peer, std::uint32_t descriptor) override { copy().decline(inner(peer), descriptor); }
  CopyState advance(std::int32_t peer, std::uint32_t descriptor) override {
    return copy().advance(inner(peer), descriptor);
  }
  void close(std::int32_t peer, std::uint32_t descriptor) override { copy().close(inner(peer), descriptor); }
  bool read(std::int32_t peer, std::uint64_t source, void* destination, std::uint64_t bytes) override {
    return copy().read(inner(peer), source, destination, bytes);
  }
  [[nodiscard]] SingleCopy& copy() noexcept { return *within_->single_copy(); }

  std::unique_ptr<Transport> within_;
  Numbers numbers_;
  Sink* sink_ = nullptr;
};

}  // namespace starling::transport
