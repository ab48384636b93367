// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/pack/pack.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "datatype/pack/mover.hpp"
#include "datatype/plan/plan.hpp"

namespace starling::datatype {
namespace {

std::intptr_t address(const std::byte* pointer) noexcept { return reinterpret_cast<std::intptr_t>(pointer); }

/// The stretch of memory that holds the packed byte `position` of a loop over body, to the stretch's end.
struct Found {
  std::intptr_t memory;
  std::int64_t bytes;
};

Found find_run(const PlanNode& body, std::intptr_t base, std::int64_t stride, std::int64_t position) noexcept {
  const PlanNode* node = &body;
  for (;;) {
    const std::int64_t i = position / node->size;
    base += i * stride;
    position -= i * node->size;
    if (node->form != PlanNode::Form::kParts) break;
    const PlanPart* part = item_at(node->parts, position);
    base += part->offset;
    position -= part->position;
    stride = part->stride;
    node = part->body.get();
  }
  if (node->form == PlanNode::Form::kBlocks) {
    const std::int64_t i = position / node->block;
    const std::int64_t inside = position - i * node->block;
    return {base + node->offset + i * node->stride + inside, node->block - inside};
  }
  if (node->form == PlanNode::Form::kOffsets) {
    const std::int64_t inside = position % node->block;
    const std::int64_t offset = node->offsets[static_cast<std::size_t>(position / node->block)];
    return {base + offset + inside, node->block - inside};
  }
  const PlanRun* run = item_at(node->runs, position);
  const std::int64_t inside = position - run->position;
  return {base + run->offset + inside, run->bytes - inside};
}

Status too_large(std::int64_t count) {
  return Status::error(ErrorClass::kCount,
                       formatted("{} elements of the datatype exceed 64-bit sizes or addresses", count));
}

// Both ends strided: through a buffer that stays in the first-level cache.
void copy_strided(PackCursor& from, UnpackCursor& to, std::int64_t bytes) noexcept {
  std::array<std::byte, 8192> buffer;
  while (bytes > 0) {
    const auto piece = std::min(static_cast<std::size_t>(bytes), buffer.size());
    from.pack(buffer.data(), piece);
    to.unpack(buffer.data(), piece);
    bytes -= static_cast<std::int64_t>(piece);
  }
}

}  // namespace

Result<std::int64_t> packed_bytes(std::int64_t count, const Datatype& type) {
  if (count < 0) {
    return Status::error(ErrorClass::kCount, formatted("count is {}, but must not be negative", count));
  }
  std::int64_t bytes = 0;
  std::int64_t span = 0;
  if (__builtin_mul_overflow(count, type.size(), &bytes) || __builtin_mul_overflow(count, type.extent(), &span) ||
      __builtin_add_overflow(span, type.true_lb(), &span) || __builtin_add_overflow(span, type.true_ub(), &span)) {
    return too_large(count);
  }
  return bytes;
}

namespace internal {

void Cursor::plan(const Datatype& type) noexcept {
  if (count_ == 1 && type.layout().one_run) {
    begin_at(type.true_lb());
  } else {
    plan_ = &type.plan();
  }
}

std::size_t Cursor::next_runs(std::span<MemoryRun> runs, std::int64_t max_bytes) noexcept {
  const std::int64_t end = position_ + std::min(max_bytes, remaining());
  std::size_t filled = 0;
  while (position_ < end) {
    Found found{address(base_) + position_, end - position_};
    if (plan_) found = find_run(*plan_, address(base_), extent_, position_);
    const auto bytes = static_cast<std::size_t>(std::min(found.bytes, end - position_));
    // Addresses are compared as numbers: MPI_BOTTOM is a null pointer, to which none may be added.
    if (filled != 0 &&
        address(runs[filled - 1].data) + static_cast<std::int64_t>(runs[filled - 1].bytes) == found.memory) {
      runs[filled - 1].bytes += bytes;
    } else if (filled == runs.size()) {
      break;
    } else {
      runs[filled++] = {reinterpret_cast<std::byte*>(found.memory), bytes};
    }
    position_ += static_cast<std::int64_t>(bytes);
  }
  return filled;
}

}  // namespace internal

void PackCursor::pack_strided(std::byte* out, std::size_t bytes) noexcept {
  const std::int64_t end = position_ + static_cast<std::int64_t>(bytes);
  Mover<Direction::kPack> mover(out);
  if (position_ == 0 && end == total_) {
    mover.loop(*plan_, address(base_), count_, extent_);
  } else {
    mover.loop_range(*plan_, address(base_), extent_, position_, end);
  }
}

void UnpackCursor::unpack_strided(const std::byte* in, std::size_t bytes) noexcept {
  const std::int64_t end = position_ + static_cast<std::int64_t>(bytes);
  Mover<Direction::kUnpack> mover(in);
  if (position_ == 0 && end == total_) {
    mover.loop(*plan_, address(base_), count_, extent_);
  } else {
    mover.loop_range(*plan_, address(base_), extent_, position_, end);
  }
}

Result<std::int64_t> internal::copy_otherwise(const void* source, std::int64_t source_count,
                                              const Datatype& source_type, void* destination,
                                              std::int64_t destination_count, const Datatype& destination_type) {
  PackCursor from(source_type, source, source_count);
  UnpackCursor to(destination_type, destination, destination_count);
  const std::int64_t bytes = std::min(from.total(), to.total());
  if (bytes != 0) {
    if (to.is_contiguous()) {
      if (!from.is_contiguous() || from.memory() != to.memory())
        from.pack(to.memory(), static_cast<std::size_t>(bytes));
    } else if (from.is_contiguous()) {
      to.unpack(from.memory(), static_cast<std::size_t>(bytes));
    } else {
      copy_strided(from, to, bytes);
    }
  }
  if (from.total() > to.total()) {
    return Status::error(
        ErrorClass::kTruncate,
        formatted("the data are {} bytes, but the receiving buffer takes only {}", from.total(), to.total()));
  }
  return bytes;
}

}  // namespace starling::datatype
