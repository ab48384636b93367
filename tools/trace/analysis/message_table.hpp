// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MessageTable: both ends of the messages around a moment of the timeline. A message is named by sender, receiver and
// its number from the one to the other.
// Thread safety: none. Memory: bounded; of the messages of a pair whose other end never shows the oldest are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <unordered_map>

namespace starling::trace {

struct Message {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

  std::uint64_t number = 0;
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = kNever;  ///< when it met its receive
  std::uint64_t flow = 0;
  bool rendezvous = false;
};

class MessageTable {
 public:
  /// Returns the message's other end where that came before: clocks of two hosts differ.
  const Message& sent(std::int32_t sender, std::int32_t receiver, const Message& message);
  /// Null: it is not known to have been sent.
  const Message* received(std::int32_t receiver, std::int32_t sender, std::uint64_t number, std::int64_t at_ns);

  /// Null: it is not known to have been sent.
  [[nodiscard]] const Message* find(std::int32_t sender, std::int32_t receiver, std::uint64_t number) const;
  /// The last message of the sender to the receiver that needed both sides and met its receive in this time; null:
  /// none.
  [[nodiscard]] const Message* met_between(std::int32_t sender, std::int32_t receiver, std::int64_t after_ns,
                                           std::int64_t until_ns) const;
  /// What was received before that moment will not be asked for again.
  void forget_before(std::int64_t ns) { forget_before_ns_ = ns; }

 private:
  using Messages = std::deque<Message>;  ///< of a pair, in the order of their numbers

  struct Early {
    std::uint64_t pair = 0;
    std::uint64_t number = 0;
    bool operator==(const Early&) const = default;
  };
  struct EarlyHash {
    std::size_t operator()(const Early& early) const noexcept {
      return static_cast<std::size_t>((early.pair * 0x9E3779B97F4A7C15U) ^ (early.number * 0xC2B2AE3D27D4EB4FU));
    }
  };

  [[nodiscard]] static std::uint64_t pair_of(std::int32_t sender, std::int32_t receiver) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(sender)} << 32 | static_cast<std::uint32_t>(receiver);
  }
  [[nodiscard]] const Messages* of(std::int32_t sender, std::int32_t receiver) const;

  std::unordered_map<std::uint64_t, Messages> pairs_;
  std::unordered_map<Early, std::int64_t, EarlyHash> early_;  ///< receives whose sends have not shown
  std::int64_t forget_before_ns_ = Message::kNever;
};

}  // namespace starling::trace
