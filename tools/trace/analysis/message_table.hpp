// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MessageTable: both ends of the messages around a moment of the timeline. A message is named by its channel, which is
// sender and receiver, and its number there. In the log of a job that was seen from outside communicator and tag are of
// the channel as well.
// Thread safety: none. Memory: bounded; of the messages of a channel whose other end never shows the oldest are
// dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <unordered_map>

#include "observe/event.hpp"
#include "trace/log/trace_log.hpp"

namespace starling::trace {

struct Channel {
  std::int32_t sender = 0;
  std::int32_t receiver = 0;
  std::uint64_t lane = 0;  ///< communicator and tag, where they count
  bool operator==(const Channel&) const = default;
};

/// Of the message of an event.
[[nodiscard]] inline Channel channel_of(const TraceLog& log, std::int32_t sender, std::int32_t receiver,
                                        const observe::Event& event) {
  if (!log.is_seen()) return {sender, receiver};
  return {sender, receiver, std::uint64_t{event.context_id} << 32 | static_cast<std::uint32_t>(event.tag)};
}

struct Message {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

  std::uint64_t number = 0;
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = kNever;  ///< when it met its receive
  std::int64_t awaited_ns = kNever;   ///< until then a sender that needs the receive has waited for it
  std::uint64_t flow = 0;
  bool rendezvous = false;
};

class MessageTable {
 public:
  /// Returns the message's other end where that came before: clocks of two hosts differ.
  const Message& sent(const Channel& channel, const Message& message);
  /// Of a message that has been received. Null: it is not known to have been sent.
  const Message* received(const Channel& channel, const Message& message);

  /// Null: it is not known to have been sent.
  [[nodiscard]] const Message* find(const Channel& channel, std::uint64_t number) const;
  /// The last message of the channel that needed both sides and for which its sender waited until a moment of this
  /// time; null: none.
  [[nodiscard]] const Message* met_between(const Channel& channel, std::int64_t after_ns, std::int64_t until_ns) const;
  /// What was received before that moment will not be asked for again.
  void forget_before(std::int64_t ns) { forget_before_ns_ = ns; }

 private:
  using Messages = std::deque<Message>;  ///< of a channel, in the order of their numbers

  struct Early {
    Channel channel;
    std::uint64_t number = 0;
    bool operator==(const Early&) const = default;
  };
  struct ChannelHash {
    std::size_t operator()(const Channel& channel) const noexcept {
      const std::uint64_t pair = std::uint64_t{static_cast<std::uint32_t>(channel.sender)} << 32 |
                                 static_cast<std::uint32_t>(channel.receiver);
      return static_cast<std::size_t>((pair * 0x9E3779B97F4A7C15U) ^ (channel.lane * 0xD6E8FEB86659FD93U));
    }
  };
  struct EarlyHash {
    std::size_t operator()(const Early& early) const noexcept {
      return ChannelHash()(early.channel) ^ static_cast<std::size_t>(early.number * 0xC2B2AE3D27D4EB4FU);
    }
  };

  [[nodiscard]] const Messages* of(const Channel& channel) const;
  /// Drops the oldest.
  void drop_old(Messages& messages) const;
  /// Channels of which nothing is left.
  void drop_empty();

  std::unordered_map<Channel, Messages, ChannelHash> channels_;
  std::size_t crowded_ = 1 << 14;                        ///< so many channels are looked through for empty ones
  std::unordered_map<Early, Message, EarlyHash> early_;  ///< receives whose sends have not shown
  std::int64_t forget_before_ns_ = Message::kNever;
};

}  // namespace starling::trace
