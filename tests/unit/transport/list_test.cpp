// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which transport of the list reaches whom.
#include "transport/choose/list.hpp"

#include <gtest/gtest.h>

#include <string>

#include "transport/shm/geometry.hpp"

namespace starling::transport {
namespace {

/// The names of the kinds that reach a rank, in order of preference.
std::string reaching(const Surroundings& surroundings, WorldRank rank) {
  std::string names;
  for (const TransportKind& kind : transport_kinds()) {
    if (kind.reaches(surroundings, rank)) names += std::string(kind.name) + " ";
  }
  return names;
}

TEST(TransportKinds, PreferTheRankItselfThenItsNodeAndReachNoOtherNodeWithoutANetwork) {
  const config::Store config;
  const auto segment = memory::JobSegment::create(shm::geometry(2, config)).value();
  const memory::Placement placement({{{WorldRank(0), WorldRank(2)}, 1}, {{WorldRank(1), WorldRank(3)}, 1}}, 1);
  const Surroundings surroundings{*segment, placement, WorldRank(3), config};
  EXPECT_EQ(reaching(surroundings, WorldRank(3)), "self shm ");
  EXPECT_EQ(reaching(surroundings, WorldRank(1)), "shm ");
  EXPECT_EQ(reaching(surroundings, WorldRank(2)), "");
}

TEST(TransportKinds, AddressAndReportRanksOfTheNodeByTheirOwnNumbers) {
  struct Inbox final : Sink {
    void on_packet(PeerId peer, const Packet& packet) override { from.emplace_back(peer.value, packet.header.tag); }
    std::vector<std::pair<std::int32_t, std::int32_t>> from;
  } inbox;
  const config::Store config;
  const auto segment = memory::JobSegment::create(shm::geometry(2, config)).value();
  const memory::Placement placement({{{WorldRank(0), WorldRank(2)}, 1}, {{WorldRank(1), WorldRank(3)}, 1}}, 1);
  const TransportKind& shm = transport_kinds()[1];
  const Surroundings of_one{*segment, placement, WorldRank(1), config};
  const Surroundings of_three{*segment, placement, WorldRank(3), config};
  const auto one = shm.create(of_one).value();
  const auto three = shm.create(of_three).value();
  PacketHeader header;
  header.tag = 5;
  ASSERT_TRUE(three->try_send(*shm.reaches(of_three, WorldRank(1)), header, nullptr, 0));
  while (one->poll(inbox)) {
  }
  EXPECT_EQ(inbox.from, (std::vector<std::pair<std::int32_t, std::int32_t>>{{3, 5}}));
}

}  // namespace
}  // namespace starling::transport
