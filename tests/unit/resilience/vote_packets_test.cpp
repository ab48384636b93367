// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/vote_packets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

namespace starling::resilience {
namespace {

constexpr std::size_t kPacketBytes = 2000;

Vote random_vote(std::int32_t members, double share, std::mt19937& random) {
  Vote vote;
  vote.flags = random();
  vote.token = random();
  vote.dead = RankSet(members);
  vote.acknowledged = RankSet(members);
  std::bernoulli_distribution dies(share);
  for (std::int32_t member = 0; member < members; ++member) {
    if (!dies(random)) continue;
    vote.dead.insert(member);
    if ((random() & 1) != 0) vote.acknowledged.insert(member);
  }
  return vote;
}

TEST(VotePackets, BringBackVotesOfAnySize) {
  std::mt19937 random(1);
  for (const std::int32_t members : {1, 64, 65, 1000, 8000, 8001, 100'000}) {
    for (const double share : {0.0, 0.001, 0.5, 1.0}) {
      for (const std::size_t most : {std::size_t{8}, std::size_t{24}, kPacketBytes}) {
        if (members > 8001 && most == 8) continue;
        const Vote vote = random_vote(members, share, random);
        const auto packets = packets_of(vote, most);
        VoteAssembly assembly;
        for (std::size_t i = 0; i < packets.size(); ++i) {
          ASSERT_LE(packets[i].size(), most);
          const std::optional<Vote> put = assembly.add(packets[i], packets.size() - 1 - i, members);
          ASSERT_EQ(put.has_value(), i + 1 == packets.size());
          if (!put) continue;
          EXPECT_EQ(*put, vote) << members << " members, " << share << " dead";
        }
      }
    }
  }
}

TEST(VotePackets, AreOneWhereNobodyIsDeadHoweverManyMembersThereAre) {
  std::mt19937 random(1);
  const auto packets = packets_of(random_vote(1'000'000, 0, random), kPacketBytes);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].size(), 3 * sizeof(std::uint64_t));
}

/// Members whose messages are packets of at most kPacketBytes, delivered in order between two members and else at
/// random.
class VoteNetwork {
 public:
  VoteNetwork(std::int32_t members, double share, std::uint32_t seed) : members_(members), random_(seed) {
    living_ = random_vote(members, share, random_).dead;
    for (std::int32_t i = 0; i < members; ++i) agreements_.emplace_back(i, members);
    RankSet dead(members);
    for (std::int32_t i = 0; i < members; ++i) {
      if (!living_.has(i)) dead.insert(i);
    }
    dead_ = dead;
  }

  /// All start, and all learn of all deaths before.
  void run() {
    Vote mine;
    mine.dead = dead_;
    mine.acknowledged = RankSet(members_);
    for (std::int32_t i = 0; i < members_; ++i) {
      if (!living_.has(i)) continue;
      Post post(*this, i);
      Agreement& agreement = agreements_[static_cast<std::size_t>(i)];
      for (std::int32_t other = 0; other < members_; ++other) {
        if (!living_.has(other)) agreement.handle_failure(other, post);
      }
      agreement.start(mine, post);
    }
    while (!links_.empty()) deliver();
  }
  void expect_verdict() const {
    for (std::int32_t i = 0; i < members_; ++i) {
      if (!living_.has(i)) continue;
      const auto& verdict = agreements_[static_cast<std::size_t>(i)].verdict();
      ASSERT_TRUE(verdict) << "member " << i;
      ASSERT_EQ(verdict->dead, dead_) << "member " << i;
    }
  }
  [[nodiscard]] std::size_t most_packets() const noexcept { return most_packets_; }

 private:
  struct Packet {
    bool verdict;
    std::uint64_t more;
    std::vector<std::byte> bytes;
  };
  using Link = std::pair<std::int32_t, std::int32_t>;
  struct Post final : Agreement::Post {
    Post(VoteNetwork& n, std::int32_t m) : network(n), member(m) {}
    void send(std::int32_t to, const AgreementMessage& message) override {
      auto packets = packets_of(message.vote, kPacketBytes);
      network.most_packets_ = std::max(network.most_packets_, packets.size());
      for (std::size_t i = 0; i < packets.size(); ++i) {
        network.links_[{member, to}].push_back({message.verdict, packets.size() - 1 - i, std::move(packets[i])});
      }
    }
    std::uint64_t token() override { return 7; }
    VoteNetwork& network;
    std::int32_t member;
  };

  void deliver() {
    auto link = links_.begin();
    std::advance(link, random_() % std::min<std::size_t>(links_.size(), 16));
    const auto [from, to] = link->first;
    const Packet packet = std::move(link->second.front());
    link->second.pop_front();
    if (link->second.empty()) links_.erase(link);
    const std::optional<Vote> vote = assemblies_[{from, to}].add(packet.bytes, packet.more, members_);
    if (!vote || !living_.has(to)) return;
    Post post(*this, to);
    agreements_[static_cast<std::size_t>(to)].receive(from, {packet.verdict, *vote}, post);
  }

  std::int32_t members_;
  std::mt19937 random_;
  RankSet living_;
  RankSet dead_;
  std::vector<Agreement> agreements_;
  std::map<Link, std::deque<Packet>> links_;
  std::map<Link, VoteAssembly> assemblies_;
  std::size_t most_packets_ = 0;
};

TEST(VotePackets, LetMoreMembersAgreeThanOnePacketHasBitsFor) {
  VoteNetwork network(16'500, 0.02, 1);  // a packet has 16,000 bits
  network.run();
  EXPECT_GT(network.most_packets(), 1U);
  network.expect_verdict();
}

}  // namespace
}  // namespace starling::resilience
