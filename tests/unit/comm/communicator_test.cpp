// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicator.hpp"

#include <gtest/gtest.h>

namespace starling::comm {
namespace {

class Note final : public Extension {
 public:
  explicit Note(bool* gone) : gone_(gone) {}
  ~Note() override { *gone_ = true; }

 private:
  bool* gone_;
};

Ref<Group> group_of(std::initializer_list<std::int32_t> numbers) {
  std::vector<ProcessId> processes;
  for (const std::int32_t number : numbers) processes.emplace_back(number);
  return Ref<Group>::adopt(new Group(processes));
}

Ref<Communicator> communicator_of(std::initializer_list<std::int32_t> numbers, std::int32_t rank,
                                  Communicator::Common common = {}) {
  return Ref<Communicator>::adopt(new Communicator(42, group_of(numbers), rank, std::move(common)));
}

Ref<SharedDomain> domain_of(memory::JobSegment& segment, std::initializer_list<std::int32_t> numbers) {
  SharedDomain::Members members;
  for (const std::int32_t number : numbers) members.emplace(ProcessId(number), LocalRank(members.size()));
  return Ref<SharedDomain>::adopt(new SharedDomain(segment, std::move(members)));
}

std::unique_ptr<memory::JobSegment> small_segment() {
  auto segment = memory::JobSegment::create(memory::JobGeometry{});
  return segment.ok() ? std::move(segment).value() : nullptr;
}

TEST(Communicator, TranslatesItsRanksToProcessesAndPeers) {
  const auto comm = communicator_of({5, 3, 9}, 1);
  EXPECT_EQ(comm->size(), 3);
  EXPECT_EQ(comm->rank(), 1);
  EXPECT_EQ(comm->process(0), ProcessId(5));
  EXPECT_EQ(comm->process(comm->rank()), ProcessId(3));
  EXPECT_EQ(comm->peer(2), peer_of(WorldRank(9)));
}

TEST(Communicator, KnowsThePlacesOfItsRanksInTheMemoryThatTheyShare) {
  const auto segment = small_segment();
  ASSERT_TRUE(segment);
  const auto domain = domain_of(*segment, {9, 7, 5, 3});
  EXPECT_TRUE(domain->has_all(*group_of({3, 9})));
  EXPECT_FALSE(domain->has_all(*group_of({3, 8})));
  const auto comm = communicator_of({5, 3, 9}, 1, {{}, domain});
  ASSERT_EQ(comm->shared_domain(), domain.get());
  EXPECT_EQ(comm->local_rank(0), LocalRank(2));
  EXPECT_EQ(comm->local_rank(2), LocalRank(0));
  EXPECT_EQ(communicator_of({5, 3}, 0)->shared_domain(), nullptr);
}

TEST(Communicator, OfConnectedJobsHasTheirPeersAndCountsContextsFromTheirFirst) {
  const auto segment = small_segment();
  ASSERT_TRUE(segment);
  // The own job has the processes 0 and 1; the one numbered 2 is of another job.
  std::vector<ConnectedJobs::Member> members{{ProcessId(2), PeerId(7)}, {ProcessId(1), PeerId(1)}};
  const auto jobs = Ref<ConnectedJobs>::adopt(
      new ConnectedJobs({1, 40, {}}, std::move(members), domain_of(*segment, {2, 1}), config::Store(), nullptr));
  const auto comm = communicator_of({1, 2}, 0, {jobs, jobs->shared_domain()});
  EXPECT_EQ(comm->peer(0), PeerId(1));
  EXPECT_EQ(comm->peer(1), PeerId(7));
  EXPECT_EQ(comm->shared_context_id(), 2U);
  EXPECT_EQ(comm->local_rank(0), LocalRank(1));
  EXPECT_EQ(jobs->place_of(ProcessId(2)), 0);
}

TEST(Communicator, KeepsCollectiveTrafficApartFromPointToPoint) {
  const auto comm = communicator_of({0, 1}, 0);
  EXPECT_EQ(comm->context_id(), 42U);
  EXPECT_NE(comm->collective_context_id(), comm->context_id());
}

TEST(Communicator, TakesWhatHigherLayersKeepWithItAlongWhenItDies) {
  bool gone = false;
  auto comm = communicator_of({0}, 0);
  comm->collective_state = std::make_unique<Note>(&gone);
  auto user = comm;
  comm = Ref<Communicator>();
  EXPECT_FALSE(gone) << "an operation still holds the communicator";
  user = Ref<Communicator>();
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace starling::comm
