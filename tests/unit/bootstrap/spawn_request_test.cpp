// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/dynamic/spawn_request.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>

namespace starling::bootstrap {
namespace {

TEST(SpawnRequest, CarriesEveryWordAsItIs) {
  SpawnRequest request;
  request.meeting = {77, 5, 0xfedcba9876543210};
  request.commands.push_back({3, "localhost", "/a folder", "/x:/y", "mpi_errors_return", {"program", "", ":", "a b"}});
  request.commands.push_back({1, "", "", "", "", {"other"}});
  request.door = "key,address";
  const auto parsed = SpawnRequest::parse(request.serialised());
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().meeting.text(), request.meeting.text());
  EXPECT_EQ(parsed.value().door, request.door);
  ASSERT_EQ(parsed.value().commands.size(), 2u);
  const SpawnCommand& command = parsed.value().commands[0];
  EXPECT_EQ(command.ranks, 3u);
  EXPECT_EQ(command.host, "localhost");
  EXPECT_EQ(command.folder, "/a folder");
  EXPECT_EQ(command.path, "/x:/y");
  EXPECT_EQ(command.errhandler, "mpi_errors_return");
  EXPECT_EQ(command.argv, request.commands[0].argv);
  EXPECT_EQ(parsed.value().commands[1].argv, request.commands[1].argv);
}

TEST(SpawnRequest, RefusesWhatIsCutOff) {
  SpawnRequest request;
  request.meeting = {1, 2, 3};
  request.commands.push_back({1, "", "", "", "", {"program", "argument"}});
  const std::string whole = request.serialised();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(SpawnRequest::parse(whole.substr(0, length)).ok()) << length;
  }
}

TEST(SpawnRequest, RefusesTheFormatOfAnotherBuild) {
  SpawnRequest request;
  request.meeting = {1, 2, 3};
  request.commands.push_back({1, "", "", "", "", {"program"}});
  std::string bytes = request.serialised();
  bytes[std::string_view(SpawnRequest::kFormat).size() - 1] = '?';  // the end of the format's name
  const auto parsed = SpawnRequest::parse(bytes);
  ASSERT_FALSE(parsed.ok());
  EXPECT_NE(parsed.status().message().find("another build of Starling"), std::string::npos);
}

TEST(SegmentAddress, LeadsOtherProcessesToASegment) {
  auto made = memory::JobSegment::create({.ranks = 2, .ring_slots = 4, .connection_bytes = 4096, .arena_bytes = 4096});
  ASSERT_TRUE(made.ok());
  const auto address = SegmentAddress::parse(SegmentAddress::of(*made.value()).text());
  ASSERT_TRUE(address.ok());
  const auto opened = address.value().open();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  made.value()->rank(LocalRank(1)).app_number = 42;
  EXPECT_EQ(opened.value()->rank(LocalRank(1)).app_number, 42);
}

TEST(SegmentAddress, IsNoGoodOnceTheDescriptorMeansSomethingElse) {
  auto made = memory::JobSegment::create({.ring_slots = 4, .connection_bytes = 4096, .arena_bytes = 4096});
  auto other = memory::JobSegment::create({.ring_slots = 4, .connection_bytes = 4096, .arena_bytes = 4096});
  ASSERT_TRUE(made.ok() && other.ok());
  SegmentAddress address = SegmentAddress::of(*made.value());
  address.descriptor = other.value()->descriptor();
  EXPECT_FALSE(address.open().ok());
  address.descriptor = 100'000;
  EXPECT_FALSE(address.open().ok());
  for (const char* text : {"", "1", "1.2", "1.2.g", "a.b.c", "1.2.3.4"}) EXPECT_FALSE(SegmentAddress::parse(text).ok());
}

}  // namespace
}  // namespace starling::bootstrap
