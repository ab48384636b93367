// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/vote_packets.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace starling::resilience {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kFirstOfDead = 3;

/// Without the zeros at its end.
std::size_t used_words(const RankSet& set) noexcept {
  std::size_t used = set.words();
  while (used > 0 && set.word(used - 1) == 0) --used;
  return used;
}

RankSet set_of(std::span<const std::uint64_t> words, std::int32_t members) {
  RankSet set(members);
  for (std::size_t i = 0; i < std::min(words.size(), set.words()); ++i) set.word(i) = words[i];
  return set;
}

}  // namespace

std::vector<std::vector<std::byte>> packets_of(const Vote& vote, std::size_t max_bytes) {
  const std::size_t dead = used_words(vote.dead);
  const std::size_t acknowledged = used_words(vote.acknowledged);
  std::vector<std::uint64_t> words{vote.flags, vote.token, dead};
  words.reserve(words.size() + dead + acknowledged);
  for (std::size_t i = 0; i < dead; ++i) words.push_back(vote.dead.word(i));
  for (std::size_t i = 0; i < acknowledged; ++i) words.push_back(vote.acknowledged.word(i));

  const std::size_t most = std::max<std::size_t>(max_bytes / kWord, 1);
  std::vector<std::vector<std::byte>> packets;
  for (std::size_t begin = 0; begin < words.size(); begin += most) {
    std::vector<std::byte> packet(std::min(most, words.size() - begin) * kWord);
    std::memcpy(packet.data(), &words[begin], packet.size());
    packets.push_back(std::move(packet));
  }
  return packets;
}

std::optional<Vote> VoteAssembly::add(std::span<const std::byte> packet, std::uint64_t more, std::int32_t members) {
  const std::size_t before = words_.size();
  words_.resize(before + packet.size() / kWord);
  if (!packet.empty()) std::memcpy(&words_[before], packet.data(), packet.size() / kWord * kWord);
  if (more != 0) return std::nullopt;
  std::vector<std::uint64_t> words = std::exchange(words_, {});
  words.resize(std::max(words.size(), kFirstOfDead));
  const auto sets = std::span<const std::uint64_t>(words).subspan(kFirstOfDead);
  const std::size_t dead = std::min<std::size_t>(words[2], sets.size());
  Vote vote;
  vote.flags = words[0];
  vote.token = words[1];
  vote.dead = set_of(sets.first(dead), members);
  vote.acknowledged = set_of(sets.subspan(dead), members);
  return vote;
}

}  // namespace starling::resilience
