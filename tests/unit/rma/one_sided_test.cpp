// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which communicators can have windows.
#include "rma/one_sided.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "transport/shm/geometry.hpp"

namespace starling::rma {
namespace {

/// The collectives of communicators of one rank.
class Alone final : public WindowCollectives {
 public:
  Status barrier(comm::Communicator& /*comm*/) override {
    ++calls;
    return {};
  }
  Status allgather(comm::Communicator& /*comm*/, const void* mine, void* all, std::int64_t bytes) override {
    ++calls;
    std::memcpy(all, mine, static_cast<std::size_t>(bytes));
    return {};
  }

  int calls = 0;
};

/// A rank that is alone in its job, and meets processes of other nodes in groups only.
class WindowCreation : public ::testing::Test {
 protected:
  void SetUp() override {
    auto segment = memory::JobSegment::create(transport::shm::geometry(1, config_));
    ASSERT_TRUE(segment.ok()) << segment.status().message();
    segment_ = std::move(segment).value();
    domain_ =
        Ref<comm::SharedDomain>::adopt(new comm::SharedDomain(*segment_, {{process_of(WorldRank(0)), LocalRank(0)}}));
    progress_ = std::make_unique<progress::Engine>(*segment_, LocalRank(0), config_);
    auto p2p = p2p::PointToPoint::create(*progress_, {*segment_, placement_, WorldRank(0), config_});
    ASSERT_TRUE(p2p.ok()) << p2p.status().message();
    p2p_ = std::move(p2p).value();
    auto one_sided = OneSided::create(*p2p_, collectives_, placement_, RanksAre::kThreads, config_);
    ASSERT_TRUE(one_sided.ok()) << one_sided.status().message();
    one_sided_ = std::move(one_sided).value();
  }

  Result<std::unique_ptr<Window>> create(const std::vector<ProcessId>& processes, comm::Communicator::Common common,
                                         Flavor flavor) {
    auto group = Ref<comm::Group>::adopt(new comm::Group(processes));
    const std::int32_t rank = group->rank_of(process_of(WorldRank(0)));
    auto comm = Ref<comm::Communicator>::adopt(new comm::Communicator(2, std::move(group), rank, std::move(common)));
    WindowSpec spec;
    spec.flavor = flavor;
    spec.base = memory_;
    spec.bytes = flavor == Flavor::kDynamic ? 0 : sizeof memory_;
    return one_sided_->create_window(std::move(comm), spec);
  }

  config::Store config_;
  memory::Placement placement_ = memory::Placement::one_node(1, 1);
  std::unique_ptr<memory::JobSegment> segment_;
  Ref<comm::SharedDomain> domain_;
  std::unique_ptr<progress::Engine> progress_;
  std::unique_ptr<p2p::PointToPoint> p2p_;
  Alone collectives_;
  std::unique_ptr<OneSided> one_sided_;
  char memory_[64] = {};
};

TEST_F(WindowCreation, IsRefusedForLoadsAndStoresByEveryRankWhereTheyAreOnSeveralNodes) {
  const auto refused = create({process_of(WorldRank(0)), process_of(WorldRank(1))}, {}, Flavor::kShared);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().error_class(), ErrorClass::kRmaShared);
  EXPECT_NE(refused.status().message().find("MPI_COMM_TYPE_SHARED"), std::string::npos);
  // No rank waits for another that has refused.
  EXPECT_EQ(collectives_.calls, 0);
}

TEST_F(WindowCreation, IsPossibleWhereTheRanksShareMemory) {
  for (const Flavor flavor : {Flavor::kCreate, Flavor::kAllocate, Flavor::kDynamic, Flavor::kShared}) {
    auto made = create({process_of(WorldRank(0))}, {{}, domain_}, flavor);
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_EQ(made.value()->target(0).local, LocalRank(0));
    EXPECT_EQ(made.value()->target(0).peer, peer_of(WorldRank(0)));
    EXPECT_TRUE(one_sided_->free_window(std::move(made).value()).ok());
  }
}

}  // namespace
}  // namespace starling::rma
