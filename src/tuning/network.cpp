// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/network.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/format.hpp"

namespace starling::tuning {
namespace {

/// The constants that a pair of hosts gives; the others of a distance are of memory.
constexpr double LinkCosts::*kOfPair[] = {&LinkCosts::message_ns, &LinkCosts::next_ns, &LinkCosts::send_ns,
                                          &LinkCosts::byte_ns,    &LinkCosts::long_ns, &LinkCosts::long_byte_ns};

/// A difference below its noise still has to be a time.
constexpr double kLeastNs = 1e-3;

double slope(double low_ns, double high_ns, double low, double high) noexcept {
  return std::max((high_ns - low_ns) / (high - low), kLeastNs);
}

}  // namespace

std::vector<HostPair> pairs_to_measure(std::int32_t hosts, std::int32_t most) {
  // The first place stays, the others turn around it; with an odd number of hosts one place is nobody's.
  const std::int32_t places = hosts + hosts % 2;
  std::vector<HostPair> pairs;
  for (std::int32_t round = 0; round < places - 1; ++round) {
    std::vector<HostPair> games;
    const auto at = [&](std::int32_t place) { return place == 0 ? 0 : 1 + (place - 1 + round) % (places - 1); };
    for (std::int32_t place = 0; place < places / 2; ++place) {
      const auto [one, other] = std::minmax({at(place), at(places - 1 - place)});
      if (other < hosts) games.push_back({one, other});
    }
    // A round of an odd number leaves one host out.
    const bool is_needed = round == 0 || (round == 1 && hosts % 2 == 1);
    if (!is_needed && pairs.size() + games.size() > static_cast<std::size_t>(std::max(most, 0))) break;
    pairs.insert(pairs.end(), games.begin(), games.end());
  }
  return pairs;
}

LinkCosts costs_of(const PairTimes& times) noexcept {
  using Times = PairTimes;
  LinkCosts costs = default_constants().at(Distance::kNetwork);
  costs.message_ns = std::max(times.tiny_ns, kLeastNs);
  costs.next_ns = std::clamp(times.tiny_stream_ns, kLeastNs, costs.message_ns);
  costs.send_ns = std::clamp(times.tiny_sending_ns, kLeastNs, costs.message_ns);
  costs.byte_ns = std::max(slope(times.short_ns, times.medium_ns, Times::kShort, Times::kMedium),
                           slope(times.short_stream_ns, times.medium_stream_ns, Times::kShort, Times::kMedium));
  // What a long message takes before its bytes does not depend on how many of them the link sustains.
  const double in_turns = slope(times.long_ns, times.longer_ns, Times::kLong, Times::kLonger);
  costs.long_ns = std::max(times.long_ns - Times::kLong * in_turns - costs.message_ns, kLeastNs);
  costs.long_byte_ns =
      std::max(in_turns, slope(times.long_stream_ns, times.longer_stream_ns, Times::kLong, Times::kLonger));
  return costs;
}

LinkCosts slowest(std::span<const PairCosts> pairs) noexcept {
  LinkCosts most = pairs.front().costs;
  for (const PairCosts& pair : pairs) {
    for (const auto field : kOfPair) most.*field = std::max(most.*field, pair.costs.*field);
  }
  return most;
}

std::string network_text(const LinkCosts& costs) {
  std::string text;
  for (const auto& field : link_fields()) {
    if (std::ranges::find(kOfPair, field.value) == std::end(kOfPair)) continue;
    text += formatted("{}{}.{}={:.4g}", text.empty() ? "" : " ", name(Distance::kNetwork), field.name,
                      costs.*(field.value));
  }
  return text;
}

std::string line_of(const PairCosts& pair) {
  std::string line = formatted("pair {} {}", pair.pair.one, pair.pair.other);
  for (const auto field : kOfPair) line += formatted(" {:.6g}", pair.costs.*field);
  return line;
}

std::optional<PairCosts> pair_in(std::string_view line) {
  constexpr std::string_view kWord = "pair";
  if (!line.starts_with(kWord)) return {};
  line.remove_prefix(kWord.size());
  const auto take = [&line](auto& value) {
    if (!line.starts_with(' ')) return false;
    const auto [end, failed] = std::from_chars(line.data() + 1, line.data() + line.size(), value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return failed == std::errc();
  };
  PairCosts pair{{}, default_constants().at(Distance::kNetwork)};
  bool good = take(pair.pair.one) && take(pair.pair.other);
  for (const auto field : kOfPair) good = good && take(pair.costs.*field) && pair.costs.*field > 0;
  if (!good || !line.empty()) return {};
  return pair;
}

double usual_message_ns(const LinkCosts& costs) noexcept {
  return costs.message_ns +
         std::min(PairTimes::kMedium * costs.byte_ns, costs.long_ns + PairTimes::kMedium * costs.long_byte_ns);
}

std::string words_of(const PairCosts& pair, std::span<const std::string> hosts) {
  constexpr double kNsPerUs = 1000;
  constexpr double kMbPerSOfByteNs = 1000;
  const auto name_of = [&](std::int32_t place) { return hosts[static_cast<std::size_t>(place)]; };
  return formatted("{} and {}: 8 B in {:.1f} us, 64 KiB in {:.1f} us, {:.0f} MB/s", name_of(pair.pair.one),
                   name_of(pair.pair.other), pair.costs.message_ns / kNsPerUs, usual_message_ns(pair.costs) / kNsPerUs,
                   kMbPerSOfByteNs / pair.costs.long_byte_ns);
}

}  // namespace starling::tuning
