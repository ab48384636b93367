// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What arrives: chunks are read in order, those behind a large record when it is whole.
#include <cstring>

#include "wire.hpp"

namespace starling::array::detail {

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
  ++chunks_;
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
  post_oldest();
  return true;
}

/// Posts the receives of the large records that a chunk announces.
void Wire::expect_larges(const char* bytes, std::size_t size, int from) {
  for (std::size_t at = 0; at < size;) {
    const auto* header = reinterpret_cast<const RecordHeader*>(bytes + at);
    if (header->kind == RecordKind::kLarge) {
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
  post_oldest();
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
      if (header->kind == RecordKind::kLarge) {
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

/// Each process is told how many chunks the others have sent to it; these announce the large records.
void Wire::drain() {
  if (size_ == 1 || is_drained_) return;
  is_drained_ = true;
  if (reading_.bytes != nullptr) {
    reading_ = {};
    post_oldest();
  }
  std::vector<std::uint64_t> sent;
  for (const Outgoing& each : outgoing_) sent.push_back(each.chunks);
  std::uint64_t coming = 0;
  if (trouble_ == mpi::kNoError) note(mpi::sum_for_each(comm_, sent, coming));
  while (trouble_ == mpi::kNoError && chunks_ < coming) {
    if (!chunk_arrived()) {
      idle(-1);
      continue;
    }
    arrived_ = false;
    ++chunks_;
    expect_larges(receive_bytes_[oldest_].get(), arrival_.bytes, arrival_.from);
    post_oldest();
  }
  for (Stream& stream : streams_) {
    for (Large& each : stream.larges) {
      if (trouble_ == mpi::kNoError) note(mpi::wait(each.request));
    }
  }
  if (trouble_ != mpi::kNoError && mpi::goes_on(comm_)) mpi::revoke(comm_);  // others may not have seen the death
}

void Wire::deliver(const char* record, int from) {
  const auto* header = reinterpret_cast<const RecordHeader*>(record);
  if (is_counted(header->kind)) ++handled_;
  const char* index = record + sizeof *header;
  sink_.handle(Record{*header, index, index + padded(header->index), from});
}

}  // namespace starling::array::detail
