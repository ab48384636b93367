// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/evidence_form.hpp"

#include <gtest/gtest.h>

namespace starling::observe {
namespace {

JobEvidence evidence_of_a_node() {
  JobEvidence node;
  node.seconds = 2.5;
  node.snapshots = 90;
  node.snapshots_with_waits = 12;
  node.hosts.push_back({"a", 8, 2, 3.5, 0.5, "always", {{"/g", 30, 4, 2.5}, {"/h", 1, 0, {}}}, true});
  RankEvidence rank;
  rank.rank = 3;
  rank.since = Since{77, true};
  rank.figures = {0.25, 10, 20, 30, 1.5, 6, 4096};
  rank.running_threads = 4.5;
  rank.swapped_bytes = 99;
  rank.sockets_seen = 2;
  rank.test_share = 0.75;
  rank.tests_with = "MPI_Test";
  rank.awaited_alone = 11;
  rank.allowed = 16;
  rank.moves_per_s = 2.5;
  rank.sent = {{0, 3, 4096}, {2, 1, 8}};
  node.ranks = {rank, RankEvidence()};
  return node;
}

TEST(EvidenceForm, ComesBackAsItWas) {
  const std::string bytes = serialised(evidence_of_a_node());
  const Result<JobEvidence> read = parse_evidence(bytes, 4);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(serialised(read.value()), bytes);
  const RankEvidence& rank = read.value().ranks[0];
  EXPECT_EQ(rank.rank, 3);
  EXPECT_TRUE(rank.since->at_least);
  EXPECT_EQ(*rank.figures.resident_bytes, 4096u);
  EXPECT_EQ(rank.tests_with, "MPI_Test");
  EXPECT_EQ(rank.allowed, 16u);
  EXPECT_EQ(rank.moves_per_s, 2.5);
  ASSERT_EQ(rank.sent.size(), 2u);
  EXPECT_EQ(rank.sent[0].bytes, 4096u);
  EXPECT_EQ(rank.sent[1].rank, 2);
  EXPECT_TRUE(read.value().hosts[0].lacks_sent);
  EXPECT_FALSE(read.value().ranks[1].figures.mpi_share);
  EXPECT_FALSE(read.value().ranks[1].since);
  EXPECT_EQ(read.value().hosts[0].groups[0].throttled, 4u);
  EXPECT_FALSE(read.value().hosts[0].groups[1].cores);
}

TEST(EvidenceForm, RefusesWhatIsDamaged) {
  const std::string bytes = serialised(evidence_of_a_node());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(parse_evidence(std::string_view(bytes).substr(0, length), 4).ok()) << length;
  }
  EXPECT_FALSE(parse_evidence(bytes + "x", 4).ok());
  EXPECT_FALSE(parse_evidence(bytes, 3).ok()) << "a rank that the job does not have";
  JobEvidence without_host = evidence_of_a_node();
  without_host.hosts.clear();
  EXPECT_FALSE(parse_evidence(serialised(without_host), 4).ok());
  for (const std::int32_t nobody : {-1, 4}) {
    JobEvidence sent_to_nobody = evidence_of_a_node();
    sent_to_nobody.ranks[0].sent[0].rank = nobody;
    EXPECT_FALSE(parse_evidence(serialised(sent_to_nobody), 4).ok());
  }
}

TEST(EvidenceForm, PartsKeepTheirHosts) {
  JobEvidence whole;
  add_part(whole, evidence_of_a_node());
  JobEvidence other = evidence_of_a_node();
  other.hosts[0].name = "b";
  add_part(whole, other);
  ASSERT_EQ(whole.ranks.size(), 4u);
  EXPECT_EQ(whole.hosts[whole.ranks[0].host].name, "a");
  EXPECT_EQ(whole.hosts[whole.ranks[2].host].name, "b");
}

}  // namespace
}  // namespace starling::observe
