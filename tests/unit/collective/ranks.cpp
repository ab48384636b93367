// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "unit/collective/ranks.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <cctype>
#include <cstdlib>
#include <thread>

#include "base/usable_cores.hpp"
#include "memory/usable_cores.hpp"
#include "support/sanitized.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::collective::test {
namespace {

config::Store store(const Settings& settings) {
  config::Store config;
  for (const auto& [name, text] : settings) {
    const Status set = config.set(name, text);
    EXPECT_TRUE(set.ok()) << set.message();
  }
  return config;
}

}  // namespace

RankWorld::RankWorld(memory::JobSegment& segment, std::int32_t rank, std::int32_t size, const Settings& settings)
    : settings_(settings),
      config_(store(settings)),
      rank_(rank),
      size_(size),
      placement_(memory::Placement::one_node(size, memory::usable_cores_of(segment))) {
  comm::SharedDomain::Members members;
  for (std::int32_t i = 0; i < size; ++i) members.emplace(process_of(WorldRank(i)), LocalRank(i));
  domain_ = Ref<comm::SharedDomain>::adopt(new comm::SharedDomain(segment, std::move(members)));
  progress_ = std::make_unique<progress::Engine>(segment, LocalRank(rank), config_);
  auto p2p = p2p::PointToPoint::create(*progress_, {segment, placement_, WorldRank(rank), config_});
  EXPECT_TRUE(p2p.ok()) << p2p.status().message();
  p2p_ = std::move(p2p).value();
}

std::unique_ptr<Collectives> RankWorld::engine(const Settings& settings) {
  Settings all = settings_;
  all.insert(all.end(), settings.begin(), settings.end());
  auto engine = Collectives::create(*p2p_, placement_, store(all));
  EXPECT_TRUE(engine.ok()) << engine.status().message();
  return std::move(engine).value();
}

Ref<comm::Communicator> RankWorld::communicator(Members members) {
  std::vector<ProcessId> everyone;
  for (std::int32_t rank = 0; rank < size_; ++rank) everyone.emplace_back(rank);
  auto group = Ref<comm::Group>::adopt(new comm::Group(everyone));
  next_context_ += 2;
  return Ref<comm::Communicator>::adopt(
      new comm::Communicator(next_context_, std::move(group), rank_, common(members)));
}

comm::Communicator::Common RankWorld::common(Members members) const {
  return {{}, members == Members::kOnOneNode ? domain_ : Ref<comm::SharedDomain>()};
}

void run_ranks(std::int32_t size, const std::function<void(RankWorld&)>& body, const Settings& settings) {
  auto segment =
      memory::JobSegment::create(transport::shm::geometry(static_cast<std::uint32_t>(size), store(settings)));
  ASSERT_TRUE(segment.ok()) << segment.status().message();
  segment.value()->header().usable_cores = usable_cores();
  std::barrier everybody(size);
  std::vector<std::jthread> threads;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      RankWorld world(*segment.value(), rank, size, settings);
      everybody.arrive_and_wait();
      body(world);
      EXPECT_TRUE(world.p2p().drain().ok());
      everybody.arrive_and_wait();
    });
  }
}

std::vector<std::int32_t> rank_counts() {
  if (kUnderSanitizer) return {1, 2, 3, 5, 8};
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
}

std::vector<const Algorithm*> tried_algorithms() {
  const char* const wanted = std::getenv("ALGORITHM");
  std::vector<const Algorithm*> tried;
  for (const Algorithm* algorithm : algorithms()) {
    const std::string full_name = std::string(name(algorithm->operation)) + "/" + algorithm->name;
    if (wanted == nullptr || full_name == wanted) tried.push_back(algorithm);
  }
  EXPECT_FALSE(tried.empty()) << "no algorithm is called " << wanted;
  return tried;
}

std::string variable(Operation operation) {
  std::string text = std::string("STARLING_COLL_") + name(operation);
  for (char& letter : text) letter = static_cast<char>(std::toupper(letter));
  return text;
}

}  // namespace starling::collective::test
