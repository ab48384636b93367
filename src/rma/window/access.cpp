// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Put and get of any layout at any target, and the checks that the plain way does not need.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "datatype/pack/pack.hpp"
#include "rma/window/window.hpp"

namespace starling::rma {
namespace {

/// Data that are strided at the origin travel through a buffer of this size when the target is another process's.
constexpr std::int64_t kPieceBytes = std::int64_t{64} * 1024;

void* pointer(std::uint64_t address) noexcept {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// The bytes that elements of a type touch, relative to the address of the first.
struct Stretch {
  std::int64_t begin;
  std::int64_t end;
};

Stretch stretch_of(std::int64_t count, const datatype::Datatype& type) noexcept {
  const std::int64_t last = (count - 1) * type.extent();
  return {std::min<std::int64_t>(last, 0) + type.true_lb(), std::max<std::int64_t>(last, 0) + type.true_ub()};
}

/// Asked before anything moves, so that an access which fails has changed nothing.
Status check_room(std::int64_t sent, std::int64_t taken) {
  if (sent <= taken) [[likely]]
    return {};
  return Status::error(ErrorClass::kTruncate, "the access moves " + std::to_string(sent) +
                                                  " bytes, but the other side takes only " + std::to_string(taken));
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
  const std::string rank = "rank " + std::to_string(place.rank);
  if (flavor() == Flavor::kDynamic) {
    const bool held =
        !overflows &&
        control_.attachments(place.rank).holds(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end));
    if (held) return {};
    return Status::error(ErrorClass::kRmaRange, rank +
                                                    " has attached no memory that holds the access; target_disp is "
                                                    "an address there, as MPI_Get_address gives it");
  }
  if (!overflows && begin >= 0 && end <= static_cast<std::int64_t>(goal.bytes)) return {};
  return Status::error(ErrorClass::kRmaRange, overflows ? "the access lies beyond any memory"
                                                        : "the access touches the bytes " + std::to_string(begin) +
                                                              " to " + std::to_string(end - 1) + " of the window of " +
                                                              rank + ", which has " + std::to_string(goal.bytes) +
                                                              " bytes (its displacement unit is " +
                                                              std::to_string(goal.disp_unit) + ")");
}

Result<Window::Position> Window::locate(const Place& place) {
  STARLING_TRY(check_access(place.rank));
  STARLING_TRY(check_range(place));
  used_ = true;
  const Target& goal = target(place.rank);
  return Position{goal.address + static_cast<std::uint64_t>(place.disp * goal.disp_unit), &place};
}

template <typename Move>
Status Window::for_runs(Position& at, std::int64_t bytes, Move&& move) {
  constexpr std::size_t kRuns = 256;
  datatype::PackCursor cursor(*at.place->type, pointer(at.address), at.place->count);
  cursor.seek(at.bytes);
  at.bytes += bytes;
  while (cursor.position() < at.bytes) {
    std::array<datatype::MemoryRun, kRuns> found;
    std::array<transport::RemoteRun, kRuns> runs;
    const std::int64_t before = cursor.position();
    const std::size_t count = cursor.next_runs(found, at.bytes - before);
    for (std::size_t i = 0; i < count; ++i) runs[i] = {reinterpret_cast<std::uint64_t>(found[i].data), found[i].bytes};
    STARLING_TRY(move(std::span<const transport::RemoteRun>(runs.data(), count), cursor.position() - before));
  }
  return {};
}

namespace {

Status kernel_refused(const Target& target, std::int64_t bytes) {
  return Status::error(ErrorClass::kRmaRange, "the kernel copied none of " + std::to_string(bytes) +
                                                  " bytes of process " + std::to_string(target.peer) +
                                                  "; has the memory of its window been freed?");
}

}  // namespace

Status Window::read(const Target& target, Position& at, void* to, std::int64_t bytes) {
  if (target.reach == Reach::kDirect) {
    datatype::PackCursor cursor(*at.place->type, pointer(at.address), at.place->count);
    cursor.seek(at.bytes);
    at.bytes += static_cast<std::int64_t>(cursor.pack(static_cast<std::byte*>(to), static_cast<std::size_t>(bytes)));
    return {};
  }
  return for_runs(at, bytes, [&](std::span<const transport::RemoteRun> runs, std::int64_t length) -> Status {
    if (target.reach == Reach::kHelp) {
      helpers_.help.gather(target.peer, runs, to);
    } else if (!helpers_.kernel.gather(target.peer, runs, to)) {
      return kernel_refused(target, length);
    }
    to = static_cast<std::byte*>(to) + length;
    return {};
  });
}

Status Window::write(const Target& target, Position& at, const void* from, std::int64_t bytes) {
  if (target.reach == Reach::kDirect) {
    datatype::UnpackCursor cursor(*at.place->type, pointer(at.address), at.place->count);
    cursor.seek(at.bytes);
    at.bytes +=
        static_cast<std::int64_t>(cursor.unpack(static_cast<const std::byte*>(from), static_cast<std::size_t>(bytes)));
    return {};
  }
  return for_runs(at, bytes, [&](std::span<const transport::RemoteRun> runs, std::int64_t length) -> Status {
    if (target.reach == Reach::kHelp) {
      helpers_.help.scatter(target.peer, from, runs);
    } else if (!helpers_.kernel.scatter(target.peer, from, runs)) {
      return kernel_refused(target, length);
    }
    from = static_cast<const std::byte*>(from) + length;
    return {};
  });
}

Status Window::put_any(const Buffer& origin, const Place& place) {
  if (place.rank == p2p::kProcNull) return {};
  Result<Position> located = locate(place);
  if (!located.ok()) return std::move(located).status();
  Position at = located.value();
  const Target& goal = target(place.rank);
  STARLING_TRY(check_room(bytes_of(origin), place.count * place.type->size()));
  if (goal.reach == Reach::kDirect) {
    return std::move(datatype::copy(origin.address, origin.count, *origin.type, pointer(at.address), place.count,
                                    *place.type))
        .status();
  }
  datatype::PackCursor from(*origin.type, origin.address, origin.count);
  if (from.is_contiguous()) return from.total() == 0 ? Status() : write(goal, at, from.memory(), from.total());
  const auto piece = std::make_unique<std::byte[]>(static_cast<std::size_t>(std::min(from.total(), kPieceBytes)));
  while (!from.done()) {
    const std::size_t packed = from.pack(piece.get(), static_cast<std::size_t>(kPieceBytes));
    STARLING_TRY(write(goal, at, piece.get(), static_cast<std::int64_t>(packed)));
  }
  return {};
}

Status Window::get_any(const Buffer& origin, const Place& place) {
  if (place.rank == p2p::kProcNull) return {};
  Result<Position> located = locate(place);
  if (!located.ok()) return std::move(located).status();
  Position at = located.value();
  const Target& goal = target(place.rank);
  const std::int64_t total = place.count * place.type->size();
  STARLING_TRY(check_room(total, bytes_of(origin)));
  if (goal.reach == Reach::kDirect) {
    return std::move(datatype::copy(pointer(at.address), place.count, *place.type, origin.address, origin.count,
                                    *origin.type))
        .status();
  }
  datatype::UnpackCursor to(*origin.type, origin.address, origin.count);
  if (to.is_contiguous()) return total == 0 ? Status() : read(goal, at, to.memory(), total);
  const auto piece = std::make_unique<std::byte[]>(static_cast<std::size_t>(std::min(total, kPieceBytes)));
  while (at.bytes < total) {
    const std::int64_t bytes = std::min(total - at.bytes, kPieceBytes);
    STARLING_TRY(read(goal, at, piece.get(), bytes));
    to.unpack(piece.get(), static_cast<std::size_t>(bytes));
  }
  return {};
}

}  // namespace starling::rma
