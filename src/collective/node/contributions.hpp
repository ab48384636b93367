// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms on shared memory have in common: waiting to write, comparing what the ranks say they bring,
// moving typed data in and out, and folding contributions in rank order. Thread safety: the holder of the
// world's lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collective/coroutine/call.hpp"
#include "collective/node/node_memory.hpp"
#include "collective/node/shared_buffer.hpp"

namespace starling::collective {

/// Waits until this rank may write its flag and, if `bytes` do not fit there, data(rank, k, bytes, pace) of step k.
/// With a core for every rank one that is as far ahead as it may be goes on when it can be ahead by many steps again:
/// with each step that the others finish, the cache line in which they say so would go back and forth.
class Writable : private Watch {
 public:
  Writable(Call& call, SharedBuffer& shared, std::uint64_t k, std::int64_t bytes, Pace pace = Pace::kTogether) noexcept
      : executor_(call.executor()), shared_(shared), k_(k), depth_(shared.depth_to_write(k, bytes, pace)) {}

  bool await_ready() noexcept { return shared_.writable(k_, depth_); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    coroutine = waiting;
    if (depth_ >= kManySteps && !shared_.oversubscribed()) depth_ /= 2;
    holds = [](Watch& watch) {
      auto& self = static_cast<Writable&>(watch);
      return self.shared_.writable(self.k_, self.depth_);
    };
    shared_.block();
    blocked_ = true;
    executor_.watch(*this);
  }
  void await_resume() noexcept { unblock(); }
  ~Writable() { unblock(); }

 private:
  static constexpr std::uint64_t kManySteps = 8;

  void unblock() noexcept {
    if (blocked_) shared_.unblock();
    blocked_ = false;
  }

  Executor& executor_;
  SharedBuffer& shared_;
  std::uint64_t k_;
  std::uint64_t depth_;
  bool blocked_ = false;
};

/// Algorithm::at_once of a call with a root, from what the root does at once and what every other rank does. Each says
/// no, having done nothing, where it would have to wait.
template <bool (*kRoot)(SharedBuffer&, const Arguments&), bool (*kOther)(SharedBuffer&, const Arguments&)>
bool rooted_at_once(NodeMemory& memory, const Arguments& a) {
  if (memory.gate().taken()) return false;
  SharedBuffer& shared = *memory.buffer();
  return shared.rank() == a.root ? kRoot(shared, a) : kOther(shared, a);
}

void note_other_size(Call& call, std::int32_t rank, std::int64_t theirs, std::int64_t mine);

/// Notes a failure when a rank brings another size than this one expects.
inline void compare_bytes(Call& call, std::int32_t rank, std::int64_t theirs, std::int64_t mine) {
  if (theirs != mine) [[unlikely]]
    note_other_size(call, rank, theirs, mine);
}

/// Whether all ranks posted step k with this many bytes; notes a failure when not. Everybody who asks gets the same
/// answer, so all may leave together.
inline bool agree(Call& call, SharedBuffer& shared, std::uint64_t k, std::int64_t bytes) {
  bool same = true;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    const std::int64_t theirs = shared.flag(rank, k).bytes;
    if (theirs == bytes) [[likely]]
      continue;
    note_other_size(call, rank, theirs, bytes);
    same = false;
  }
  return same;
}

/// What has room in one step, in bytes.
inline std::int64_t longest_stretch(const SharedBuffer& shared) noexcept {
  return std::max(shared.segment_bytes(), kRides);
}

/// The longest block of a v form that passes through a segment: with a core for every rank a long one is copied once,
/// as a message, rather than twice. Every rank has the same answer.
inline std::int64_t longest_in_segment(const SharedBuffer& shared) noexcept {
  constexpr std::int64_t kLongBytes = 16 * 1024;
  const std::int64_t room = longest_stretch(shared);
  return shared.oversubscribed() ? room : std::min(room, kLongBytes);
}

/// Packs `count` elements into shared memory, and takes them out again.
void put(std::byte* to, const void* buffer, std::int64_t count, const datatype::Datatype& type);
void take(const std::byte* from, void* buffer, std::int64_t count, const datatype::Datatype& type);

/// Where the contributions to step k lie: those of other ranks in shared memory, this rank's own there too unless `own`
/// says where else.
struct Contributions {
  SharedBuffer& shared;
  std::uint64_t k;
  std::int64_t bytes;  ///< of each, in all
  const void* own = nullptr;
  Pace pace = Pace::kTogether;
};

/// into = c0 OP (c1 OP (... OP cn)) of the elements [first, first + count) of everybody's contribution. into is not
/// own. Fails as the operator does.
[[nodiscard]] Status fold(const datatype::Op& op, const Contributions& from, std::int64_t first, std::int64_t count,
                          const datatype::Datatype& type, void* into);

}  // namespace starling::collective
