// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Wire: records to other processes. Small records to one process ride together in a chunk; large ones go by themselves,
// announced in their place, so that all records of a pair of processes are handled in the order in which they were
// written.
//
// **Thread safety**: none; belongs to one process's session. **Invariants**: the order above; a record is handled whole
// and once, also when its handler throws. **Layout**: record.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "mpi/limits.hpp"
#include "mpi_calls.hpp"
#include "record.hpp"

namespace starling::array::detail {

class Wire {
 public:
  /// Takes the communicator over.
  Wire(Communicator comm, Sink& sink);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  Communicator comm() const { return comm_; }
  /// Leaves the communicator to the caller.
  Communicator release() {
    is_owner_ = false;
    return comm_;
  }

  /// A record under construction.
  struct Room {
    RecordHeader& header;
    char* payload;
  };
  /// Room for a record to another process, to be filled in its place before the next call: the header, of which kind
  /// and sizes are set, and the payload. It leaves with flush().
  Room open(int to, RecordKind kind, const char* index, std::size_t index_bytes, std::size_t payload);
  /// Sends what has been written.
  void flush();
  /// Sends what has been written if there is a large record in it: its receiver reads it while more is written here.
  void flush_larges() {
    if (has_larges_) flush();
  }
  /// Handles what has arrived; whether there was any.
  bool poll();
  /// Nothing to do: sleeps until something arrives, or for `longest_us`.
  void idle(std::int64_t longest_us);
  /// Whether records have arrived that were not handled yet.
  bool stalled() const { return !stalled_.empty() || reading_.at < reading_.end; }

  /// Collective, before the communicator is freed: takes in what is under way to this process yet, and drops it.
  /// Nothing is sent from now on. An MPI may give the numbers of a freed communicator to the next one, which would be
  /// brought what came too late.
  void drain();

  /// The error of the first call of MPI that failed: a process died. Nothing is sent or received any more then.
  int trouble() const { return trouble_; }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t handled() const { return handled_; }

 private:
  static constexpr std::size_t kChunk = 32768;
  static constexpr std::size_t kFull = 3072;      // of small records leave together: MPIs copy as much at once
  static constexpr std::size_t kLargest = 16384;  // the largest record that rides in a chunk
  static constexpr int kReceives = 8;
  static constexpr int kChunkTag = 0;
  static constexpr int kLastTag = 30000;  // of those for large records
  static_assert(kLastTag < any_mpi::kLargestTag);
  using Bytes = std::unique_ptr<char[]>;

  struct Announcement {
    std::uint64_t bytes;
    std::int32_t tag;
    std::int32_t spare;
  };
  struct Large {
    Bytes bytes;
    std::size_t size = 0;
    std::size_t room = 0;
    int peer = 0;
    int tag = 0;
    mpi::Request request;
  };
  struct Outgoing {
    Bytes bytes;
    std::size_t used = 0;
    int next_tag = 1;
    std::uint64_t chunks = 0;   // sent so far
    std::vector<Large> larges;  // written, and sent behind their chunk
  };
  struct Sending {
    Bytes bytes;
    mpi::Request request;
  };
  struct Chunk {
    Bytes bytes;
    std::size_t at = 0;
    std::size_t end = 0;
  };
  /// What came from one process and waits for a large record.
  struct Stream {
    std::deque<Chunk> chunks;
    std::deque<Large> larges;
  };
  struct Reading {
    const char* bytes = nullptr;
    std::size_t at = 0;
    std::size_t end = 0;
    int from = 0;
  };

  static Room write(char* at, RecordKind kind, const char* index, std::size_t index_bytes, std::size_t payload);
  char* large_room(int to, std::size_t size);
  void flush_to(int to);
  Bytes take_chunk();
  Large take_large(std::size_t size);
  void give_large(Large large);
  void post(int slot);
  void post_oldest();
  bool chunk_arrived();
  void read_chunk(std::size_t size, int from);
  void expect_larges(const char* bytes, std::size_t size, int from);
  void hold(std::size_t size, int from);
  bool advance(Stream& stream, int from);
  bool advance_stalled();
  void deliver(const char* record, int from);
  bool finish_reading();
  void reap();
  void block();
  bool test(mpi::Request& request, mpi::Arrival* arrival = nullptr);
  void note(int code) {
    if (code != mpi::kNoError && trouble_ == mpi::kNoError) trouble_ = code;
  }

  Communicator comm_;
  Sink& sink_;
  int rank_ = 0;
  int size_ = 1;
  bool is_owner_ = true;
  bool blocking_calls_sleep_ = false;
  bool is_oversubscribed_ = false;  // fewer cores than processes
  int trouble_ = mpi::kNoError;
  std::int64_t empty_polls_ = 0;
  std::vector<Outgoing> outgoing_;
  std::vector<int> dirty_;
  std::vector<Bytes> free_chunks_;
  std::vector<Large> free_larges_;
  std::vector<Sending> sending_;
  std::vector<Large> sending_larges_;
  Bytes receive_bytes_[kReceives];
  mpi::Request receives_[kReceives];
  int oldest_ = 0;
  bool has_larges_ = false;  // written, and not sent
  bool arrived_ = false;     // the oldest receive, seen by block()
  bool is_drained_ = false;
  mpi::Arrival arrival_;  // of that receive
  Reading reading_;
  std::vector<Stream> streams_;
  std::vector<int> stalled_;
  std::uint64_t sent_ = 0;
  std::uint64_t handled_ = 0;
  std::uint64_t chunks_ = 0;  // received
};

}  // namespace starling::array::detail
