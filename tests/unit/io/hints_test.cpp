// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/settings/hints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace starling::io {
namespace {

std::string reported(const Hints& hints, const std::string& key) {
  const InfoPairs pairs = hints.pairs();
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == key; });
  return found == pairs.end() ? "" : found->second;
}

TEST(Hints, BeginWithTheSettings) {
  config::Store config;
  const Hints usual(config);
  ASSERT_TRUE(config.set("IO_BUFFER", "65536").ok());
  ASSERT_TRUE(config.set("IO_AGGREGATORS", "3").ok());
  const Hints hints(config);
  EXPECT_EQ(hints.collective.buffer_bytes, 65536);
  EXPECT_EQ(hints.collective.aggregators, 3);
  EXPECT_EQ(reported(hints, "cb_buffer_size"), "65536");
  EXPECT_EQ(reported(hints, "cb_nodes"), "3");
  EXPECT_NE(usual.collective.buffer_bytes, 65536);
  EXPECT_NE(usual.collective.aggregators, 3);
}

TEST(Hints, OfAFileOverrideTheSettings) {
  config::Store config;
  ASSERT_TRUE(config.set("IO_BUFFER", "65536").ok());
  ASSERT_TRUE(config.set("IO_AGGREGATORS", "3").ok());
  Hints hints(config);
  hints.take(InfoPairs{{"cb_buffer_size", "8192"}, {"cb_nodes", "2"}});
  EXPECT_EQ(hints.collective.buffer_bytes, 8192);
  EXPECT_EQ(hints.collective.aggregators, 2);
}

TEST(Hints, KeepABufferThatHoldsAPage) {
  config::Store config;
  ASSERT_TRUE(config.set("IO_BUFFER", "1").ok());
  EXPECT_EQ(Hints(config).collective.buffer_bytes, 4096);
}

}  // namespace
}  // namespace starling::io
