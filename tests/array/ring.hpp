// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A ring of cells that mix the numbers of their neighbours step by step, and move at random meanwhile: after so many
// steps there is one right sum, whoever died, left or joined.
//
// **Thread safety**: none; one process's part.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <starling/array.hpp>
#include <utility>
#include <vector>

namespace starling::tests {

using namespace starling::array;

constexpr int kCells = 40;
constexpr int kSteps = 60;
inline std::mt19937_64 chance;

inline std::uint64_t mixed(std::uint64_t left, std::uint64_t mine, std::uint64_t right) {
  std::uint64_t state = left * 3 + mine * 0x9e3779b97f4a7c15u + right * 5 + 1;
  state ^= state >> 29;
  return state * 0xbf58476d1ce4e5b9u;
}

struct Cell : Element<Cell> {
  void step(const Future<void>& done) {
    if (step_ == 0 && value_ == 0) value_ = static_cast<std::uint64_t>(index()) + 1;
    done_ = done;
    const int left = (index() + kCells - 1) % kCells;
    const int right = (index() + 1) % kCells;
    array()[left].in_order().send<&Cell::take>(step_, 1, value_);
    array()[right].in_order().send<&Cell::take>(step_, 0, value_);
    try_to_go_on();
  }
  void take(int step, int side, std::uint64_t value) {
    auto& of_step = arrived_[static_cast<std::size_t>(step % 2)];
    of_step.value[side] = value;
    ++of_step.count;
    try_to_go_on();
  }
  void tell_step(const Future<int>& to) { contribute(step_, Min{}, to); }
  void sum(const Future<std::uint64_t>& to) { contribute(value_, BitXor{}, to); }
  void serialize(Archive& archive) { archive(step_, value_, arrived_, luggage_, done_); }

 private:
  struct Arrived {
    std::uint64_t value[2];
    int count;
    int spare;
  };
  void try_to_go_on() {
    auto& now = arrived_[static_cast<std::size_t>(step_ % 2)];
    if (done_.slot_for_reply() == 0 || now.count != 2) return;
    value_ = mixed(now.value[0], value_, now.value[1]);
    now = {};
    ++step_;
    luggage_.resize(chance() % 8 == 0 ? 30000 : 10);
    const Future<void> done = std::exchange(done_, {});
    contribute(done);
    if (chance() % 4 == 0) migrate_to(static_cast<int>(chance() % static_cast<unsigned>(session().size())));
  }

  int step_ = 0;
  std::uint64_t value_ = 0;
  std::array<Arrived, 2> arrived_{};
  std::vector<char> luggage_;
  Future<void> done_;
};

inline std::uint64_t expected() {
  std::vector<std::uint64_t> now(kCells);
  for (int i = 0; i < kCells; ++i) now[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(i) + 1;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<std::uint64_t> next(kCells);
    for (std::size_t i = 0; i < kCells; ++i)
      next[i] = mixed(now[(i + kCells - 1) % kCells], now[i], now[(i + 1) % kCells]);
    now = next;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t each : now) sum ^= each;
  return sum;
}

/// Steps from where main was, or else from where the cells are.
inline void go_on_to(Session& session, const Array<Cell>& cells, int last, int steps_between) {
  int step = 0;
  if (!session.recall(step)) {
    Future<int> told(session);
    cells.broadcast<&Cell::tell_step>(told);
    step = told.get();
  }
  while (step < last) {
    Future<void> done(session);
    cells.broadcast<&Cell::step>(done);
    done.get();
    if (++step % steps_between == 0) session.remember(step);
  }
}

}  // namespace starling::tests
