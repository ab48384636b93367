// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What leaves: records written in their place in a chunk, large ones announced in it and sent behind it.
#include <algorithm>
#include <cstring>
#include <new>

#include "wire.hpp"

namespace starling::array::detail {

/// The header is written where it stays, by its fields: to copy one that was just put together would wait until the
/// processor has stored it.
Wire::Room Wire::write(char* at, RecordKind kind, const char* index, std::size_t index_bytes, std::size_t payload) {
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

Wire::Room Wire::open(int to, RecordKind kind, const char* index, std::size_t index_bytes, std::size_t payload) {
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
  std::memcpy(open(to, RecordKind::kLarge, nullptr, 0, sizeof announcement).payload, &announcement,
              sizeof announcement);
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
  if (trouble_ != mpi::kNoError || is_drained_) return out.larges.clear();
  ++out.chunks;
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

}  // namespace starling::array::detail
