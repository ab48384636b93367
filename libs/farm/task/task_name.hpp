// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TaskName: the same name for a task in every run, so that a journal can speak of it: the Input that gave its piece,
// the piece's number in that Input, and, with stages, the part of the piece.
//
// Layout: a part is the way to it from the piece, kWhole, as a word of bits: a leading 1, then for each stage the index
// in the list in Elias' gamma code. Thread safety: plain data.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace starling::farm {

constexpr std::uint64_t kWhole = 1;     ///< The part of a piece that no stage has divided.
constexpr std::uint64_t kAllParts = 0;  ///< In a journal: all that came of the piece was taken.
constexpr int kInputShift = 48;

struct TaskName {
  std::uint64_t piece = 0;  ///< The Input's index in the upper 16 bits, the number below.
  std::uint64_t part = kWhole;

  static TaskName of(std::size_t input, std::uint64_t number) { return {(input << kInputShift) | number, kWhole}; }
  std::size_t input() const { return piece >> kInputShift; }
  std::uint64_t number() const { return piece & ((std::uint64_t{1} << kInputShift) - 1); }
  auto operator<=>(const TaskName&) const = default;

  /// The index-th element of the list that this task gave.
  TaskName child(std::uint64_t index) const {
    const int length = 2 * std::bit_width(index + 1) - 1;
    if (std::bit_width(part) + length > 64) {
      throw std::length_error(
          "farm: stages divide a piece into too many parts; one list may have about 2^31 elements, two nested lists "
          "about 2^15 each");
    }
    return {piece, (part << length) | (index + 1)};
  }

  /// The indices on the way from the piece, by which parts are in order.
  std::vector<std::uint64_t> path() const {
    std::vector<std::uint64_t> indices;
    int left = std::bit_width(part) - 1;
    while (left > 0) {
      const std::uint64_t rest = part & ((std::uint64_t{1} << left) - 1);
      left -= 2 * (left - std::bit_width(rest)) + 1;  // as many zeros as digits behind the first
      indices.push_back((rest >> left) - 1);
    }
    return indices;
  }
};

struct TaskNameHash {
  std::size_t operator()(const TaskName& name) const {
    return static_cast<std::size_t>((name.piece ^ (name.part * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u);
  }
};

}  // namespace starling::farm
