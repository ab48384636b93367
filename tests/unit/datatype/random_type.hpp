// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Random nested datatypes, each with its naive typemap.
// Thread safety: a generator belongs to one thread.
#pragma once

#include <random>
#include <vector>

#include "datatype/types/datatype.hpp"
#include "typemap.hpp"

namespace starling::datatype::test {

struct Modelled {
  Ref<const Datatype> type;
  Typemap map;
};

class RandomType {
 public:
  explicit RandomType(std::uint32_t seed) : random_(seed) {}

  /// A type nested at most depth times, of at most kMaxEntries entries, not committed.
  Modelled make(int depth);
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  static constexpr std::size_t kMaxEntries = 1500;

 private:
  Modelled basic();
  Modelled derived(int depth);
  Modelled blocks(const Modelled& part);
  Modelled indexed(const Modelled& part);
  Modelled indexed_block(const Modelled& part);
  Modelled structure(int depth);
  Modelled resized(const Modelled& part);
  Modelled subarray(const Modelled& part);
  std::vector<std::int64_t> numbers(std::size_t count, std::int64_t low, std::int64_t high);
  CountWidth width() { return number(0, 1) != 0 ? CountWidth::kLarge : CountWidth::kInt; }

  std::mt19937 random_;
};

}  // namespace starling::datatype::test
