// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Releases: data that nobody needs any more, of which the server tells those who have them.
//
// Thread safety: all of it.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "task/parcel.hpp"

namespace starling::farm {

class Releases {
 public:
  /// By place and deaths there.
  using All = std::map<std::pair<int, int>, std::vector<std::uint64_t>>;

  void add(const Parcel& parcel) {
    const std::lock_guard lock(mutex_);
    all_[{parcel.place, parcel.deaths}].push_back(parcel.key);
  }
  All take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(all_, {});
  }

 private:
  std::mutex mutex_;
  All all_;
};

}  // namespace starling::farm
