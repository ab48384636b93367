// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/arena.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <bit>
#include <cerrno>

#include "base/format.hpp"
#include "memory/page.hpp"

namespace starling::memory {
namespace {

static_assert(sizeof(ArenaHead) <= kPage);

/// arena_used when there is no memory even for the first page.
constexpr std::uint64_t kUnusable = ~std::uint64_t{0};

std::size_t size_class(std::uint64_t bytes) {
  return bytes <= kPage ? 0 : static_cast<std::size_t>(std::bit_width(bytes - 1) - ArenaHead::kPageShift);
}

ArenaHead& heads(JobSegment& segment) { return *reinterpret_cast<ArenaHead*>(segment.arena().data()); }

std::uint64_t& next_of(JobSegment& segment, std::uint64_t offset) {
  return *reinterpret_cast<std::uint64_t*>(segment.arena().data() + offset);
}

}  // namespace

// The word is the holder's process id, so that the lock of a dead process can be taken over.
Arena::Guard::Guard(JobSegment& segment) noexcept : word_(segment.header().arena_lock) {
  const auto me = static_cast<std::uint64_t>(getpid());
  std::uint64_t holder = 0;
  // acquire: what the previous holder changed must be visible here.
  while (!word_.compare_exchange_weak(holder, me, std::memory_order_acquire)) {
    const bool dead = holder != 0 && holder != me && kill(static_cast<pid_t>(holder), 0) != 0 && errno == ESRCH;
    if (dead) continue;  // the next exchange takes it from the dead holder
    holder = 0;
    sched_yield();
  }
}

Arena::Guard::~Guard() { word_.store(0, std::memory_order_release); }

Status Arena::open(const Guard& /*guard*/) {
  std::atomic<std::uint64_t>& used = segment_.header().arena_used;
  const std::uint64_t now = used.load(std::memory_order_relaxed);
  if (now != 0 && now != kUnusable) return {};
  Status failure = Status::error(ErrorClass::kNoMem, "the job's shared memory has no room for an arena");
  if (now == kUnusable) return failure;
  if (segment_.arena().size() >= kPage) failure = segment_.commit(segment_.arena().first(kPage));
  used.store(failure.ok() ? kPage : kUnusable, std::memory_order_relaxed);
  return failure;
}

Result<std::uint64_t> Arena::allocate(const Guard& /*guard*/, std::uint64_t bytes) {
  if (heads(segment_).closed != 0) {
    return Status::error(ErrorClass::kNoMem, "the arena of the job's shared memory was full before and is closed");
  }
  const std::size_t index = size_class(bytes);
  const std::uint64_t rounded = kPage << index;
  std::uint64_t& first = heads(segment_).first[index];
  if (first != 0) {
    const std::uint64_t offset = first;
    first = next_of(segment_, offset);
    return offset;
  }
  std::atomic<std::uint64_t>& used = segment_.header().arena_used;
  const std::uint64_t offset = used.load(std::memory_order_relaxed);
  if (rounded > segment_.arena().size() || offset > segment_.arena().size() - rounded) {
    return Status::error(
        ErrorClass::kNoMem,
        formatted("the arena of the job's shared memory is full: {} of {} bytes are in use, and {} more are "
                  "needed. STARLING_SHM_ARENA makes it larger.",
                  offset, segment_.arena().size(), rounded));
  }
  if (Status real = segment_.commit(block(offset, kPage)); !real.ok()) return real;
  used.store(offset + rounded, std::memory_order_relaxed);
  return offset;
}

void Arena::release(const Guard& /*guard*/, std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t& first = heads(segment_).first[size_class(bytes)];
  next_of(segment_, offset) = first;
  // Last, for a rank may die at any place, and the next holder of the lock goes on with what it left.
  std::atomic_ref(first).store(offset, std::memory_order_release);
}

void Arena::close(const Guard& /*guard*/) { heads(segment_).closed = 1; }

std::uint64_t& Arena::root(const Guard& /*guard*/, Root root) const noexcept {
  return heads(segment_).roots[static_cast<std::size_t>(root)];
}

}  // namespace starling::memory
