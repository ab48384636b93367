// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// References: names of elements that something holds. A class whose elements are to be collected when nobody can reach
// them any more names what it holds:
//
//     void references(References& holds) const {
//       for (const int each : children_) holds(array()[each]);
//     }
//
// **Thread safety**: as a value. **Invariants**: an element that was deleted, or is not created yet, may be named.
#pragma once

#include <cstdint>
#include <starling/array/index.hpp>
#include <utility>
#include <vector>

namespace starling::array {

template <class T>
class Target;

class References {
 public:
  template <class T>
  void operator()(const Target<T>& element) {
    names_.emplace_back(element.array_number(), element.name());
  }
  /// Array and index of each.
  const std::vector<std::pair<std::uint16_t, Index>>& names() const { return names_; }

 private:
  std::vector<std::pair<std::uint16_t, Index>> names_;
};

}  // namespace starling::array
