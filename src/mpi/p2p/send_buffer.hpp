// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SendBuffer: the memory that a user attaches to a communicator or to the process for buffered sends.
//
// A buffered send is a standard nonblocking send of the packed message from this memory. With MPI_BUFFER_AUTOMATIC each
// message gets memory of its own. All bookkeeping stands outside the user's memory, so a message costs there its packed
// size rounded up to kAlignment, well below MPI_BSEND_OVERHEAD.
// Thread safety: the holder of the world's lock.
// Invariants: segments are sorted by their place; a segment's memory is free again once its send is complete; flushes
// complete in the order in which they were asked for. Source: MPI-5.0, chapter 3.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "mpi/boundary/context.hpp"
#include "p2p/point_to_point.hpp"

namespace starling::mpi {

class FlushRequest;

class SendBuffer {
 public:
  static constexpr std::size_t kAlignment = 16;

  SendBuffer() = default;
  SendBuffer(const SendBuffer&) = delete;
  SendBuffer& operator=(const SendBuffer&) = delete;
  ~SendBuffer();

  [[nodiscard]] bool attached() const noexcept { return address_ != nullptr; }
  [[nodiscard]] bool automatic() const noexcept;

  /// address may be MPI_BUFFER_AUTOMATIC, which needs no size. kBuffer when one is attached already.
  Status attach(void* address, std::int64_t bytes);

  /// Packs the message and hands it to the engine. kBuffer when there is no room.
  Status send(p2p::PointToPoint& engine, const p2p::Message& message);

  /// Blocks until every message has left.
  void flush(p2p::PointToPoint& engine);
  /// A request that completes when every message that is in the buffer now has left.
  p2p::Request* start_flush();

  struct Memory {
    void* address;
    std::int64_t bytes;
  };
  /// Flushes and gives the memory back. kBuffer when none is attached.
  Result<Memory> detach(p2p::PointToPoint& engine);

 private:
  struct Segment {
    SendBuffer* owner;
    std::uint64_t number;
    std::size_t offset;
    std::size_t bytes;
    std::unique_ptr<std::byte[]> own_memory;
    p2p::Request* request = nullptr;
  };
  friend class FlushRequest;

  Result<Segment*> allocate(std::size_t bytes);
  std::byte* memory(Segment& segment) const noexcept;
  void reap();
  void segment_left();
  [[nodiscard]] std::uint64_t oldest_in_flight() const noexcept;

  void* address_ = nullptr;
  std::int64_t bytes_ = 0;
  std::uint64_t next_number_ = 0;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<FlushRequest*> flushes_;
};

/// Where buffered sends on this communicator go: its own buffer, that of its session, or the process's.
[[nodiscard]] SendBuffer& send_buffer_of(Context& context, CommObject& comm);

/// Blocks until every message has left a buffer that may not have been used yet.
void flush(Context& context, const Slot<SendBuffer>& buffer);
/// The same for all buffers of the rank.
void flush_buffers(Context& context);

}  // namespace starling::mpi
