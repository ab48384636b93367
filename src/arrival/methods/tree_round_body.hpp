// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The body of tree_round.hpp, included once for each instruction set.
#pragma once

#include "arrival/methods/tree_round.hpp"

namespace starling::arrival {
namespace {

constexpr int kNone = -1;

/// kWords > 0 fixes the width of a node, so that its loops become single instructions; 0 reads it from the round.
template <int kWords>
class TreeKernel {
 public:
  explicit TreeKernel(TreeRound& round) : r_(round) {}

  int run() {
    receive(r_.sink);
    for (int i = 0; i < r_.member_count; ++i) {
      if (r_.members[i] != r_.sink) receive(r_.members[i]);
    }
    end_round();
    return found_;
  }

  void renew(const int* leaves, int count) {
    for (int i = 0; i < count; ++i) fill_leaf(leaves[i]);
    int height = 0;
    while ((1 << height) < r_.leaves) ++height;
    if (static_cast<long>(count) * height < r_.leaves) {
      for (int i = 0; i < count; ++i) climb(r_.leaves + leaves[i]);
    } else {
      for (int node = r_.leaves - 1; node > 0; --node) sum(node);
    }
  }

 private:
  [[nodiscard]] int words() const { return kWords > 0 ? kWords : r_.words; }
  [[nodiscard]] std::uint64_t* node(int index) const { return r_.tree + static_cast<long>(index) * words(); }
  [[nodiscard]] std::uint64_t* state(int process) const { return r_.states + static_cast<long>(process) * words(); }
  static bool bit(const std::uint64_t* vector, int index) { return (vector[index / 64] >> (index % 64) & 1) != 0; }
  static void set(std::uint64_t* vector, int index) { vector[index / 64] |= std::uint64_t{1} << (index % 64); }
  static void clear(std::uint64_t* vector, int index) { vector[index / 64] &= ~(std::uint64_t{1} << (index % 64)); }

  void sum(int index) {
    std::uint64_t* parent = node(index);
    const std::uint64_t* left = node(2 * index);
    const std::uint64_t* right = node(2 * index + 1);
    for (int w = 0; w < words(); ++w) parent[w] = left[w] | right[w];
  }

  void climb(int index) {
    for (index /= 2; index > 0; index /= 2) sum(index);
  }

  void fill_leaf(int leaf) {
    const int process = r_.process_at[leaf];
    std::uint64_t* column = node(r_.leaves + leaf);
    const bool shown = process != kNone && process != r_.silent;
    for (int w = 0; w < words(); ++w) column[w] = shown ? state(process)[w] : 0;
  }

  /// The smallest segment that the receiver wants and somebody else can send, or kNone (listing 3).
  int wanted_segment(int receiver) const {
    constexpr int kRoom = kWords > 0 ? kWords : 1024;
    std::uint64_t others[kRoom];
    for (int w = 0; w < words(); ++w) others[w] = 0;
    for (int index = r_.leaves + r_.leaf_of[receiver]; index > 1; index /= 2) {
      const std::uint64_t* sibling = node(index ^ 1);
      for (int w = 0; w < words(); ++w) others[w] |= sibling[w];
    }
    if (receiver == r_.sink) {
      if (r_.received[receiver] != kNone) clear(others, r_.received[receiver]);
    } else {
      for (int w = 0; w < words(); ++w) others[w] &= state(receiver)[w];
    }
    for (int w = 0; w < words(); ++w) {
      if (others[w] != 0) return 64 * w + __builtin_ctzll(others[w]);
    }
    return kNone;
  }

  /// The leftmost leaf below a node that has the segment (listing 4).
  int leftmost(int index, int segment) const {
    while (index < r_.leaves) index = bit(node(2 * index), segment) ? 2 * index : 2 * index + 1;
    return index - r_.leaves;
  }

  /// The next leaf to the right that has the segment; there is one (listing 5).
  int leftmost_after(int leaf, int segment) const {
    int index = r_.leaves + leaf;
    while ((index & 1) != 0 || !bit(node(index + 1), segment)) index /= 2;
    return leftmost(index + 1, segment);
  }

  void receive(int receiver) {
    const int segment = wanted_segment(receiver);
    if (segment == kNone) return;
    int leaf = leftmost(1, segment);
    if (leaf == r_.leaf_of[receiver]) leaf = leftmost_after(leaf, segment);
    const int sender = r_.process_at[leaf];
    r_.found[found_++] = {static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(sender),
                          static_cast<std::uint16_t>(segment)};
    clear(state(sender), segment);
    --r_.held[sender];
    for (int w = 0; w < words(); ++w) node(r_.leaves + leaf)[w] = 0;
    climb(r_.leaves + leaf);
    hide(receiver, segment);
  }

  /// What was just received cannot be sent on in this round: state P'.
  void hide(int receiver, int segment) {
    r_.received[receiver] = segment;
    if (!bit(state(receiver), segment)) ++r_.held[receiver];
    clear(state(receiver), segment);
    int index = r_.leaves + r_.leaf_of[receiver];
    if (!bit(node(index), segment)) return;
    clear(node(index), segment);
    for (index /= 2; index > 0; index /= 2) {
      if (bit(node(2 * index), segment) || bit(node(2 * index + 1), segment)) return;
      clear(node(index), segment);
    }
  }

  void end_round() {
    int count = 0;
    for (int i = 0; i < found_; ++i) {
      const Transfer& transfer = r_.found[i];
      set(state(transfer.receiver), transfer.segment);
      r_.received[transfer.receiver] = kNone;
      r_.changed[count++] = r_.leaf_of[transfer.receiver];
      r_.changed[count++] = r_.leaf_of[transfer.sender];
    }
    renew(r_.changed, count);
  }

  TreeRound& r_;
  int found_ = 0;
};

[[maybe_unused]] int run_tree_round(TreeRound& round) {
  switch (round.words) {
    case 1: return TreeKernel<1>(round).run();
    case 2: return TreeKernel<2>(round).run();
    case 4: return TreeKernel<4>(round).run();
    case 8: return TreeKernel<8>(round).run();
    default: return TreeKernel<0>(round).run();
  }
}

[[maybe_unused]] void run_tree_renew(TreeRound& round, const int* leaves, int count) {
  switch (round.words) {
    case 1: return TreeKernel<1>(round).renew(leaves, count);
    case 2: return TreeKernel<2>(round).renew(leaves, count);
    case 4: return TreeKernel<4>(round).renew(leaves, count);
    case 8: return TreeKernel<8>(round).renew(leaves, count);
    default: return TreeKernel<0>(round).renew(leaves, count);
  }
}

}  // namespace
}  // namespace starling::arrival
