// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RequestPool: recycles the requests of one kind, so that a nonblocking call allocates only while the number of
// operations in flight grows. Thread safety: the world's lock.
#pragma once

#include <memory>
#include <vector>

namespace starling::p2p {

template <typename T>
class RequestPool {
 public:
  T* take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<T>());
      free_.reserve(all_.size());
      return all_.back().get();
    }
    T* request = free_.back();
    free_.pop_back();
    return request;
  }
  void give(T* request) noexcept { free_.push_back(request); }
  /// All that were ever taken. What the function does must take none.
  template <typename Function>
  void for_each(Function&& function) {
    for (const std::unique_ptr<T>& one : all_) function(*one);
  }
  [[nodiscard]] std::size_t in_use() const noexcept { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> free_;
};

}  // namespace starling::p2p
