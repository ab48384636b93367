// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Put and get of any layout at any target, and the checks that the plain way does not need.
#include <algorithm>
#include <memory>

#include "base/format.hpp"
#include "datatype/pack/pack.hpp"
#include "rma/window/window.hpp"

namespace starling::rma {
namespace {

/// Data that are strided at the origin travel through a buffer of this size when the target is another process's.
constexpr std::int64_t kPieceBytes = std::int64_t{64} * 1024;

void* pointer(std::uint64_t address) noexcept {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Asked before anything moves, so that an access which fails has changed nothing.
Status check_room(std::int64_t sent, std::int64_t taken) {
  if (sent <= taken) [[likely]]
    return {};
  return Status::error(ErrorClass::kTruncate,
                       formatted("the access moves {} bytes, but the other side takes only {}", sent, taken));
}

}  // namespace

Status Window::check_range(const Place& place) const {
  Result<std::int64_t> bytes = datatype::packed_bytes(place.count, *place.type);
  if (!bytes.ok()) return std::move(bytes).status();
  const Target& goal = target(place.rank);
  std::int64_t begin = 0;
  if (flavor() != Flavor::kDynamic && place.disp < 0) {
    return Status::error(ErrorClass::kDisp, "target_disp is negative; it counts from the beginning of the window");
  }
  if (bytes.value() == 0) return {};
  const Stretch data = stretch_of(place.count, *place.type);
  std::int64_t end = 0;
  const bool overflows = __builtin_mul_overflow(place.disp, goal.disp_unit, &begin) ||
                         __builtin_add_overflow(begin, data.end, &end) ||
                         __builtin_add_overflow(begin, data.begin, &begin);
  if (flavor() == Flavor::kDynamic) {
    const bool held =
        !overflows &&
        (goal.reach == Reach::kFar ||  // which the access itself asks
         control_.attachments(place.rank).holds(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)));
    return held ? Status() : not_attached(place.rank);
  }
  if (!overflows && begin >= 0 && end <= static_cast<std::int64_t>(goal.bytes)) return {};
  if (overflows) return Status::error(ErrorClass::kRmaRange, "the access lies beyond any memory");
  return Status::error(ErrorClass::kRmaRange,
                       formatted("the access touches the bytes {} to {} of the window of rank {}, which has {} bytes "
                                 "(its displacement unit is {})",
                                 begin, end - 1, place.rank, goal.bytes, goal.disp_unit));
}

Result<TargetPosition> Window::locate(const Place& place) {
  STARLING_TRY(epochs_.check_access(place.rank));
  STARLING_TRY(check_range(place));
  epochs_.note_access();
  const Target& goal = target(place.rank);
  return TargetPosition{goal.address + static_cast<std::uint64_t>(place.disp * goal.disp_unit), &place};
}

Status Window::put_any(const Buffer& origin, const Place& place) {
  if (place.rank == p2p::kProcNull) return {};
  Result<TargetPosition> located = locate(place);
  if (!located.ok()) return std::move(located).status();
  TargetPosition at = located.value();
  const Target& goal = target(place.rank);
  STARLING_TRY(check_room(bytes_of(origin), place.count * place.type->size()));
  if (goal.reach == Reach::kDirect) {
    return std::move(datatype::copy(origin.address, origin.count, *origin.type, pointer(at.address), place.count,
                                    *place.type))
        .status();
  }
  if (goal.reach == Reach::kFar) return far_->origin().put(origin, {&place, at.address});
  if (begin_put(goal, at, origin)) return {};
  datatype::PackCursor from(*origin.type, origin.address, origin.count);
  if (from.is_contiguous()) return from.total() == 0 ? Status() : memory_.write(goal, at, from.memory(), from.total());
  const auto piece = std::make_unique<std::byte[]>(static_cast<std::size_t>(std::min(from.total(), kPieceBytes)));
  while (!from.done()) {
    const std::size_t packed = from.pack(piece.get(), static_cast<std::size_t>(kPieceBytes));
    STARLING_TRY(memory_.write(goal, at, piece.get(), static_cast<std::int64_t>(packed)));
  }
  return {};
}

bool Window::begin_put(const Target& goal, const TargetPosition& at, const Buffer& origin) {
  const datatype::Datatype& type = *at.place->type;
  const std::int64_t bytes = bytes_of(origin);
  return bytes != 0 && origin.type->is_contiguous() && type.is_contiguous() &&
         memory_.put(goal, at.address + static_cast<std::uint64_t>(type.true_lb()),
                     static_cast<const std::byte*>(origin.address) + origin.type->true_lb(), bytes);
}

Status Window::get_any(const Buffer& origin, const Place& place) {
  if (place.rank == p2p::kProcNull) return {};
  Result<TargetPosition> located = locate(place);
  if (!located.ok()) return std::move(located).status();
  TargetPosition at = located.value();
  const Target& goal = target(place.rank);
  const std::int64_t total = place.count * place.type->size();
  STARLING_TRY(check_room(total, bytes_of(origin)));
  if (goal.reach == Reach::kDirect) {
    return std::move(datatype::copy(pointer(at.address), place.count, *place.type, origin.address, origin.count,
                                    *origin.type))
        .status();
  }
  if (goal.reach == Reach::kFar) return far_->origin().get(origin, {&place, at.address});
  datatype::UnpackCursor to(*origin.type, origin.address, origin.count);
  if (to.is_contiguous()) return total == 0 ? Status() : memory_.read(goal, at, to.memory(), total);
  const auto piece = std::make_unique<std::byte[]>(static_cast<std::size_t>(std::min(total, kPieceBytes)));
  while (at.bytes < total) {
    const std::int64_t bytes = std::min(total - at.bytes, kPieceBytes);
    STARLING_TRY(memory_.read(goal, at, piece.get(), bytes));
    to.unpack(piece.get(), static_cast<std::size_t>(bytes));
  }
  return {};
}

}  // namespace starling::rma
