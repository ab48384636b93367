// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Explorer: visits every state that a protocol can reach by any interleaving of its steps, each state once. A Model is
// a value with
//   template <typename Visit> void for_each_step(Visit)   calls visit(next state, kind) for every step that may come
//   template <typename Feed> void feed(Feed) const         feeds every word of the state
//   std::string wrong(bool last) const                     what is wrong here; last: nothing has to come any more
// States are told apart by 128 bits of hash: with ten million states the chance that two are taken for one is 1e-25.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace starling::resilience {

/// A step that may never come (a death), or one that comes in the end (a delivery).
enum class Step { kMay, kWill };

struct Explored {
  std::uint64_t states = 0;
  std::uint64_t ends = 0;  ///< states in which nothing has to come any more
  std::string wrong;       ///< empty: nothing
};

class Fingerprint {
 public:
  void operator()(std::uint64_t word) noexcept {
    first_ = mix(first_ ^ (word + 0x9e3779b97f4a7c15ULL));
    second_ = mix(second_ + word * 0xd6e8feb86659fd93ULL + 1);
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> value() const noexcept { return {first_, second_}; }

 private:
  static std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ULL;
    return x ^ (x >> 32);
  }
  std::uint64_t first_ = 1;
  std::uint64_t second_ = 2;
};

struct PairHash {
  std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& p) const noexcept { return p.first; }
};

template <typename Model>
Explored explore(const Model& first) {
  Explored result;
  std::unordered_set<std::pair<std::uint64_t, std::uint64_t>, PairHash> seen;
  std::vector<Model> open;
  const auto meet = [&](const Model& model) {
    Fingerprint print;
    model.feed(print);
    if (seen.insert(print.value()).second) open.push_back(model);
  };
  meet(first);
  while (!open.empty() && result.wrong.empty()) {
    Model model = std::move(open.back());
    open.pop_back();
    ++result.states;
    bool last = true;
    model.for_each_step([&](const Model& next, Step step) {
      last = last && step == Step::kMay;
      meet(next);
    });
    result.ends += last ? 1 : 0;
    result.wrong = model.wrong(last);
  }
  return result;
}

}  // namespace starling::resilience
