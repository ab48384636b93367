// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Arrays: all arrays of a session on one process, by number, and what came for one that this process has not made yet.
//
// **Thread safety**: none. **Invariants**: all processes make all arrays in one order.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "array_core.hpp"

namespace starling::array::detail {

class Arrays final : public Places {
 public:
  Arrays(Host& host, Streams& streams) : host_(host), streams_(streams) {}

  ArrayCore& add(const ElementType& type, std::uint32_t default_constructor, ArrayPlan plan);
  /// Throws Error if there is none of this number.
  ArrayCore& at(std::uint16_t number) const;
  const std::vector<std::unique_ptr<ArrayCore>>& all() const { return arrays_; }
  std::size_t count() const { return arrays_.size(); }

  /// A process that is ahead may have made an array, and use it, that this one is about to make: keeps its record.
  bool keep_if_early(const Record& record) {
    if (record.header.array < arrays_.size()) return false;
    keep(record);
    return true;
  }
  bool has_early() const { return !early_.empty(); }

  int place_of(std::uint16_t array, const Index& index) const override { return at(array).elements().place_of(index); }

  /// No elements, and nothing that was for them.
  void forget_all();

 private:
  void keep(const Record& record);

  Host& host_;
  Streams& streams_;
  std::vector<std::unique_ptr<ArrayCore>> arrays_;
  std::deque<KeptRecord> early_;  // for arrays that others have made already
};

}  // namespace starling::array::detail
