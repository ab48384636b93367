// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The words of PMI: mappings, lists, fields, and values in pieces.
#include <gtest/gtest.h>

#include <map>

#include "bootstrap/pmi/fields.hpp"
#include "bootstrap/pmi/node_map.hpp"
#include "bootstrap/pmi/pieces.hpp"

namespace starling::bootstrap {
namespace {

using Ranks = std::vector<std::int32_t>;

Ranks numbers(const Result<std::vector<WorldRank>>& ranks) {
  Ranks found;
  if (!ranks.ok()) return found;
  for (const WorldRank rank : ranks.value()) found.push_back(rank.value);
  return found;
}
Ranks node_of(std::int32_t rank, std::int32_t size, const char* mapping) {
  return numbers(ranks_on_node_of(WorldRank(rank), size, mapping));
}

TEST(ProcessMapping, PutsConsecutiveRanksOnConsecutiveNodes) {
  EXPECT_EQ(node_of(1, 4, "(vector,(0,2,2))"), (Ranks{0, 1}));
  EXPECT_EQ(node_of(2, 4, "(vector,(0,2,2))"), (Ranks{2, 3}));
}

TEST(ProcessMapping, IsRepeatedUntilAllRanksHaveANode) {
  EXPECT_EQ(node_of(0, 4, "(vector,(0,1,1))"), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(node_of(3, 5, "(vector,(0,2,1))"), (Ranks{1, 3}));
  EXPECT_EQ(node_of(4, 5, "(vector,(0,2,1))"), (Ranks{0, 2, 4}));
}

TEST(ProcessMapping, MayNameANodeInSeveralBlocks) {
  EXPECT_EQ(node_of(3, 4, "(vector,(0,2,1),(0,1,2))"), (Ranks{0, 2, 3}));
  EXPECT_EQ(node_of(1, 4, "(vector,(7,1,1),(3,1,3))"), (Ranks{1, 2, 3}));
}

TEST(ProcessMapping, ThatIsNoneIsRefusedAndShown) {
  for (const char* text :
       {"", "(vector)", "vector,(0,1,1)", "(vector,(0,1))", "(vector,(0,0,1))", "(vector,(0,1,0))", "(vector,(0,1,1)",
        "(vector,(-1,1,1))", "(vector,(0,1,1)) ", "(vector,(0,1,99999999999))", "(list,(0,1,1))"}) {
    const auto ranks = ranks_on_node_of(WorldRank(0), 2, text);
    ASSERT_FALSE(ranks.ok()) << text;
    EXPECT_NE(ranks.status().message().find(text), std::string::npos);
  }
}

TEST(LocalPeers, AreAscending) {
  EXPECT_EQ(numbers(ranks_of_list("0")), (Ranks{0}));
  EXPECT_EQ(numbers(ranks_of_list("5,0,2")), (Ranks{0, 2, 5}));
  for (const char* text : {"", ",", "0,", "0;1", "-1", "0-3", "a"}) EXPECT_FALSE(ranks_of_list(text).ok()) << text;
}

TEST(Fields, AreFoundByName) {
  const Fields line("cmd=get_result rc=0 msg=success value=(vector,(0,1,1)) noise", ' ');
  EXPECT_TRUE(line.has("cmd", "get_result"));
  EXPECT_EQ(line.number("rc"), 0);
  EXPECT_EQ(line.find("value"), "(vector,(0,1,1))");
  EXPECT_EQ(line.find("noise"), std::nullopt);
  EXPECT_EQ(line.number("msg"), std::nullopt);
}

TEST(Fields, OfPmi2HaveDoubledSemicolonsInTheirValues) {
  const Fields message("cmd=x-response;value=a;;b=c;rc=-1;", ';');
  EXPECT_EQ(message.find("value"), "a;b=c");
  EXPECT_EQ(message.number("rc"), -1);
}

TEST(Printable, ShowsNeitherControlCharactersNorWholeBooks) {
  EXPECT_EQ(printable(std::string("a\0b\n\xff", 5)), "a?b??");
  EXPECT_EQ(printable(std::string(1000, 'x')).size(), 203u);
}

class PiecesOfLength : public testing::TestWithParam<std::size_t> {};

TEST_P(PiecesOfLength, ComeTogetherAgain) {
  std::string value;
  for (std::size_t i = 0; i < GetParam(); ++i) value.push_back(static_cast<char>('a' + i % 26));
  std::map<std::size_t, std::string> kept;
  ASSERT_TRUE(put_pieces(value, [&](std::size_t piece, const std::string& text) {
                kept[piece] = text;
                return Status();
              }).ok());
  for (const auto& [piece, text] : kept) {
    EXPECT_FALSE(text.empty());
    EXPECT_LE(text.size(), kPieceBytes + 8);
  }
  const Result<std::string> whole = get_pieces([&](std::size_t piece) { return Result<std::string>(kept.at(piece)); });
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole.value(), value);
}

INSTANTIATE_TEST_SUITE_P(Pmi, PiecesOfLength, testing::Values(0, 1, 511, 512, 513, 1024, 10'000));

TEST(Pieces, ThatNobodyHasLeftAreRefused) {
  for (const char* text : {"", "unknown", "0:a", ":a", "x:a", "2"}) {
    EXPECT_FALSE(get_pieces([&](std::size_t) { return Result<std::string>(std::string(text)); }).ok()) << text;
  }
}

}  // namespace
}  // namespace starling::bootstrap
