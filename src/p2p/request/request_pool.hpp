// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RequestPool: recycles the requests of one kind, so that a nonblocking call allocates only while the number of
// operations in flight grows. Thread safety: the world's lock.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace starling::p2p {

template <typename T>
class RequestPool {
 public:
  T* take() {
    if (free_count_ == 0) [[unlikely]]
      return make();
    return free_[--free_count_];
  }
  void give(T* request) noexcept { free_[free_count_++] = request; }
  /// All that were ever taken. What the function does must take none.
  template <typename Function>
  void for_each(Function&& function) {
    for (const std::unique_ptr<T>& one : all_) function(*one);
  }
  /// How many were ever made; the latest is the last.
  [[nodiscard]] std::size_t made() const noexcept { return all_.size(); }
  [[nodiscard]] T& operator[](std::size_t slot) noexcept { return *all_[slot]; }
  [[nodiscard]] std::size_t in_use() const noexcept { return all_.size() - free_count_; }

 private:
  [[gnu::noinline]] T* make() {
    all_.push_back(std::make_unique<T>());
    free_.resize(all_.size());
    return all_.back().get();
  }

  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> free_;  ///< the first free_count_ are free; room for all of them
  std::size_t free_count_ = 0;
};

}  // namespace starling::p2p
