// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "wire.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <starling/array/core.hpp>
#include <string>

namespace starling::array::detail {

namespace {

constexpr int kChunkTag = 0;
constexpr int kLastTag = 30000;  // of those for large records
static_assert(kLastTag < mpi::kLargestTag);
constexpr std::size_t kKeptLarges = 64;

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// Lets malloc keep the memory of elements that leave for those that come. glibc returns blocks of more than 128 KB to
/// the system at once, which hands them out anew page by page, until a program has freed a larger one (mallopt(3),
/// M_MMAP_THRESHOLD); 32 MB is the most that counts. Whoever set that threshold keeps it.
void keep_freed_memory() {
  [[maybe_unused]] static const bool once = [] {
    constexpr std::size_t kMost = (32u << 20) - (64u << 10);
    void* volatile block = std::malloc(kMost);  // volatile: the pair of calls must not be left out
    std::free(block);
    return true;
  }();
}

bool is_counted(Kind kind) { return kind > Kind::kLarge && kind < Kind::kUncounted; }

}  // namespace

Wire::Wire(Communicator comm, Sink& sink)
    : comm_(comm), sink_(sink), rank_(mpi::rank(comm)), size_(mpi::size(comm)), waits_well_(mpi::waits_well()) {
  crowded_ = size_ > usable_cores();
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
  mpi::free(comm_);
}

bool Wire::test(mpi::Request& request, mpi::Arrival* arrival) {
  bool done = false;
  note(mpi::test(request, done, arrival));
  return done;
}

void Wire::post(int slot) {
  note(mpi::start_receive(comm_, mpi::kAnyProcess, kChunkTag, receive_bytes_[slot].get(), kChunk, receives_[slot]));
}

Wire::Bytes Wire::take_chunk() {
  if (free_chunks_.empty()) return Bytes(new char[kChunk]);
  Bytes bytes = std::move(free_chunks_.back());
  free_chunks_.pop_back();
  return bytes;
}

Wire::Large Wire::take_large(std::size_t size) {
  if (size > INT32_MAX) {
    throw Error("a message or element of " + std::to_string(size) +
                " bytes: at most 2147483647 can be sent at once; split it");
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

/// The header is written where it stays, by its fields: to copy one that was just put together would wait until the
/// processor has stored it.
Wire::Room Wire::write(char* at, Kind kind, const char* index, std::size_t index_bytes, std::size_t payload) {
  auto* header = new (at) RecordHeader();
  header->bytes = static_cast<std::uint32_t>(sizeof *header + padded(index_bytes) + padded(payload));
  header->payload = static_cast<std::uint32_t>(payload);
  header->kind = kind;
  header->index = static_cast<std::uint32_t>(index_bytes);
  at += sizeof *header;
  if (index_bytes == sizeof(std::uint32_t)) {
    std::memcpy(at, index, sizeof(std::uint32_t));
  } else if (index_bytes == sizeof(std::uint64_t)) {
    std::memcpy(at, index, sizeof(std::uint64_t));
  } else if (index_bytes != 0) {
    std::memcpy(at, index, index_bytes);
  }
  return {*header, at + padded(index_bytes)};
}

Wire::Room Wire::open(int to, Kind kind, const char* index, std::size_t index_bytes, std::size_t payload) {
  const std::size_t bytes = sizeof(RecordHeader) + padded(index_bytes) + padded(payload);
  if (is_counted(kind)) ++sent_;
  if (bytes > kLargest) return write(large_room(to, bytes), kind, index, index_bytes, payload);
  Outgoing& out = outgoing_[static_cast<std::size_t>(to)];
  if (out.used + bytes > (out.used > kFull ? kChunk : kFull)) flush_to(to);
  if (out.used == 0) {
    if (!out.bytes) out.bytes = take_chunk();
    dirty_.push_back(to);
  }
  char* at = out.bytes.get() + out.used;
  out.used += bytes;
  return write(at, kind, index, index_bytes, payload);
}

/// Announces a large record in its place among the others.
char* Wire::large_room(int to, std::size_t size) {
  if (!sending_larges_.empty()) reap();
  Large large = take_large(size);
  Outgoing& out = outgoing_[static_cast<std::size_t>(to)];
  large.tag = out.next_tag;
  large.peer = to;
  out.next_tag = out.next_tag % kLastTag + 1;
  const Announcement announcement{large.size, large.tag, 0};
  std::memcpy(open(to, Kind::kLarge, nullptr, 0, sizeof announcement).payload, &announcement, sizeof announcement);
  char* room = large.bytes.get();
  out.larges.push_back(std::move(large));
  has_larges_ = true;
  return room;
}

void Wire::flush_to(int to) {
  Outgoing& out = outgoing_[static_cast<std::size_t>(to)];
  if (out.used == 0) return;
  const std::size_t used = out.used;
  out.used = 0;
  dirty_.erase(std::find(dirty_.begin(), dirty_.end(), to));
  if (trouble_ != mpi::kNoError) return out.larges.clear();
  Sending sending{std::move(out.bytes), {}};
  note(mpi::start_send(comm_, to, kChunkTag, sending.bytes.get(), used, sending.request));
  if (test(sending.request)) {
    out.bytes = std::move(sending.bytes);
  } else {
    sending_.push_back(std::move(sending));
  }
  for (Large& large : out.larges) {
    note(mpi::start_send(comm_, to, large.tag, large.bytes.get(), large.size, large.request));
    sending_larges_.push_back(std::move(large));
  }
  out.larges.clear();
}

void Wire::flush() {
  while (!dirty_.empty()) flush_to(dirty_.back());
  has_larges_ = false;
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

bool Wire::poll() {
  if (size_ == 1) return false;
  bool some = finish_reading();
  if (!sending_.empty() || !sending_larges_.empty()) reap();
  if (!stalled_.empty()) some |= advance_stalled();
  for (int i = 0; i < kReceives && chunk_arrived(); ++i) {
    arrived_ = false;
    some = true;
    read_chunk(arrival_.bytes, arrival_.from);
  }
  if (some) empty_polls_ = 0;
  return some;
}

bool Wire::chunk_arrived() {
  if (arrived_) return true;
  arrived_ = test(receives_[oldest_], &arrival_) && trouble_ == mpi::kNoError;
  return arrived_;
}

void Wire::read_chunk(std::size_t size, int from) {
  const char* bytes = receive_bytes_[oldest_].get();
  expect_larges(bytes, size, from);
  Stream& stream = streams_[static_cast<std::size_t>(from)];
  if (!stream.chunks.empty() || !stream.larges.empty()) {
    hold(size, from);
    advance_stalled();
    return;
  }
  reading_ = {bytes, 0, size, from};
  finish_reading();
}

/// Goes on with the chunk that is being read; a handler may have thrown in its middle.
bool Wire::finish_reading() {
  if (reading_.bytes == nullptr) return false;
  while (reading_.at < reading_.end) {
    const char* record = reading_.bytes + reading_.at;
    reading_.at += reinterpret_cast<const RecordHeader*>(record)->bytes;
    deliver(record, reading_.from);
    flush_larges();
  }
  reading_ = {};
  flush();  // answers leave before the receive is posted anew
  post(oldest_);
  oldest_ = (oldest_ + 1) % kReceives;
  return true;
}

/// Posts the receives of the large records that a chunk announces.
void Wire::expect_larges(const char* bytes, std::size_t size, int from) {
  for (std::size_t at = 0; at < size;) {
    const auto* header = reinterpret_cast<const RecordHeader*>(bytes + at);
    if (header->kind == Kind::kLarge) {
      Announcement announcement;
      std::memcpy(&announcement, bytes + at + sizeof *header, sizeof announcement);
      Large large = take_large(announcement.bytes);
      note(mpi::start_receive(comm_, from, announcement.tag, large.bytes.get(), large.size, large.request));
      streams_[static_cast<std::size_t>(from)].larges.push_back(std::move(large));
    }
    at += header->bytes;
  }
}

void Wire::hold(std::size_t size, int from) {
  Stream& stream = streams_[static_cast<std::size_t>(from)];
  if (stream.chunks.empty()) stalled_.push_back(from);
  Chunk chunk{take_chunk(), 0, size};
  std::swap(chunk.bytes, receive_bytes_[oldest_]);
  stream.chunks.push_back(std::move(chunk));
  post(oldest_);
  oldest_ = (oldest_ + 1) % kReceives;
}

bool Wire::advance_stalled() {
  bool some = false;
  for (std::size_t i = 0; i < stalled_.size();) {
    const int from = stalled_[i];
    Stream& stream = streams_[static_cast<std::size_t>(from)];
    some |= advance(stream, from);
    if (stream.chunks.empty()) {
      stalled_.erase(stalled_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return some;
}

bool Wire::advance(Stream& stream, int from) {
  bool some = false;
  while (!stream.chunks.empty()) {
    Chunk& chunk = stream.chunks.front();
    while (chunk.at < chunk.end) {
      const char* record = chunk.bytes.get() + chunk.at;
      const auto* header = reinterpret_cast<const RecordHeader*>(record);
      if (header->kind == Kind::kLarge) {
        if (!test(stream.larges.front().request) || trouble_ != mpi::kNoError) return some;
        chunk.at += header->bytes;
        Large large = std::move(stream.larges.front());
        stream.larges.pop_front();
        deliver(large.bytes.get(), from);
        give_large(std::move(large));
      } else {
        chunk.at += header->bytes;
        deliver(record, from);
      }
      flush_larges();
      some = true;
    }
    free_chunks_.push_back(std::move(chunk.bytes));
    stream.chunks.pop_front();
  }
  return some;
}

void Wire::deliver(const char* record, int from) {
  const auto* header = reinterpret_cast<const RecordHeader*>(record);
  if (is_counted(header->kind)) ++handled_;
  const char* index = record + sizeof *header;
  sink_.handle(Record{*header, index, index + padded(header->index), from});
}

void Wire::idle(std::int64_t longest_us) {
  if (trouble_ != mpi::kNoError) return;
  constexpr std::int64_t kSpins = 2000;
  constexpr std::int64_t kCrowdedSpins = 20;
  constexpr std::int64_t kYields = 200;
  constexpr std::int64_t kSpinsBeforeBlock = 100;
  const std::int64_t spins = crowded_ ? kCrowdedSpins : waits_well_ ? kSpinsBeforeBlock : kSpins;
  ++empty_polls_;
  if (size_ > 1 && empty_polls_ < spins) return;
  if (size_ > 1 && waits_well_ && longest_us < 0) return block();
  if (empty_polls_ < spins + kYields) {
    sched_yield();
    return;
  }
  std::int64_t nap_us = std::min<std::int64_t>(50 + (empty_polls_ - spins - kYields), 1000);
  if (longest_us >= 0) nap_us = std::min(nap_us, longest_us);
  const timespec nap{0, static_cast<long>(nap_us) * 1000};
  nanosleep(&nap, nullptr);
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
