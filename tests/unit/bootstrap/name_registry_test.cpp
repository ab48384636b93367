// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/dynamic/name_registry.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace starling::bootstrap {
namespace {

namespace fs = std::filesystem;

class Names : public testing::Test {
 protected:
  void SetUp() override { folder_ = fs::temp_directory_path() / ("starling_names_" + std::to_string(getpid())); }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] bool is_empty() const { return !fs::exists(folder_) || fs::is_empty(folder_); }

  fs::path folder_;
};

TEST_F(Names, AreFoundByOthersUntilTheyAreTakenBack) {
  NameRegistry publisher(folder_);
  NameRegistry other(folder_);
  EXPECT_EQ(other.look_up("a/b").status().error_class(), ErrorClass::kName);
  ASSERT_TRUE(publisher.publish("a/b", "text").ok());
  EXPECT_EQ(other.look_up("a/b").value(), "text");
  EXPECT_EQ(other.publish("a/b", "mine").error_class(), ErrorClass::kService);
  EXPECT_EQ(other.unpublish("a/b").error_class(), ErrorClass::kService);
  ASSERT_TRUE(publisher.unpublish("a/b").ok());
  EXPECT_FALSE(other.look_up("a/b").ok());
  EXPECT_TRUE(is_empty());
}

TEST_F(Names, GoWithTheirPublisher) {
  {
    NameRegistry publisher(folder_);
    ASSERT_TRUE(publisher.publish(std::string(3000, 'x'), "long").ok());
    EXPECT_EQ(NameRegistry(folder_).look_up(std::string(3000, 'x')).value(), "long");
  }
  EXPECT_TRUE(is_empty());
}

TEST_F(Names, OfADeadProcessAreFree) {
  const pid_t child = fork();
  if (child == 0) {
    auto* publisher = new NameRegistry(folder_);
    _exit(publisher->publish("name", "of the dead").ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_FALSE(is_empty());
  NameRegistry living(folder_);
  EXPECT_FALSE(living.look_up("name").ok());
  ASSERT_TRUE(living.publish("name", "of the living").ok());
  EXPECT_EQ(NameRegistry(folder_).look_up("name").value(), "of the living");
}

}  // namespace
}  // namespace starling::bootstrap
