// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms on shared memory have in common: waiting to write, comparing what the ranks say they bring,
// moving typed data in and out, folding contributions in rank order, and the terms of their cost lines. Thread safety:
// the holder of the world's lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/node/shared_buffer.hpp"
#include "collective/run/communicator_state.hpp"

namespace starling::collective {

/// Waits until this rank may write its line and, if `bytes` do not fit there, its slot for step k.
class Writable : private Watch {
 public:
  Writable(Call& call, Area& area, std::uint64_t k, std::int64_t bytes) noexcept
      : executor_(call.executor()),
        area_(area),
        k_(k),
        depth_(bytes <= static_cast<std::int64_t>(Line::kInline) ? Area::kLineDepth : Area::kSlotDepth) {}

  bool await_ready() noexcept { return area_.writable(k_, depth_); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    coroutine = waiting;
    holds = [](Watch& watch) {
      auto& self = static_cast<Writable&>(watch);
      return self.area_.writable(self.k_, self.depth_);
    };
    area_.block();
    blocked_ = true;
    executor_.watch(*this);
  }
  void await_resume() noexcept { unblock(); }
  ~Writable() { unblock(); }

 private:
  void unblock() noexcept {
    if (blocked_) area_.unblock();
    blocked_ = false;
  }

  Executor& executor_;
  Area& area_;
  std::uint64_t k_;
  std::uint64_t depth_;
  bool blocked_ = false;
};

void note_other_size(Call& call, std::int32_t rank, std::int64_t theirs, std::int64_t mine);

/// Notes a failure when a rank brings another size than this one expects.
inline void compare_bytes(Call& call, std::int32_t rank, std::int64_t theirs, std::int64_t mine) {
  if (theirs != mine) [[unlikely]]
    note_other_size(call, rank, theirs, mine);
}

/// Whether all ranks posted step k with this many bytes; notes a failure when not. Everybody who asks gets the same
/// answer, so all may leave together.
inline bool agree(Call& call, Area& area, std::uint64_t k, std::int64_t bytes) {
  bool same = true;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    const std::int64_t theirs = area.line(rank, k).bytes;
    if (theirs == bytes) [[likely]]
      continue;
    note_other_size(call, rank, theirs, bytes);
    same = false;
  }
  return same;
}

/// The longest block of a v form that passes through a slot: with a core for every rank a long one is copied once, as a
/// message, rather than twice. Every rank has the same answer.
inline std::int64_t longest_in_slot(const Area& area) noexcept {
  constexpr std::int64_t kLongBytes = 8 * 1024;
  const std::int64_t room = std::max(area.slot_bytes(), static_cast<std::int64_t>(Line::kInline));
  return area.oversubscribed() ? room : std::min(room, kLongBytes);
}

/// Packs `count` elements into shared memory, and takes them out again.
void put(std::byte* to, const void* buffer, std::int64_t count, const datatype::Datatype& type);
void take(const std::byte* from, void* buffer, std::int64_t count, const datatype::Datatype& type);

/// Where the contributions to step k lie: those of other ranks in shared memory, this rank's own there too unless `own`
/// says where else.
struct Contributions {
  Area& area;
  std::uint64_t k;
  std::int64_t bytes;  ///< of each, in all
  const void* own = nullptr;
};

/// into = c0 OP (c1 OP (... OP cn)) of the elements [first, first + count) of everybody's contribution. into is not
/// own.
void fold(Call& call, const Contributions& from, std::int64_t first, std::int64_t count, const datatype::Datatype& type,
          void* into);

// Texts that algorithms make a part of theirs, which hold the turn meanwhile: calls use the area in the order in which
// they were made.
Task reduce_scatter_in_area(Call& call, const Arguments& arguments, Area& area);
Task bcast_in_area(Call& call, const Arguments& arguments, Area& area);

/// Cost of one meeting of all ranks that carries nothing but flags.
inline double meeting_ns(const Shape& shape, const Machine& machine) noexcept {
  if (shape.ranks > machine.cores) return machine.share(shape.ranks) * (machine.turn_ns + machine.line_ns);
  return machine.line_ns + 20.0 * shape.ranks;
}

/// What it costs more to fetch data from a slot than to find them in the line.
inline double slot_ns(const Shape& shape, const Machine& machine, std::int64_t bytes) noexcept {
  const bool rides = bytes <= static_cast<std::int64_t>(Line::kInline);
  return rides || shape.ranks > machine.cores ? 0 : machine.fetch(static_cast<double>(bytes));
}

/// Whether `bytes` for each rank find room inline or in a slot.
inline bool has_room(const Shape& shape, std::int64_t bytes) noexcept {
  return bytes <= static_cast<std::int64_t>(Line::kInline) || (shape.slots && bytes <= shape.slot_bytes);
}

}  // namespace starling::collective
