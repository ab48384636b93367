// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/nodes/job_card.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "base/byte_stream.hpp"

namespace starling::bootstrap {
namespace {

/// Ranks 0 and 2 on a, which is this node, and rank 1 on b.
JobCard card_of_two_nodes() {
  JobCard card;
  card.job = 4711;
  card.secret.fill(std::byte{42});
  card.nodes = {{"a", {WorldRank(0), WorldRank(2)}, 4, {0, 1}}, {"b", {WorldRank(1)}, 2, {0}}};
  card.own_node = 0;
  card.entrances = {{{"10.0.0.1:4000", "eth0"}, {"[2001:db8::1]:4000", "eth1"}}, {{"10.0.0.2:4000", "eth0"}}, {}};
  card.listeners = {{7, 8}, {}};
  return card;
}

JobCardView view_of(const JobCard& card) { return JobCardView::of_file(card.to_file().value().get()).value(); }

bool is_refused(const JobCard& card) { return !JobCard::parse(card.serialised()).ok(); }

TEST(JobCard, IsReadAsItWasWritten) {
  const JobCard card = card_of_two_nodes();
  EXPECT_EQ(JobCard::parse(card.serialised()).value(), card);
}

TEST(JobCard, TravelsWithoutListeners) {
  JobCard card = card_of_two_nodes();
  card.listeners.clear();
  EXPECT_EQ(JobCard::parse(card.serialised()).value(), card);
}

TEST(JobCard, SaysWhereEachRankIs) {
  const JobCardView card = view_of(card_of_two_nodes());
  const memory::Placement placement = card.placement();
  EXPECT_EQ(placement.size(), 3);
  EXPECT_EQ(placement.nodes(), 2);
  EXPECT_EQ(placement.local_of(WorldRank(2)), LocalRank(1));
  EXPECT_FALSE(placement.is_here(WorldRank(1)));
  EXPECT_EQ(placement.fewest_usable_cores(), 2);
  EXPECT_EQ(placement.node(0).app_numbers[1], 1);
  EXPECT_EQ(card.host_of(WorldRank(1)), "b");
  EXPECT_EQ(card.host_of(WorldRank(2)), "a");
}

TEST(JobCard, KeepsEachAddressAsItIs) {
  JobCard card = card_of_two_nodes();
  card.listeners.clear();
  for (const char* address : {"", ":", "a", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:04000", "10.0.0.1:65535",
                              "10.0.0.1:65536", "[::1]:1", "::1", "4000"}) {
    card.entrances[1] = {{address, "eth0"}, {address, "eth 1"}};
    EXPECT_EQ(JobCard::parse(card.serialised()).value(), card) << address;
  }
}

TEST(JobCard, HasWhatRanksHaveInCommonOnce) {
  JobCard card;
  card.nodes = {{"a", {}, 1, {}}};
  const auto grown_by = [&card](std::size_t ranks) {
    const std::size_t before = card.serialised().size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      card.nodes[0].ranks.emplace_back(rank);
      card.entrances.push_back({{"10.0.0.1:" + std::to_string(4000 + rank), "eth0"}});
    }
    return card.serialised().size() - before;
  };
  const std::size_t first = grown_by(1);
  card.nodes[0].ranks.clear();
  card.entrances.clear();
  EXPECT_EQ(grown_by(101) - first, 100U * 28);
}

TEST(JobCard, GoesThroughAFileThatAllReadFromItsBeginning) {
  const JobCard card = card_of_two_nodes();
  const Descriptor file = card.to_file().value();
  const Descriptor inherited(dup(file.get()));  // with the same position
  EXPECT_EQ(JobCard::of(JobCardView::of_file(inherited.get()).value()), card);
  EXPECT_EQ(JobCard::of(JobCardView::of_file(file.get()).value()), card);
  EXPECT_TRUE(fcntl(file.get(), F_GETFD) & FD_CLOEXEC);
}

TEST(JobCard, CannotBeChangedInItsFile) {
  const Descriptor file = card_of_two_nodes().to_file().value();
  if (fcntl(file.get(), F_GET_SEALS) < 0) GTEST_SKIP() << "there is no memfd here, and other files know no seals";
  EXPECT_LT(pwrite(file.get(), "x", 1, 0), 0);
  EXPECT_NE(ftruncate(file.get(), 0), 0);
}

TEST(JobCard, RefusesThatOfAnotherBuildByItsName) {
  ByteWriter out;
  out.put_text("starling-card-99").put_text("and whatever follows");
  const Status why = JobCard::parse(out.bytes()).status().copy();
  EXPECT_NE(why.message().find("starling-card-99"), std::string::npos) << why.message();
  EXPECT_NE(why.message().find(JobCardHeader::kFormat), std::string::npos) << why.message();
}

TEST(JobCard, RefusesWhatIsNone) {
  for (const std::string& bytes : {std::string(), std::string("x"), std::string(1000, '\0'), std::string(1000, 'x')}) {
    EXPECT_NE(JobCard::parse(bytes).status().message().find("it is none"), std::string::npos) << bytes.size();
  }
  const Descriptor other(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(JobCardView::of_file(other.get()).ok());
  const Status closed = JobCardView::of_file(987).status().copy();
  EXPECT_NE(closed.message().find("descriptor 987"), std::string::npos) << closed.message();
}

TEST(JobCard, RefusesOneThatIsCut) {
  const std::string bytes = card_of_two_nodes().serialised();
  for (std::size_t left = 0; left < bytes.size(); ++left) EXPECT_FALSE(JobCard::parse(bytes.substr(0, left)).ok());
  EXPECT_FALSE(JobCard::parse(bytes + "x").ok());
}

TEST(JobCard, RefusesWhatContradictsItself) {
  const auto refused_after = [](auto&& change) {
    JobCard card = card_of_two_nodes();
    change(card);
    return is_refused(card);
  };
  EXPECT_FALSE(refused_after([](JobCard&) {}));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.own_node = 2; }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.own_node = -1; }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.nodes.clear(); }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.nodes[1].ranks = {WorldRank(2)}; }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.nodes[1].ranks = {WorldRank(3)}; }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.nodes[1].ranks = {WorldRank(-1)}; }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.nodes[1].ranks.clear(); }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.nodes[0].usable_cores = 0; }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.nodes[0].app_numbers.pop_back(); }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.entrances.emplace_back(); }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.listeners.pop_back(); }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.listeners[0].pop_back(); }));
  EXPECT_TRUE(refused_after([](JobCard& card) { card.listeners[0][1] = -1; }));
}

TEST(JobCard, IsReadOrRefusedWhateverIsDamaged) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  const std::string bytes = card_of_two_nodes().serialised();
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = bytes;
    for (unsigned i = 0; i <= random() % 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const Result<JobCard> read = JobCard::parse(damaged);
    if (!read.ok()) continue;
    std::size_t ranks = 0;
    for (const JobCard::Node& node : read.value().nodes) ranks += node.ranks.size();
    EXPECT_EQ(ranks, read.value().entrances.size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace starling::bootstrap
