// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "io/two_phase/aggregators.hpp"
#include "io/two_phase/coverage.hpp"
#include "io/two_phase/domains.hpp"
#include "io/two_phase/stripes.hpp"

namespace starling::io {
namespace {

TEST(Coverage, KnowsEveryByte) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const int bytes = 1 + static_cast<int>(random() % 1000);
    Coverage coverage;
    coverage.reset(bytes);
    std::vector<bool> model(static_cast<std::size_t>(bytes), false);
    for (int i = static_cast<int>(random() % 12); i > 0; --i) {
      const auto first = static_cast<std::int64_t>(random()) % bytes;
      const std::int64_t length = 1 + static_cast<std::int64_t>(random()) % (bytes - first);
      coverage.add(first, length);
      for (std::int64_t at = first; at < first + length; ++at) model[static_cast<std::size_t>(at)] = true;
    }
    std::vector<std::byte> window(static_cast<std::size_t>(bytes));
    std::vector<bool> found(model.size(), false);
    std::int64_t end = -1;
    for (const FilePiece& piece : coverage.pieces(window.data(), 5000)) {
      ASSERT_GT(piece.offset - 5000, end) << "pieces that touch must be one";
      ASSERT_EQ(piece.memory, window.data() + (piece.offset - 5000));
      end = piece.end() - 5000;
      for (std::int64_t at = piece.offset - 5000; at < end; ++at) found[static_cast<std::size_t>(at)] = true;
    }
    ASSERT_EQ(found, model);
  }
}

TEST(Stripes, ARegularPatternIsOneStrip) {
  auto made = datatype::Datatype::vector(1000, 2, 5, datatype::predefined(datatype::Basic::kInt));
  made.value()->commit();
  const TypeRef byte = TypeRef::share(&datatype::byte_type());
  Result<ViewRef> view = View::create(8, byte, TypeRef(made.value()), predefined_datarep("native"));
  const std::vector<Stripe> stripes = stripes_of(*view.value(), 0, 8000);
  ASSERT_EQ(stripes.size(), 1U);
  EXPECT_EQ(stripes[0].offset, 8);
  EXPECT_EQ(stripes[0].bytes, 8);
  EXPECT_EQ(stripes[0].count, 1000);
  EXPECT_EQ(stripes[0].stride, 20);
  EXPECT_EQ(stripes[0].end(), 8 + 999 * 20 + 8);
}

TEST(Stripes, GatherUndoesScatter) {
  const std::vector<Stripe> stripes = {{100, 4, 3, 10}, {140, 8, 2, 9}, {160, 16, 1, 0}, {180, 5, 2, 6}};
  std::vector<std::byte> packed(12 + 16 + 16 + 10);
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::byte>(i + 1);
  std::vector<std::byte> window(100);
  scatter(stripes, packed.data(), window.data(), 100);
  EXPECT_EQ(window[10], packed[4]);
  EXPECT_EQ(window[49], packed[12 + 8]);
  std::vector<std::byte> back(packed.size());
  gather(stripes, window.data(), 100, back.data());
  EXPECT_EQ(back, packed);
}

AccessShare share(std::int64_t first, std::int64_t end, std::int64_t bytes, std::int64_t run) {
  AccessShare made;
  made.range = {first, end};
  made.bytes = bytes;
  made.run_bytes = run;
  return made;
}

TEST(Domains, WindowsCoverTheFileOnce) {
  for (const std::int32_t ranks : {1, 2, 3, 7, 8}) {
    for (const std::int32_t wished : {0, 1, 2, 5, 100}) {
      std::vector<AccessShare> shares(static_cast<std::size_t>(ranks));
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        shares[static_cast<std::size_t>(rank)] = share(5000 + rank * 10, 900'001, 1000, 10);
      }
      CollectiveHints hints;
      hints.buffer_bytes = 10'000;
      std::vector<std::int32_t> all(static_cast<std::size_t>(ranks));
      std::iota(all.begin(), all.end(), 0);
      const Domains domains(shares, hints, choose_aggregators({{all, 2}}, wished));
      std::int64_t covered = 0;
      std::vector<int> ranks_with_domain(static_cast<std::size_t>(ranks), 0);
      for (std::int32_t a = 0; a < domains.aggregators(); ++a) {
        EXPECT_EQ(domains.aggregator_of(domains.rank_of(a)), a);
        ++ranks_with_domain[static_cast<std::size_t>(domains.rank_of(a))];
        for (std::int64_t round = 0; round < domains.rounds(); ++round) {
          const FileRange window = domains.window(a, round);
          if (!window.empty()) covered += window.end - window.first;
        }
      }
      EXPECT_EQ(covered, 900'001 - 4096);
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        EXPECT_LE(ranks_with_domain[static_cast<std::size_t>(rank)], 1);
        EXPECT_EQ(domains.aggregator_of(rank) >= 0, ranks_with_domain[static_cast<std::size_t>(rank)] == 1);
      }
    }
  }
}

using Ranks = std::vector<std::int32_t>;

TEST(Aggregators, OneOnEachCoreOfEachNode) {
  EXPECT_EQ(choose_aggregators({{{0, 1, 2, 3}, 2}}, 0), (Ranks{0, 2}));
  EXPECT_EQ(choose_aggregators({{{0, 2, 4, 6}, 2}, {{1, 3}, 8}, {{5}, 4}}, 0), (Ranks{0, 4, 1, 3, 5}));
  EXPECT_EQ(choose_aggregators({{{0, 1}, 0}, {{2, 3}, 1}}, 0), (Ranks{0, 2}));
}

TEST(Aggregators, AsManyAsWishedFromAllNodesInTurns) {
  const std::vector<NodeRanks> nodes = {{{0, 2, 4, 6}, 8}, {{1, 3}, 8}, {{5}, 8}};
  EXPECT_EQ(choose_aggregators(nodes, 1), (Ranks{0}));
  EXPECT_EQ(choose_aggregators(nodes, 2), (Ranks{0, 1}));
  EXPECT_EQ(choose_aggregators(nodes, 3), (Ranks{0, 1, 5}));
  EXPECT_EQ(choose_aggregators(nodes, 5), (Ranks{0, 4, 1, 3, 5}));
  EXPECT_EQ(choose_aggregators(nodes, 6), (Ranks{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(choose_aggregators(nodes, 100), (Ranks{0, 2, 4, 6, 1, 3, 5}));
}

TEST(Domains, OnlySmallInterleavedPiecesAreShared) {
  const std::vector<AccessShare> apart = {share(0, 100, 50, 10), share(100, 200, 50, 10)};
  const std::vector<AccessShare> interleaved = {share(0, 190, 50, 10), share(10, 200, 50, 10)};
  const std::vector<AccessShare> long_runs = {share(0, 1 << 20, 1 << 19, 1 << 18),
                                              share(1 << 18, 1 << 20, 1 << 19, 1 << 18)};
  EXPECT_FALSE(pays_to_share(apart, Buffering::kAutomatic));
  EXPECT_TRUE(pays_to_share(interleaved, Buffering::kAutomatic));
  EXPECT_FALSE(pays_to_share(long_runs, Buffering::kAutomatic));
  EXPECT_TRUE(pays_to_share(apart, Buffering::kAlways));
  EXPECT_FALSE(pays_to_share(interleaved, Buffering::kNever));
  const std::vector<AccessShare> sparse = {share(0, std::int64_t{1} << 40, 50, 10),
                                           share(10, std::int64_t{1} << 40, 50, 10)};
  EXPECT_FALSE(pays_to_share(sparse, Buffering::kAlways));
  std::vector<AccessShare> atomic = interleaved;
  atomic[1].can_share = 0;
  EXPECT_FALSE(pays_to_share(atomic, Buffering::kAlways));
}

}  // namespace
}  // namespace starling::io
