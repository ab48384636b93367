// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ShiftedContexts: a transport whose packets count context ids from 0, for a user who counts those of its communicators
// from another number on: each connection between jobs has a range of its own in each process.
//
// Thread safety: that of the transport within.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "transport/transport.hpp"

namespace starling::transport {

class ShiftedContexts final : public Transport, private Sink {
 public:
  ShiftedContexts(std::unique_ptr<Transport> within, std::uint32_t first_context)
      : within_(std::move(within)), first_context_(first_context) {}

  bool try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) override {
    return within_->try_send(to, shifted(header), payload, bytes);
  }
  bool try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override {
    return within_->try_send_packed(to, shifted(header), words, cursor, bytes);
  }
  bool try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2], const void* payload,
                      std::size_t bytes) override {
    return within_->try_send_words(to, shifted(header), words, payload, bytes);
  }
  [[nodiscard]] std::size_t longest(Address to) override { return within_->longest(to); }
  std::optional<std::size_t> try_begin(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                       const void* payload, std::size_t bytes) override {
    return within_->try_begin(to, shifted(header), words, payload, bytes);
  }
  std::size_t go_on(Address to, const void* payload, std::size_t bytes) override {
    return within_->go_on(to, payload, bytes);
  }
  bool poll(Sink& sink) override {
    sink_ = &sink;
    return within_->poll(*this);
  }
  [[nodiscard]] Limits limits() const noexcept override { return within_->limits(); }
  [[nodiscard]] std::uint64_t in_flight(Address to) override { return within_->in_flight(to); }
  void keep_buffers_to(Address to, std::uint64_t bytes) override { within_->keep_buffers_to(to, bytes); }
  bool flush() override { return within_->flush(); }
  bool say_goodbye() override { return within_->say_goodbye(); }
  [[nodiscard]] std::string warning() const override { return within_->warning(); }
  [[nodiscard]] std::uint64_t held_by(Address peer) override { return within_->held_by(peer); }
  void publish_held(Address peer, std::uint64_t bytes) override { within_->publish_held(peer, bytes); }
  [[nodiscard]] SingleCopy* single_copy() noexcept override { return within_->single_copy(); }
  [[nodiscard]] RemoteMemory* remote_memory() noexcept override { return within_->remote_memory(); }
  [[nodiscard]] WakeSource* wake_source() noexcept override { return within_->wake_source(); }
  [[nodiscard]] bool is_dead(Address peer) const override { return within_->is_dead(peer); }
  void peer_failed(Address peer, Sink& sink) override {
    sink_ = &sink;
    within_->peer_failed(peer, *this);
  }
  [[nodiscard]] Status take_failure() override { return within_->take_failure(); }

 private:
  /// Packets of the protocols carry no context; theirs comes out as it went in, for both ends wrap around.
  [[nodiscard]] PacketHeader shifted(PacketHeader header) const noexcept {
    header.context_id -= first_context_;
    return header;
  }

  [[nodiscard]] PacketHeader unshifted(PacketHeader header) const noexcept {
    header.context_id += first_context_;
    return header;
  }
  [[nodiscard]] Packet unshifted(Packet packet) const noexcept {
    packet.header = unshifted(packet.header);
    return packet;
  }

  void on_packet(PeerId peer, const Packet& packet) override { sink_->on_packet(peer, unshifted(packet)); }
  [[nodiscard]] bool is_hungry() const noexcept override { return sink_->is_hungry(); }
  void on_placed(PeerId peer, const Packet& packet) override { sink_->on_placed(peer, unshifted(packet)); }
  std::byte* destination(PeerId peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                         std::size_t bytes) override {
    return sink_->destination(peer, unshifted(header), words, bytes);
  }

  void on_lost(PeerId peer, LostBy by, const Status& why) override { sink_->on_lost(peer, by, why); }
  void on_trouble(const std::string& what) override { sink_->on_trouble(what); }

  std::unique_ptr<Transport> within_;
  std::uint32_t first_context_;
  Sink* sink_ = nullptr;
};

}  // namespace starling::transport
