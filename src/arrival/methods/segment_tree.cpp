// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/segment_tree.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "arrival/methods/active_set.hpp"
#include "arrival/methods/tree_round.hpp"

namespace starling::arrival {
namespace {

constexpr int kAbsent = -1;

class SegmentTree {
 public:
  SegmentTree(const Pattern& pattern, const TreeKernels& kernels)
      : pattern_(pattern),
        kernels_(kernels),
        active_(pattern),
        words_(node_words(pattern.segments)),
        leaves_(std::bit_ceil(2 * pattern.arrivals.size())),
        tree_(2 * leaves_ * words_, 0),
        states_(pattern.arrivals.size() * words_, 0),
        leaf_of_(pattern.arrivals.size(), kAbsent),
        process_at_(leaves_, kAbsent),
        received_(pattern.arrivals.size(), kAbsent),
        held_(pattern.arrivals.size(), pattern.segments) {
    for (std::size_t process = 0; process < pattern.arrivals.size(); ++process) {
      for (int segment = 0; segment < pattern.segments; ++segment) {
        states_[process * words_ + at(segment) / 64] |= std::uint64_t{1} << (segment % 64);
      }
    }
    order_by_fraction();
  }

  [[nodiscard]] std::size_t state_bytes() const noexcept {
    return (tree_.size() + states_.size()) * sizeof(std::uint64_t);
  }

  void run(RoundSink& sink) {
    while (active_.next()) {
      const auto members = active_.members();
      place(members);
      found_.resize(members.size());
      changed_.resize(2 * members.size());
      TreeRound round = describe(members);
      const int count = kernels_.round(round);
      if (count > 0) sink.take(active_.number(), {found_.data(), at(count)});
      for (int i = 0; i < count; ++i) retire(found_[at(i)].sender);
    }
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  /// Up to eight words a power of two, for the kernels of fixed width.
  static std::size_t node_words(int segments) {
    const std::size_t words = (at(segments) + 63) / 64;
    return words <= 8 ? std::bit_ceil(words) : words;
  }

  /// index_[p]: the place of p among all by arrival modulo the round length, ties by rank.
  void order_by_fraction() {
    std::vector<int> order(pattern_.arrivals.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
      return pattern_.arrivals[at(a)] % pattern_.round_length < pattern_.arrivals[at(b)] % pattern_.round_length;
    });
    index_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) index_[at(order[i])] = static_cast<int>(i);
  }

  /// Gives every member its leaf: its index, or one turn later if the order has come round before it.
  void place(std::span<const int> members) {
    const int head = index_[at(members.front())];
    renewed_.clear();
    for (const int process : members) {
      const int leaf = index_[at(process)] + (index_[at(process)] < head ? pattern_.processes() : 0);
      if (leaf == leaf_of_[at(process)]) continue;
      if (leaf_of_[at(process)] != kAbsent) vacate(process);
      leaf_of_[at(process)] = leaf;
      process_at_[at(leaf)] = process;
      renewed_.push_back(leaf);
    }
    if (renewed_.empty()) return;
    TreeRound round = describe(members);
    kernels_.renew(round, renewed_.data(), static_cast<int>(renewed_.size()));
  }

  void vacate(int process) {
    const int leaf = leaf_of_[at(process)];
    process_at_[at(leaf)] = kAbsent;
    leaf_of_[at(process)] = kAbsent;
    renewed_.push_back(leaf);
  }

  void retire(int process) {
    if (held_[at(process)] > 0 || process == pattern_.root || leaf_of_[at(process)] == kAbsent) return;
    active_.leave(process);
    // Its leaf is zero by now: it has nothing to show.
    process_at_[at(leaf_of_[at(process)])] = kAbsent;
    leaf_of_[at(process)] = kAbsent;
  }

  TreeRound describe(std::span<const int> members) {
    const bool with_root = leaf_of_[at(pattern_.root)] != kAbsent;
    return {.words = static_cast<int>(words_),
            .leaves = static_cast<int>(leaves_),
            .tree = tree_.data(),
            .states = states_.data(),
            .leaf_of = leaf_of_.data(),
            .process_at = process_at_.data(),
            .received = received_.data(),
            .held = held_.data(),
            .members = members.data(),
            .member_count = static_cast<int>(members.size()),
            .sink = with_root ? pattern_.root : members.front(),
            .silent = pattern_.root_role == RootRole::kOnlyTakes ? pattern_.root : kAbsent,
            .found = found_.data(),
            .changed = changed_.data()};
  }

  const Pattern& pattern_;
  const TreeKernels& kernels_;
  ActiveSet active_;
  std::size_t words_;
  std::size_t leaves_;
  std::vector<std::uint64_t> tree_;
  std::vector<std::uint64_t> states_;
  std::vector<int> index_;
  std::vector<int> leaf_of_;
  std::vector<int> process_at_;
  std::vector<int> received_;
  std::vector<int> held_;
  std::vector<int> renewed_;
  std::vector<Transfer> found_;
  std::vector<int> changed_;
};

}  // namespace

void run_segment_tree(const Pattern& pattern, RoundSink& sink) {
  run_segment_tree_by(*tree_kernels().back(), pattern, sink);
}

void run_segment_tree_by(const TreeKernels& kernels, const Pattern& pattern, RoundSink& sink) {
  SegmentTree(pattern, kernels).run(sink);
}

std::size_t segment_tree_state_bytes(const Pattern& pattern) {
  return SegmentTree(pattern, *tree_kernels().back()).state_bytes();
}

}  // namespace starling::arrival
