// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/put_streams.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "rma/target/spins.hpp"

namespace starling::rma {
namespace {

/// How long an origin waits for a target that has taken nothing more before it has the kernel write.
constexpr std::int64_t kPutPatienceNs = 1'500;
/// A longer put goes in pieces, of which the target copies one while the next is written.
constexpr std::uint64_t kPutPieceBytes = 2048;

/// From here on the lines of an entry are written past the caches, unless the target's core is near.
constexpr std::uint64_t kLeastPastCaches = 2048;
/// A look at how far the target's core is takes as long as a short put, and of long ones every piece waits for room.
constexpr std::uint32_t kRoomsForALook = 16;

/// Positions wrap around.
bool is_at_least(std::uint32_t done, std::uint32_t position) noexcept {
  return static_cast<std::int32_t>(done - position) >= 0;
}

}  // namespace

PutStreams::PutStreams(progress::Engine& progress, TargetService& service, KernelWrite kernel_write)
    : progress_(progress),
      service_(service),
      kernel_write_(std::move(kernel_write)),
      own_(progress.segment().ranks()) {}

bool PutStreams::open(LocalRank rank) {
  PutStream& stream = stream_of(rank);
  const auto me = static_cast<std::uint32_t>(progress_.local_rank().value) + 1;
  std::uint32_t nobody = 0;
  // acquire: the entries, head and done of the owner before.
  if (stream.owner.load(std::memory_order_relaxed) != 0 ||
      !stream.owner.compare_exchange_strong(nobody, me, std::memory_order_acquire, std::memory_order_relaxed)) {
    return false;
  }
  Own& mine = own(rank);
  mine = Own{.distance = mine.distance, .rooms = mine.rooms};
  mine.open = true;
  mine.head = mine.done = stream.head;
  open_.push_back(rank);
  return true;
}

void PutStreams::leave(LocalRank rank) {
  own(rank).open = false;
  std::erase(open_, rank);
}

/// If all is done.
bool PutStreams::close(LocalRank rank) {
  Own& mine = own(rank);
  PutStream& stream = stream_of(rank);
  if (!mine.open || stream.done.load(std::memory_order_acquire) != mine.head) return false;
  if (!mine.missed) service_.note_answer(rank);
  leave(rank);
  stream.head = mine.head;
  stream.owner.store(0, std::memory_order_release);
  return true;
}

bool PutStreams::put(LocalRank rank, std::uint64_t address, const void* from, std::uint64_t bytes) {
  if (bytes > PutStream::kMostBytes || !service_.seems_to_poll(rank)) return false;
  if (!own(rank).open && !open(rank)) return false;
  for (std::uint64_t at = 0; at < bytes; at += kPutPieceBytes) {
    const std::uint64_t piece = std::min(bytes - at, kPutPieceBytes);
    if (!add(rank, address + at, static_cast<const std::byte*>(from) + at, piece)) return false;
  }
  return true;
}

bool PutStreams::add(LocalRank rank, std::uint64_t address, const void* from, std::uint64_t bytes) {
  Own& mine = own(rank);
  const std::uint32_t lines = PutStream::lines_of(bytes) + 1;
  if (mine.head + lines - mine.done > PutStream::kLines && !make_room(rank, lines)) return false;
  const bool through_cache = bytes < kLeastPastCaches || mine.distance.is_near();
  mine.head = stream_of(rank).add(mine.head, address, from, bytes,
                                  through_cache ? PutStream::Filling::kThroughCache : PutStream::Filling::kPastCaches);
  return true;
}

/// Now and then also at how long that takes: who carries entries out has written the line since it was read last.
void PutStreams::look_for_room(Own& mine, const PutStream& stream) {
  const auto done = [&] { return stream.done.load(std::memory_order_acquire); };
  mine.done = ++mine.rooms % kRoomsForALook == 0 ? mine.distance.look(mine.done, done) : done();
}

/// False: the stream is not this rank's any more, or the rank is dead.
bool PutStreams::make_room(LocalRank rank, std::uint32_t lines) {
  Own& mine = own(rank);
  PutStream& stream = stream_of(rank);
  const auto has_room = [&] { return mine.head + lines - mine.done <= PutStream::kLines; };
  look_for_room(mine, stream);
  while (mine.open && !has_room()) {
    if (!await(rank, mine.head + lines - PutStream::kLines)) return false;
    mine.done = stream.done.load(std::memory_order_acquire);
  }
  return mine.open;
}

bool PutStreams::await(LocalRank rank, std::uint32_t position) {
  PutStream& stream = stream_of(rank);
  std::uint32_t seen = stream.done.load(std::memory_order_acquire);
  std::int64_t until = 0;
  for (std::uint32_t spins = 1; !is_at_least(seen, position); ++spins) {
    service_.serve_own();  // the two may be waiting for each other
    const std::uint32_t now_done = stream.done.load(std::memory_order_acquire);
    if (now_done != seen) until = 0;
    seen = now_done;
    if (spins % kSpinsPerLook != 0) continue;
    const std::int64_t now = now_ns();
    if (until == 0) until = now + kPutPatienceNs;
    if (now < until) continue;
    if (stream.try_take()) {
      write_by_kernel(rank);
      own(rank).missed = true;
      service_.note_miss(rank);
    } else if (!await_servant(rank, position)) {
      return false;
    }
    until = 0;
    seen = stream.done.load(std::memory_order_acquire);
  }
  return true;
}

/// Somebody carries entries out, or has died at it. False: the rank is dead.
bool PutStreams::await_servant(LocalRank rank, std::uint32_t position) {
  PutStream& stream = stream_of(rank);
  const auto is_over = [&] {
    // acquire: who sees that the right to serve is free need not look for what was done with it.
    return is_at_least(stream.done.load(std::memory_order_relaxed), position) ||
           stream.taken.load(std::memory_order_acquire) == 0;
  };
  // relaxed: before it sleeps this thread has a barrier everywhere, and looks once more.
  stream.asker.store(static_cast<std::uint32_t>(progress_.local_rank().value) + 1, std::memory_order_relaxed);
  progress_.wait([&] { return is_over() || service_.is_dead(rank); }, [&] { return service_.answer_of(rank); });
  stream.asker.store(0, std::memory_order_relaxed);
  // The next may have begun meanwhile, so that this is not over again; that is no death.
  return !service_.is_dead(rank) || is_over();
}

/// With the right to carry out entries.
void PutStreams::write_by_kernel(LocalRank rank) {
  PutStream& stream = stream_of(rank);
  const std::uint32_t begin = stream.done.load(std::memory_order_relaxed);
  const std::uint32_t end = own(rank).head;
  if (!write_together(rank, begin, end)) {
    // Which of them it was.
    for (std::uint32_t at = begin; at != end;) {
      const std::uint32_t next = at + PutStream::lines_of(stream.at(at).bytes);
      if (!write_together(rank, at, next)) own(rank).failed = true;
      at = next;
    }
  }
  // relaxed: others read it with the right to serve, which they acquire.
  stream.done.store(end, std::memory_order_relaxed);
  stream.give_back();
}

bool PutStreams::write_together(LocalRank rank, std::uint32_t begin, std::uint32_t end) {
  PutStream& stream = stream_of(rank);
  std::vector<transport::RemoteRun> runs;
  std::vector<std::byte> data;
  for (std::uint32_t at = begin; at != end;) {
    const PutStream::Entry& entry = stream.at(at);
    const std::size_t before = data.size();
    data.resize(before + entry.bytes);
    stream.take_out(at, data.data() + before);
    runs.push_back({entry.address, entry.bytes});
    at += PutStream::lines_of(entry.bytes);
  }
  return runs.empty() || kernel_write_(rank, data.data(), runs);
}

Status PutStreams::finish_open(LocalRank rank) {
  Own& mine = own(rank);
  bool there = true;
  while (mine.open && there && !close(rank)) there = await(rank, mine.head);
  // What a dead rank had begun nobody ends: its stream stays owned, and is never used again.
  if (!there) leave(rank);
  const bool failed = std::exchange(mine.failed, false) || !there;
  if (!failed) return {};
  return Status::error(ErrorClass::kRmaRange,
                       formatted("a put did not reach the memory of rank {} of this node; has the memory of its window "
                                 "been freed, or has the process died?",
                                 rank.value));
}

Status PutStreams::finish_all_open() {
  Status failure;
  // A copy: each that is finished leaves the list.
  for (const LocalRank rank : std::vector<LocalRank>(open_)) {
    Status finished = finish_open(rank);
    if (failure.ok()) failure = std::move(finished);
  }
  return failure;
}

}  // namespace starling::rma
