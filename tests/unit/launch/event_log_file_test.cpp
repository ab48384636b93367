// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/record/event_log_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace starling::launch {
namespace {

std::string all_of(const EventLogFile& log) {
  std::string all;
  log.read_all([&](std::string_view piece) { all += piece; });
  return all;
}

TEST(EventLogFile, HoldsItsRecordsPaddedToWords) {
  Result<EventLogFile> log = EventLogFile::create_unnamed(1 << 20);
  ASSERT_TRUE(log.ok()) << log.status().message();
  const std::string name = "node7";
  log.value().put(observe::RecordKind::kHost, 3, std::as_bytes(std::span(name)));
  log.value().put_value(observe::RecordKind::kLost, 4, std::uint64_t{9});
  const std::string bytes = all_of(log.value());
  ASSERT_EQ(bytes.size(), 16U + 8 + 16 + 8);
  observe::RecordHead head;
  std::memcpy(&head, bytes.data(), sizeof head);
  EXPECT_EQ(head.kind, observe::RecordKind::kHost);
  EXPECT_EQ(head.of, 3);
  EXPECT_EQ(head.bytes, name.size());
  EXPECT_EQ(bytes.substr(16, 5), name);
}

TEST(EventLogFile, LeavesOutAndCountsTheEventsBeyondItsLimit) {
  Result<EventLogFile> log = EventLogFile::create_unnamed(1000);
  ASSERT_TRUE(log.ok());
  const std::vector<observe::Event> events(10);
  log.value().put_events(0, events);
  EXPECT_EQ(log.value().left_out(), 0U);
  log.value().put_events(0, events);
  EXPECT_EQ(log.value().left_out(), 10U);
  EXPECT_EQ(all_of(log.value()).size(), 16 + 10 * sizeof(observe::Event));
  EXPECT_TRUE(log.value().failure().ok());
}

TEST(EventLogFile, EndsWhereTheDiskIsFull) {
  Result<EventLogFile> log = EventLogFile::create("/dev/full", 1 << 20);
  ASSERT_TRUE(log.ok());
  const std::vector<observe::Event> events(3);
  log.value().put_events(0, events);
  EXPECT_NE(log.value().failure().message().find("No space left on device"), std::string::npos);
  log.value().put_events(0, events);
  EXPECT_EQ(log.value().left_out(), 3U) << "what comes after that is counted";
}

TEST(EventLogFile, SaysWhyItCannotBeMade) {
  const Result<EventLogFile> log = EventLogFile::create("/no/such/folder/trace.log", 1);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.status().message(),
            "the trace cannot be recorded in /no/such/folder/trace.log: No such file or directory");
}

}  // namespace
}  // namespace starling::launch
