// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which hosts of a job have cores in common.
#include <gtest/gtest.h>

#include "launch/link/messages.hpp"

namespace starling::launch {
namespace {

Hello hello(const char* machine, const char* core_set, std::int64_t boot_ns) {
  Hello made;
  made.network.machine = machine;
  made.core_set = core_set;
  made.boot_ns = boot_ns;
  return made;
}

TEST(Hello, CoresAreSharedByNamesAndContainersOfOneMachine) {
  constexpr std::int64_t kBoot = 1'790'000'000'000'000'000;
  const Hello one = hello("a net 1", "a 0 1", kBoot);
  EXPECT_TRUE(have_same_cores(one, hello("a net 1", "", 0))) << "another name of it";
  EXPECT_TRUE(have_same_cores(one, hello("a net 2", "a 0 1", kBoot + 1'000'000))) << "a container";
  EXPECT_FALSE(have_same_cores(one, hello("a net 2", "a 2 3", kBoot))) << "bound to other cores";
  EXPECT_FALSE(have_same_cores(one, hello("a net 2", "a 0 1", kBoot + 7'000'000'000))) << "a copy of the machine";
  EXPECT_FALSE(have_same_cores(one, hello("b net 1", "b 0 1", kBoot)));
  EXPECT_FALSE(have_same_cores(hello("", "", kBoot), hello("", "", kBoot))) << "nothing is known";
}

TEST(Hello, GoesOverTheLinkWhole) {
  const Hello sent = hello("", "a 0 1", -5);
  const Result<Hello> got = Hello::parse(sent.serialised());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value().core_set, sent.core_set);
  EXPECT_EQ(got.value().boot_ns, sent.boot_ns);
}

}  // namespace
}  // namespace starling::launch
