// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/byte_stream.hpp"

#include <gtest/gtest.h>

#include <random>

namespace starling {
namespace {

void put_text(ByteWriter& out, const std::string& text) { out.put_text(text); }
std::string get_text(ByteReader& in) { return in.get_text(); }

std::string sample() {
  ByteWriter out;
  out.put(std::uint16_t{7}).put_text("seven").put(2.5).put_list(std::vector<std::string>{"a", "", "ccc"}, put_text);
  return out.take();
}

/// What sample() has written, of which any byte may have changed.
bool read_sample(std::string_view bytes) {
  ByteReader in(bytes);
  const auto number = in.get<std::uint16_t>();
  const std::string text = in.get_text();
  const auto real = in.get<double>();
  const std::vector<std::string> list = in.get_list<std::string>(get_text);
  if (!in.ok()) {
    EXPECT_TRUE(list.empty());
    EXPECT_FALSE(in.ok_and_at_end());
    EXPECT_EQ(in.get<std::uint32_t>(), 0U);
    EXPECT_EQ(in.get_text(), "");
  }
  return in.ok_and_at_end() && number == 7 && text == "seven" && real == 2.5 &&
         list == std::vector<std::string>{"a", "", "ccc"};
}

TEST(ByteStream, ReadsWhatWasWritten) {
  const std::string bytes = sample();
  EXPECT_EQ(bytes.size(), 2 + 8 + 5 + 8 + 8 + 3 * 8 + 4U);
  EXPECT_TRUE(read_sample(bytes));
}

TEST(ByteStream, FailsAtEachPlaceWhereItIsCut) {
  const std::string bytes = sample();
  for (std::size_t left = 0; left < bytes.size(); ++left) EXPECT_FALSE(read_sample(bytes.substr(0, left))) << left;
}

TEST(ByteStream, SaysThatThereIsMoreThanWasRead) {
  EXPECT_FALSE(read_sample(sample() + "x"));
  ByteReader in("xy");
  EXPECT_EQ(in.get<char>(), 'x');
  EXPECT_TRUE(in.ok());
  EXPECT_FALSE(in.ok_and_at_end());
}

TEST(ByteStream, RefusesLengthsThatAreLongerThanTheRest) {
  for (const std::uint64_t length : {std::uint64_t{4}, std::uint64_t{1} << 40, UINT64_MAX}) {
    ByteWriter out;
    out.put(length).put('a').put('b').put('c');
    ByteReader texts(out.bytes());
    EXPECT_EQ(texts.get_text(), "");
    EXPECT_FALSE(texts.ok());
    ByteReader lists(out.bytes());
    EXPECT_TRUE(lists.get_list<char>([](ByteReader& in) { return in.get<char>(); }).empty());
    EXPECT_FALSE(lists.ok());
  }
}

TEST(ByteStream, ReadsNoByteTooManyWhateverIsDamaged) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  const std::string bytes = sample();
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = bytes.substr(0, random() % (bytes.size() + 1));
    if (damaged.empty()) continue;
    for (unsigned i = 0; i <= random() % 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    EXPECT_TRUE(!read_sample(damaged) || damaged == bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace starling
