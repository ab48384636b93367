// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/nodes/rank_card.hpp"

#include <map>
#include <set>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/usable_cores.hpp"

namespace starling::bootstrap {
namespace {

/// The first word, as JobCardHeader::kFormat.
constexpr std::string_view kRankCardFormat = "starling-rank-2";
constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text.push_back(kHexDigits[value >> 4]);
    text.push_back(kHexDigits[value & 15]);
  }
  return text;
}

/// Empty when it is no row of hexadecimal digits.
std::string from_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    const std::size_t high = kHexDigits.find(text[at]);
    const std::size_t low = kHexDigits.find(text[at + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return text.size() % 2 == 0 ? bytes : std::string();
}

/// A bit for each number: machines have many threads, and launchers little room.
std::string bits_of(const std::vector<unsigned>& numbers) {
  std::string bits;
  for (const unsigned number : numbers) {
    if (number / 8 >= bits.size()) bits.resize(number / 8 + 1);
    bits[number / 8] = static_cast<char>(bits[number / 8] | 1 << number % 8);
  }
  return bits;
}

std::vector<unsigned> numbers_of(std::string_view bits) {
  std::vector<unsigned> numbers;
  for (unsigned number = 0; number < bits.size() * 8; ++number) {
    if ((bits[number / 8] >> number % 8 & 1) != 0) numbers.push_back(number);
  }
  return numbers;
}

/// The nodes, by their leaders, which are in ascending order.
using RanksByLeader = std::map<WorldRank, std::vector<WorldRank>>;
RanksByLeader ranks_by_leader(const std::vector<RankCard>& cards) {
  RanksByLeader nodes;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) nodes[cards[rank].node_leader].emplace_back(rank);
  return nodes;
}

}  // namespace

std::string RankCard::text() const {
  ByteWriter out;
  out.put_text(kRankCardFormat).put(node_leader.value).put(app_number);
  out.put_text(bits_of(threads)).put(quota_cores).put_text(segment).put_text(host);
  out.put_list(entrances, [](ByteWriter& to, const Entrance& entrance) {
    to.put_text(entrance.address).put_text(entrance.interface);
  });
  out.put(job).put_text(tuning).put(secret);
  return to_hex(out.bytes());
}

Result<RankCard> RankCard::parse(std::string_view text, std::int32_t ranks) {
  const std::string bytes = from_hex(text);
  ByteReader in(bytes);
  const bool is_ours = in.get_text() == kRankCardFormat;
  RankCard card;
  card.node_leader = WorldRank(in.get<std::int32_t>());
  card.app_number = in.get<std::int32_t>();
  card.threads = numbers_of(in.get_text());
  card.quota_cores = in.get<double>();
  card.segment = in.get_text();
  card.host = in.get_text();
  card.entrances = in.get_list<Entrance>([](ByteReader& from) {
    Entrance entrance;
    entrance.address = from.get_text();
    entrance.interface = from.get_text();
    return entrance;
  });
  card.job = in.get<std::uint64_t>();
  card.tuning = in.get_text();
  card.secret = in.get<decltype(card.secret)>();
  const bool has_leader = card.node_leader >= WorldRank(0) && card.node_leader < WorldRank(ranks);
  if (is_ours && in.ok_and_at_end() && has_leader) return card;
  return Status::error(ErrorClass::kOther,
                       "what a rank has left with the launcher cannot be read: all ranks need the same version of "
                       "Starling");
}

std::vector<unsigned> threads_of(const std::vector<RankCard>& cards, WorldRank node_leader) {
  std::set<unsigned> threads;
  for (const RankCard& card : cards) {
    if (card.node_leader == node_leader) threads.insert(card.threads.begin(), card.threads.end());
  }
  return {threads.begin(), threads.end()};
}

std::int32_t usable_cores_of(const std::vector<RankCard>& cards, WorldRank node_leader) {
  const std::vector<unsigned> threads = threads_of(cards, node_leader);
  CoreLimits limits;
  for (const RankCard& card : cards) {
    if (card.node_leader == node_leader && card.quota_cores > 0) limits.quota_cores = card.quota_cores;
  }
  limits.affinity = threads.empty() ? 1 : static_cast<std::uint32_t>(threads.size());
  return static_cast<std::int32_t>(limits.usable());
}

JobCard job_card_of(const std::vector<RankCard>& cards, WorldRank own) {
  JobCard job;
  job.job = cards.front().job;
  job.secret = cards.front().secret;
  for (auto& [leader, ranks] : ranks_by_leader(cards)) {
    if (leader == cards[own.index()].node_leader) job.own_node = static_cast<std::int32_t>(job.nodes.size());
    JobCard::Node& node = job.nodes.emplace_back();
    node.host = cards[leader.index()].host;
    node.usable_cores = usable_cores_of(cards, leader);
    for (const WorldRank rank : ranks) node.app_numbers.push_back(cards[rank.index()].app_number);
    node.ranks = ranks;
  }
  for (const RankCard& card : cards) job.entrances.push_back(card.entrances);
  job.listeners.resize(job.nodes[static_cast<std::size_t>(job.own_node)].ranks.size());
  return job;
}

}  // namespace starling::bootstrap
