// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The dimensions with the smallest spread are found by trying the divisors from the balanced one down; a number of
// places below 2^31 has at most 1536 divisors, and the first factor cuts the rest down quickly.
#include "mpi/topology/dims.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/format.hpp"

namespace starling::mpi {
namespace {

std::vector<int> divisors(int number) {
  std::vector<int> found;
  for (int candidate = 1; static_cast<std::int64_t>(candidate) * candidate <= number; ++candidate) {
    if (number % candidate != 0) continue;
    found.push_back(candidate);
    if (candidate != number / candidate) found.push_back(number / candidate);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// base to the power of exponent, or any number above limit once it is passed.
std::int64_t power(std::int64_t base, std::size_t exponent, std::int64_t limit) {
  std::int64_t product = 1;
  for (std::size_t index = 0; index < exponent && product <= limit; ++index) product *= base;
  return product;
}

/// Searches factorisations into non-increasing factors for the one whose largest and smallest are closest.
class Search {
 public:
  Search(int places, std::size_t count) : divisors_(divisors(places)), factors_(count) {
    while (power(most_ + 1, count, places) <= places && most_ < places) ++most_;
    descend(0, places, places);
  }
  [[nodiscard]] const std::vector<int>& best() const noexcept { return best_; }

 private:
  void descend(std::size_t depth, int rest, int limit) {
    const std::size_t left = factors_.size() - depth;
    if (left == 1) {
      if (rest <= limit) keep(rest);
      return;
    }
    for (int factor : divisors_) {
      // The smallest factor is at most most_, so a first one that far above it cannot be better than the best so far.
      if (factor > limit || (depth == 0 && factor - most_ > spread_)) break;
      const bool enough = power(factor, left, rest) >= rest;
      if (rest % factor != 0 || !enough) continue;
      factors_[depth] = factor;
      descend(depth + 1, rest / factor, factor);
    }
  }

  void keep(int smallest) {
    factors_.back() = smallest;
    const int spread = factors_.front() - smallest;
    // Of two with the same spread the one whose other factors are closer to each other.
    if (spread > spread_ || (spread == spread_ && smallest <= smallest_)) return;
    spread_ = spread;
    smallest_ = smallest;
    best_ = factors_;
  }

  std::vector<int> divisors_;
  std::vector<int> factors_;
  std::vector<int> best_;
  int most_ = 1;  ///< the largest number that the smallest factor can be
  int spread_ = std::numeric_limits<int>::max();
  int smallest_ = 0;  ///< of best_
};

}  // namespace

Status balance_dims(int places, std::span<int> dims) {
  std::size_t open = 0;
  int rest = places;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] < 0) {
      return Status::error(ErrorClass::kDims,
                           formatted("dims[{}] is negative; give 0 for a dimension to be chosen, or its size", dim));
    }
    if (dims[dim] == 0) {
      ++open;
    } else if (rest % dims[dim] != 0) {
      return Status::error(
          ErrorClass::kDims,
          formatted("the product of the given dimensions does not divide {} places; give others, or 0", places));
    } else {
      rest /= dims[dim];
    }
  }
  if (open == 0) {
    if (rest == 1) return {};
    return Status::error(
        ErrorClass::kDims,
        formatted("the product of the given dimensions is not {}, the number of places; give 0 for one to be chosen",
                  places));
  }
  const Search search(rest, open);
  std::size_t next = 0;
  for (int& dim : dims) {
    if (dim == 0) dim = search.best()[next++];
  }
  return {};
}

}  // namespace starling::mpi
