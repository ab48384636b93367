// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/put_stream.hpp"

#include <algorithm>
#include <cstring>

#include "memory/doorbell.hpp"
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace starling::rma {
namespace {

/// After so many lines the origin, which may lack room, is told what is done.
constexpr std::uint32_t kTellLines = PutStream::kLines / 4;
/// In one poll, so that other messages have their turn.
constexpr int kBatches = 4;

/// Writes to lines of data. Their first words are where states are kept when the lines are entries, and a servant that
/// has not yet seen how far others have come may look there: it reads a word, whatever that is, and looks again when it
/// has the right to serve. So the word is written as one.
void write_lines(PutStream::Entry* to, const void* from, std::uint64_t bytes) noexcept {
  using Word = std::uint32_t;
  const auto* data = static_cast<const std::byte*>(from);
  for (; bytes > 0; ++to) {
    const std::uint64_t here = std::min<std::uint64_t>(bytes, kCacheLine);
    Word word = 0;
    std::memcpy(&word, data, std::min<std::uint64_t>(here, sizeof word));
    to->state.store(word, std::memory_order_relaxed);
    std::byte* rest = reinterpret_cast<std::byte*>(to) + sizeof word;
    if (here == kCacheLine) {
      std::memcpy(rest, data + sizeof word, kCacheLine - sizeof word);
    } else if (here > sizeof word) {
      std::memcpy(rest, data + sizeof word, here - sizeof word);
    }
    data += here;
    bytes -= here;
  }
}

#if defined(__x86_64__)
/// The same past the caches, and complete before any later store of this thread is seen. Sixteen bytes are written as
/// one, by an instruction that no sanitizer takes for a write that nobody may look at meanwhile.
void write_lines_past_caches(PutStream::Entry* to, const void* from, std::uint64_t bytes) noexcept {
  const auto* data = static_cast<const std::byte*>(from);
  for (; bytes >= kCacheLine; ++to, data += kCacheLine, bytes -= kCacheLine) {
    auto* line = reinterpret_cast<__m128i*>(to);
    const auto* source = reinterpret_cast<const __m128i*>(data);
    for (std::size_t i = 0; i < kCacheLine / sizeof *line; ++i) {
      asm volatile("movntdq %1, %0" : "=m"(line[i]) : "x"(_mm_loadu_si128(source + i)));
    }
  }
  write_lines(to, data, bytes);
  _mm_sfence();  // stores past the cache keep no order by themselves
}
#else
void write_lines_past_caches(PutStream::Entry* to, const void* from, std::uint64_t bytes) noexcept {
  write_lines(to, from, bytes);
}
#endif

}  // namespace

std::uint32_t PutStream::add(std::uint32_t position, std::uint64_t address, const void* from, std::uint64_t bytes,
                             Filling filling) noexcept {
  Entry& entry = at(position);
  const std::uint32_t next = position + lines_of(bytes);
  entry.bytes = static_cast<std::uint32_t>(bytes);
  entry.address = address;
  if (bytes == sizeof(std::uint64_t)) {
    std::memcpy(entry.data, from, sizeof(std::uint64_t));
  } else if (bytes <= Entry::kInline) {
    std::memcpy(entry.data, from, bytes);
  } else {
    const std::uint32_t first = (position + 1) % kLines;
    const std::uint64_t room = std::min<std::uint64_t>(bytes, std::uint64_t{kLines - first} * kCacheLine);
    const auto write = filling == Filling::kThroughCache ? &write_lines : &write_lines_past_caches;
    write(&lines[first], from, room);
    if (room < bytes) write(&lines[0], static_cast<const std::byte*>(from) + room, bytes - room);
  }
  at(next).state.store(kEmpty, std::memory_order_relaxed);
  // release: the entry, and that the next is none yet.
  entry.state.store(kFull, std::memory_order_release);
  return next;
}

void PutStream::take_out(std::uint32_t position, void* to) noexcept {
  const Entry& entry = at(position);
  if (entry.bytes == sizeof(std::uint64_t)) {
    std::memcpy(to, entry.data, sizeof(std::uint64_t));
  } else if (entry.bytes <= Entry::kInline) {
    std::memcpy(to, entry.data, entry.bytes);
  } else {
    const std::uint32_t first = (position + 1) % kLines;
    const std::uint64_t room = std::min<std::uint64_t>(entry.bytes, std::uint64_t{kLines - first} * kCacheLine);
    std::memcpy(to, &lines[first], room);
    if (room < entry.bytes) std::memcpy(static_cast<std::byte*>(to) + room, &lines[0], entry.bytes - room);
  }
}

std::uint32_t PutStream::serve_some(std::uint32_t position) noexcept {
  const std::uint32_t begin = position;
  // acquire: the entry.
  while (position - begin < kTellLines && at(position).state.load(std::memory_order_acquire) == kFull) {
    const Entry& entry = at(position);
    take_out(position, reinterpret_cast<std::byte*>(entry.address));  // NOLINT(performance-no-int-to-ptr)
    position += lines_of(entry.bytes);
  }
  return position;
}

bool PutStream::take_and_serve(const memory::JobSegment& segment) noexcept {
  if (!try_take()) return false;
  std::uint32_t position = done.load(std::memory_order_relaxed);
  for (int batch = 0; batch < kBatches; ++batch) {
    const std::uint32_t next = serve_some(position);
    if (next == position) break;
    position = next;
    // release: the data are there.
    done.store(position, std::memory_order_release);
  }
  give_back();
  // This sees the origin that waits now, or that one sees what is done and that the right to serve is free: its
  // membarrier is a fence here, and where the kernel refuses that there must be one.
  if (segment.header().sender_fences != 0) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  if (const std::uint32_t waiting = asker.load(std::memory_order_relaxed)) {
    memory::ring(segment.rank(LocalRank(waiting - 1)).doorbell, segment.header().sender_fences != 0);
  }
  return true;
}

}  // namespace starling::rma
