// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A path in the tests' folder where nothing is, before and after: neither a file nor the journals of Outputs beside it.
//
// Thread safety: none needed.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace starling::farm {

class TemporaryPath {
 public:
  explicit TemporaryPath(const std::string& name)
      : path(::testing::TempDir() + "farm_" + std::to_string(::getpid()) + "_" + name) {
    remove();
  }
  ~TemporaryPath() { remove(); }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  const std::string path;

 private:
  void remove() const {
    for (const std::string end : {"", ".0", ".1", ".2"}) std::remove((path + end).c_str());
  }
};

}  // namespace starling::farm
