// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/allocation.hpp"

#include <gtest/gtest.h>

#include "launch/hosts/host_list.hpp"

namespace starling::launch {
namespace {

using Places = std::vector<std::size_t>;

HostRequest hosts(std::string_view list, DealBy deal_by = DealBy::kSlot, std::uint32_t ranks_per_host = 0) {
  HostRequest request;
  request.hosts = parse_host_list(list).value();
  request.deal_by = deal_by;
  request.ranks_per_host = ranks_per_host;
  return request;
}

std::vector<RankRequest> ranks(std::initializer_list<std::uint32_t> numbers) {
  std::vector<RankRequest> requests;
  for (const std::uint32_t number : numbers) requests.push_back({number, {}});
  return requests;
}

/// The host of each rank as a digit: "00011".
std::string places(const Allocation& allocation) {
  std::string text;
  for (const HostShare& share : allocation.shares) {
    EXPECT_EQ(share.ranks.size(), share.app_numbers.size());
    for (const WorldRank rank : share.ranks) {
      if (text.size() <= rank.index()) text.resize(rank.index() + 1, '?');
      text[rank.index()] = static_cast<char>('0' + share.host);
    }
  }
  return text;
}

std::string placed(const std::vector<RankRequest>& applications, const HostRequest& request,
                   std::vector<std::uint32_t> cores = {}) {
  Result<Allocation> allocation = allocate(applications, request, cores);
  return allocation.ok() ? places(allocation.value()) : allocation.status().message();
}

std::string note(const std::vector<RankRequest>& applications, const HostRequest& request) {
  return allocate(applications, request, {}).value().note;
}

TEST(Allocation, RefusesRanksBeyondTheSlotsWhereThatIsAsked) {
  for (const DealBy deal_by : {DealBy::kSlot, DealBy::kNode, DealBy::kByNumber}) {
    HostRequest request = hosts("a:2,b", deal_by, deal_by == DealBy::kByNumber ? 1 : 0);
    request.hosts[1].slots.reset();
    request.may_exceed_slots = false;
    EXPECT_EQ(hosts_to_ask(ranks({5}), request), Places{1});
    EXPECT_EQ(placed(ranks({4}), request, {0, 2}), deal_by == DealBy::kSlot ? "0011" : "0101");
    EXPECT_EQ(
        placed(ranks({5}), request, {0, 2}),
        "host 'a' would get 3 ranks and has 2 slots, which --nooversubscribe does not allow. Ask for fewer ranks, "
        "name more hosts or slots, or leave the option out");
  }
}

TEST(Allocation, FillsSlotsInOrder) {
  EXPECT_EQ(placed(ranks({4}), hosts("a:3,b:3")), "0001");
  EXPECT_EQ(placed(ranks({2}), hosts("a:3,b:3")), "00");
  EXPECT_EQ(note(ranks({6}), hosts("a:3,b:3")), "");
}

TEST(Allocation, DealsRanksBeyondTheSlotsInTurnAndSaysSo) {
  EXPECT_EQ(placed(ranks({9}), hosts("a:3,b:1,c:1")), "000120120");
  EXPECT_EQ(note(ranks({9}), hosts("a:3,b:1,c:1")),
            "4 of the 9 ranks are beyond the hosts' slots; the hosts get them in turn");
  EXPECT_EQ(note(ranks({3}), hosts("a,b")), "1 of the 3 ranks is beyond the hosts' slots; the hosts get them in turn");
}

TEST(Allocation, NeverExceedsMaxSlots) {
  HostRequest request = hosts("a:1,b:1,c:1");
  request.hosts[0].max_slots = 2;
  request.hosts[1].max_slots = 1;
  EXPECT_EQ(placed(ranks({8}), request), "01202222");
  request.hosts[2].max_slots = 3;
  EXPECT_EQ(placed(ranks({6}), request), "012022");
  EXPECT_EQ(placed(ranks({7}), request),
            "7 ranks do not fit: max_slots is 2 on 'a', 1 on 'b', 3 on 'c', which leaves room for 6. Ask for fewer "
            "ranks, add hosts, or raise max_slots");
  request.deal_by = DealBy::kByNumber;
  request.ranks_per_host = 2;
  EXPECT_EQ(placed(ranks({6}), request), "001222");
  EXPECT_EQ(placed(ranks({0}), request), "001222");
  EXPECT_EQ(placed(ranks({4, 3}), request).find("3 ranks do not fit"), 0u);
}

TEST(Allocation, LetsMaxSlotsLimitTheCoresOfAHost) {
  HostRequest request = hosts("a,b:1");
  request.hosts[0].max_slots = 2;
  EXPECT_EQ(placed(ranks({0}), request, {8, 0}), "001");
}

TEST(Allocation, DealsToEachHostInTurn) {
  EXPECT_EQ(placed(ranks({6}), hosts("a:2,b:1,c:3", DealBy::kNode)), "012022");
  EXPECT_EQ(placed(ranks({8}), hosts("a:2,b:1,c:3", DealBy::kNode)), "01202201");
}

TEST(Allocation, DealsANumberToEachHost) {
  EXPECT_EQ(placed(ranks({0}), hosts("a,b", DealBy::kByNumber, 3)), "000111");
  EXPECT_EQ(placed(ranks({5}), hosts("a,b", DealBy::kByNumber, 3)), "00011");
  EXPECT_EQ(note(ranks({5}), hosts("a,b", DealBy::kByNumber, 3)), "");
  EXPECT_EQ(placed(ranks({9}), hosts("a,b", DealBy::kByNumber, 2)), "001100110");
  EXPECT_EQ(note(ranks({9}), hosts("a,b", DealBy::kByNumber, 2)),
            "5 of the 9 ranks are beyond 2 a host; the hosts get them in the same order");
  EXPECT_EQ(placed(ranks({1, 3}), hosts("a,b", DealBy::kByNumber, 2)), "0011");
}

TEST(Allocation, TakesUsableCoresForSlotsThatNobodyWrote) {
  HostRequest request = hosts("a,b");
  EXPECT_EQ(placed(ranks({4}), request, {2, 8}), "0011");
  EXPECT_EQ(placed(ranks({0}), request, {2, 3}), "00111");
  EXPECT_EQ(placed(ranks({0}), request), "01");
}

TEST(Allocation, GivesOneRankToEachSlotWithoutANumber) {
  EXPECT_EQ(placed(ranks({0}), hosts("a:2,b:3")), "00111");
  EXPECT_EQ(placed(ranks({0}), hosts("a:2,b:2", DealBy::kNode)), "0101");
  EXPECT_EQ(placed(ranks({1, 0}), hosts("a:2,b:2")), "0011");
  EXPECT_NE(placed(ranks({4, 0}), hosts("a:2,b:2")).find("application 1 names no number of ranks"), std::string::npos);
}

TEST(Allocation, PlacesSeveralApplicationsAsOneSequence) {
  const Allocation allocation = allocate(ranks({1, 3, 2}), hosts("a:2,b:4"), {}).value();
  EXPECT_EQ(places(allocation), "001111");
  ASSERT_EQ(allocation.shares.size(), 2u);
  EXPECT_EQ(allocation.shares[0].app_numbers, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(allocation.shares[1].app_numbers, (std::vector<std::int32_t>{1, 1, 2, 2}));
  EXPECT_EQ(allocation.ranks, (std::vector<std::uint32_t>{1, 3, 2}));
}

TEST(Allocation, SendsAnApplicationToItsOwnHosts) {
  HostRequest request = hosts("a:3,b:2,c:1");
  std::vector<RankRequest> applications = {
      {1, parse_host_list("b:2").value()}, {4, {}}, {2, parse_host_list("c,a:1").value()}};
  EXPECT_EQ(placed(applications, request), "1000120");
  applications[0].hosts[0].name = "x";
  EXPECT_NE(placed(applications, request).find("'x'"), std::string::npos);
}

TEST(Allocation, LeavesHostsWithoutRanksOut) {
  const Allocation allocation = allocate(ranks({2}), hosts("a:1,b:1,c:1"), {}).value();
  ASSERT_EQ(allocation.shares.size(), 2u);
  EXPECT_EQ(allocation.shares[1].host, 1u);
}

TEST(Allocation, PutsAllOnThisMachineWithoutHosts) {
  EXPECT_EQ(placed(ranks({3, 1}), {}), "0000");
  EXPECT_EQ(placed(ranks({0}), {}), "0");
  EXPECT_EQ(note(ranks({300}), {}), "");
  EXPECT_EQ(placed(ranks({0}), hosts("a", DealBy::kByNumber, 4)), "0000");
  HostRequest by_number;
  by_number.deal_by = DealBy::kByNumber;
  by_number.ranks_per_host = 3;
  EXPECT_EQ(placed(ranks({0}), by_number), "000");
  EXPECT_EQ(note(ranks({7}), by_number), "");
}

TEST(Allocation, AsksOnlyHostsWhoseCoresMatter) {
  EXPECT_EQ(hosts_to_ask(ranks({4}), hosts("a:2,b:2")), Places{});
  EXPECT_EQ(hosts_to_ask(ranks({0}), hosts("a,b:2,c")), (Places{0, 2}));
  EXPECT_EQ(hosts_to_ask(ranks({9}), hosts("a,b:2,c")), (Places{0, 2}));
  EXPECT_EQ(hosts_to_ask(ranks({1}), hosts("a,b,c")), Places{});
  EXPECT_EQ(hosts_to_ask(ranks({3}), hosts("a,b,c,d")), (Places{0, 1}));
  EXPECT_EQ(hosts_to_ask(ranks({3}), hosts("a,b:2,c,d")), (Places{0}));
  EXPECT_EQ(hosts_to_ask(ranks({3}), hosts("a,b,c", DealBy::kNode)), Places{});
  EXPECT_EQ(hosts_to_ask(ranks({4}), hosts("a,b,c", DealBy::kNode)), (Places{0, 1, 2}));
  EXPECT_EQ(hosts_to_ask(ranks({0}), hosts("a,b,c", DealBy::kByNumber, 2)), Places{});
  const std::vector<RankRequest> own = {{1, parse_host_list("a").value()}, {1, parse_host_list("b:2").value()}};
  EXPECT_EQ(hosts_to_ask(own, hosts("a,b,c")), (Places{0}));
}

}  // namespace
}  // namespace starling::launch
