// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Records: how the parts of a process post records to any process, this one included. Those to other processes go by
// the wire; those to this process wait here and are handled at its next step.
//
// **Thread safety**: none; belongs to one process's session. **Invariants**: records to one process are handled in the
// order in which they were posted.
#pragma once

#include <deque>
#include <starling/array/index.hpp>
#include <vector>

#include "wire.hpp"

namespace starling::array::detail {

/// A record that is kept: a copy of its index and payload as on the wire.
struct KeptRecord {
  RecordHeader header;
  int from = 0;
  std::vector<char> bytes;

  Record record() const {
    const char* index = bytes.data();
    return Record{header, index, index + padded(header.index), from};
  }
};

class Records {
 public:
  /// Takes the communicator over.
  Records(Communicator comm, Sink& sink) : sink_(sink), wire_(comm, sink) {}

  int rank() const { return wire_.rank(); }
  int size() const { return wire_.size(); }
  Communicator comm() const { return wire_.comm(); }
  Wire& wire() { return wire_; }

  /// Room for a record, to be filled before the next call. The header, of which kind and sizes are set, is filled in
  /// its place.
  Wire::Room open(int to, RecordKind kind, const char* index, std::size_t index_bytes, std::size_t payload) {
    if (to != rank()) return wire_.open(to, kind, index, index_bytes, payload);
    return open_own(kind, index, index_bytes, payload);
  }
  /// The same with a header that is ready. Returns room for the payload.
  char* post(int to, const RecordHeader& header, const char* index);
  /// The same with a payload that is ready, and without an index.
  void post_bytes(int to, const RecordHeader& header, const char* bytes, std::size_t size);
  /// A record of an array about one element whose payload is a struct.
  template <class Info>
  void post_info(int to, RecordKind kind, std::uint16_t array, const Index& index, std::uint32_t epoch,
                 const Info& info);
  /// What was posted leaves now.
  void flush() { wire_.flush(); }

  /// Handles what was posted to this process before; whether there was any.
  bool handle_own();
  bool has_own() const { return !own_.empty(); }
  /// A record is handled at the next step.
  void handle_later(KeptRecord record) { own_.push_back(std::move(record)); }
  void drop_own() { own_.clear(); }

  /// Records to others, on all communicators so far.
  std::uint64_t sent() const { return sent_before_ + wire_.sent(); }
  /// Records from others, likewise.
  std::uint64_t received() const { return received_before_ + wire_.handled(); }

  /// Nothing is under way: goes on with another communicator, which it takes over.
  void change_comm(Communicator comm);
  /// The same; the one from before is the caller's.
  Communicator exchange_comm(Communicator comm);

 private:
  Wire::Room open_own(RecordKind kind, const char* index, std::size_t index_bytes, std::size_t payload);

  Sink& sink_;
  Wire wire_;
  std::deque<KeptRecord> own_;
  std::uint64_t sent_before_ = 0;
  std::uint64_t received_before_ = 0;
};

template <class Info>
void Records::post_info(int to, RecordKind kind, std::uint16_t array, const Index& index, std::uint32_t epoch,
                        const Info& info) {
  const Wire::Room room = open(to, kind, index.data(), index.size(), sizeof info);
  room.header.array = array;
  room.header.epoch = epoch;
  room.header.origin = rank();
  std::memcpy(room.payload, &info, sizeof info);
}

}  // namespace starling::array::detail
