// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/status.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>

namespace starling {
namespace {

static_assert(sizeof(Status) == sizeof(void*), "success must cost one pointer test");
static_assert(!std::is_copy_constructible_v<Status> && std::is_nothrow_move_constructible_v<Status>);

Status fail_when(bool fails) {
  return fails ? Status::error(ErrorClass::kTag, "tag 40000 is above the limit") : Status();
}

Status pass_on(bool fails, bool* reached_the_end) {
  STARLING_TRY(fail_when(fails));
  *reached_the_end = true;
  return {};
}

TEST(Status, IsSuccessUnlessToldOtherwise) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.error_class(), ErrorClass::kSuccess);
  EXPECT_EQ(status.message(), "");
}

TEST(Status, CarriesClassAndMessageOfAFailure) {
  const Status status = fail_when(true);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.error_class(), ErrorClass::kTag);
  EXPECT_EQ(status.message(), "tag 40000 is above the limit");
}

TEST(Status, TryReturnsTheFailureAndRunsOnAfterSuccess) {
  bool reached_the_end = false;
  EXPECT_EQ(pass_on(true, &reached_the_end).error_class(), ErrorClass::kTag);
  EXPECT_FALSE(reached_the_end);
  EXPECT_TRUE(pass_on(false, &reached_the_end).ok());
  EXPECT_TRUE(reached_the_end);
}

TEST(Result, HoldsAValueThatCanBeMovedOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.status().ok());
  const std::unique_ptr<int> value = std::move(result).value();
  EXPECT_EQ(*value, 7);
}

TEST(Result, HoldsTheReasonWhyThereIsNoValue) {
  const Result<int> result = fail_when(true);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().error_class(), ErrorClass::kTag);
}

}  // namespace
}  // namespace starling
