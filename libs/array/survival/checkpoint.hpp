// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Checkpoint: all elements of all arrays in a folder, and back, on any number of processes.
//
// **Layout** of the folder: a file for each process that wrote, "elements.<rank>", and the file "complete", written
// last by process 0, with the number of files and the size of each: a checkpoint without it, or with other sizes, is
// refused. A file has for each array its class's name and elements: index, size, bytes.
//
// **Thread safety**: none. **Invariants**: a checkpoint is taken when nothing is under way, so elements are all there
// is.
#pragma once

#include <string>
#include <vector>

#include "element/host.hpp"
#include "runtime.hpp"

namespace starling::array::detail {

class Arrays;

class Checkpoint {
 public:
  Checkpoint(Host& host, Arrays& arrays, Runtime& runtime) : host_(host), arrays_(arrays), runtime_(runtime) {}

  /// Process 0, from main.
  void save(const std::string& folder);
  /// All processes, outside of run().
  void load(const std::string& folder);

  void handle(const Record& record);

 private:
  std::string write_mine(const std::string& folder, std::uint64_t& size);
  void read_file(const std::string& path, std::uint64_t expected_size);

  Host& host_;
  Arrays& arrays_;
  Runtime& runtime_;
  // At process 0, while it saves.
  int answers_ = 0;
  std::string trouble_;
  std::vector<std::uint64_t> sizes_;
};

}  // namespace starling::array::detail
