// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Moves the bytes of a plan, or any range of them, to or from packed memory. Internal to the component.
//
// Places in the user's buffer are integers until the copy itself: types may use absolute addresses (MPI_BOTTOM) and
// lower bounds outside any object, where pointer arithmetic is not defined.
// Thread safety: a mover belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "datatype/plan.hpp"

namespace starling::datatype {

enum class Direction : std::uint8_t { kPack, kUnpack };

template <Direction kDirection>
class Mover {
  using Packed = std::conditional_t<kDirection == Direction::kPack, std::byte, const std::byte>;

 public:
  explicit Mover(Packed* packed) noexcept : packed_(packed) {}

  /// Packed bytes [begin, end) of a loop over body, stride bytes apart.
  void loop_range(const PlanNode& body, std::intptr_t base, std::int64_t stride, std::int64_t begin,
                  std::int64_t end) noexcept {
    std::int64_t i = begin / body.size;
    if (const std::int64_t inside = begin - i * body.size; inside != 0) {
      const std::int64_t bytes = std::min(body.size - inside, end - begin);
      range(body, base + i * stride, inside, inside + bytes);
      begin += bytes;
      ++i;
    }
    const std::int64_t whole_count = (end - begin) / body.size;
    loop(body, base + i * stride, whole_count, stride);
    begin += whole_count * body.size;
    if (begin != end) range(body, base + (i + whole_count) * stride, 0, end - begin);
  }

 private:
  static void copy(std::intptr_t memory, Packed* packed, std::size_t bytes) noexcept {
    if constexpr (kDirection == Direction::kPack) {
      std::memcpy(packed, reinterpret_cast<const void*>(memory), bytes);
    } else {
      std::memcpy(reinterpret_cast<void*>(memory), packed, bytes);
    }
  }

  void move(std::intptr_t memory, std::int64_t bytes) noexcept {
    const auto length = static_cast<std::size_t>(bytes);
    // The usual lengths of single values become plain loads and stores.
    switch (length) {
      case 4: copy(memory, packed_, 4); break;
      case 8: copy(memory, packed_, 8); break;
      case 16: copy(memory, packed_, 16); break;
      default: copy(memory, packed_, length);
    }
    packed_ += length;
  }

  template <std::size_t kBlock>
  void fixed_grid(std::intptr_t base, std::int64_t rows, std::int64_t row_stride, std::int64_t count,
                  std::int64_t stride) noexcept {
    Packed* packed = packed_;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::intptr_t memory = base + row * row_stride;
      for (std::int64_t i = 0; i < count; ++i) {
        copy(memory, packed, kBlock);
        memory += stride;
        packed += kBlock;
      }
    }
    packed_ = packed;
  }

  /// rows times count blocks: the two inner loops of most strided types at once.
  void grid(std::intptr_t base, std::int64_t rows, std::int64_t row_stride, std::int64_t count, std::int64_t stride,
            std::int64_t block) noexcept {
    switch (block) {
#define STARLING_FIXED_BLOCK(bytes) \
  case bytes: return fixed_grid<bytes>(base, rows, row_stride, count, stride);
      STARLING_FIXED_BLOCK(1)
      STARLING_FIXED_BLOCK(2)
      STARLING_FIXED_BLOCK(4)
      STARLING_FIXED_BLOCK(8)
      STARLING_FIXED_BLOCK(12)
      STARLING_FIXED_BLOCK(16)
      STARLING_FIXED_BLOCK(24)
      STARLING_FIXED_BLOCK(32)
      STARLING_FIXED_BLOCK(48)
      STARLING_FIXED_BLOCK(64)
#undef STARLING_FIXED_BLOCK
      default: break;
    }
    const auto length = static_cast<std::size_t>(block);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < count; ++i) {
        copy(base + row * row_stride + i * stride, packed_, length);
        packed_ += length;
      }
    }
  }

  template <std::size_t kBlock>
  void fixed_runs(const PlanNode& node, std::intptr_t base) noexcept {
    Packed* packed = packed_;
    for (const PlanRun& run : node.runs) {
      copy(base + run.offset, packed, kBlock);
      packed += kBlock;
    }
    packed_ = packed;
  }

  void runs(const PlanNode& node, std::intptr_t base) noexcept {
    if (node.block == 4) return fixed_runs<4>(node, base);
    if (node.block == 8) return fixed_runs<8>(node, base);
    if (node.block == 16) return fixed_runs<16>(node, base);
    for (const PlanRun& run : node.runs) move(base + run.offset, run.bytes);
  }

  /// All bytes of count repetitions of body.
  void loop(const PlanNode& body, std::intptr_t base, std::int64_t count, std::int64_t stride) noexcept {
    switch (body.kind) {
      case PlanNode::Kind::kBlocks: return grid(base + body.offset, count, stride, body.count, body.stride, body.block);
      case PlanNode::Kind::kRuns:
        for (std::int64_t i = 0; i < count; ++i) runs(body, base + i * stride);
        return;
      case PlanNode::Kind::kParts:
        for (std::int64_t i = 0; i < count; ++i) {
          for (const PlanPart& part : body.parts) {
            loop(*part.body, base + i * stride + part.offset, part.count, part.stride);
          }
        }
    }
  }

  /// Packed bytes [begin, end) of one node, begin < end.
  void range(const PlanNode& node, std::intptr_t base, std::int64_t begin, std::int64_t end) noexcept {
    switch (node.kind) {
      case PlanNode::Kind::kBlocks: return blocks_range(node, base + node.offset, begin, end);
      case PlanNode::Kind::kRuns: return runs_range(node, base, begin, end);
      case PlanNode::Kind::kParts: return parts_range(node, base, begin, end);
    }
  }

  void blocks_range(const PlanNode& node, std::intptr_t base, std::int64_t begin, std::int64_t end) noexcept {
    std::int64_t i = begin / node.block;
    if (const std::int64_t inside = begin - i * node.block; inside != 0) {
      const std::int64_t bytes = std::min(node.block - inside, end - begin);
      move(base + i * node.stride + inside, bytes);
      begin += bytes;
      ++i;
    }
    const std::int64_t whole_count = (end - begin) / node.block;
    grid(base + i * node.stride, 1, 0, whole_count, node.stride, node.block);
    begin += whole_count * node.block;
    if (begin != end) move(base + (i + whole_count) * node.stride, end - begin);
  }

  void runs_range(const PlanNode& node, std::intptr_t base, std::int64_t begin, std::int64_t end) noexcept {
    for (const PlanRun* run = item_at(node.runs, begin); begin != end; ++run) {
      const std::int64_t inside = begin - run->position;
      const std::int64_t bytes = std::min(run->bytes - inside, end - begin);
      move(base + run->offset + inside, bytes);
      begin += bytes;
    }
  }

  void parts_range(const PlanNode& node, std::intptr_t base, std::int64_t begin, std::int64_t end) noexcept {
    for (const PlanPart* part = item_at(node.parts, begin); begin != end; ++part) {
      const std::int64_t inside = begin - part->position;
      const std::int64_t bytes = std::min(part->count * part->body->size - inside, end - begin);
      loop_range(*part->body, base + part->offset, part->stride, inside, inside + bytes);
      begin += bytes;
    }
  }

  Packed* packed_;
};

}  // namespace starling::datatype
