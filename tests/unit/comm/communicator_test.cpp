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

Ref<Communicator> communicator_of(std::vector<std::int32_t> world_ranks, std::int32_t rank) {
  return Ref<Communicator>::adopt(new Communicator(42, Ref<Group>::adopt(new Group(std::move(world_ranks))), rank));
}

TEST(Communicator, TranslatesItsRanksToThoseOfTheJob) {
  const auto comm = communicator_of({5, 3, 9}, 1);
  EXPECT_EQ(comm->size(), 3);
  EXPECT_EQ(comm->rank(), 1);
  EXPECT_EQ(comm->world_rank(0), 5);
  EXPECT_EQ(comm->world_rank(comm->rank()), 3);
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
