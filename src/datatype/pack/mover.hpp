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

#include "datatype/plan/plan.hpp"

namespace starling::datatype {

enum class Direction : std::uint8_t { kPack, kUnpack };

template <Direction kDirection>
class Mover {
  using Packed = std::conditional_t<kDirection == Direction::kPack, std::byte, const std::byte>;

 public:
  explicit Mover(Packed* packed) noexcept : packed_(packed) {}

  /// All bytes of count repetitions of body.
  void loop(const PlanNode& body, std::intptr_t base, std::int64_t count, std::int64_t stride) noexcept {
    switch (body.form) {
      case PlanNode::Form::kBlocks: return grid(base + body.offset, count, stride, body.count, body.stride, body.block);
      case PlanNode::Form::kOffsets:
        for (std::int64_t i = 0; i < count; ++i) {
          offsets(body.offsets.data(), static_cast<std::int64_t>(body.offsets.size()), body.block, base + i * stride);
        }
        return;
      case PlanNode::Form::kRuns: return runs_loop(body, base, count, stride);
      case PlanNode::Form::kParts:
        for (std::int64_t i = 0; i < count; ++i) {
          for (const PlanPart& part : body.parts) {
            loop(*part.body, base + i * stride + part.offset, part.count, part.stride);
          }
        }
    }
  }

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
  /// A length from kHalf to 2 * kHalf: two copies of constant size that overlap in the middle.
  template <std::size_t kHalf>
  struct TwoHalves {
    std::int64_t length;
    operator std::int64_t() const noexcept { return length; }  // NOLINT(google-explicit-constructor)
  };

  template <std::size_t kHalf>
  static void copy(std::intptr_t memory, Packed* packed, TwoHalves<kHalf> bytes) noexcept {
    const std::int64_t tail = bytes.length - static_cast<std::int64_t>(kHalf);
    copy(memory, packed, std::integral_constant<std::int64_t, kHalf>{});
    copy(memory + tail, packed + tail, std::integral_constant<std::int64_t, kHalf>{});
  }

  static void copy(std::intptr_t memory, Packed* packed, std::int64_t bytes) noexcept {
    if constexpr (kDirection == Direction::kPack) {
      std::memcpy(packed, reinterpret_cast<const void*>(memory), static_cast<std::size_t>(bytes));
    } else {
      std::memcpy(reinterpret_cast<void*>(memory), packed, static_cast<std::size_t>(bytes));
    }
  }

  void move(std::intptr_t memory, std::int64_t bytes) noexcept {
    copy(memory, packed_, bytes);
    packed_ += bytes;
  }

  // Calls visit with the block length as a constant when it is a usual one, or as two constant halves when it is short,
  // so that copies become plain moves. Inlined by force: passed in memory, the captures would cost more than a short
  // copy.
  template <typename Visit>
  [[gnu::always_inline]] static inline void with_block(std::int64_t block, Visit visit) noexcept {
    switch (block) {
#define STARLING_FIXED_BLOCK(bytes) \
  case bytes: return visit(std::integral_constant<std::int64_t, bytes>{});
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
    if (block < 4) return visit(TwoHalves<2>{block});
    if (block < 8) return visit(TwoHalves<4>{block});
    if (block < 16) return visit(TwoHalves<8>{block});
    if (block < 32) return visit(TwoHalves<16>{block});
    if (block < 64) return visit(TwoHalves<32>{block});
    if (block <= 128) return visit(TwoHalves<64>{block});
    return visit(block);
  }

  /// count blocks of so many bytes: in memory stride apart, packed step apart.
  template <typename Bytes>
  [[gnu::always_inline]] static inline void strided(std::intptr_t memory, std::int64_t stride, Packed* packed,
                                                    std::int64_t step, std::int64_t count, Bytes bytes) noexcept {
    std::int64_t i = 0;
    // By fours: a loop of one short copy takes as long for its steps and its branch as for the copy.
    for (; i + 4 <= count; i += 4) {
      copy(memory, packed, bytes);
      copy(memory + stride, packed + step, bytes);
      copy(memory + 2 * stride, packed + 2 * step, bytes);
      copy(memory + 3 * stride, packed + 3 * step, bytes);
      memory += 4 * stride;
      packed += 4 * step;
    }
    for (; i < count; ++i) {
      copy(memory, packed, bytes);
      memory += stride;
      packed += step;
    }
  }

  /// rows times count blocks: the two inner loops of most strided types at once.
  void grid(std::intptr_t base, std::int64_t rows, std::int64_t row_stride, std::int64_t count, std::int64_t stride,
            std::int64_t block) noexcept {
    if (count == 1) {  // many elements of one block each are one long row
      count = rows;
      stride = row_stride;
      rows = 1;
    }
    Packed* packed = packed_;
    with_block(block, [=](auto bytes) {
      for (std::int64_t row = 0; row < rows; ++row) {
        strided(base + row * row_stride, stride, packed + row * count * bytes, bytes, count, bytes);
      }
    });
    packed_ += rows * count * block;
  }

  void offsets(const std::int64_t* first, std::int64_t count, std::int64_t block, std::intptr_t base) noexcept {
    Packed* packed = packed_;
    with_block(block, [=](auto bytes) {
      Packed* at = packed;
      for (std::int64_t i = 0; i < count; ++i) {
        copy(base + first[i], at, bytes);
        at += bytes;
      }
    });
    packed_ += count * block;
  }

  /// Lists of runs go run by run over a batch of elements: one tight loop for each field of an array of structures.
  void runs_loop(const PlanNode& body, std::intptr_t base, std::int64_t count, std::int64_t stride) noexcept {
    constexpr std::int64_t kBatchBytes = 4096;  // with its source, less than the first-level cache holds
    const std::int64_t most = std::max<std::int64_t>(1, kBatchBytes / body.size);
    for (std::int64_t i = 0; i < count; i += most) {
      const std::int64_t batch = std::min(most, count - i);
      for (const PlanRun& run : body.runs) {
        // Captured by value: a byte store may alias whatever stays in memory.
        with_block(run.bytes, [from = base + i * stride + run.offset, to = packed_ + run.position, stride, batch,
                               step = body.size](auto bytes) { strided(from, stride, to, step, batch, bytes); });
      }
      packed_ += batch * body.size;
    }
  }

  /// Packed bytes [begin, end) of one node, begin < end.
  void range(const PlanNode& node, std::intptr_t base, std::int64_t begin, std::int64_t end) noexcept {
    switch (node.form) {
      case PlanNode::Form::kBlocks: return blocks_range(node, base + node.offset, begin, end);
      case PlanNode::Form::kOffsets: return offsets_range(node, base, begin, end);
      case PlanNode::Form::kRuns: return runs_range(node, base, begin, end);
      case PlanNode::Form::kParts: return parts_range(node, base, begin, end);
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

  void offsets_range(const PlanNode& node, std::intptr_t base, std::int64_t begin, std::int64_t end) noexcept {
    const std::int64_t* place = node.offsets.data() + begin / node.block;
    if (const std::int64_t inside = begin % node.block; inside != 0) {
      const std::int64_t bytes = std::min(node.block - inside, end - begin);
      move(base + *place++ + inside, bytes);
      begin += bytes;
    }
    const std::int64_t whole_count = (end - begin) / node.block;
    offsets(place, whole_count, node.block, base);
    begin += whole_count * node.block;
    if (begin != end) move(base + place[whole_count], end - begin);
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
