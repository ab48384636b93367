// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The network between hosts as `starling tune --host` finds it: which pairs of hosts are measured, which constants
// their times give, and what of all pairs the model holds. It has one network, for nobody knows before a call which
// pairs it will join; a collective call waits for its slowest message, so that is the slowest pair's.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuning/constants.hpp"

namespace starling::tuning {

/// Hosts by their places in the list of hosts.
struct HostPair {
  std::int32_t one;
  std::int32_t other;

  friend bool operator==(const HostPair&, const HostPair&) = default;
};

/// In rounds in each of which a host is in one pair at most, as in a tournament: as many whole rounds as have no more
/// than `most` pairs, and the first in any case. So all pairs of a few hosts, and every host of many.
[[nodiscard]] std::vector<HostPair> pairs_to_measure(std::int32_t hosts, std::int32_t most);

/// What messages of these sizes took between two ranks, each on its host, nobody else sending. In nanoseconds a
/// message.
struct PairTimes {
  static constexpr double kTiny = 8;
  static constexpr double kShort = 4096;  ///< these two are copied twice
  static constexpr double kMedium = 65536;
  static constexpr double kLong = 262144;  ///< these two go straight into the receiver's buffer
  static constexpr double kLonger = 1048576;

  double tiny_ns;  ///< there and back in turns, as the next four; half of it
  double short_ns;
  double medium_ns;
  double long_ns;
  double longer_ns;
  /// What the sender of a tiny one is busy with it, when nothing that it sent before is on its way: what one more costs
  /// that goes to another rank, for those to one rank may travel together.
  double tiny_sending_ns;
  /// One after the other in one direction, the slower one: what the link sustains, where it lets a burst pass.
  double tiny_stream_ns;
  double short_stream_ns;
  double medium_stream_ns;
  double long_stream_ns;
  double longer_stream_ns;
};

/// The constants that the cost lines give back as these times (message_ns to long_byte_ns; the others are of memory and
/// as by default). All are above 0.
[[nodiscard]] LinkCosts costs_of(const PairTimes& times) noexcept;

struct PairCosts {
  HostPair pair;
  LinkCosts costs;
};

/// Of each constant the largest of all pairs. There has to be a pair.
[[nodiscard]] LinkCosts slowest(std::span<const PairCosts> pairs) noexcept;
/// The constants of the network as text; only those that are measured.
[[nodiscard]] std::string network_text(const LinkCosts& costs);

/// As a line "pair 0 2 8000 1000 4500 0.25 6000 0.155", and back; nothing: it is another line.
[[nodiscard]] std::string line_of(const PairCosts& pair);
[[nodiscard]] std::optional<PairCosts> pair_in(std::string_view line);

/// "a and c: 8 B in 21.3 us, 64 KiB in 60.1 us, 1180 MB/s".
[[nodiscard]] std::string words_of(const PairCosts& pair, std::span<const std::string> hosts);

/// What a message of 64 KiB takes, by which pairs are put in order.
[[nodiscard]] double usual_message_ns(const LinkCosts& costs) noexcept;

}  // namespace starling::tuning
