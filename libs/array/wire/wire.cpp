// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "wire.hpp"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <starling/array/core.hpp>
#include <string>

#include "base/format.hpp"
#include "base/usable_cores.hpp"

namespace starling::array::detail {

namespace {

constexpr std::size_t kKeptLarges = 64;

/// Lets malloc keep the memory of elements that leave for those that come. glibc returns blocks of more than 128 KB to
/// the system at once, which hands them out anew page by page, until a program has freed a larger one (mallopt(3),
/// M_MMAP_THRESHOLD); 32 MB is the most that counts. A threshold that is set in the environment stays.
void keep_freed_memory() {
#ifdef M_MMAP_THRESHOLD
  [[maybe_unused]] static const bool once = [] {
    constexpr int kMost = 32 << 20;
    const char* tunables = std::getenv("GLIBC_TUNABLES");
    const bool is_set = std::getenv("MALLOC_MMAP_THRESHOLD_") != nullptr ||
                        std::getenv("MALLOC_TRIM_THRESHOLD_") != nullptr ||
                        (tunables != nullptr && std::strstr(tunables, "glibc.malloc.") != nullptr);
    return !is_set && mallopt(M_MMAP_THRESHOLD, kMost) != 0 && mallopt(M_TRIM_THRESHOLD, 2 * kMost) != 0;
  }();
#endif
}

}  // namespace

Wire::Wire(Communicator comm, Sink& sink)
    : comm_(comm),
      sink_(sink),
      rank_(mpi::rank(comm)),
      size_(mpi::size(comm)),
      blocking_calls_sleep_(mpi::blocking_calls_sleep()) {
  is_oversubscribed_ = size_ > static_cast<int>(usable_cores());
  outgoing_ = std::vector<Outgoing>(static_cast<std::size_t>(size_));
  streams_ = std::vector<Stream>(static_cast<std::size_t>(size_));
  if (size_ == 1) return;
  for (int slot = 0; slot < kReceives; ++slot) {
    receive_bytes_[slot] = take_chunk();
    post(slot);
  }
}

Wire::~Wire() {
  for (Sending& each : sending_) mpi::wait(each.request);
  for (Large& each : sending_larges_) mpi::wait(each.request);
  for (int slot = 0; slot < kReceives && size_ > 1; ++slot) {
    if (!receives_[slot].is_none()) mpi::cancel(receives_[slot]);
  }
  for (Stream& stream : streams_) {
    for (Large& each : stream.larges) {  // after a loss
      if (!each.request.is_none()) mpi::cancel(each.request);
    }
  }
  if (is_owner_) mpi::free(comm_);
}

bool Wire::test(mpi::Request& request, mpi::Arrival* arrival) {
  bool done = false;
  note(mpi::test(request, done, arrival));
  return done;
}

void Wire::post(int slot) {
  note(mpi::start_receive(comm_, mpi::kAnyProcess, kChunkTag, receive_bytes_[slot].get(), kChunk, receives_[slot]));
}

/// The oldest receive has been read: it becomes the youngest.
void Wire::post_oldest() {
  post(oldest_);
  oldest_ = (oldest_ + 1) % kReceives;
}

Wire::Bytes Wire::take_chunk() {
  if (free_chunks_.empty()) return Bytes(new char[kChunk]);
  Bytes bytes = std::move(free_chunks_.back());
  free_chunks_.pop_back();
  return bytes;
}

Wire::Large Wire::take_large(std::size_t size) {
  if (size > INT32_MAX) {
    throw Error(
        formatted("a message or element of {} bytes: at most {} can be sent at once; split it", size, INT32_MAX));
  }
  // The one that was used last: it may still be in a cache.
  const auto fits = std::find_if(free_larges_.rbegin(), free_larges_.rend(),
                                 [size](const Large& each) { return each.room >= size && each.room / 2 <= size; });
  Large large;
  if (fits != free_larges_.rend()) {
    std::swap(large, *fits);
    std::swap(*fits, free_larges_.back());
    free_larges_.pop_back();
  } else {
    keep_freed_memory();
    large.room = size;
    large.bytes = Bytes(new char[size]);
  }
  large.size = size;
  return large;
}

void Wire::give_large(Large large) {
  if (free_larges_.size() < kKeptLarges) free_larges_.push_back(std::move(large));
}

void Wire::reap() {
  for (std::size_t i = 0; i < sending_.size();) {
    if (!test(sending_[i].request)) {
      ++i;
      continue;
    }
    free_chunks_.push_back(std::move(sending_[i].bytes));
    if (i + 1 < sending_.size()) sending_[i] = std::move(sending_.back());
    sending_.pop_back();
  }
  for (std::size_t i = 0; i < sending_larges_.size();) {
    if (!test(sending_larges_[i].request)) {
      ++i;
      continue;
    }
    give_large(std::move(sending_larges_[i]));
    if (i + 1 < sending_larges_.size()) sending_larges_[i] = std::move(sending_larges_.back());
    sending_larges_.pop_back();
  }
}

void Wire::idle(std::int64_t longest_us) {
  if (trouble_ != mpi::kNoError) return;
  constexpr std::int64_t kSpins = 2000;
  constexpr std::int64_t kOversubscribedSpins = 20;
  constexpr std::int64_t kYields = 200;
  constexpr std::int64_t kSpinsBeforeBlock = 100;
  const std::int64_t spins = is_oversubscribed_      ? kOversubscribedSpins
                             : blocking_calls_sleep_ ? kSpinsBeforeBlock
                                                     : kSpins;
  ++empty_polls_;
  if (size_ > 1 && empty_polls_ < spins) return;
  if (size_ > 1 && blocking_calls_sleep_ && longest_us < 0) return block();
  if (empty_polls_ < spins + kYields) {
    sched_yield();
    return;
  }
  std::int64_t pause_us = std::min<std::int64_t>(50 + (empty_polls_ - spins - kYields), 1000);
  if (longest_us >= 0) pause_us = std::min(pause_us, longest_us);
  const timespec pause{0, static_cast<long>(pause_us) * 1000};
  nanosleep(&pause, nullptr);
}

/// Waits in MPI until a receive or a send is complete.
void Wire::block() {
  if (arrived_) return;
  std::vector<mpi::Request*> requests{&receives_[oldest_]};
  for (Sending& each : sending_) requests.push_back(&each.request);
  for (Large& each : sending_larges_) requests.push_back(&each.request);
  for (const int from : stalled_) {
    for (Large& each : streams_[static_cast<std::size_t>(from)].larges) requests.push_back(&each.request);
  }
  int which = 0;
  note(mpi::wait_for_any(requests, which, arrival_));
  arrived_ = which == 0 && trouble_ == mpi::kNoError;
}

}  // namespace starling::array::detail
