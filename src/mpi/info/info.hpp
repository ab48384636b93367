// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Info: the ordered list of (key, value) pairs behind an MPI_Info.
// Thread safety: the holder of the world's lock. Invariants: keys are unique. Source: MPI-5.0, chapter 10.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/boundary/context.hpp"

namespace starling::mpi {

class Info {
 public:
  using Pair = std::pair<std::string, std::string>;

  void set(std::string_view key, std::string_view value) {
    if (Pair* pair = find(key)) {
      pair->second = value;
    } else {
      pairs_.emplace_back(key, value);
    }
  }
  /// Null when there is no such key.
  [[nodiscard]] const std::string* get(std::string_view key) const {
    for (const Pair& pair : pairs_) {
      if (pair.first == key) return &pair.second;
    }
    return nullptr;
  }
  /// False when there is no such key.
  bool erase(std::string_view key) {
    return std::erase_if(pairs_, [&](const Pair& pair) { return pair.first == key; }) != 0;
  }
  [[nodiscard]] const std::vector<Pair>& pairs() const noexcept { return pairs_; }

 private:
  Pair* find(std::string_view key) {
    for (Pair& pair : pairs_) {
      if (pair.first == key) return &pair;
    }
    return nullptr;
  }
  std::vector<Pair> pairs_;
};

/// The object behind a handle; null when it is not alive, as MPI_INFO_NULL never is.
[[nodiscard]] Info* find_info(Context& context, MPI_Info handle);

/// A copy of what the info object holds; nothing for MPI_INFO_NULL.
[[nodiscard]] Info info_or_empty(Context& context, MPI_Info handle);

/// A handle for a new object.
Result<MPI_Info> add_info(Context& context, Info contents);
/// The last step of what makes an info object: it gets its handle, or the failure is noted.
int give_info(Context& context, Info contents, MPI_Info* newinfo);

}  // namespace starling::mpi
