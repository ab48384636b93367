// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/arena.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <string>

namespace starling::memory {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr int kPageShift = 12;

/// The first page of the arena: for each power of two the first free block, 0 = none.
struct Heads {
  std::uint64_t first[64 - kPageShift];
};
static_assert(sizeof(Heads) <= kPage);

std::size_t size_class(std::uint64_t bytes) {
  return bytes <= kPage ? 0 : static_cast<std::size_t>(std::bit_width(bytes - 1) - kPageShift);
}

/// Holds JobHeader::arena_lock. The word is the holder's process id, so that a lock of a dead process can be taken
/// over.
class Lock {
 public:
  explicit Lock(std::atomic<std::uint64_t>& word) noexcept : word_(word) {
    const auto me = static_cast<std::uint64_t>(getpid());
    std::uint64_t holder = 0;
    // acquire: what the previous holder changed must be visible here.
    while (!word_.compare_exchange_weak(holder, me, std::memory_order_acquire)) {
      const bool dead = holder != 0 && holder != me && kill(static_cast<pid_t>(holder), 0) != 0 && errno == ESRCH;
      if (!dead) {
        holder = 0;
        sched_yield();
      }
    }
  }
  ~Lock() { word_.store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic<std::uint64_t>& word_;
};

Heads& heads(JobSegment& segment) { return *reinterpret_cast<Heads*>(segment.arena().data()); }

std::uint64_t& next_of(JobSegment& segment, std::uint64_t offset) {
  return *reinterpret_cast<std::uint64_t*>(segment.arena().data() + offset);
}

}  // namespace

Status Arena::prepare() {
  std::atomic<std::uint64_t>& used = segment_.header().arena_used;
  if (used.load(std::memory_order_relaxed) != 0) return {};
  if (segment_.arena().size() < kPage) {
    return Status::error(ErrorClass::kNoMem, "the job's shared memory has no arena");
  }
  STARLING_TRY(segment_.commit(segment_.arena().first(kPage)));
  used.store(kPage, std::memory_order_relaxed);
  return {};
}

Result<std::uint64_t> Arena::allocate(std::uint64_t bytes) {
  const std::size_t index = size_class(bytes);
  const std::uint64_t rounded = kPage << index;
  const Lock lock(segment_.header().arena_lock);
  if (Status ready = prepare(); !ready.ok()) return ready;
  std::uint64_t& first = heads(segment_).first[index];
  if (first != 0) {
    const std::uint64_t offset = first;
    first = next_of(segment_, offset);
    return offset;
  }
  std::atomic<std::uint64_t>& used = segment_.header().arena_used;
  const std::uint64_t offset = used.load(std::memory_order_relaxed);
  if (rounded > segment_.arena().size() || offset > segment_.arena().size() - rounded) {
    return Status::error(ErrorClass::kNoMem, "the arena of the job's shared memory is full: " + std::to_string(offset) +
                                                 " of " + std::to_string(segment_.arena().size()) +
                                                 " bytes are handed out and " + std::to_string(rounded) +
                                                 " are asked for");
  }
  if (Status real = segment_.commit(block(offset, kPage)); !real.ok()) return real;
  used.store(offset + rounded, std::memory_order_relaxed);
  return offset;
}

void Arena::release(std::uint64_t offset, std::uint64_t bytes) {
  const Lock lock(segment_.header().arena_lock);
  std::uint64_t& first = heads(segment_).first[size_class(bytes)];
  next_of(segment_, offset) = first;
  first = offset;
}

}  // namespace starling::memory
