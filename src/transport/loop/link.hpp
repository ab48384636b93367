// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Link: the packets that are under way from one rank to another, in order. Each has a time at which it arrives.
// Thread safety: the mutex of the mailbox that it leads to, but for is_broken().
// Invariants: a packet never arrives before the one that was sent before it; no more are under way than the settings
// allow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "transport/loop/settings.hpp"
#include "transport/transport.hpp"

namespace starling::transport::loop {

/// A packet on its way. Its payload is a copy: the ranks share no memory.
struct Frame {
  enum class FrameType : std::uint8_t { kPacket, kCredits };

  FrameType type = FrameType::kPacket;
  PacketHeader header;
  std::uint64_t words[2] = {0, 0};
  std::vector<std::byte> payload;
  std::uint64_t held = 0;   ///< bytes of the receiver's messages that the sender keeps
  std::int64_t due_ns = 0;  ///< when it arrives; 0: at once
};

class Link {
 public:
  /// The time of what never comes.
  static constexpr std::int64_t kNever = INT64_MAX;

  Link(const Settings& settings, std::uint64_t seed) : settings_(settings), random_(seed) {}

  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
    return frames_.empty() || (frames_.size() < settings_.link_packets && bytes_ + bytes <= settings_.link_bytes);
  }
  /// Sends a frame for which there is room; returns when it arrives.
  std::int64_t push(Frame frame);
  /// Takes the next frame if it has arrived.
  bool pop(std::int64_t now_ns, Frame* frame);

  /// When the next frame arrives.
  [[nodiscard]] std::int64_t due_ns() const noexcept { return frames_.empty() ? kNever : frames_.front().due_ns; }
  [[nodiscard]] std::size_t size() const noexcept { return frames_.size(); }

  void drop_all() noexcept;
  /// Drops the frames that have not arrived.
  void drop_late(std::int64_t now_ns) noexcept;

  /// By any thread. Nothing is sent on a broken link; what is under way may still arrive.
  [[nodiscard]] bool is_broken() const noexcept { return broken_.load(std::memory_order_acquire); }
  void set_broken() noexcept { broken_.store(true, std::memory_order_release); }

  bool sender_waits = false;  ///< it has found no room, or asked how much is under way
  bool is_told = false;       ///< the receiver knows that the link is broken

 private:
  std::int64_t next_due_ns();

  const Settings& settings_;
  std::mt19937_64 random_;
  std::deque<Frame> frames_;
  std::size_t bytes_ = 0;
  std::int64_t last_due_ns_ = 0;
  std::atomic<bool> broken_{false};
};

}  // namespace starling::transport::loop
