// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_market.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "row_blocks.hpp"

namespace cg {
namespace {

class MatrixMarket : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/matrix_market_test_XXXXXX";
    const int file = mkstemp(name);
    ASSERT_GE(file, 0);
    close(file);
    path_ = name;
  }
  void TearDown() override { unlink(path_.c_str()); }

  MatrixMarketReader reader_of(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return MatrixMarketReader(path_);
  }

  std::string path_;
};

TEST_F(MatrixMarket, ReadsEntriesWithIndicesFromZero) {
  MatrixMarketReader reader =
      reader_of("%%MatrixMarket matrix coordinate real symmetric\n%c\n3 3 2\n\n2 1 -1.5e2\n3 3 +4");
  EXPECT_EQ(reader.header().rows, 3);
  EXPECT_EQ(reader.header().entries, 2);
  EXPECT_EQ(reader.header().symmetry, Symmetry::kSymmetric);
  const std::optional<Entry> first = reader.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->row, 1);
  EXPECT_EQ(first->column, 0);
  EXPECT_DOUBLE_EQ(first->value, -150.0);
  const std::optional<Entry> second = reader.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->row, 2);
  EXPECT_DOUBLE_EQ(second->value, 4.0);
  EXPECT_FALSE(reader.next());
}

TEST_F(MatrixMarket, GivesPatternEntriesTheValueOne) {
  MatrixMarketReader reader = reader_of("%%MatrixMarket matrix coordinate pattern general\r\n1 1 1\r\n1 1\r\n");
  const std::optional<Entry> entry = reader.next();
  ASSERT_TRUE(entry);
  EXPECT_DOUBLE_EQ(entry->value, 1.0);
}

TEST_F(MatrixMarket, NamesFileAndLineOfAnError) {
  MatrixMarketReader reader = reader_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n9 1 1\n");
  ASSERT_TRUE(reader.next());
  try {
    (void)reader.next();
    FAIL() << "row 9 of 2 was accepted";
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), path_ + ":4: row 9 is outside 1 to 2.");
  }
}

TEST_F(MatrixMarket, RefusesMoreThanOneEntryOnALine) {
  MatrixMarketReader reader = reader_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 1 1\n");
  EXPECT_THROW((void)reader.next(), InputError);
}

TEST_F(MatrixMarket, SaysThatACompressedFileMustBeUnpacked) {
  try {
    (void)reader_of("\x1f\x8b\x08 and so on");
    FAIL() << "a compressed file was accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("gunzip"), std::string::npos);
  }
}

TEST(RowBlocks, OwnerAgreesWithTheBlocksForAnyNumberOfRanks) {
  for (std::int64_t rows = 1; rows < 20; ++rows) {
    for (int ranks = 1; ranks < 25; ++ranks) {
      const RowBlocks blocks(rows, ranks);
      ASSERT_EQ(blocks.begin(0), 0);
      ASSERT_EQ(blocks.end(ranks - 1), rows);
      for (std::int64_t row = 0; row < rows; ++row) {
        const int owner = blocks.owner(row);
        ASSERT_GE(row, blocks.begin(owner));
        ASSERT_LT(row, blocks.end(owner));
      }
    }
  }
}

}  // namespace
}  // namespace cg
