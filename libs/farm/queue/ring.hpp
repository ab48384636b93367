// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ring: tasks in a row that grows at both ends, without an allocation for each few of them.
//
// Thread safety: one thread.
// Invariants: slots_.size() is a power of two; slots behind the last task hold no values.
#pragma once

#include <cstddef>
#include <utility>

#include "task/task.hpp"

namespace starling::farm {

class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push_back(Task&& task) {
    make_room();
    slots_[(first_ + size_++) & (slots_.size() - 1)] = std::move(task);
  }
  void push_front(Task&& task) {
    make_room();
    first_ = (first_ - 1) & (slots_.size() - 1);
    slots_[first_] = std::move(task);
    ++size_;
  }
  Task pop_front() {
    Task task = std::move(slots_[first_]);
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
    return task;
  }

 private:
  void make_room() {
    if (size_ < slots_.size()) return;
    Tasks larger(2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(slots_[(first_ + i) & (slots_.size() - 1)]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  Tasks slots_ = Tasks(16);
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace starling::farm
