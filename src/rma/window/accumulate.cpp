// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Accumulates of any layout, type and operator: fetch the target's elements, combine, store, all under the target's
// lock. Where the elements lie next to each other in memory that is within reach, they are combined in place.
// Source: MPI-5.0, chapters 12.3.4 and 12.7.1 (atomic for each element; ordered for each origin).
#include <algorithm>
#include <array>
#include <memory>

#include "base/format.hpp"
#include "datatype/pack/pack.hpp"
#include "rma/window/window.hpp"

namespace starling::rma {
namespace {

/// Bytes combined under one hold of the lock: others wait no longer than that takes.
constexpr std::int64_t kChunkBytes = std::int64_t{32} * 1024;

Status bad_type(const char* which, const char* why) {
  return Status::error(ErrorClass::kType, formatted("{} {}", which, why));
}

}  // namespace

/// One accumulate on its way through the chunks.
class Window::Accumulator {
 public:
  Accumulator(Window& window, const Accumulation& what, const TargetPosition& at)
      : window_(window),
        op_(what.op->predefined_op()),
        basic_(what.place.type->basic()),
        info_(datatype::info(basic_)),
        kernel_(datatype::find_kernel(op_, basic_)),
        goal_(window.target(what.place.rank)),
        lock_(window.control_.accumulate(what.place.rank)),
        at_(at),
        total_(what.place.count * what.place.type->size()),
        fetches_(what.result.type != nullptr),
        in_place_(goal_.reach == Reach::kDirect && what.place.type->is_contiguous() && !has_gaps(info_)),
        origin_(stores() ? *what.origin.type : type(), what.origin.address, stores() ? what.origin.count : 0),
        result_(fetches_ ? *what.result.type : type(), what.result.address, fetches_ ? what.result.count : 0) {}

  Status run() {
    const std::int64_t chunk = kChunkBytes / info_.size * info_.size;
    while (at_.bytes < total_) {
      const std::int64_t bytes = std::min(chunk, total_ - at_.bytes);
      const std::byte* operand = stores() ? next_operand(bytes) : nullptr;
      window_.peers_.take_exclusive(lock_);
      Status status;
      if (in_place_) {
        combine_in_place(operand, bytes);
      } else {
        status = combine_elsewhere(operand, bytes);
      }
      window_.peers_.drop_exclusive(lock_);
      if (!status.ok()) return status;
    }
    return {};
  }

 private:
  [[nodiscard]] bool stores() const noexcept { return op_ != datatype::PredefinedOp::kNoOp; }
  [[nodiscard]] bool replaces() const noexcept { return op_ == datatype::PredefinedOp::kReplace; }
  [[nodiscard]] const datatype::Datatype& type() const noexcept { return datatype::predefined(basic_); }
  [[nodiscard]] std::int64_t elements(std::int64_t bytes) const noexcept { return bytes / info_.size; }

  /// The next elements of the origin: as an array for the kernel, packed where they only replace.
  const std::byte* next_operand(std::int64_t bytes) {
    const std::byte* packed = nullptr;
    if (origin_.is_contiguous()) {
      packed = origin_.memory();
      origin_.skip(bytes);
    } else {
      std::byte* buffer = room(kOperand);
      origin_.pack(buffer, static_cast<std::size_t>(bytes));
      packed = buffer;
    }
    if (replaces() || !has_gaps(info_)) return packed;
    std::byte* array = room(kOperandArray);
    expand(packed, array, bytes);
    return array;
  }

  void combine_in_place(const std::byte* operand, std::int64_t bytes) {
    auto* memory = reinterpret_cast<std::byte*>(  // NOLINT(performance-no-int-to-ptr)
        at_.address + static_cast<std::uint64_t>(at_.place->type->true_lb() + at_.bytes));
    at_.bytes += bytes;
    if (fetches_) result_.unpack(memory, static_cast<std::size_t>(bytes));
    if (!stores()) return;
    if (replaces()) {
      std::memcpy(memory, operand, static_cast<std::size_t>(bytes));
    } else {
      kernel_(operand, memory, elements(bytes));
    }
  }

  /// The target combines where its elements are an array.
  bool combined_by_target(const std::byte* operand, std::int64_t bytes) {
    if (goal_.reach == Reach::kDirect || !at_.place->type->is_contiguous() || has_gaps(info_)) return false;
    std::byte* fetched = fetches_ ? room(kFetched) : nullptr;
    const std::uint64_t address = at_.address + static_cast<std::uint64_t>(at_.place->type->true_lb() + at_.bytes);
    if (!window_.memory_.combine(goal_, {address, static_cast<std::uint64_t>(bytes), op_, basic_, operand, fetched})) {
      return false;
    }
    at_.bytes += bytes;
    if (fetches_) result_.unpack(fetched, static_cast<std::size_t>(bytes));
    return true;
  }

  Status combine_elsewhere(const std::byte* operand, std::int64_t bytes) {
    if (combined_by_target(operand, bytes)) return {};
    std::byte* fetched = room(kFetched);
    TargetPosition begin = at_;
    if (fetches_ || !replaces()) STARLING_TRY(window_.memory_.read(goal_, at_, fetched, bytes));
    if (fetches_) result_.unpack(fetched, static_cast<std::size_t>(bytes));
    at_.bytes = begin.bytes + bytes;
    if (!stores()) return {};
    if (replaces()) return window_.memory_.write(goal_, begin, operand, bytes);
    if (!has_gaps(info_)) {
      kernel_(operand, fetched, elements(bytes));
    } else {
      std::byte* array = room(kFetchedArray);
      expand(fetched, array, bytes);
      kernel_(operand, array, elements(bytes));
      datatype::PackCursor(type(), array, elements(bytes)).pack(fetched, static_cast<std::size_t>(bytes));
    }
    return window_.memory_.write(goal_, begin, fetched, bytes);
  }

  /// From packed elements to an array of them, with their gaps.
  void expand(const std::byte* packed, std::byte* array, std::int64_t bytes) const {
    datatype::UnpackCursor(type(), array, elements(bytes)).unpack(packed, static_cast<std::size_t>(bytes));
  }

  enum Buffer : std::size_t { kOperand, kOperandArray, kFetched, kFetchedArray, kBuffers };

  /// Room for a chunk; an array of pairs with gaps is less than four times as long as its data.
  std::byte* room(Buffer which) {
    constexpr std::size_t kArrayFactor = 4;
    std::unique_ptr<std::byte[]>& buffer = rooms_[which];
    const auto bytes = static_cast<std::size_t>(std::min(kChunkBytes, total_));
    if (!buffer) buffer = std::make_unique<std::byte[]>(has_gaps(info_) ? kArrayFactor * bytes : bytes);
    return buffer.get();
  }

  Window& window_;
  datatype::PredefinedOp op_;
  datatype::Basic basic_;
  const datatype::BasicInfo& info_;
  datatype::Kernel kernel_;
  const Target& goal_;
  SharedLock& lock_;
  TargetPosition at_;
  std::int64_t total_;
  bool fetches_;
  bool in_place_;
  datatype::PackCursor origin_;
  datatype::UnpackCursor result_;
  std::array<std::unique_ptr<std::byte[]>, kBuffers> rooms_;
};

Status Window::check_accumulation(const Accumulation& what) {
  const datatype::Basic basic = what.place.type->basic();
  if (what.op->predefined_op() == datatype::PredefinedOp::kNone) {
    return Status::error(ErrorClass::kOp, "accumulates take predefined operators only, not user-defined ones");
  }
  if (basic == datatype::Basic::kNone) {
    return bad_type("target_datatype", "mixes predefined types; all elements of an accumulate are of one type");
  }
  STARLING_TRY(datatype::check(*what.op, datatype::predefined(basic)));
  const bool stores = what.op->predefined_op() != datatype::PredefinedOp::kNoOp;
  if (stores && what.origin.type->basic() != basic) {
    return bad_type("origin_datatype", "is made of another predefined type than target_datatype");
  }
  if (what.result.type != nullptr && what.result.type->basic() != basic) {
    return bad_type("result_datatype", "is made of another predefined type than target_datatype");
  }
  const std::int64_t total = what.place.count * what.place.type->size();
  const auto differs = [&](const Buffer& buffer) { return buffer.count * buffer.type->size() != total; };
  if ((stores && differs(what.origin)) || (what.result.type != nullptr && differs(what.result))) {
    return Status::error(
        ErrorClass::kCount,
        formatted("the target has {} bytes of data in the access, but the origin has another number", total));
  }
  return {};
}

Status Window::accumulate_any(const Accumulation& what) {
  const Place& place = what.place;
  if (place.rank == p2p::kProcNull) return {};
  Result<TargetPosition> located = locate(place);
  if (!located.ok()) return std::move(located).status();
  if (place.count == 0 || place.type->size() == 0) return {};
  STARLING_TRY(check_accumulation(what));
  if (target(place.rank).reach == Reach::kFar) {
    return far_->origin().accumulate(what.origin, what.result, what.op->predefined_op(),
                                     {&place, located.value().address});
  }
  return Accumulator(*this, what, located.value()).run();
}

Status Window::compare_and_swap(const void* origin, const void* compare, void* result, const Place& place) {
  if (place.rank == p2p::kProcNull) return {};
  const auto size = static_cast<std::size_t>(place.type->size());
  SharedLock& lock = control_.accumulate(place.rank);
  const Buffer old{result, 1, place.type};
  if (std::byte* memory = plain_place(old, place)) {
    peers_.take_exclusive(lock);
    std::memcpy(result, memory, size);
    if (std::memcmp(memory, compare, size) == 0) std::memcpy(memory, origin, size);
    peers_.drop_exclusive(lock);
    return {};
  }
  Result<TargetPosition> located = locate(place);
  if (!located.ok()) return std::move(located).status();
  const Target& goal = target(place.rank);
  if (goal.reach == Reach::kFar) {
    return far_->origin().compare_and_swap(origin, compare, result, {&place, located.value().address});
  }
  peers_.take_exclusive(lock);
  TargetPosition at = located.value();
  const std::uint64_t address = at.address + static_cast<std::uint64_t>(place.type->true_lb());
  if (memory_.swap(goal, {address, size, origin, compare, result})) {
    peers_.drop_exclusive(lock);
    return {};
  }
  Status status = memory_.read(goal, at, result, place.type->size());
  if (status.ok() && std::memcmp(result, compare, size) == 0) {
    at = located.value();
    status = memory_.write(goal, at, origin, place.type->size());
  }
  peers_.drop_exclusive(lock);
  return status;
}

}  // namespace starling::rma
