// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LooseEnds: what waits on any process for what will never come, told to process 0, so that all end a run alike.
//
// **Thread safety**: none; one process's part. **Invariants**: nothing is under way while process 0 asks.
#pragma once

#include <string>

namespace starling::array::detail {

class Core;
struct Record;

class LooseEnds {
 public:
  explicit LooseEnds(Core& core) : core_(core) {}

  /// Process 0: what all processes say of theirs; empty if there is nothing.
  std::string of_all();

  void handle(const Record& record);

 private:
  void answer();

  Core& core_;
  int answers_ = 0;
  std::string told_;
};

}  // namespace starling::array::detail
