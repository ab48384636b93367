// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "launch/head/node.hpp"
#include "launch/report/report.hpp"

namespace starling::launch {
namespace {

TEST(LauncherWords, EndWithOneFullStop) {
  EXPECT_EQ(launcher_words({}, "there is no program 'x'"), "starling: there is no program 'x'.\n");
  EXPECT_EQ(launcher_words("h1", "It failed. Try again."), "starling: host h1: It failed. Try again.\n");
  EXPECT_EQ(launcher_words("h1", "there is no program 'x'; did you mean ./x?"),
            "starling: host h1: there is no program 'x'; did you mean ./x?\n");
}

TEST(LauncherWords, SayThatTheJobEndsBeforeTheFullStop) {
  EXPECT_EQ(end_of_job_words({}, "no address"), "starling: no address; the job ends.\n");
  EXPECT_EQ(end_of_job_words("h1", "No address. Give it one."),
            "starling: host h1: No address. Give it one; the job ends.\n");
  EXPECT_EQ(end_of_job_words("h1", "did you mean ./x?"), "starling: host h1: did you mean ./x? The job ends.\n");
}

TEST(LauncherWords, NameTheRanksAndInterfacesOfAHost) {
  const auto address = [](const char* interface, const char* host) {
    return transport::tcp::InterfaceAddress{interface, *transport::tcp::SocketAddress::parse(host), 24, 0, true};
  };
  HeadNode node;
  node.share.ranks = {WorldRank(7)};
  EXPECT_EQ(node.what_is_there(), "It has rank 7");
  node.share.ranks = {WorldRank(0), WorldRank(1), WorldRank(2), WorldRank(5), WorldRank(8), WorldRank(9)};
  node.offered = {address("eth0", "10.0.0.1"), address("eth1", "10.0.1.1"), address("eth0", "fd00::1")};
  EXPECT_EQ(node.what_is_there(), "It has ranks 0-2, 5, 8-9, at eth0 (10.0.0.1, fd00::1), eth1 (10.0.1.1)");
}

}  // namespace
}  // namespace starling::launch
