// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "config/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace starling::config {
namespace {

STARLING_CONFIG(slots, "TEST_RING_SLOTS", std::int64_t, 128, kSharedMemory, kProcess,
                "Postboxes in a ring that only this test has.");
STARLING_CONFIG(lazy, "TEST_LAZY", bool, true, kWaiting, kAnyTime, "Whether the test is lazy.");
STARLING_CONFIG(factor, "TEST_FACTOR", double, 1.5, kProcess, kProcess, "A factor of the test.");
STARLING_CONFIG(label, "TEST_LABEL", std::string, "none", kProcess, kProcess, "A text of the test.");

STARLING_CONFIG(order, "TEST_ORDER", std::string, "any", kProcess, kAllAlike, "What all ranks of the test do alike.");
STARLING_CONFIG(pieces, "TEST_PIECES", std::int64_t, 4, kProcess, kAllAlike, "The same as a number.");

/// Sets a variable of the environment for one test.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST(Config, GivesTheDefaultsToAStoreThatWasToldNothing) {
  const Store store;
  EXPECT_EQ(store.get(slots), 128);
  EXPECT_TRUE(store.get(lazy));
  EXPECT_DOUBLE_EQ(store.get(factor), 1.5);
  EXPECT_EQ(store.get(label), "none");
  EXPECT_STREQ(store.origin(slots), "default");
}

TEST(Config, ListsItsVariablesInOrderOfName) {
  const auto all = declarations();
  ASSERT_GE(all.size(), 4U);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(std::strcmp(all[i - 1]->name(), all[i]->name()), 0);
}

TEST(Config, SaysWhatAVariableIsAboutAndWhetherItMayChange) {
  EXPECT_EQ(slots.category(), Category::kSharedMemory);
  EXPECT_STREQ(categories()[static_cast<std::size_t>(slots.category())].name, "shared memory");
  EXPECT_EQ(slots.scope(), Scope::kProcess);
  EXPECT_FALSE(slots.may_change());
  EXPECT_FALSE(order.may_change());
  EXPECT_TRUE(lazy.may_change());
}

TEST(Config, EveryVariableHasASentenceAndADefaultThatParses) {
  Store store;
  for (const Declaration* variable : declarations()) {
    const std::string sentence = variable->sentence();
    EXPECT_TRUE(sentence.size() > 10 && sentence.back() == '.') << variable->environment_name();
    EXPECT_TRUE(store.set(variable->name(), variable->default_text()).ok()) << variable->environment_name();
  }
}

struct IntegerCase {
  const char* text;
  bool good;
  std::int64_t value;
};

class ConfigInteger : public testing::TestWithParam<IntegerCase> {};

TEST_P(ConfigInteger, IsReadWithItsSuffixOrRefused) {
  const auto& [text, good, value] = GetParam();
  Store store;
  EXPECT_EQ(store.set("TEST_RING_SLOTS", text).ok(), good);
  EXPECT_EQ(store.get(slots), good ? value : 128);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ConfigInteger,
    testing::Values(IntegerCase{"0", true, 0}, IntegerCase{"-3", true, -3}, IntegerCase{"64k", true, 65536},
                    IntegerCase{"2M", true, 2097152}, IntegerCase{"1g", true, 1073741824},
                    IntegerCase{"-1k", true, -1024}, IntegerCase{"9223372036854775807", true, 9223372036854775807},
                    IntegerCase{"", false, 0}, IntegerCase{"k", false, 0}, IntegerCase{"12kk", false, 0},
                    IntegerCase{"12x", false, 0}, IntegerCase{" 12", false, 0}, IntegerCase{"1.5", false, 0},
                    IntegerCase{"9223372036854775807k", false, 0}, IntegerCase{"9223372036854775808", false, 0}));

TEST(Config, ReadsBooleansInTheUsualWordsOnly) {
  Store store;
  for (const char* no : {"0", "false", "no", "off"}) {
    EXPECT_TRUE(store.set("TEST_LAZY", no).ok() && !store.get(lazy)) << no;
  }
  for (const char* yes : {"1", "true", "yes", "on"}) {
    EXPECT_TRUE(store.set("TEST_LAZY", yes).ok() && store.get(lazy)) << yes;
  }
  EXPECT_FALSE(store.set("TEST_LAZY", "maybe").ok());
  EXPECT_FALSE(store.set("TEST_LAZY", "").ok());
}

TEST(Config, ReadsRealNumbersWhole) {
  Store store;
  EXPECT_TRUE(store.set("TEST_FACTOR", "2.5e-3").ok());
  EXPECT_DOUBLE_EQ(store.get(factor), 2.5e-3);
  EXPECT_FALSE(store.set("TEST_FACTOR", "2.5 or so").ok());
}

TEST(Config, SaysWhatABadValueShouldHaveBeen) {
  Store store;
  const Status status = store.set("STARLING_TEST_RING_SLOTS", "many");
  EXPECT_EQ(status.error_class(), ErrorClass::kArg);
  EXPECT_EQ(
      status.message(),
      "STARLING_TEST_RING_SLOTS=many is not understood: it takes a whole number, with k, m or g for powers of 1024 "
      "(default 128). Postboxes in a ring that only this test has.");
}

TEST(Config, HandsOnWhatAllRanksDoAlikeAndNothingElse) {
  Store maker;
  ASSERT_TRUE(maker.set("TEST_ORDER", "a=b").ok() && maker.set("TEST_LABEL", "mine").ok());
  EXPECT_EQ(maker.alike(), "TEST_ORDER=a=b\n");
  Store other;
  ASSERT_TRUE(other.set("TEST_PIECES", "9").ok() && other.set("TEST_LABEL", "its own").ok());
  ASSERT_TRUE(other.take_alike(maker.alike()).ok());
  EXPECT_EQ(other.get(order), "a=b");
  EXPECT_EQ(other.get(pieces), 4);  // as the maker has it
  EXPECT_EQ(other.get(label), "its own");
  EXPECT_FALSE(other.take_alike("TEST_ORDERS=1\n").ok());
}

TEST(Config, NamesTheNearestVariableWhenOneIsUnknown) {
  Store store;
  const Status status = store.set("TEST_RING_SLOT", "4");
  EXPECT_EQ(status.message(),
            "there is no configuration variable STARLING_TEST_RING_SLOT; the nearest is STARLING_TEST_RING_SLOTS");
}

TEST(Config, TakesTheEnvironmentAndSaysSo) {
  const Environment slots_set("STARLING_TEST_RING_SLOTS", "16k");
  const Environment label_set("STARLING_TEST_LABEL", "a=b");
  Store store;
  std::vector<std::string> warnings;
  ASSERT_TRUE(store.read_environment(&warnings).ok());
  EXPECT_EQ(store.get(slots), 16384);
  EXPECT_EQ(store.get(label), "a=b");
  EXPECT_EQ(store.text(slots), "16k");
  EXPECT_STREQ(store.origin(slots), "environment");
  EXPECT_STREQ(store.origin(lazy), "default");
  EXPECT_TRUE(warnings.empty());
}

TEST(Config, WarnsAboutAnUnknownVariableWithTheNearestName) {
  const Environment misspelt("STARLING_TEST_LAZZY", "0");
  Store store;
  std::vector<std::string> warnings;
  ASSERT_TRUE(store.read_environment(&warnings).ok());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("STARLING_TEST_LAZZY is not a variable"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("did you mean STARLING_TEST_LAZY?"), std::string::npos) << warnings[0];
}

TEST(Config, LeavesTheLaunchersVariablesAndOtherPeoplesAlone) {
  const Environment launcher("STARLING_JOB_RANK", "3");
  const Environment other("STARLINGS_ARE_BIRDS", "1");
  std::vector<std::string> warnings;
  EXPECT_TRUE(Store().read_environment(&warnings).ok());
  EXPECT_TRUE(warnings.empty());
}

TEST(Config, RefusesABadValueInTheEnvironmentByName) {
  const Environment bad("STARLING_TEST_FACTOR", "fast");
  Store store;
  const Status status = store.read_environment(nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("STARLING_TEST_FACTOR=fast"), std::string::npos) << status.message();
}

TEST(Config, KeepsTheValuesOfTwoStoresApart) {
  Store one;
  const Store two;
  ASSERT_TRUE(one.set("TEST_RING_SLOTS", "7").ok());
  EXPECT_EQ(one.get(slots), 7);
  EXPECT_EQ(two.get(slots), 128);
}

}  // namespace
}  // namespace starling::config
